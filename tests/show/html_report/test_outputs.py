"""All outputs at once, in a real browser."""

import re
from contextlib import closing

import numpy as np
from showing import answer

import lcshap as lc


def fills(page):
    return page.locator(".heat rect[data-unit]").evaluate_all("(all) => all.map((r) => getComputedStyle(r).fill)")


def test_the_tokens_of_an_answer_are_rows_from_the_start(show):
    e = answer()
    page = show(e, palette="paper")
    assert page.locator("#together").is_checked()
    assert page.locator("#outputs text:not([transform])").all_text_contents() == [
        "It", "lives", "in (1)", "Primorye", "in (2)", "a", "wood"
    ]  # fmt: skip
    assert page.locator("#outputs text[transform]").all_text_contents() == list(e.names)
    rgb = np.array([[int(channel) for channel in re.findall(r"\d+", fill)] for fill in fills(page)])
    share = np.round(255 * (1 - np.abs(e.scores.T.ravel()) / np.abs(e.scores).max()))
    np.testing.assert_allclose(rgb[:, 1], share, atol=1)  # green falls with the size of the score, blue or red


def test_a_row_is_shown_in_the_input(show):
    e = answer()
    page = show(e)
    page.locator('.heat text[data-output="3"]').click()
    assert page.locator("#lead em").first.inner_text() == "Primorye"
    assert page.get_by_label("Primorye", exact=True).is_checked()
    assert page.locator(".heat .strong").text_content() == "Primorye"
    page.locator('.heat rect[data-output="3"][data-unit="4"]').hover()
    assert page.locator("#tip").inner_text() == f"Primorye., Primorye: {e.scores[4, 3]:+.4g}"


def test_few_classes_are_shown_at_once_where_asked_for(show, explain):
    e = explain("a good plot. poor end", target="all", curve=False)
    page = show(e)
    assert page.locator("#outputs").is_hidden()
    page.locator("#together").check()
    assert page.locator(".heat rect[data-unit]").count() == 2 * len(e.names)
    page.get_by_label("sentences").check()
    assert page.locator(".heat rect[data-unit]").count() == 4


def labels_of(texts):
    """Labels that do not exclude each other: a text is about what it names."""
    return np.array([[0.9 if name in text else 0.2 for name in ("cat", "dog", "fish")] for text in texts])


def test_a_page_opens_at_the_most_probable_label_of_each_sample(show, chromium, tmp_path):
    classes = ["cat", "dog", "line\nbreak"]
    explainer = lc.Explainer(
        labels_of, lc.maskers.Text(), lc.Shapley(), kind="multilabel", classes=classes, target="all"
    )
    explanations = explainer(["a dog barks", "one fish", "a cat"])
    page = show(explanations)
    predicted = []
    for k in range(3):
        page.locator("#rows [role=option]").nth(k).click()
        predicted.append(page.locator("#lead em").first.inner_text())
    assert predicted == ["dog", "line↵break", "cat"]
    page.get_by_label("dog", exact=True).check()  # what the reader chooses holds for all samples
    page.locator("#rows [role=option]").nth(1).click()
    assert page.locator("#lead em").first.inner_text() == "dog"
    path = lc.report(explanations, tmp_path / "static.html")
    with closing(chromium.new_context(java_script_enabled=False)) as context:
        plain = context.new_page()
        plain.goto(path.as_uri())
        heads = plain.locator("article").all_inner_texts()
    assert ["The model predicts " + name in head for name, head in zip(predicted, heads, strict=True)] == [True] * 3


def test_of_many_units_the_largest_have_columns(show):
    e = answer(" ".join(f"w{i}" for i in range(80)))
    page = show(e)
    assert page.locator(".heat rect[data-unit]").count() == 60 * 7
    assert "The 60 units with the largest scores of 80." in page.locator("#outputs").inner_text()
