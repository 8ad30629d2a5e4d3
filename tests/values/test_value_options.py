"""From what users write to a value."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.errors import OptionError
from lcshap.values import Loss, Value, explains_output, find_value


def test_find_value():
    assert find_value(None, "logits") == Value("log_prob")
    assert find_value(None, "output", 2) == Value("output", 2)
    assert find_value("prob", "logits", 1) == Value("prob", 1)
    assert find_value(Value("prob"), "logits") == Value("prob")
    with pytest.raises(OptionError, match="got one in the Value and one beside it"):
        find_value(Value("prob"), "logits", 1)


def test_the_usual_value_of_each_kind():
    kinds = ("logits", "probabilities", "multilabel", "multilabel-logits", "margin", "output")
    usual = ["log_prob", "log_prob", "log_odds", "log_odds", "output", "output"]
    assert [find_value(None, kind).name for kind in kinds] == usual


def test_names_of_losses_are_values():
    def model(rows):
        return 1 / (1 + np.exp(-rows.sum(axis=1)))

    masker, x = lc.maskers.Tabular(np.zeros(3)), np.array([0.5, -1.0, 2.0])
    by_name, by_loss = (
        lc.Explainer(model, masker, value=value, kind="probabilities")(x, y=1) for value in ("brier", Loss("brier"))
    )
    assert by_name == by_loss
    assert find_value("mse", "output") == Loss("squared") == Loss("mse")


def test_values_of_numbers_need_no_kind():
    assert [explains_output(value) for value in ("output", "squared", "mse", Loss("absolute"), Value("output"))] == [
        True
    ] * 5
    assert not any(explains_output(value) for value in ("prob", "brier", Loss("brier"), None, len))
