"""Which methods are compared, and by which order they keep the budget."""

import pytest
from toy_study import TEXTS, chances, text_study

import lcshap as lc
from lcshap.adapters import CallableModel
from lcshap.paper.experiments.study import METHOD_CANDIDATES, MethodFactory, Study, check_methods


def test_orders_come_near_the_budget():
    for d in (1, 2, 3, 9, 40):
        graph = lc.Graph.chain(d)
        for name in METHOD_CANDIDATES:
            method = MethodFactory(1).method(name, graph, 4 * d)
            if not method.has_plan:
                continue
            has_budget = "budget" in method.parameters  # Then its calls do not depend on the order.
            calls = method.plan(graph).calls
            key = "order" if hasattr(method, "order") else "max_size" if hasattr(method, "max_size") else None
            assert calls <= 4 * d or getattr(method, key) == 1
            if key is not None and not has_budget and 1 < getattr(method, key) < min(d, 6):
                larger = type(method)(**{**method.parameters, key: getattr(method, key) + 1})
                assert larger.plan(graph).calls > 4 * d
    assert MethodFactory(0).method("regression-c-shapley", lc.Graph.grid((28, 28)), 3136).max_size == 4  # the paper's
    assert MethodFactory(0).method("l-shapley", lc.Graph.chain(100), 400).order == 1


def test_a_method_is_made_once_for_a_graph():
    lineup, graph = MethodFactory(5), lc.Graph.chain(12)
    assert lineup.method("kernel-shap", graph, 48) == lc.KernelSHAP(48, seed=5)
    assert lineup.method("kernel-shap", graph, 48) is lineup.method("kernel-shap", lc.Graph.chain(12), 48)
    assert lineup.method("kernel-shap", graph, 60).budget == 60


def test_saliency_needs_a_gradient_with_respect_to_numbers(image_study):
    assert set(image_study.methods) == set(METHOD_CANDIDATES)
    assert set(text_study().methods) == set(METHOD_CANDIDATES) - {"saliency"}
    assert check_methods(text_study(), None) == text_study().methods
    assert check_methods(image_study, ["saliency", "lime"]) == ("saliency", "lime")


def test_bad_input():
    model = CallableModel(chances, "probabilities")
    with pytest.raises(
        lc.errors.OptionError, match="Expected at least one input and a label for each, got 2 inputs and 1 labels"
    ):
        Study("x", model, lc.maskers.Text(), TEXTS[:2], [0], ["n", "p"])
    with pytest.raises(
        lc.errors.OptionError, match="Expected at least one input and a label for each, got 0 inputs and 0 labels"
    ):
        Study("x", model, lc.maskers.Text(), [], [], ["n", "p"])
    with pytest.raises(
        lc.errors.OptionError,
        match=r"Expected different ones of l-shapley, .* as methods",
    ):
        check_methods(text_study(), ["saliency"])  # no gradient
    with pytest.raises(
        lc.errors.OptionError, match=r"Expected different ones of l-shapley, .* as methods for toy, got lime, lime"
    ):
        check_methods(text_study(), ["lime", "lime"])
    with pytest.raises(
        lc.errors.OptionError, match=r"Expected different ones of l-shapley, .* as methods .*, got None"
    ):
        check_methods(text_study(), [])
