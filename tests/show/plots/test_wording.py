"""Words in figures: fonts that have them, and a proper minus."""

import pytest
from matplotlib import rc_context

import lcshap as lc
from lcshap.show.plots import wording
from lcshap.show.plots.wording import check_limit, drawable_lines, figure_number, residual_and_cost, subject_and_values


def test_missing_letters_become_boxes_and_others_stay():
    lines, fonts = drawable_lines("naïve \U000f0000 a\nb", "x\u200by\x07")
    assert lines == ["naïve □ a b", "xy"] or lines[1] == "x\u200by"
    assert "DejaVu Sans" in fonts


def test_emoji_without_a_font_have_their_names():
    with rc_context({"font.family": ["DejaVu Sans"]}):
        lines, _ = drawable_lines("a \U0001f600 \U0001f984 \U0001f44d\U0001f3fd")
    assert lines[0].startswith("a \U0001f600 ")  # which DejaVu has
    assert lines[0] in ("a \U0001f600 :unicorn face: :thumbs up sign:", "a \U0001f600 \U0001f984 \U0001f44d\U0001f3fd")


def test_letters_without_a_font_are_no_silent_boxes(monkeypatch):
    monkeypatch.setattr(wording, "_find_fonts", lambda configured, characters: (["DejaVu Sans"], frozenset("ab ")))
    with pytest.warns(UserWarning, match="No installed font has the characters 影电. Figures show □ for them"):
        assert drawable_lines("a 电影 b")[0] == ["a □□ b"]


def test_another_font_steps_in():
    with rc_context({"font.family": ["cmr10"]}):  # has no ∅
        lines, fonts = drawable_lines("∅")
    assert lines == ["∅"]
    assert fonts[:2] == ["cmr10", "DejaVu Sans"]


def test_numbers_have_a_proper_minus():
    texts = [figure_number(x) for x in (0.0, 1e-12, 999.6, -12345.0, float("nan"))]
    assert texts == ["0", "1e−12", "999.6", "−12,345", "nan"]


def test_what_is_said_below():
    e = lc.LShapley(0).explain(lc.Game(lambda k: -2.0 * k.all(axis=1) - 1, 3), lc.Graph.chain(3))
    assert subject_and_values(e) == ["base value −1 → full value −3"]
    assert residual_and_cost(e) == ["residual −2", "5 calls"]


@pytest.mark.parametrize("limit", [0, -1.0, float("inf"), float("nan"), "big"])
def test_a_limit_that_is_none_is_refused(limit):
    with pytest.raises(
        lc.errors.ShowError, match="Expected limit as a number above 0, the score of the full colour, got"
    ):
        check_limit(limit, [[1.0]])


def test_limits():
    assert check_limit(None, [[1.0, -4.0]]) == 4
    assert check_limit(2, [[1.0, -4.0]]) == 2


def test_no_mark_turns_the_direction_of_writing():
    assert drawable_lines("a\u202eb\u2066c\x1b\ud800")[0] == ["abc□"]
