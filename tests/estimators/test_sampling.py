"""Sampled methods: exact where the budget covers all, unbiased below, honest about how sure they are."""

from dataclasses import replace

import numpy as np
import pytest

import lcshap as lc
import oracles
from lcshap.estimators.sampled import top_is_sure
from support import NAMED_GRAPHS, edges_of, table_game

BUDGETED = [lc.SampleShapley, lc.KernelSHAP, lc.LIME, lc.SampledLShapley, lc.SampledCShapley]


def smooth_game(d, seed=0, outputs=None):
    """A game with interactions of all orders that decay: what models look like more than a random table does."""
    rng = np.random.default_rng(seed)
    unary = rng.normal(size=(d, outputs or 1))
    pairs = rng.normal(size=(d, d, outputs or 1)) / d

    def fn(kept):
        z = kept.astype(float)
        score = z @ unary + np.einsum("ni,nj,ijo->no", z, z, pairs)
        value = -np.logaddexp(0, -score)
        return value if outputs else value[:, 0]

    if d > 14:
        return lc.Game(fn, d)
    values = fn(every(d))  # looked up, so that a value does not depend on the batch it is asked for in
    return lc.Game(lambda kept: values[kept @ (2 ** np.arange(d))], d)


def every(d):
    return (np.arange(2**d)[:, None] >> np.arange(d)) & 1 == 1


def exact_table(game):
    kept = every(game.d)
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in kept]
    return {s: np.atleast_1d(v).tolist() for s, v in zip(sets, game.fn(kept), strict=True)}


class TestExactWithAllCoalitions:
    @pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 8])
    @pytest.mark.parametrize("method", [lc.SampleShapley, lc.KernelSHAP])
    def test_shapley(self, method, d):
        game, table = table_game(d, seed=d, outputs=2)
        for budget in (2**d, 2**d + 1, 10**6):
            e = method(budget=budget).explain(game, lc.Graph.chain(d))
            np.testing.assert_allclose(e.scores, oracles.shapley(d, table), atol=1e-8)
            assert e.calls == 2**d
            assert e.stderr is None or not e.stderr.any()

    @pytest.mark.parametrize("name", NAMED_GRAPHS)
    @pytest.mark.parametrize("context", ["absent", "present", "both"])
    def test_local(self, name, context):
        graph = NAMED_GRAPHS[name]
        game, table = table_game(graph.d, seed=9)
        near = oracles.neighbours(graph.d, edges_of(graph))
        e = lc.SampledLShapley(10**6, 2, context).explain(game, graph)
        np.testing.assert_allclose(e.scores, np.ravel(oracles.l_shapley(graph.d, near, table, 2, context)), atol=1e-10)
        for weights in ("myerson", "paper"):
            e = lc.SampledCShapley(10**6, 2, context, weights).explain(game, graph)
            wanted = oracles.c_shapley(graph.d, near, table, 2, context, weights, "direct", None)
            np.testing.assert_allclose(e.scores, np.ravel(wanted), atol=1e-10)


def cases():
    """Unbiased methods with a budget that leaves them sampling, and what they estimate (by brute force)."""
    shapley = lambda d, near, table: oracles.shapley(d, table)  # noqa: E731
    chain, grid = lc.Graph.chain(8), lc.Graph.grid((3, 4))
    yield "SampleShapley", lc.SampleShapley, {"budget": 130}, chain, shapley
    for context in ("absent", "present", "both"):
        l_shapley = lambda d, near, table, c=context: oracles.l_shapley(d, near, table, 2, c)  # noqa: E731
        options = {"budget": 800 if context == "both" else 400, "order": 2, "context": context}
        yield f"SampledL {context}", lc.SampledLShapley, options, grid, l_shapley
    for context, weights in (("absent", "myerson"), ("present", "myerson"), ("absent", "paper")):
        c_shapley = lambda d, near, table, c=context, w=weights: oracles.c_shapley(  # noqa: E731
            d, near, table, 3, c, w, "direct", None
        )
        options = {"budget": 350, "order": 3, "context": context, "weights": weights}
        yield f"SampledC {context} {weights}", lc.SampledCShapley, options, grid, c_shapley


