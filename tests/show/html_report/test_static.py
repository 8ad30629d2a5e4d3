"""The page without JavaScript: the first samples with their pictures and numbers."""

import numpy as np
import pytest
from showing import NASTY, made, text_view

import lcshap as lc
from lcshap.core.views import BytesView, MoleculeView, SeriesView
from lcshap.show.html_report import report
from lcshap.show.palette import find_palette

PALETTE = find_palette("paper")


def test_samples_are_there_with_colours_and_numbers(without_scripts, explain, tmp_path):
    explanations = explain([f"a good plot, number {k}, but poor actors" for k in range(12)])
    path = report(explanations, tmp_path / "page.html", labels=["for"] * 12)
    with without_scripts(path) as page:
        articles = page.locator("article")
        assert articles.count() == 10
        assert "the first 10 are below" in page.locator("noscript").inner_text()
        assert articles.first.locator("h2").inner_text() == "a good plot, number 0, but poor actors"
        assert "The true class is for." in articles.first.inner_text()
        strong = int(np.abs(explanations[0].scores).argmax())
        marked = articles.first.locator("span.p10, span.n10")
        assert marked.first.inner_text() == explanations[0].names[strong]
        assert marked.first.evaluate("(e) => getComputedStyle(e).backgroundColor") != "rgba(0, 0, 0, 0)"
        top = articles.first.locator("tbody tr").first.inner_text()
        assert top.split("\t")[0] == explanations[0].names[strong]
        assert page.locator("#columns").is_hidden()


def test_bars_stand_where_scores_are_and_faint_ones_are_pale(without_scripts, tmp_path):
    e = made([3.0, -1.0, 0.5], stderr=np.array([0.1, 5.0, 0.1]), dof=20)
    with without_scripts(report(e, tmp_path / "page.html", palette=PALETTE)) as page:
        bars = page.locator("article td.lcshap-bar rect").all()
        boxes = [bar.bounding_box() for bar in bars]
        assert boxes[0]["width"] == pytest.approx(3 * boxes[1]["width"], rel=0.01)
        assert boxes[1]["x"] + boxes[1]["width"] == pytest.approx(boxes[0]["x"], abs=1) == boxes[2]["x"]
        assert [colour(bar, "fill") for bar in bars] == [PALETTE.colour(score, 1.0) for score in (1.0, -0.3, 1.0)]
        assert "Faint: the 95 % interval includes zero (1 of 3 units)" in page.locator("article").inner_text()


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


# -- pictures: every kind of input has its colours ------------------------------------------------------------------


def colour(element, name):
    css_colour = element.evaluate(f"(e) => getComputedStyle(e).getPropertyValue('{name}')")
    return tuple(int(channel) for channel in css_colour.removeprefix("rgb(").rstrip(")").split(","))


def test_images_are_pictures(without_scripts, tmp_path):
    e = lc.Explanation(np.ones(4), 0.0, 4.0, lc.Graph.grid((2, 2)), 9, view=lc.maskers.Image().mask(np.eye(2)).view)
    with without_scripts(report(e, tmp_path / "page.html")) as page:
        widths = [image.evaluate("(image) => image.naturalWidth") for image in page.locator("article img").all()]
        assert widths == [2, 2]  # the image and its scores


def test_a_series_is_a_line_over_colours(without_scripts, tmp_path):
    labels = np.repeat(np.arange(3), 5)[:, None]
    view = SeriesView(series=np.sin(np.arange(15.0))[:, None], channels=("<b>",), labels=labels)
    e = made([1.0, -0.5, 0.0], view=view)
    with without_scripts(report(e, tmp_path / "page.html", palette=PALETTE)) as page:
        drawn = [colour(box, "fill") for box in page.locator("article figure rect").all()]
        assert drawn == [PALETTE.colour(score, 1.0) for score in (1.0, -0.5, 0.0)]
        assert page.locator("article figcaption").inner_text() == "<b>"
        box = page.locator("article figure svg").bounding_box()
        assert box["width"] > 300
        assert box["height"] > 60


def test_bytes_are_a_dump(without_scripts, tmp_path):
    places = np.arange(4)
    view = BytesView(bytes=np.frombuffer(b"MZ<>", np.uint8), spans=np.stack([places, places + 1], 1), labels=places)
    with without_scripts(
        report(made([0.0, 2.0, 0.0, -2.0], view=view), tmp_path / "page.html", palette=PALETTE)
    ) as page:
        dump = page.locator("article pre")
        assert "4d 5a 3c 3e" in dump.inner_text()
        assert "MZ<>" in dump.inner_text()
        assert [(span.inner_text(), colour(span, "background-color")) for span in dump.locator("span").all()] == [
            (digits, PALETTE.colour(score, 2.0))
            for digits, score in (("5a", 2.0), ("3e", -2.0), ("Z", 2.0), (">", -2.0))
        ]


def test_a_molecule_has_its_atoms_and_bonds(without_scripts, tmp_path):
    pytest.importorskip("rdkit")
    block = lc.maskers.Molecule().mask("CCO").view.block
    e = made([0.0, -0.5, 1.0], view=MoleculeView(block=block, labels=np.arange(3)))
    with without_scripts(report(e, tmp_path / "page.html", palette=PALETTE)) as page:
        assert page.locator("article svg.lcshap-molecule text").all_text_contents() == ["C", "C", "O"]
        assert page.locator("article svg.lcshap-molecule line").count() == 2
        drawn = [colour(atom, "fill") for atom in page.locator("article circle").all()]
        assert drawn == [PALETTE.colour(score, 1.0) for score in (0.0, -0.5, 1.0)]
    broken = made([1.0], view=MoleculeView(block="nonsense", labels=np.arange(1)))
    with without_scripts(report(broken, tmp_path / "page.html")) as page:
        assert page.locator("article svg.lcshap-molecule").count() == 0
        assert page.locator("article svg").count() == 1  # the bar of the only unit
        assert page.locator("article table").count() == 1
