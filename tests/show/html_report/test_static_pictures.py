"""Pictures without JavaScript, in a real browser: every kind of input has its colours."""

import numpy as np
import pytest
from showing import made

import lcshap as lc
from lcshap.core.views import BytesView, MoleculeView, SeriesView
from lcshap.show.html_report import report
from lcshap.show.html_report.static_pictures import shade_of, shades
from lcshap.show.palette import find_palette

PALETTE = find_palette("paper")


def colour(element, name):
    found = element.evaluate(f"(e) => getComputedStyle(e).getPropertyValue('{name}')")
    return tuple(int(part) for part in found.removeprefix("rgb(").rstrip(")").split(","))


def test_images_are_pictures(without_scripts, tmp_path):
    e = lc.Explanation(np.ones(4), 0.0, 4.0, lc.Graph.grid((2, 2)), 9, view=lc.maskers.Image().mask(np.eye(2)).view)
    with without_scripts(report(e, tmp_path / "page.html")) as page:
        assert page.locator("article img").evaluate("(image) => image.naturalWidth") == 2


def test_a_series_is_a_line_over_colours(without_scripts, tmp_path):
    labels = np.repeat(np.arange(3), 5)[:, None]
    view = SeriesView(series=np.sin(np.arange(15.0))[:, None], channels=("<b>",), labels=labels)
    e = made([1.0, -0.5, 0.0], view=view)
    with without_scripts(report(e, tmp_path / "page.html", palette=PALETTE)) as page:
        drawn = [colour(box, "fill") for box in page.locator("article rect").all()]
        assert drawn == [PALETTE.colour(score, 1.0) for score in (1.0, -0.5, 0.0)]
        assert page.locator("article figcaption").inner_text() == "<b>"
        box = page.locator("article svg").bounding_box()
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
            (part, PALETTE.colour(score, 2.0)) for part, score in (("5a", 2.0), ("3e", -2.0), ("Z", 2.0), (">", -2.0))
        ]


def test_a_molecule_has_its_atoms_and_bonds(without_scripts, tmp_path):
    pytest.importorskip("rdkit")
    block = lc.maskers.Molecule().mask("CCO").view.block
    e = made([0.0, -0.5, 1.0], view=MoleculeView(block=block, labels=np.arange(3)))
    with without_scripts(report(e, tmp_path / "page.html", palette=PALETTE)) as page:
        assert page.locator("article svg text").all_text_contents() == ["C", "C", "O"]
        assert page.locator("article svg line").count() == 2
        drawn = [colour(atom, "fill") for atom in page.locator("article circle").all()]
        assert drawn == [PALETTE.colour(score, 1.0) for score in (0.0, -0.5, 1.0)]
    broken = made([1.0], view=MoleculeView(block="nonsense", labels=np.arange(1)))
    with without_scripts(report(broken, tmp_path / "page.html")) as page:
        assert page.locator("article svg").count() == 0
        assert page.locator("article table").count() == 1


def test_shades_have_rules():
    assert shade_of(0.5, 1.0) == "p5"
    assert shade_of(np.nan, 1.0) == ""
    rules = shades(find_palette("paper"))
    assert ".p5 { background: #8080ff; fill: #8080ff; color: #000000; }" in rules
    assert ".n10 { background: #ff0000; fill: #ff0000; color: #000000; }" in rules