CASES = list(cases())


@pytest.mark.parametrize(("make", "options", "graph", "oracle"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_unbiased_and_its_intervals_cover(make, options, graph, oracle):
    """Over 400 seeds: the mean within 4 standard errors of the truth, and 95 % intervals that cover 90-99 %."""
    game, seeds = smooth_game(graph.d, seed=1), 400
    truth = np.ravel(oracle(graph.d, oracles.neighbours(graph.d, edges_of(graph)), exact_table(game)))
    found = [make(seed=seed, **options).explain(game, graph) for seed in range(seeds)]
    assert all(e.calls <= options["budget"] for e in found)
    scores = np.stack([e.scores for e in found])
    spread = scores.std(axis=0, ddof=1) / np.sqrt(seeds)
    assert (np.abs(scores.mean(axis=0) - truth) <= 4 * spread + 1e-12).all()
    enough = [e for e in found if e.freedom >= 7]
    assert len(enough) > 300
    covered = np.mean([(e.interval()[0] <= truth + 1e-12) & (truth - 1e-12 <= e.interval()[1]) for e in enough])
    assert 0.90 <= covered <= 0.99


def test_antithetic_pairs_are_exact_where_only_pairs_interact():
    d = 30
    rng = np.random.default_rng(2)
    unary, pairs = rng.normal(size=d), np.triu(rng.normal(size=(d, d)), 1)
    v = lc.Game(lambda kept: kept @ unary + np.einsum("ni,nj,ij->n", kept, kept, pairs), d)
    shapley = unary + (pairs + pairs.T).sum(axis=1) / 2  # each of a pair gets half of what it adds
    for method in (lc.SampleShapley(2 * d), lc.SampleShapley(10 * d), lc.KernelSHAP(4 * d)):
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
        weight[plan.operator.plus] = weight[plan.operator.minus] = plan.operator.weight
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

    def test_too_few_rows_keep_equal_shares(self):
        e = lc.KernelSHAP(40).explain(lc.Game(lambda kept: kept.sum(axis=1), 20), lc.Graph.chain(20))
        np.testing.assert_allclose(e.scores, 1, atol=1e-9)

    def test_the_standard_error_is_about_right(self):
        game, d = smooth_game(14, seed=5), 14
        truth = lc.Shapley().explain(game, lc.Graph.chain(d)).scores
        found = [lc.KernelSHAP(120, seed=s).explain(game, lc.Graph.chain(d)) for s in range(200)]
        errors = np.sqrt(np.mean([(e.scores - truth) ** 2 for e in found]))
        told = np.sqrt(np.mean([e.stderr**2 for e in found]))
        assert 0.6 < told / errors < 1.7


class TestLIME:
    def test_against_ridge_written_out(self):
        """An unpenalised intercept as a column of its own, and the normal equations."""
        d = 9
        game = smooth_game(d, seed=6, outputs=2)
        method = lc.LIME(budget=70, seed=1, kernel_width=0.4, ridge=0.3)
        plan = method.plan(lc.Graph.chain(d))
        kept = plan.coalitions.dense().astype(float)
        distance = 1 - np.sqrt(kept.sum(axis=1) / d)
        W = np.diag(np.exp(-(distance**2) / (2 * 0.4**2)))
        X = np.hstack([np.ones((len(kept), 1)), kept])
        penalty = 0.3 * np.diag([0.0] + [1.0] * d)
        wanted = np.linalg.solve(X.T @ W @ X + penalty, X.T @ W @ game.evaluate(plan.coalitions))[1:]
        np.testing.assert_allclose(method.explain(game, lc.Graph.chain(d)).scores, wanted, atol=1e-10)

    def test_selected_features_are_fitted_again_alone(self):
        d = 9
        game = smooth_game(d, seed=7)
        chain = lc.Graph.chain(d)
        full = lc.LIME(80, seed=2).explain(game, chain)
        some = lc.LIME(80, seed=2, features=3).explain(game, chain)
        largest = np.sort(np.argsort(-abs(full.scores))[:3])
        assert np.flatnonzero(some.scores).tolist() == largest.tolist()
        plan = lc.LIME(80, seed=2).plan(chain)
        kept = plan.coalitions.dense()[:, largest].astype(float)
        weight = np.exp(-((1 - np.sqrt(plan.coalitions.sizes / d)) ** 2) / (2 * 0.25**2))
        X = np.hstack([np.ones((len(kept), 1)), kept])
        A = X.T @ (weight[:, None] * X) + np.diag([0.0, 1, 1, 1])
        wanted = np.linalg.solve(A, X.T @ (weight * game.evaluate(plan.coalitions)))[1:]
        np.testing.assert_allclose(some.scores[largest], wanted, atol=1e-10)
        assert lc.LIME(80, seed=2, features=99).explain(game, chain).scores.tobytes() == full.scores.tobytes()
        with pytest.raises(lc.MethodError, match="cannot stop"):
            lc.LIME(80, features=3).explain(game, chain, tolerance=0.1)

    def test_the_number_of_units_that_go_is_uniform(self):
        d = 40
        sizes = lc.LIME(8000).plan(lc.Graph.chain(d)).coalitions.sizes
        counts = np.bincount(sizes, minlength=d + 1)[3:-3]
        assert counts.max() < 1.5 * counts.min()


def test_feature_ablation():
    game, table = table_game(6, seed=8)
    e = lc.FeatureAblation().explain(game, lc.Graph.complete(6))
    whole = frozenset(range(6))
    np.testing.assert_allclose(e.scores, [table[whole][0] - table[whole - {i}][0] for i in range(6)])
    assert e.calls == 8
    one, values = table_game(1, seed=8)
    assert lc.FeatureAblation().explain(one, lc.Graph.chain(1)).scores == pytest.approx(
        values[frozenset([0])][0] - values[frozenset()][0]
    )


class TestGradients:
    gradient = np.array([[[1.0, 0], [-3, 0]], [[0.5, 2], [0, -1]], [[0, 0], [0, 0]]])  # (units, features, outputs)
    change = np.array([[2.0, 1.0], [4.0, 0.5], [1.0, 1.0]])

    def game(self, outputs=True):
        gradient = self.gradient if outputs else self.gradient[..., 0]
        worth = (self.gradient * self.change[..., None]).sum(axis=1)
        fn = (lambda kept: kept @ worth) if outputs else (lambda kept: kept @ worth[:, 0])
        return lc.Game(fn, 3, gradient=lambda: (gradient, self.change))

    def test_scores(self):
        g = lc.Graph.chain(3)
        assert lc.Saliency().explain(self.game(), g).scores.tolist() == [[3, 0], [0.5, 2], [0, 0]]
        assert lc.Saliency("l1").explain(self.game(), g).scores.tolist() == [[4, 0], [0.5, 3], [0, 0]]
        assert lc.Saliency("l2").explain(self.game(False), g).scores == pytest.approx([np.sqrt(10), 0.5, 0])
        e = lc.GradientInput().explain(self.game(), g)
        np.testing.assert_allclose(e.scores, [[-1, 0], [2, 7.5], [0, 0]])
        np.testing.assert_allclose(e.residual, 0, atol=1e-12)  # a linear game
        assert e.calls == 2

    def test_without_gradients(self):
        g = lc.Graph.chain(3)
        with pytest.raises(lc.MethodError, match=r"needs gradients .* FeatureAblation"):
            lc.Saliency().explain(lc.Game(lambda kept: kept.sum(axis=1), 3), g)
        with pytest.raises(lc.MethodError, match="has no plan"):
            lc.GradientInput().plan(g)
        bad = lc.Game(lambda kept: kept.sum(axis=1), 3, gradient=lambda: (np.ones((2, 1)), np.ones((2, 1))))
        with pytest.raises(lc.MethodError, match=r"shape \(3, features\)"):
            lc.Saliency().explain(bad, g)
        with pytest.raises(lc.MethodError, match="norm must be"):
            lc.Saliency("l3")


class TestBudget:
    @pytest.mark.parametrize("method", BUDGETED)
    @pytest.mark.parametrize("d", [1, 2, 3, 6, 11, 40])
    def test_is_kept_or_refused(self, method, d):
        graph = lc.Graph.chain(d)
        rows = []
        game = lc.Game(lambda kept: rows.append(len(kept)) or kept.sum(axis=1) ** 2.0, d)
        least = method(budget=2).minimum(graph)
        for budget in sorted({least, least + 1, 4 * d + 3, 16 * d}):
            if budget < least:
                continue
            rows.clear()
            e = method(budget=budget, seed=3).explain(game, graph)
            assert sum(rows) == e.calls <= budget
            assert np.isfinite(e.scores).all()

    @pytest.mark.parametrize("method", BUDGETED)
    def test_below_the_minimum_says_the_minimum(self, method):
        graph = lc.Graph.grid((5, 5))
        options = {"order": 4} if method in (lc.SampledLShapley, lc.SampledCShapley) else {}
        least = method(budget=2, **options).minimum(graph)
        with pytest.raises(lc.MethodError, match=rf"at least {least} calls for 25 units, not {least - 1}"):
            method(budget=least - 1, **options).plan(graph)

    @pytest.mark.parametrize("method", BUDGETED)
    def test_bad_parameters(self, method):
        for options, says in (
            ({"budget": 1}, "budget must be an integer of at least 2"),
            ({"budget": 3.5}, "budget must be an integer"),
            ({"budget": 100, "seed": -1}, "seed must be"),
        ):
            with pytest.raises(lc.MethodError, match=says):
                method(**options)

    def test_bad_parameters_of_one(self):
        for make, says in (
            (lambda: lc.LIME(9, kernel_width=0), "kernel_width must be positive"),
            (lambda: lc.LIME(9, ridge=-1), "ridge must not be negative"),
            (lambda: lc.LIME(9, features=0), "features must be"),
            (lambda: lc.SampledLShapley(9, order=-1), "order must be"),
            (lambda: lc.SampledLShapley(9, context="x"), "context must be"),
            (lambda: lc.SampledCShapley(9, weights="x"), "weights must be"),
        ):
            with pytest.raises(lc.MethodError, match=says):
                make()

    def test_max_calls_holds_for_budgets_too(self):
        with pytest.raises(lc.PlanTooLargeError, match="above max_calls=100"):
            lc.KernelSHAP(budget=500).plan(lc.Graph.chain(30), max_calls=100)


@pytest.mark.parametrize("method", BUDGETED)
def test_seeds(method):
    graph, game = lc.Graph.chain(40), smooth_game(40)
    one, same, other = (method(400, seed=s).explain(game, graph) for s in (5, 5, 6))
    assert one.scores.tobytes() == same.scores.tobytes()
    assert one.scores.tobytes() != other.scores.tobytes()


class TestAnytime:
    graph = lc.Graph.chain(12)
    METHODS = (lc.SampleShapley(900), lc.KernelSHAP(900), lc.LIME(900), lc.SampledLShapley(900, order=5))

    @pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
    def test_stream_ends_with_what_explain_says_and_asks_nothing_twice(self, method):
        seen = []
        game = smooth_game(12, seed=10, outputs=2)
        counted = lc.Game(lambda kept: seen.extend(map(bytes, kept)) or game.fn(kept), 12)
        found = list(method.stream(counted, self.graph))
        assert len(found) > 3
        assert len(seen) == len(set(seen)) == found[-1].calls
        calls = [e.calls for e in found]
        assert calls == sorted(calls)
        whole = method.explain(game, self.graph)
        assert found[-1].scores.tobytes() == whole.scores.tobytes()
        assert found[-1].stderr.tobytes() == whole.stderr.tobytes()
        assert found[-1].calls == whole.calls
        np.testing.assert_allclose(found[2].full_value - found[2].base_value, whole.full_value - whole.base_value)

    def test_the_first_estimates_are_those_of_a_smaller_budget(self):
        game = smooth_game(12, seed=10)
        first = next(iter(lc.SampleShapley(900, seed=3).stream(game, self.graph)))
        small = lc.SampleShapley(first.calls, seed=3).explain(game, self.graph)
        assert small.scores.tobytes() == first.scores.tobytes()

    def test_stops_on_a_tolerance(self):
        game = smooth_game(12, seed=11)
        e = lc.SampleShapley(4000).explain(game, self.graph, tolerance=0.02)
        assert e.provenance["stopped"] == "tolerance"
        assert e.calls < 2500
        low, high = e.interval()
        assert (high - low).max() <= 0.04 + 1e-12
        strict = lc.SampleShapley(500).explain(game, self.graph, tolerance=1e-9)
        assert strict.provenance["stopped"] == "budget"
        assert strict.scores.tobytes() == lc.SampleShapley(500).explain(game, self.graph).scores.tobytes()
        assert lc.SampleShapley(2**12).explain(game, self.graph, tolerance=1e-9).provenance["stopped"] == "exact"

    def test_stops_when_the_top_is_sure(self):
        worth = np.array([9.0, 7, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1])
        game = lc.Game(lambda kept: kept @ worth + 0.3 * np.sin(7.0 * (kept @ np.arange(12.0))), 12)
        e = lc.SampleShapley(4000).explain(game, self.graph, top=3)
        assert e.provenance["stopped"] == "top"
        assert e.ranking[:3].tolist() == [0, 1, 2]
        assert e.calls < 1000
        ties = lc.SampleShapley(1500).explain(game, self.graph, top=6)
        assert ties.provenance["stopped"] == "budget"  # the fourth to the last are all alike
        assert lc.SampleShapley(500).explain(lc.Game(lambda k: k[:, 0] * 1.0, 12), self.graph, top=1).ranking[0] == 0

    @pytest.mark.parametrize("top", [1, 3])
    def test_the_top_has_to_be_sure_of_all_its_comparisons_together(self, top):
        """Each lead is 2.5 standard errors: 98.7 % sure if it were the only one, but there are 19 of them."""
        d, error = 20, np.sqrt(0.5)  # of a difference: 1
        scores = 2.5 * np.maximum(top - np.arange(d), 0.0)
        e = lc.Explanation(scores, 0.0, 1.0, lc.Graph.chain(d), 100, stderr=np.full(d, error), freedom=10**6)
        assert not top_is_sure(e, top, 0.95)
        assert top_is_sure(e, top, 0.75)  # a twentieth of what is allowed to go wrong, for each
        assert top_is_sure(replace(e, scores=1.3 * scores), top, 0.95)
        alone = lc.Explanation(
            scores[[top - 1, top]], 0.0, 1.0, lc.Graph.chain(2), 4, stderr=e.stderr[:2], freedom=10**6
        )
        assert top_is_sure(alone, 1, 0.95)

    def test_ctrl_c_returns_what_is_known(self):
        game, rows = smooth_game(12, seed=12), []

        def interrupted(kept):
            rows.append(len(kept))
            if sum(rows) > 600:
                raise KeyboardInterrupt
            return game.fn(kept)

        e = lc.SampleShapley(3000).explain(lc.Game(interrupted, 12), self.graph, tolerance=1e-9)
        assert e.provenance["stopped"] == "interrupted"
        assert 0 < e.calls <= 600
        small = lc.SampleShapley(e.calls).explain(game, self.graph)
        assert small.scores.tobytes() == e.scores.tobytes()
        rows.append(10**6)
        with pytest.raises(KeyboardInterrupt):  # nothing is known yet
            lc.SampleShapley(3000).explain(lc.Game(interrupted, 12), self.graph, tolerance=1e-9)

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"tolerance": 0}, "tolerance must be positive"),
            ({"top": 0}, "top must be an integer from 1 to 12"),
            ({"top": 13}, "top must be"),
            ({"tolerance": 1, "confidence": 1.0}, "confidence must be between 0 and 1"),
        ],
    )
    def test_bad_stopping(self, options, says):
        with pytest.raises(lc.MethodError, match=says):
            lc.SampleShapley(900).explain(smooth_game(12), self.graph, **options)

    def test_intervals(self):
        e = lc.SampleShapley(24).explain(smooth_game(12), self.graph)
        assert np.isinf(e.stderr).all()  # one pair cannot tell
        assert np.isinf(e.interval()[1]).all()
        exact = lc.Shapley().explain(smooth_game(12), self.graph)
        assert exact.interval()[0] is exact.scores
        with pytest.raises(lc.MethodError, match="confidence"):
            exact.interval(95)
