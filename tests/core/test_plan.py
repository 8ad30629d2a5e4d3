import tracemalloc
from math import comb

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.method import PLAN_CACHE
from support import NAMED_GRAPHS, table_game


@pytest.mark.parametrize(
    ("method", "graph", "calls"),
    [  # counted by hand in MATH.md: ∅ included, V one more
        (lc.LShapley(1), lc.Graph.chain(100), 396 + 1),
        (lc.LShapley(2), lc.Graph.chain(100), 1552 + 1),
        (lc.LShapley(3), lc.Graph.chain(100), 6080 + 1),
        (lc.CShapley(1), lc.Graph.chain(100), 396 + 1),
        (lc.CShapley(2), lc.Graph.chain(100), 879 + 1),
        (lc.CShapley(3), lc.Graph.chain(100), 1544 + 1),
        (lc.CShapley(4), lc.Graph.chain(100), 2385 + 1),
        (lc.LShapley(1), lc.Graph.grid((28, 28)), 16551 + 1),
        (lc.LShapley(1), lc.Graph.grid((32, 32)), 21855 + 1),
        (lc.Shapley(), lc.Graph.chain(10), 2**10),
        (lc.Myerson(), lc.Graph.chain(100), 100 * 101 // 2 + 1),
        (lc.Myerson(), lc.Graph.tree([-1] + [0] * 9), 2**9 + 9 + 1),
        (lc.Myerson(), lc.Graph.complete(8), 2**8),
    ],
)
def test_calls(method, graph, calls):
    plan = method.plan(graph)
    assert plan.calls == len(plan.coalitions) == calls
    assert plan.coalitions[0] == ()
    assert plan.coalitions[-1] == tuple(range(graph.d))
    assert f"{calls:,}" in str(plan)
    assert f"{calls:,} calls" in repr(plan)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_decomposed_marginals_take_the_n_grams_alone(k):
    d, longest = 100, 2 * k + 1
    n_grams = sum(d - n + 1 for n in range(1, longest + 1))
    assert lc.CShapley(k, marginals="decomposed").plan(lc.Graph.chain(d)).calls == n_grams + 2


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_ball_of_a_grid_has_2k2_2k_1_units(k):
    """So L-Shapley takes 2^(2k²+2k) d calls on a grid, not the 2^(4k²) d that the paper prints."""
    balls = lc.Graph.grid((15, 15)).balls(k)
    assert np.diff(balls.indptr).max() == 2 * k * k + 2 * k + 1


def test_merged_plans_evaluate_each_coalition_once():
    g = lc.Graph.chain(8)
    game, _ = table_game(8, outputs=2)
    rows = []
    counted = lc.Game(lambda kept: rows.append(len(kept)) or game.fn(kept), 8)
    methods = [lc.LShapley(1), lc.CShapley(2, "present"), lc.Shapley(), lc.Myerson()]
    merged = methods[0].plan(g) + methods[1].plan(g) + (methods[2].plan(g) + methods[3].plan(g))
    explanations = lc.run(merged, counted)
    assert sum(rows) == merged.calls == 2**8
    for method, e in zip(methods, explanations, strict=True):
        alone = method.explain(game, g)
        assert e.scores.tobytes() == alone.scores.tobytes()
        assert e.calls == alone.calls
        assert e.base_value.tolist() == alone.base_value.tolist()
    separate_calls = sum(m.plan(g).calls for m in methods)
    assert f"together: 256 calls ({separate_calls} if run one by one)" in str(merged)
    (single,) = lc.run(sum([methods[0].plan(g)]), game)
    assert single.calls == methods[0].plan(g).calls
    assert len(lc.run(sum(m.plan(g) for m in methods), game)) == 4


def test_plans_of_different_sizes_do_not_merge():
    with pytest.raises(lc.errors.PlanError, match=r"the same number of units, got \[3, 4\]"):
        lc.Shapley().plan(lc.Graph.chain(3)) + lc.Shapley().plan(lc.Graph.chain(4))
    with pytest.raises(TypeError):
        lc.Shapley().plan(lc.Graph.chain(3)) + 1
    with pytest.raises(TypeError):
        1 + lc.Shapley().plan(lc.Graph.chain(3))


class TestTooLarge:
    @pytest.mark.parametrize(
        ("method", "graph"),
        [
            (lc.Shapley(), lc.Graph.chain(1000)),
            (lc.LShapley(3), lc.Graph.grid((100, 100))),
            (lc.LShapley(10**6), lc.Graph.chain(10**5)),
            (lc.LShapley(1), lc.Graph.complete(1500)),
            (lc.CShapley(1), lc.Graph.complete(1500)),
            (lc.CShapley(4), lc.Graph.grid((64, 64))),
            (lc.CShapley(10**6, "present"), lc.Graph.chain(10**5)),
            (lc.CShapley(None, max_size=9), lc.Graph.grid((64, 64))),
            (lc.CShapley(1000, weights="myerson", marginals="decomposed"), lc.Graph.chain(400)),
            (lc.Myerson(), lc.Graph.chain(2000)),
            (lc.Myerson(), lc.Graph.grid((10, 10))),
            (lc.Myerson(), lc.Graph.tree([-1] + [0] * 5000)),
        ],
        ids=lambda x: str(x)[:40],
    )
    def test_raises_before_the_memory_is_taken(self, method, graph):
        tracemalloc.start()
        with pytest.raises(lc.errors.PlanTooLargeError, match=r"calls.*max_calls") as error:
            method._plan(graph, 300_000)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 1e9
        assert error.value.calls > 1000

    def test_the_error_has_the_size_and_methods_that_fit(self):
        with pytest.raises(lc.errors.PlanTooLargeError) as error:
            lc.LShapley(order=3).plan(lc.Graph.grid((28, 28)))
        message = str(error.value)
        assert "LShapley(order=3, context='absent', interactions=False) on Graph.grid((28, 28))" in message
        assert "at least" in message
        assert "above max_calls=1,000,000" in message
        assert "LShapley(order=1, context='absent', interactions=False) takes 16,552" in message
        assert "max_calls=None" in message
        assert not error.value.exact

    def test_exact_where_it_is_known(self):
        with pytest.raises(lc.errors.PlanTooLargeError, match="needs 33,554,432 calls") as error:
            lc.Shapley().plan(lc.Graph.chain(25))
        assert error.value.exact
        assert error.value.calls == 2**25
        with pytest.raises(lc.errors.PlanTooLargeError, match="needs 397 calls, above max_calls=396"):
            lc.LShapley(1).plan(lc.Graph.chain(100), max_calls=396)

    def test_advice_fits(self):
        """Every recommended method, made again from the message, stays within the limit."""
        g = lc.Graph.chain(200)
        for method in (lc.Shapley(), lc.Myerson(), lc.LShapley(5), lc.CShapley(30), lc.CShapley(None, max_size=50)):
            with pytest.raises(lc.errors.PlanTooLargeError) as error:
                method.plan(g, max_calls=2500)
            advice = str(error.value).split("Cheaper: ")[1].split(". A larger")[0].split("; ")
            assert advice
            for line in advice:
                recommended, calls = line.split(" takes ")
                plan = eval(recommended, {"LShapley": lc.LShapley, "CShapley": lc.CShapley}).plan(g)
                assert plan.calls == int(calls.replace(",", "")) <= 2500

    def test_none_lifts_the_limit(self):
        g = lc.Graph.chain(30)
        with pytest.raises(lc.errors.PlanTooLargeError):
            lc.LShapley(1).plan(g, max_calls=50)
        assert lc.LShapley(1).plan(g, max_calls=None).calls == 117
        with pytest.raises(lc.errors.PlanTooLargeError, match=r"2\^60"):
            lc.Shapley().plan(lc.Graph.chain(60), max_calls=None)

    @pytest.mark.parametrize("name", NAMED_GRAPHS)
    def test_a_limit_that_suffices_never_raises(self, name):
        """Lower bounds are lower bounds: with max_calls at the true count every plan is built."""
        graph = NAMED_GRAPHS[name]
        for method in (lc.LShapley(1), lc.LShapley(2, "both"), lc.CShapley(2), lc.Myerson(), lc.Shapley()):
            calls = method._plan(graph, None).calls
            assert method._plan(graph, calls).calls == calls


def test_the_cache_gives_back_the_plan_with_the_right_names():
    PLAN_CACHE.clear()
    plan = lc.CShapley(2).plan(lc.Graph.chain(5, names=list("abcde")))
    cached = lc.CShapley(2).plan(lc.Graph.chain(5, names=list("vwxyz")))
    assert cached.estimator.operator is plan.estimator.operator
    assert cached.graph.names == tuple("vwxyz")
    assert lc.CShapley(2, weights="myerson").plan(lc.Graph.chain(5)).estimator.operator is not plan.estimator.operator
    assert lc.CShapley(2).plan(lc.Graph.ring(5)).estimator.operator is not plan.estimator.operator


def test_the_cache_forgets_rather_than_grows():
    from lcshap.core.plan import PlanCache

    cache, built_sizes = PlanCache(max_bytes=60_000), []

    def get(d):
        g = lc.Graph.chain(d)
        return cache.get(lc.LShapley(1), g, lambda: built_sizes.append(d) or lc.LShapley(1)._plan(g, None))

    for d in (100, 101, 102, 100, 103, 100, 101):
        get(d)
    assert built_sizes == [100, 101, 102, 103, 101]  # 100 was used in between and stayed


def test_weights_of_c_shapley_sum_to_one_or_as_printed():
    """The mass of each unit's weights: 1 with `myerson` on every graph; the printed ones are on another scale."""
    for graph in NAMED_GRAPHS.values():
        for options in ({"order": 1}, {"order": 2}, {"order": 9}, {"order": None, "max_size": 2}):
            plan = lc.CShapley(weights="myerson", **options).plan(graph)
            worth = plan.estimator.operator @ plan.coalitions.sizes.astype(float)
            np.testing.assert_allclose(worth, 1, atol=1e-12)

    def printed(graph, k):
        plan = lc.CShapley(k, weights="paper").plan(graph)
        return plan.estimator.operator @ plan.coalitions.sizes.astype(float)

    chain = lc.Graph.chain(50)
    assert printed(chain, 1)[25] == pytest.approx(1 / 3 + 2 / 12 + 2 / 60)
    assert printed(chain, 1)[25] == pytest.approx(0.53, abs=0.005)
    assert printed(chain, 2)[25] == pytest.approx(0.64, abs=0.005)
    assert printed(chain, 2)[0] == pytest.approx(0.45, abs=0.005)
    assert printed(lc.Graph.grid((9, 9)), 2)[40] > 1


def test_shapley_weights_are_exact():
    from lcshap.estimators.subsets import shapley_weights

    for n in (1, 2, 30, 60):
        assert shapley_weights(n).tolist() == [1 / (n * comb(n - 1, t)) for t in range(n)]
        assert sum(comb(n - 1, t) * w for t, w in enumerate(shapley_weights(n))) == pytest.approx(1, abs=1e-14)


def test_plans_that_take_long_for_few_calls_are_refused():
    graph = lc.Graph.tree([-1] + [0] * 17)  # all 2^17 sets with the hub, each around all of its units
    with pytest.raises(lc.errors.PlanTooLargeError, match="would take more than"):
        lc.CShapley(2, marginals="decomposed").plan(graph)
    assert lc.CShapley(2, marginals="decomposed").plan(lc.Graph.tree([-1] + [0] * 11)).calls > 2**11
