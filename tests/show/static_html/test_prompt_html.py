"""A prompt beside its answer, without scripts."""

import re
from dataclasses import replace

import numpy as np
import pytest
from showing import prompt
from showing import read_html as read

from lcshap.show.notebook import to_html
from lcshap.show.palette import PALETTES
from lcshap.show.static_html.prompt_html import sides_html
from lcshap.show.styling import ClassStyling, InlineStyling


@pytest.fixture(scope="module")
def e():
    return prompt()


def test_prompt_and_answer_stand_side_by_side_without_a_script(e):
    page = sides_html(e, e.view, InlineStyling())
    assert "<script" not in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert "&lt;b&gt;Norway" in page
    assert 'class="a2 lcshap-none"' in page
    assert 'class="a1"' in page
    assert ":has(.a1:hover) .u0{background:" in page
    assert ":has(.a1:hover) .u1{" not in page
    assert sides_html(e, e.view, InlineStyling()) in to_html(e)
    assert 'class="a0"' in to_html(e.output(0))


def test_the_mouse_over_a_part_lights_its_sources_alone(e, chromium):
    page = chromium.new_page()
    page.set_content(to_html(e))
    colour = "unit => getComputedStyle(document.querySelector('.u' + unit)).backgroundColor"
    page.hover(".a1")
    lit = [page.evaluate(colour, unit) for unit in range(3)]
    assert lit[0] != lit[1] == lit[2] == "rgba(0, 0, 0, 0)"
    page.close()


def test_where_no_rules_are_allowed_lines_say_what_each_part_rests_on(e):
    page = sides_html(e, e.view, ClassStyling(PALETTES["default"]), output=3)
    assert "<style" not in page
    assert "style=" not in page
    assert 'class="a2 lcshap-none"' in page
    assert "“Hansen built it 😀.” is supported by Ole Hansen built the lighthouse. (+5.000).</p>" in page
    assert "&lt;b&gt;Norway&lt;/b&gt; is cold.” is not supported by the context.</p>" in page
    assert re.findall(r'<span class="([pn]\d+)" title="[^"]*">(\S+)', page) == [("p10", "There")]  # the third part
    assert "<b>" not in page


def test_sources_whose_interval_holds_zero_are_faint(e):
    one = e.output(1)
    doubtful = replace(one, scores=np.array([5.0, 5.0, -5.0]), stderr=np.array([0.1, 9.0, 9.0]), dof=20)
    page = read(to_html(doubtful))
    spans = [span["style"] for span in page.all("span") if span.get("class", "").startswith("u")]
    opacity = [float(re.search(r"([\d.]+)\)$", style)[1]) for style in spans]
    assert opacity == pytest.approx([0.65, 0.3 * 0.65, 0.3 * 0.65])
    rules = re.findall(r":has\(\.a0:hover\) \.u(\d)\{background:rgba\([\d,]+,([\d.]+)\)", to_html(doubtful))
    assert rules == [("0", "0.650"), ("1", "0.195"), ("2", "0.195")]
