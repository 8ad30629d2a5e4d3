"""An explainer that leaves nothing to the clock."""

import time

import pytest

import lcshap as lc
from lcshap.explainer.deterministic import make_deterministic


def sizes(explainer, text):
    asked = []

    def model(texts):
        asked.append(len(texts))
        return [float(len(t)) for t in texts]

    make_deterministic(explainer(model), 7).one(text)
    return asked


def test_batches_have_one_size():
    asked = sizes(lambda model: lc.Explainer(model, lc.maskers.Text(), kind="output"), "a b c d e f g h i j k l m n")
    assert max(asked) == 7
    asked = sizes(lambda model: lc.Explainer(model, lc.maskers.Text(), kind="output", batch_size=5), "a b c d e f g")
    assert max(asked) == 5


@pytest.mark.parametrize("pause", [0, 0.002])
def test_a_fast_model_gets_the_method_of_a_slow_one(pause):
    def model(texts):
        time.sleep(pause * len(texts))
        return [float(len(t)) for t in texts]

    e = make_deterministic(lc.Explainer(model, lc.maskers.Text(), kind="output"), 64).one("a b c d e f g h i j k")
    assert e.calls == 88
    small = make_deterministic(lc.Explainer(model, lc.maskers.Text(), kind="output"), 64).one("a b c d e f")
    assert small.calls == 64  # at most 1,024 coalitions: all of them


def test_the_explainer_itself_stays_as_it_is():
    explainer = lc.Explainer(lambda texts: [float(len(t)) for t in texts], lc.maskers.Text(), kind="output", seed=3)
    deterministic = make_deterministic(explainer, 64)
    assert (deterministic.execution.batch_size, explainer.execution.batch_size) == (64, None)
    assert deterministic.selector == explainer.selector
    assert deterministic.masker is explainer.masker


def test_seconds_are_refused():
    with pytest.raises(lc.errors.OptionError, match="budget in calls, such as 400 or '4d', got '2s'"):
        make_deterministic(lc.Explainer(len, lc.maskers.Text(), kind="output", budget="2s"), 64)
