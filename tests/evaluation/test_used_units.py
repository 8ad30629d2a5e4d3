"""Units without a column that the model uses."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.evaluation.used_units import others_change_nothing, read_used_units
from support import table_game


class Known(lc.adapters.CallableModel):
    """A function of which the columns are known."""

    columns = np.array([1, 3])

    def used_columns(self):
        return self.columns


MODEL = Known(lambda rows: rows[:, 1] * rows[:, 3], kind="output")
BACKGROUND = np.zeros((2, 5))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [1, 3]),
        ({"pin": [1]}, [2]),
        ({"groups": {"g": [0, 3]}}, [0, 1]),
        ({"groups": {"g": [1, 3]}, "drop": [0]}, [0]),
    ],
    ids=["columns", "pinned", "groups", "dropped"],
)
def test_units_of_columns(options, expected):
    masked = lc.maskers.Tabular(BACKGROUND, **options).mask(np.arange(5.0))
    assert read_used_units(MODEL, masked) == expected


def test_what_is_not_known():
    assert read_used_units(MODEL, lc.maskers.Text().mask("some words")) is None
    assert read_used_units(MODEL, lc.maskers.Tabular(BACKGROUND[:, :3]).mask(np.arange(3.0))) is None
    other = lc.adapters.CallableModel(lambda rows: rows[:, 1], kind="output")
    assert read_used_units(other, lc.maskers.Tabular(BACKGROUND).mask(np.arange(5.0))) is None


def test_units_that_matter_after_all_are_noticed():
    game, _ = table_game(5)
    assert others_change_nothing(game, [0, 1, 2, 3, 4])
    assert not others_change_nothing(game, [0, 1, 2, 3])


def test_a_model_that_uses_more_columns_is_estimated():
    model = Known(lambda rows: rows @ np.arange(12.0), kind="output")
    e = lc.Explainer(model, lc.maskers.Tabular(np.zeros(12)))(np.ones(12))
    assert e.provenance["name"] == "graph-kernel-shap"
    assert "uses" not in e.provenance["chosen"]["reason"]
