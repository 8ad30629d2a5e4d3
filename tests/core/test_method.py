"""What every method is: costs, stopping, and running many together."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.method import check_choice, check_integer, run_methods
from lcshap.core.table_method import TableMethod
from support import as_terms, as_trees, as_weights, every

CHAIN = lc.Graph.chain(8)


def size(kept):
    return kept.sum(axis=1) ** 2.0


def alone(kept):
    """What each unit adds by itself."""
    return 1.0 * kept


def local(kept):
    return alone(kept).sum(axis=1)


STRUCTURES = {
    "trees": lambda: as_trees(local(every(8)), 8),
    "weights": lambda: as_weights(np.ones(8)),
    "terms": lambda: as_terms(np.ones(8)),
}


@pytest.mark.parametrize("kind", lc.METHODS.values(), ids=lambda kind: kind.name)
def test_costs(kind):
    """What the preview says is what an explanation takes, or the most that it takes."""
    for method in kind.examples():
        cost = method.cost(CHAIN)
        assert str(method.for_graph(CHAIN)) in str(cost) == cost.text
        if not cost.gradients:
            v, more = (local, {"part_fn": alone}) if isinstance(method, lc.ReceptiveShapley) else (size, {})
            if isinstance(method, TableMethod):
                v, more = local, {}
            e = method.explain(lc.Game(v, 8, structures=STRUCTURES, **more), CHAIN)
            assert e.calls == cost.calls if cost.exact else e.calls <= cost.calls
            assert e.rows == e.calls or (more and e.rows > e.calls)  # values are asked for beside parts


def test_advice_names_the_limit_that_was_exceeded(monkeypatch):
    """More calls do not help a plan that is refused for its memory or for the time that it takes to make."""
    larger = "A larger max_calls, or max_calls=None, builds it all the same."
    with pytest.raises(lc.errors.PlanTooLargeError, match=larger) as error:
        lc.LShapley(2).plan(CHAIN, max_calls=10)
    assert error.value.exceeded_limit == "calls"
    monkeypatch.setattr("lcshap.core.plan.MAX_PLAN_BYTES", 100)
    with pytest.raises(
        lc.errors.PlanTooLargeError, match=r"of memory, above the limit of 100 B.* max_calls=None builds it"
    ) as error:
        lc.KernelSHAP(30).plan(CHAIN)
    assert error.value.exceeded_limit == "memory"
    assert "larger max_calls" not in str(error.value)
    with pytest.raises(lc.errors.PlanTooLargeError) as error:
        lc.KernelSHAP(30).plan(CHAIN, max_calls=10**15)
    assert error.value.exceeded_limit == "memory"
    assert lc.KernelSHAP(30).plan(CHAIN, max_calls=None).calls == 30
    monkeypatch.setattr("lcshap.core.plan.MAX_PLAN_BYTES", 10**9)
    monkeypatch.setattr("lcshap.core.plan._SECONDS_PER_INDEX", 1e9)
    with pytest.raises(
        lc.errors.PlanTooLargeError, match=r"more than \d+ s to plan. Only max_calls=None allows that"
    ) as error:
        lc.CShapley(2).plan(lc.Graph.grid((5, 5)))
    assert error.value.exceeded_limit == "time"
    assert "larger max_calls" not in str(error.value)


def test_methods_run_together_as_alone():
    methods = [lc.Shapley(), lc.DeletionPath(30), lc.LIME(30, features=2), lc.SampleShapley(40)]
    graphs = [lc.Graph.chain(d) for d in (5, 6, 7, 8)]
    together = run_methods(methods, [lc.Game(size, g.d) for g in graphs], graphs)
    for method, graph, e in zip(methods, graphs, together, strict=True):
        assert e == method.explain(lc.Game(size, graph.d), graph)


def test_found_takes_what_is_finished():
    def fails(kept):
        raise RuntimeError("gone")

    outcomes = [None, None]
    with pytest.raises(RuntimeError, match="gone"):
        lc.Shapley().explain_many([lc.Game(size, 8), lc.Game(fails, 8)], [CHAIN, CHAIN], outcomes=outcomes)
    assert outcomes == [None, None]  # one round: nothing was finished before it
    again = lc.Shapley().explain(lc.Game(size, 8), CHAIN)
    outcomes = [again, None]
    lc.Shapley().explain_many([lc.Game(fails, 8), lc.Game(size, 8)], [CHAIN, CHAIN], outcomes=outcomes)
    assert outcomes[0] is again
    assert outcomes[1] == again


def test_stopping_early_is_for_estimates():
    for method in (lc.Shapley(), lc.DeletionPath(30), lc.Saliency(), lc.LIME(30, features=2)):
        game = lc.Game(size, 8, gradient=lambda: (np.zeros((8, 1)), np.zeros((8, 1))))
        with pytest.raises(
            lc.errors.MethodError,
            match=r"Expected .*, to stop on a tolerance or a ranking, got",
        ):
            method.explain(game, CHAIN, tolerance=0.1)
    with pytest.raises(lc.errors.MethodError, match="Expected top as an integer of at least 1"):
        lc.Stop(top=0)


def test_no_plan():
    for method in (lc.DeletionPath(30), lc.Saliency()):
        with pytest.raises(lc.errors.MethodError, match="which has no plan"):
            method.plan(CHAIN)


def test_checks():
    assert check_integer("n", np.int64(3)) == 3
    for bad in (-1, 2.0, True, "3"):
        with pytest.raises(lc.errors.MethodError, match="Expected n as an integer of at least 0"):
            check_integer("n", bad)
    check_choice("c", "a", ("a", "b"))
    with pytest.raises(lc.errors.MethodError, match="Expected one of 'a', 'b' as c, got 'z'"):
        check_choice("c", "z", ("a", "b"))


def test_the_error_names_methods_that_fit():
    with pytest.raises(lc.errors.PlanTooLargeError, match=r"Choose larger units .* or SampleShapley"):
        lc.Myerson().cost(lc.Graph.grid((224, 224)))
    with pytest.raises(lc.errors.PlanTooLargeError, match=r"Choose a smaller budget\. A larger max_calls"):
        lc.KernelSHAP(500).cost(lc.Graph.chain(12), max_calls=100)
