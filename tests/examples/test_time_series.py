import math

import pytest

from support import example


@pytest.fixture(scope="module")
def found():
    return example("time_series")["main"](small=True)


def test_the_networks_are_better_than_chance(found):
    assert found["gunpoint_accuracy"] > 0.85  # 51% of the held-out movements are of the commoner class
    assert found["motions_accuracy"] > 0.9  # a quarter each


@pytest.mark.parametrize("data", ["gunpoint", "motions"])
def test_removing_the_top_units_lowers_the_class(data, found):
    assert found[f"{data}_drop_top"] > 0.1
    assert found[f"{data}_drop_top"] > 2 * found[f"{data}_drop_bottom"]


def test_background_rows_are_averaged_as_probabilities(found):
    """The background has one sure example of each of four motions."""
    assert found["motions_base"] == pytest.approx(math.log(0.25), abs=0.05)
