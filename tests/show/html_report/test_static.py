"""The page without JavaScript: the first samples with their pictures and numbers."""

import numpy as np
from showing import NASTY, made, text_view

from lcshap.show.html_report import report


def test_samples_are_there_with_colours_and_numbers(without_scripts, explain, tmp_path):
    found = explain([f"a good plot, number {k}, but poor actors" for k in range(12)])
    path = report(found, tmp_path / "page.html", labels=["for"] * 12)
    with without_scripts(path) as page:
        articles = page.locator("article")
        assert articles.count() == 10
        assert "the first 10 are below" in page.locator("noscript").inner_text()
        assert articles.first.locator("h2").inner_text() == "a good plot, number 0, but poor actors"
        assert "The true class is for." in articles.first.inner_text()
        strong = int(np.abs(found[0].scores).argmax())
        marked = articles.first.locator("span.p10, span.n10")
        assert marked.first.inner_text() == found[0].names[strong]
        assert marked.first.evaluate("(e) => getComputedStyle(e).backgroundColor") != "rgba(0, 0, 0, 0)"
        top = articles.first.locator("tbody tr").first.inner_text()
        assert top.split("\t")[0] == found[0].names[strong]
        assert page.locator("#columns").is_hidden()


def test_texts_stay_texts(tmp_path, write):
    harmless = len(write(made([1.0], ["x"], text_view("x"))).tags)
    for nasty in NASTY[:5]:
        page = write(made([1.0], [nasty], text_view("x"), {"method": nasty}), names=[nasty])
        assert len([tag for tag in page.tags if not tag[1].get("id", "").startswith("pool")]) <= harmless


def test_a_page_written_before_still_opens(chromium):
    from pathlib import Path

    path = Path(__file__).with_name("page_of_0_1.html")
    page = chromium.new_page()
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(path.as_uri())
    assert page.locator("#picture").inner_text() == "A good plot, but poor actors. Great end!"
    page.locator("#rows .sample").nth(1).click()
    assert page.locator("#picture").inner_text() == "bad film"
    page.close()
    assert complaints == []
