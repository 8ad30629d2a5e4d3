import pytest

from support import example


@pytest.fixture(scope="module")
def found():
    return example("minilm_reviews")["main"](small=True)


def test_the_head_is_better_than_chance(found):
    assert found["accuracy"] > 0.55


def test_scores_and_residual_add_up_to_the_gain_over_no_text(found):
    assert found["sum"] + found["residual"] == pytest.approx(found["gain"], abs=1e-4)
    assert abs(found["gain"]) > 1e-3


def test_praise_scores_above_blame(found):
    assert found["wonderful"] > 0 > found["awful."]
    assert found["calls"] == 10 + 9 + 8 + 7 + 2  # n-grams up to four of ten words, none, and all
