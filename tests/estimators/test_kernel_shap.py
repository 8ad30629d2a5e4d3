"""KernelSHAP: exact where the budget covers all, and the regression that it is below."""

from math import comb

import numpy as np
import pytest
from fuzz.plans import Case, measure

import lcshap as lc
import oracles
from lcshap.estimators.kernel_shap import _count_available
from support import (
    smooth_game,
    table_game,
)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 8])
def test_exact_with_all_coalitions(d):
    game, table = table_game(d, seed=d, outputs=2)
    for budget in (2**d, 2**d + 1, 10**6):
        e = lc.KernelSHAP(budget=budget).explain(game, lc.Graph.chain(d))
        np.testing.assert_allclose(e.scores, oracles.shapley(d, table), atol=1e-8)
        assert e.calls == 2**d
        assert e.stderr is None or not e.stderr.any()


def test_exact_where_only_pairs_interact():
    """Of a pair of opposite orders, or of complements, each unit gets half of what its pairs add."""
    d = 30
    rng = np.random.default_rng(2)
    unary, pairs = rng.normal(size=d), np.triu(rng.normal(size=(d, d)), 1)
    v = lc.Game(lambda kept: kept @ unary + np.einsum("ni,nj,ij->n", kept, kept, pairs), d)
    shapley = unary + (pairs + pairs.T).sum(axis=1) / 2
    for method in [lc.KernelSHAP(4 * d)]:
        np.testing.assert_allclose(method.explain(v, lc.Graph.chain(d)).scores, shapley, atol=1e-9)


class TestKernelSHAP:
    @pytest.mark.parametrize(("d", "budget"), [(8, 40), (8, 100), (9, 120), (20, 60), (20, 300)])
    def test_against_least_squares_written_out(self, d, budget):
        """The same coalitions and weights, solved by elimination of the last score and numpy's least squares."""
        game = smooth_game(d, seed=3)
        plan = lc.KernelSHAP(budget, seed=4).plan(lc.Graph.chain(d))
        values = game.evaluate(plan.coalitions)
        kept = plan.coalitions.dense()
        weight = np.zeros(plan.calls)
        weight[plan.estimator.plus] = weight[plan.estimator.minus] = plan.estimator.weight
        inside = slice(1, -1)
        total = values[-1] - values[0]
        design = kept[inside, :-1] - 1.0 * kept[inside, -1:]
        response = values[inside] - values[0] - kept[inside, -1] * total
        root = np.sqrt(weight[inside])
        head = np.linalg.lstsq(root[:, None] * design, root * response, rcond=None)[0]
        np.testing.assert_allclose(lc.run(plan, game).scores, [*head, total - head.sum()], atol=1e-9)

    def test_pairs_and_no_repeats(self):
        for d, budget in ((7, 50), (10, 400), (30, 200), (200, 800)):
            plan = lc.KernelSHAP(budget).plan(lc.Graph.chain(d))
            assert budget - 1 <= plan.calls <= budget
            kept = {bytes(row) for row in plan.coalitions.dense()}
            assert len(kept) == plan.calls
            assert kept == {bytes(~row) for row in plan.coalitions.dense()}

    def test_sizes_follow_the_kernel(self):
        """Without exhaustion, the share of size s is that of 1/(s(d-s))."""
        d = 60
        plan = lc.KernelSHAP(20_000).plan(lc.Graph.chain(d))
        sizes = np.bincount(plan.coalitions.sizes, minlength=d + 1)[2:-2]
        s = np.arange(2, d - 1)
        mass = 1 / (s * (d - s))
        np.testing.assert_allclose(sizes / sizes.sum(), mass / mass.sum(), atol=0.002)
        assert sizes[0] < 2 * 1770  # sizes 1 and d-1 are complete, 2 is not
        assert (plan.coalitions.sizes == 1).sum() == d

    @pytest.mark.parametrize(("d", "budget"), [(8, 40), (9, 80), (12, 150)])
    def test_a_size_that_is_complete_has_its_mass_in_the_kernel(self, d, budget):
        """All pairs of a complete size share the mass of that size; sampled pairs share what is left of the mass."""
        game, _ = table_game(d, seed=1)
        method, graph = lc.KernelSHAP(budget, seed=4), lc.Graph.chain(d)
        coalitions = method.plan(graph).coalitions
        values, kept = game.evaluate(coalitions), coalitions.dense()
        smaller = np.minimum(coalitions.sizes, d - coalitions.sizes)[1:-1]
        mass = {s: (1 + (2 * s != d)) / (s * (d - s)) for s in range(1, d // 2 + 1)}
        complete = {s: (smaller == s).sum() == comb(d, s) * (1 + (2 * s != d)) for s in mass}
        assert complete[1]
        assert not all(complete.values())
        sample_weight = sum(mass[s] for s in mass if not complete[s]) / sum(not complete[s] for s in smaller)
        weight = np.array([mass[s] / (smaller == s).sum() if complete[s] else sample_weight for s in smaller])
        total = values[-1] - values[0]
        root = np.sqrt(weight)
        design = kept[1:-1, :-1] - 1.0 * kept[1:-1, -1:]
        response = values[1:-1] - values[0] - kept[1:-1, -1] * total
        head = np.linalg.lstsq(root[:, None] * design, root * response, rcond=None)[0]
        scores = method.explain(game, graph).scores
        np.testing.assert_allclose(scores, [*head, total - head.sum()], atol=1e-9)

    def test_too_few_rows_keep_equal_shares(self):
        e = lc.KernelSHAP(40).explain(lc.Game(lambda kept: kept.sum(axis=1), 20), lc.Graph.chain(20))
        np.testing.assert_allclose(e.scores, 1, atol=1e-9)

    def test_the_standard_error_is_about_right(self):
        game, d = smooth_game(14, seed=5), 14
        truth = lc.Shapley().explain(game, lc.Graph.chain(d)).scores
        explanations = [lc.KernelSHAP(120, seed=s).explain(game, lc.Graph.chain(d)) for s in range(200)]
        errors = np.sqrt(np.mean([(e.scores - truth) ** 2 for e in explanations]))
        stderr = np.sqrt(np.mean([e.stderr**2 for e in explanations]))
        assert 0.6 < stderr / errors < 1.7


@pytest.mark.parametrize("d", [1030, 1500])
def test_more_coalitions_than_a_float_can_count(d):
    game = lc.Game(lambda kept: kept[:, 3] * 1.0 + kept[:, -1], d)
    e = lc.KernelSHAP(2 * d + 2).explain(game, lc.Graph.chain(d))
    assert e.calls == 2 * d + 2
    assert e.scores.sum() == pytest.approx(2)


def test_pairs_are_counted_exactly_where_it_matters():
    assert _count_available(9) == [comb(9, s) for s in range(1, 5)]
    assert _count_available(10) == [*(comb(10, s) for s in range(1, 5)), comb(10, 5) // 2]
    assert max(_count_available(5000)) == 2**62


def test_a_design_that_does_not_fit_is_refused_at_once():
    for method in (lc.KernelSHAP(40_000), lc.LIME(40_000)):
        measured = measure(Case(lc.Graph.chain(20_000), method, 1_000_000))
        assert measured["outcome"] == "refused"
        assert measured["bytes"] < 5e8
        with pytest.raises(lc.errors.PlanTooLargeError, match="Choose SampleShapley, which solves no equations"):
            method.plan(lc.Graph.chain(20_000))
