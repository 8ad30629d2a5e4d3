"""One renderer for notebooks and pages: what it says does not depend on how colours are written."""

import numpy as np
import pytest
from showing import Fragment, answer, explain, made, text_view

import lcshap as lc
from lcshap.core.views import BytesView, MoleculeView, SeriesView
from lcshap.show.palette import find_palette
from lcshap.show.static_html.explanation_html import explanation_html
from lcshap.show.styling import ClassStyling, InlineStyling

PLACES = np.stack([np.arange(4), np.arange(4) + 1], axis=1)
VIEWS = {
    "text": text_view("a <b>good</b> film &"),
    "bytes": BytesView(bytes=np.frombuffer(b"MZ<>", np.uint8), spans=PLACES, labels=np.arange(4)),
    "image": lc.maskers.Image().mask(np.eye(2)).view,
    "series": SeriesView(series=np.arange(8.0)[:, None], channels=("<i>",), labels=np.repeat(np.arange(4), 2)[:, None]),
    "molecule": MoleculeView(block=lc.maskers.Molecule().mask("CCOC").view.block, labels=np.arange(4)),
    "names": None,
}


@pytest.mark.parametrize("kind", VIEWS)
def test_notebooks_and_pages_say_the_same(kind):
    errors = {"stderr": np.array([0.1, 3.0, 0.1, 0.1]), "dof": 20}
    e = made([1.0, -2.0, 0.5, 0.0], ["<b>", "a", "b", "c"], VIEWS[kind], **errors)
    inline, classes = (explanation_html(e, s) for s in (InlineStyling(), ClassStyling(find_palette("default"))))
    assert Fragment(inline).text == Fragment(classes).text
    assert "Faint: the 95 % interval includes zero" in inline
    assert "style=" not in classes
    for written in (inline, classes):
        assert len(Fragment(written).all("tr")) == 4
        assert "<b>" not in written
        assert "<i>" not in written


def test_one_output_of_several_may_be_written():
    e = answer()
    styling = ClassStyling(find_palette("default"))
    assert explanation_html(e, styling, output=3) == explanation_html(e.output(3), styling)
    assert Fragment(explanation_html(e, styling)).text == Fragment(explanation_html(e, InlineStyling())).text


def test_cells_whose_interval_holds_zero_are_faint():
    scores = np.array([[4.0, 4.0], [-4.0, 4.0]])
    e = made(scores, stderr=np.array([[0.1, 9.0], [9.0, 0.1]]), dof=20)
    cells = [cell.get("class") for cell in Fragment(explanation_html(e, ClassStyling(find_palette("paper")))).all("td")]
    assert [name for name in cells if name] == ["p10", "p3", "n3", "p10"]


def test_the_method_has_another_name_and_a_remark_follows_the_first_sentence():
    e = explain(lambda texts: [float(len(text)) for text in texts], lc.maskers.Text(), "a bc")
    text = Fragment(explanation_html(e, InlineStyling(), method="<ours>", remark="It is <so>.")).text
    assert "It is <so>.<ours> explains output 0" in text
    assert "FeatureAblation" not in text


def test_scores_that_are_not_finite_have_no_bar():
    e = made([np.inf, 1.0, -1.0, np.nan, -np.inf])
    for styling in (InlineStyling(), ClassStyling(find_palette("default"))):
        with np.errstate(invalid="ignore"):  # the scores have no sum
            page = explanation_html(e, styling, top=4)
        assert page.count("width:50.0%") + page.count('width="50.0"') == 2
        assert page.count("width:0.0%") + page.count('width="0.0"') == 2
        assert "and 1 other" in page
