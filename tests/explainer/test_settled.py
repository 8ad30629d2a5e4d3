"""An explainer that leaves nothing to the clock."""

import time

import pytest

import lcshap as lc
from lcshap.explainer.settled import settled


def sizes(explainer, text):
    asked = []

    def model(texts):
        asked.append(len(texts))
        return [float(len(t)) for t in texts]

    settled(explainer(model), 7).one(text)
    return asked


def test_batches_have_one_size():
    asked = sizes(lambda model: lc.Explainer(model, lc.maskers.Text(), kind="output"), "a b c d e f g h i j k l m n")
    assert max(asked) == 7
    asked = sizes(lambda model: lc.Explainer(model, lc.maskers.Text(), kind="output", batch_size=5), "a b c d e f g")
    assert max(asked) == 5


@pytest.mark.parametrize("pause", [0, 0.002])
def test_a_fast_model_gets_the_method_of_a_slow_one(pause):
    """Eleven units are 2,048 coalitions: exact where that takes less than a second, unless the explainer is settled."""

    def model(texts):
        time.sleep(pause * len(texts))
        return [float(len(t)) for t in texts]

    e = settled(lc.Explainer(model, lc.maskers.Text(), kind="output"), 64).one("a b c d e f g h i j k")
    assert e.calls == 88
    few = settled(lc.Explainer(model, lc.maskers.Text(), kind="output"), 64).one("a b c d e f")
    assert few.calls == 64  # at most 1,024 coalitions: all of them


def test_seconds_are_refused():
    with pytest.raises(lc.OptionError, match="budget in calls, such as 400 or '4d', got '2s'"):
        settled(lc.Explainer(len, lc.maskers.Text(), kind="output", budget="2s"), 64)
