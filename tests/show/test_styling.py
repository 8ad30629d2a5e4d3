"""Colours as styles within elements, and as classes of a style sheet."""

import numpy as np
import pytest

from lcshap.show.palette import find_palette
from lcshap.show.styling import ClassStyling, InlineStyling, shade_of, shade_rules

BOTH = [InlineStyling(), ClassStyling(find_palette("paper"))]


def test_shades_have_rules():
    assert shade_of(0.5, 1.0) == "p5"
    assert shade_of(np.nan, 1.0) == ""
    rules = shade_rules(find_palette("paper"))
    assert ".p5 { background: #8080ff; fill: #8080ff; color: #000000; }" in rules
    assert ".n10 { background: #ff0000; fill: #ff0000; color: #000000; }" in rules
    assert all(line.startswith((".lcshap ", "@media", "}")) for line in rules.splitlines())


def test_classes_need_no_styles():
    styling = ClassStyling(find_palette("paper"))
    assert styling.background(1.0, 2.0) == 'class="p5"'
    assert styling.fill(-2.0, 2.0) == 'class="n10"'
    assert styling.width(3.0) == ""
    bar = styling.bar(25, 50, -2.0, 2.0)
    assert '<rect class="n10" x="25.0" y="0" width="50.0" height="1"/>' in bar
    assert "style" not in bar


@pytest.mark.parametrize("styling", BOTH, ids=["inline", "classes"])
def test_scores_that_are_no_numbers_have_no_colour(styling):
    for number in (np.nan, np.inf, -np.inf):
        assert "nan" not in styling.background(number, 1.0) + styling.fill(number, 1.0)
    assert styling.fill(np.nan, 1.0) == styling.fill(-0.0, 1.0)
    assert styling.fill(5.0, 1.0) == styling.fill(1.0, 1.0)  # beyond the limit, the full colour
