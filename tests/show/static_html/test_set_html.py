import re
from dataclasses import replace

import pytest
from explanation_sets import array_set, failed, odd_explanations, row_explanations, text_explanations

import lcshap as lc
from lcshap.show.static_html.set_html import table_html
from lcshap.show.words import format_number


def cells(page):
    return re.sub(r"<style>.*?</style>|<[^>]+>", "|", page, flags=re.S)


SETS = {
    "empty": lc.Explanations(),
    "failed": lc.Explanations([failed()]),
    "rows": lc.Explanations([failed(), *row_explanations(8)]),
    "texts": lc.Explanations([*text_explanations(), failed()]),
    "outputs": array_set(9, outputs=4, targets=list("abcd"))[0],
    "mixed": lc.Explanations(odd_explanations()),
    "numbers": array_set(9, 30)[0],
}


@pytest.mark.parametrize("name", SETS)
def test_every_set_has_a_display_and_no_raw_repr(name):
    page = SETS[name]._repr_html_()
    assert page.startswith('<div class="lcshap">')
    assert "<script" not in page
    assert repr(SETS[name]) not in page
    assert "array(" not in cells(page)


def test_the_chart_has_the_most_important_units_and_the_table_the_first_inputs():
    xs, *_ = array_set(9, 30, names=[f"u{i}" for i in range(30)], targets="yes")
    text = cells(xs._repr_html_())
    for name in xs.importance().names[:10]:
        assert f"|{name}|" in text
    assert "20 other units not shown" in text
    assert "mean |score| over 9 inputs" in text
    assert "and 4 other inputs" in text
    assert f"|{format_number(xs.predictions[0])}|" in text


def test_each_target_has_a_chart():
    text = cells(SETS["rows"]._repr_html_())
    assert "over 4 inputs for no" in text
    assert "over 4 inputs for yes" in text
    assert "1 input failed" in text
    assert "Expected a text, got nothing." in text


def test_explanations_that_cannot_be_combined_have_a_reason_in_place_of_a_chart():
    assert "the same number of outputs" in cells(SETS["mixed"]._repr_html_())
    first, _ = row_explanations(2)
    other = replace(first, provenance={**first.provenance, "name": "lime"})
    assert "whose scores have different meanings" in cells(lc.Explanations([first, other])._repr_html_())


def test_names_are_escaped():
    xs, *_ = array_set(names=["<b>", "b", "c"])
    for page in (xs._repr_html_(), lc.Comparison(list(xs[:2]))._repr_html_()):
        assert "<b>" not in page
        assert "&lt;b&gt;" in page


def test_methods_side_by_side():
    explainer = lc.Explainer(lambda texts: [1.0 * len(t) for t in texts], lc.maskers.Text(), kind="output")
    comparison = explainer.compare("to be or not", ["shapley", lc.LShapley(1)])
    text = cells(comparison._repr_html_())
    assert "shapley|" in text
    assert "l-shapley|" in text
    assert "16|" in text
    assert "13|" in text
    assert "No explanations" in lc.Comparison()._repr_html_()
    several = lc.Comparison(list(row_explanations(2, 2)))
    assert "Shapley()" in several._repr_html_()


def test_a_table_of_texts():
    page = table_html("<title>", ["a", "b"], [["x", "1"], ["y", "2"]], ["a note"])
    assert "&lt;title&gt;" in page
    assert page.count("<tr>") == 3
    assert "a note" in page
    assert table_html("", [], []) == ""
