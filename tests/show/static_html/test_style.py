"""The style sheet: each kind brings its rules, and none of them is about other elements of a page."""

import re

from lcshap.show.kinds import DRAWINGS
from lcshap.show.static_html.style import STYLE


def test_rules_are_about_elements_of_explanations_alone():
    names = [name for selectors in re.findall(r"([^{}]+)\{[^{}]*\}", STYLE) for name in selectors.strip().split(",")]
    assert len(names) > 20
    assert all(name.startswith(".lcshap") for name in names)
    assert STYLE.count("{") == STYLE.count("}")


def test_every_kind_brings_its_rules():
    assert all(drawing.style in STYLE for drawing in DRAWINGS.values())
    assert ".lcshap-series polyline" in STYLE
    assert ".lcshap-molecule line" in STYLE
