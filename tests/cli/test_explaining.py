"""What the commands do, apart from reading options and printing."""

import json
import sys

import numpy as np
import pytest
from command import module, run

import lcshap as lc
from lcshap.cli import explaining as work
from lcshap.cli import option_groups as declare
from lcshap.cli import options_shared as options
from lcshap.core.io import from_dict


def test_compare_evaluates_each_coalition_once(workdir):
    module(
        workdir,
        "own",
        "seen = []\ndef count(texts):\n    seen.extend(texts)\n    return [float(len(t)) ** 2 for t in texts]\n",
    )
    text = "one three five seven eleven"
    names = ["l-shapley:order=2", "c-shapley", "kernel-shap", "deletion-path"]
    options = ("--model", "own:count", "--kind", "output", "--text", text, "--methods", ",".join(names))
    comparison = json.loads(run("compare", *options, "--json")[0])
    explanations = [from_dict(record) for record in comparison["explanations"]]
    seen = sys.modules["own"].seen
    assert len(seen) == len(set(seen)) == comparison["calls"]["together"]
    assert comparison["calls"]["apart"] == sum(e.calls for e in explanations) > comparison["calls"]["together"]
    assert [e.provenance["name"] for e in explanations] == ["l-shapley", "c-shapley", "kernel-shap", "deletion-path"]
    methods = [lc.LShapley(2), lc.CShapley(), lc.KernelSHAP(40), lc.DeletionPath(40)]
    for e, method in zip(explanations, methods, strict=True):
        expected = lc.Explainer(sys.modules["own"].count, lc.maskers.Text(), method, kind="output")(text)
        np.testing.assert_allclose(e.scores, expected.scores, atol=1e-9)
        assert e.calls == expected.calls


def test_output_of_the_model_goes_to_standard_error(capsys):
    with work.quiet_stdout():
        print("loading")
    print("result")
    assert capsys.readouterr() == ("result\n", "loading\n")


def explainer_of(**parameters):
    option = options.MethodOption(**{k: v for k, v in parameters.items() if k in ("method", "goal")})
    settings = options.MethodSettings(**{k: v for k, v in parameters.items() if k not in ("method", "goal")})
    task = options.ModelOptions(model="demo-text")
    case, explainer = work.prepare(options.Input(text="a good film"), task, option, settings, options.Output())
    return case, explainer


def test_the_explainer_is_the_one_that_the_options_describe():
    case, explainer = explainer_of(method="kernel-shap", budget="12", seed=3, max_calls=100)
    assert case.x == "a good film"
    assert (explainer.method, explainer.execution.max_calls) == (lc.KernelSHAP(12, seed=3), 100)
    assert explainer_of()[1].method == "auto"
    timed = explainer_of(method="kernel-shap", budget="10s", seed=3)[1]
    assert (timed.method, timed.budget, timed.seed) == ("kernel-shap", "10s", 3)
    aimed = explainer_of(goal="necessary", budget="20")[1]
    assert (aimed.goal, aimed.budget) == ("necessary", 20)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"method": "lime", "goal": "fair"}, "Expected --goal only with --method auto"),
        ({"order": 2}, "Expected a method with the parameter order"),
        ({"method": "lime:ridge=2", "budget": "10s"}, "a method without parameters for a budget in seconds"),
        ({"method": "lim", "budget": "10s"}, "Expected a method, got 'lim'"),
    ],
)
def test_options_that_contradict_each_other(parameters, says):
    with pytest.raises(declare.UsageError, match=says):
        explainer_of(**parameters)


def test_compare_takes_no_seconds():
    settings = options.MethodSettings(budget="10s")
    task = options.ModelOptions(model="demo-text")
    with pytest.raises(declare.UsageError, match="in calls, such as 400 or 4d"):
        work.compare_methods(options.Input(), task, options.MethodsOption(), settings, curve=False)
