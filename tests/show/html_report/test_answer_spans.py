"""The answer of a language model beside its prompt, in a real browser."""

import pytest
from showing import ANSWER, PARTS, Page, prompt

import lcshap as lc
from lcshap.show.html_report import report
from lcshap.show.html_report.answer_spans import pack_answer_span


@pytest.fixture(scope="module")
def e():
    return prompt()


def colours(page):
    return page.locator("#picture .unit").evaluate_all("(all) => all.map((u) => getComputedStyle(u).backgroundColor)")


def test_what_is_packed_for_each_output(e):
    packed = [pack_answer_span(e, column) for column in range(4)]
    assert [entry.get("bare", False) for entry in packed] == [False, False, True, False]
    assert packed[1]["rests"] == "is supported by Ole Hansen built the lighthouse. (+5.000)"
    assert packed[2]["rests"] == "is not supported by the context"
    plain = lc.Shapley().explain(lc.Game(lambda kept: kept.sum(axis=1), 2), lc.Graph.chain(2))
    assert pack_answer_span(plain, None) == {}


def test_prompt_and_answer_stand_side_by_side(show, e):
    page = show(e)
    left, right = (page.locator(selector).bounding_box() for selector in ("#picture", "#answer"))
    assert left["x"] + left["width"] <= right["x"]
    assert abs(left["y"] - right["y"]) < 5
    assert page.locator("#answer p").first.inner_text() == ANSWER
    assert page.locator(".part").all_inner_texts() == PARTS
    assert page.locator(".part.bare").all_inner_texts() == [PARTS[1]]
    assert "wavy" in page.locator(".part.bare").evaluate("(part) => getComputedStyle(part).textDecoration")
    assert "is not supported by the context" in page.locator("#answer .note").inner_text()
    narrow = show(e, width=400)
    above, below = (narrow.locator(selector).bounding_box() for selector in ("#picture", "#answer"))
    assert above["y"] + above["height"] <= below["y"]


def test_the_pointer_over_a_part_lights_its_sources(show, e):
    page = show(e)
    before = colours(page)
    parts = page.locator(".part")
    parts.nth(2).hover()
    lit = colours(page)
    assert lit[1] != before[1]
    assert lit[0] == lit[2] != lit[1]
    assert page.locator("#tip").inner_text() == "is supported by There are <i>boats</i> in the harbour. (+2.000)"
    parts.nth(1).hover()
    assert page.locator("#tip").inner_text() == "is not supported by the context"
    assert len(set(colours(page))) == 1
    page.locator("#name").hover()
    assert colours(page) == before
    assert page.locator("#tip").inner_text() == ""


def test_a_part_is_chosen_with_the_mouse_and_with_the_keyboard(show, e):
    page = show(e)
    page.locator(".part").nth(0).click()
    assert page.get_by_label("first", exact=True).is_checked()
    assert page.locator('.part[aria-pressed="true"]').all_inner_texts() == [PARTS[0]]
    page.locator(".part").nth(2).focus()
    page.keyboard.press("Enter")
    assert page.get_by_label("third", exact=True).is_checked()
    assert page.locator('.part[aria-pressed="true"]').all_inner_texts() == [PARTS[2]]


def test_one_output_is_the_part_that_it_is_about(show, e):
    assert show(e.output(3)).locator(".part").all_inner_texts() == [PARTS[2]]
    assert show(e.output(0)).locator(".part").all_inner_texts() == [ANSWER]


def test_an_input_without_an_answer_has_no_such_panel(show, explain):
    assert show(explain("a good plot")).locator("#answer").is_hidden()


def test_without_javascript_each_part_says_what_it_rests_on(e, tmp_path):
    text = Page(report(e, tmp_path / "page.html")).source
    assert "“Hansen built it 😀.” is supported by Ole Hansen built the lighthouse. (+5.000)." in text
    assert "<i>boats" not in text.split("</noscript>")[0]
    assert "&lt;b&gt;Norway&lt;/b&gt; is cold.” is not supported by the context." in text
    plain = lc.Shapley().explain(lc.Game(lambda kept: kept.sum(axis=1), 2), lc.Graph.chain(2))
    assert "is supported by" not in Page(report(plain, tmp_path / "page.html")).source.split("</noscript>")[0]
