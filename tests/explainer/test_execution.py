"""How the model is called: fields that make sense, and how they are shown."""

import pytest

import lcshap as lc
from lcshap.explainer.execution import changed_fields


def test_it_shows_what_differs_from_the_defaults():
    assert repr(lc.Execution()) == "Execution()"
    assert repr(lc.Execution(batch_size=8, progress=False)) == "Execution(batch_size=8, progress=False)"
    assert changed_fields(lc.Stop(top=3)) == ["top=3"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "Expected batch_size as an integer of at least 1, got 0"),
        ({"max_calls": 2.5}, r"Expected max_calls as an integer of at least 1, got 2\.5"),
        ({"model_name": ""}, "Expected model_name as a text that is not empty, got ''"),
        ({"model_name": 3}, "Expected model_name as a text that is not empty, got 3"),
    ],
)
def test_fields_that_make_no_sense_are_refused(options, message):
    with pytest.raises(lc.errors.OptionError, match=message):
        lc.Execution(**options)


def test_an_explainer_follows_it():
    sizes = []

    def model(texts):
        sizes.append(len(texts))
        return [float(len(text)) for text in texts]

    way = lc.Execution(batch_size=3, max_calls=16)
    lc.Explainer(model, lc.maskers.Text(), "shapley", kind="output", execution=way)("one two three four")
    assert max(sizes) == 3
    with pytest.raises(lc.errors.PlanTooLargeError):
        lc.Explainer(model, lc.maskers.Text(), "shapley", kind="output", execution=way)("one two three four five")
