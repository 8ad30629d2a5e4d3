"""Scores in letters: signs say what colours say."""

import numpy as np
import pytest
from showing import explain, mood, runs, strip

from lcshap.maskers import Text
from lcshap.show.ink import Ink, legend, sign, text_runs
from lcshap.show.terminal import render_explanation


def test_signs_stand_below_the_words_without_colour():
    e = explain(mood, Text(), "a good plot, a fine start, 电影 bad end")
    lines = render_explanation(e, 80).splitlines()
    at = lines.index("a good plot, a fine start, 电影 bad end")
    assert lines[at + 1] == "  ++++         ++++             ==="  # 电影 takes four columns
    assert "\033" not in "".join(lines)
    assert any("against it" in line for line in lines)


def test_colour_changes_nothing_but_the_colour():
    e = explain(mood, Text(), "good " * 30 + "bad")
    coloured = strip(render_explanation(e, 50, colour=True)).splitlines()
    plain = render_explanation(e, 50).splitlines()
    assert [line for line in plain if line in coloured] == coloured


@pytest.mark.parametrize(
    ("share", "expected"), [(0.05, " "), (-0.05, " "), (0.06, "+"), (-0.5, "-"), (0.51, "#"), (-1.0, "=")]
)
def test_signs_are_heavier_for_larger_scores(share, expected):
    assert sign(share) == expected


def test_small_scores_have_no_colour():
    ink = Ink(np.array([1.0, 0.05]), 1.0, colour=True, dark=True)
    (line,) = ink.lines(text_runs("aab", np.array([0, 0, 1])))
    assert [(text, back is None) for text, _, back in runs(line)] == [("aa", False), ("b", True)]
    assert legend(80, ink) == []
