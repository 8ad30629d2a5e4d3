"""Texts and shapes in the colours of their units."""

import re

import numpy as np
from showing import Fragment, made

from lcshap.show.coloured_html import colour_spans, fill_attribute
from lcshap.show.palette import find_palette
from lcshap.show.styling import ClassStyling, InlineStyling

STYLING = ClassStyling(find_palette("default"))


def test_parts_have_the_colours_of_their_units_and_are_escaped():
    e = made([2.0, -1.0, 0.0])
    html = colour_spans([("<b>", 0), (" & ", -1), ("x", 1), ("y", 2)], e, STYLING)
    page = Fragment(html)
    assert page.text == "<b> & xy"
    assert [(span["class"], span["title"]) for span in page.all("span")] == [("p10", "+2.000"), ("n5", "-1.000")]
    assert "class" not in colour_spans([("x", 0)], e, InlineStyling())
    assert re.findall(r'class="(\w+)"', colour_spans([("x", 1), ("y", -1)], e, InlineStyling(), name_units=True)) == [
        "u1"
    ]


def test_shapes_of_no_unit_are_plain():
    drawn = np.array([1.0, -0.3]).tolist()
    assert [fill_attribute(unit, drawn, 1.0, STYLING) for unit in (0, 1, -1)] == [
        'class="p10"',
        'class="n3"',
        'class="plain"',
    ]
