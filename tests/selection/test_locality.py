"""Whether the locality check tells the distance to the Shapley value, and how sure it is."""

import numpy as np
import pytest

import lcshap as lc

CHAIN = lc.Graph.chain(10)
METHODS = [
    lc.LShapley(1),
    lc.LShapley(1, "present"),
    lc.LShapley(2, "both"),
    lc.CShapley(2),
    lc.CShapley(2, weights="myerson"),
    lc.CShapley(2, "present", "myerson", "decomposed"),
    lc.CShapley(None, max_size=3),
    lc.FeatureAblation(),
]


def chain_game(seed, far=0.0):
    """Neighbours interact; with `far`, so do units everywhere."""
    rng = np.random.default_rng(seed)
    unary, near, wide = rng.normal(size=10), 2 * rng.normal(size=9), far * rng.normal(size=(10, 10))

    def fn(kept):
        z = kept.astype(float)
        return np.tanh(z @ unary + (z[:, 1:] * z[:, :-1]) @ near + np.einsum("ni,nj,ij->n", z, z, wide))

    return lc.Game(fn, 10)


def true_distance(method, game):
    gap = method.explain(game, CHAIN).scores - lc.Shapley().explain(game, CHAIN).scores
    return np.sqrt((gap**2).mean())


def test_intervals_cover_the_true_distance():
    """Over 60 games and seeds, the 95 % interval holds the truth 85 % of the time or more, for every method."""
    inside, ratio = np.zeros(len(METHODS)), []
    for seed in range(60):
        game = chain_game(seed % 12, far=0.3)
        checked = lc.locality(game, CHAIN, METHODS, budget=250, seed=seed)
        for m, distance in enumerate(checked.distances):
            truth = true_distance(METHODS[m], game)
            inside[m] += distance.low <= truth <= distance.high
            ratio.append(distance.distance / truth)
    assert (inside >= 0.85 * 60).all(), inside
    assert 0.9 < np.mean(ratio) < 1.1


def test_exact_where_the_budget_covers_everything():
    game = chain_game(1, far=0.5)
    checked = lc.locality(game, CHAIN, METHODS, budget=2**10)
    for method, distance in zip(METHODS, checked.distances, strict=True):
        truth = true_distance(method, game)
        assert distance.low == distance.high == pytest.approx(truth, abs=1e-12)
        assert not distance.controlled
    assert checked.calls == 2**10


def test_the_control_variate_is_exact_where_interactions_are_local():
    """In a game of neighbouring pairs L-Shapley of order 1 is Shapley, sample by sample: no noise is left."""
    game = lc.Game(lambda kept: (kept[:, 1:] & kept[:, :-1]) @ np.arange(1.0, 10), 10)
    (l_shapley,) = lc.locality(game, CHAIN, [lc.LShapley(1)], budget=160).distances
    assert l_shapley.high < 1e-7
    (c_shapley,) = lc.locality(game, CHAIN, [lc.CShapley(1, weights="myerson")], budget=160).distances
    assert c_shapley.high < 1e-7


def test_controls_cost_no_extra_calls():
    game, plans = chain_game(2), [lc.LShapley(2).plan(CHAIN), lc.SampleShapley(160).plan(CHAIN)]
    checked = lc.locality(game, CHAIN, [lc.LShapley(2)], budget=160)
    assert checked.calls == sum(plans).calls


def test_smallest_order_within_a_tolerance():
    game = chain_game(3)
    orders = [lc.LShapley(k) for k in range(10)]  # the last is Shapley itself
    checked = lc.locality(game, CHAIN, orders, budget=600)
    for tolerance in (0.02, 0.05, 0.1):
        chosen = checked.smallest(tolerance)
        assert chosen is not None
        assert true_distance(chosen, game) <= tolerance
        assert checked.distances[chosen.order].high <= tolerance
        assert all(d.high > tolerance for d in checked.distances[: chosen.order])
    assert checked.smallest(1e-9) == lc.LShapley(9)
    assert lc.locality(game, CHAIN, orders[:6], budget=600).smallest(1e-9) is None
    size = np.sqrt((lc.Shapley().explain(game, CHAIN).scores ** 2).mean())
    loose = checked.smallest(0.5, relative=True)
    assert true_distance(loose, game) < 0.6 * size


def test_a_far_away_model_is_called_far():
    """Max-pooling: a unit matters only where no other says the same, which a neighbourhood alone cannot know."""
    strength = np.random.default_rng(4).random((10, 3))
    game = lc.Game(lambda kept: np.where(kept[..., None], strength, 0).max(axis=1).sum(axis=1), 10)
    checked = lc.locality(game, CHAIN)
    assert checked.distances[0].low > 0.1
    assert checked.distances[0].relative > 0.5
    assert "of the Shapley values' size" in str(checked)
    assert f"{checked.calls:,} distinct calls" in str(checked)


def test_bad_input():
    game = chain_game(5)
    with pytest.raises(
        lc.errors.OptionError,
        match="Expected a budget of at least 74 calls, which 4 pairs of permutations for an interval take, got 30",
    ):
        lc.locality(game, CHAIN, budget=30)
    with pytest.raises(lc.errors.OptionError, match="confidence"):
        lc.locality(game, CHAIN, confidence=95)
    with pytest.raises(lc.errors.OptionError, match="one output"):
        lc.locality(lc.Game(lambda kept: kept[:, :2] * 1.0, 10), CHAIN)


def test_a_notebook_shows_a_row_for_each_method():
    v = lc.Game(lambda kept: (kept[:, 1:] & kept[:, :-1]).sum(axis=1) * 1.0, 12)
    measured = lc.locality(v, lc.Graph.chain(12))
    page = measured._repr_html_()
    assert page.startswith('<div class="lcshap">')
    assert page.count('scope="row"') == len(measured.distances)
    assert "pairs of permutations" in page
