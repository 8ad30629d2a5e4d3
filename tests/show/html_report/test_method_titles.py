"""Names of methods in a report: budgets that follow the input do not make other methods."""

import numpy as np
import pytest
from showing import made, text_view

import lcshap as lc
from lcshap.show.html_report.method_titles import name_methods


def sampled(text, budget, seed=0):
    words = text.split()
    record = lc.SampleShapley(budget, seed=seed)
    provenance = {"method": repr(record), "parameters": {"budget": budget, "seed": seed}}
    return made(np.ones(len(words)), words, text_view(text), provenance)


def test_a_budget_that_follows_the_length_is_one_method(write):
    page = write([sampled("a b c", 24), sampled("a b c d", 32), sampled("a b c d e", 40)])
    assert page.blocks["index"]["methods"] == ["SampleShapley(budget=24 to 40, seed=0)"]
    assert len(page.blocks["index"]["leading"]) == 1
    assert page.blocks["index"]["leading"][0]["samples"] == 3


def test_two_budgets_for_each_input_are_two_methods(write):
    explanations = [sampled(text, times * len(text.split())) for text in ("a b c", "a b c d") for times in (8, 20)]
    page = write(explanations)
    names = ["SampleShapley(budget=24 to 32, seed=0)", "SampleShapley(budget=60 to 80, seed=0)"]
    assert page.blocks["index"]["methods"] == names
    assert [len(sample["entries"]) for sample in page.samples] == [2, 2]


@pytest.mark.parametrize(
    ("budgets", "inputs"),
    [
        ([24, 40, 24], "aab"),  # one input has two budgets, the other one
        ([24, 24, 24], "abc"),
    ],
)
def test_budgets_that_are_not_by_input_are_named(budgets, inputs):
    names = name_methods([sampled("a b c", budget) for budget in budgets], inputs)
    assert names == [f"SampleShapley(budget={budget}, seed=0)" for budget in budgets]


def test_other_parameters_make_other_methods():
    names = name_methods([sampled("a b c", 24), sampled("a b", 16, seed=1)], "ab")
    assert names == ["SampleShapley(budget=24, seed=0)", "SampleShapley(budget=16, seed=1)"]


@pytest.mark.parametrize(
    "record", [{}, {"parameters": "budget=3"}, {"parameters": {"budget": True}}, {"parameters": []}]
)
def test_records_of_any_form_have_the_name_they_tell(record):
    e = made([1.0], provenance={"method": "Mine(budget=3)", **record})
    assert name_methods([e], "a") == ["Mine(budget=3)"]


def test_the_script_of_a_data_set_shows_them_together(show):
    page = show([sampled("good plot end", 24), sampled("good film of a plot", 40)])
    page.get_by_role("button", name="Data set").click()
    assert "explained by SampleShapley(budget=24 to 40, seed=0)" in page.locator("#dataset").inner_text()
    rows = page.locator("#dataset table").first.locator("tbody tr").all_inner_texts()
    assert sum(row.startswith(("good\t2", "plot\t2")) for row in rows) == 2
    page.get_by_role("button", name="Samples").click()
    methods = []
    for k in range(2):
        page.locator("#rows [role=option]").nth(k).click()
        methods.append(page.locator('[data-fact="method"]').inner_text())
    assert methods == [f"SampleShapley(budget={budget}, seed=0)" for budget in (24, 40)]
