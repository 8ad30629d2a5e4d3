"""What the page needs to draw an input, read back from the page."""

import sys

import numpy as np
import pytest
from showing import made, text_view, unpack, unpack_spans

import lcshap as lc
from lcshap.core.views import TableView, TextView, View


class TestPictures:
    @pytest.mark.parametrize("text", ["plain words here", "👩‍👩‍👧 two 𝒳𝒴 words", "中文很好 and 𠀀 more", " \n lead"])
    def test_spans_count_as_javascript_does(self, write, text):
        view = text_view(text)
        names = [text[s:e] for s, e in view.spans]
        page = write(made(np.arange(len(names)), names, view))
        wide = page.samples[0]["text"].encode("utf-16-le")
        spans = unpack_spans(page.sample()["picture"]["spans"])
        assert [wide[2 * s : 2 * e].decode("utf-16-le") for s, e in spans] == names
        assert "names" not in page.samples[0]

    def test_sentences(self, write):
        text = "It is bad. It just sucks! Really?\n\nYes"
        view = text_view(text)
        picture = write(made(np.zeros(len(view.spans)), None, view)).sample()["picture"]
        expected = lc.maskers.Text(units="sentence").mask(text).spans
        assert unpack_spans(picture["sentences"]) == [list(span) for span in expected]

    @pytest.mark.parametrize(("text", "units"), [("only one sentence.", "word"), ("One. Two.", "sentence")])
    def test_no_sentences_where_they_add_nothing(self, write, text, units):
        view = text_view(text, units)
        assert "sentences" not in write(made(np.zeros(len(view.spans)), None, view)).sample()["picture"]

    def test_no_sentences_where_units_reach_over_them(self, write):
        view = lc.maskers.Text(splitter=r"\w+\W+\w+|\w+").mask("One two. Three. Four five six. Seven").view
        assert "sentences" not in write(made(np.zeros(len(view.spans)), None, view)).sample()["picture"]

    def test_units_of_several_words(self, write, explain):
        e = explain("good plot. bad end").group([0, 0, 1, 1], names=["first", "second"])
        page = write(e)
        assert page.pool(page.samples[0]["names"]) == ["first", "second"]
        assert unpack(page.pool(page.sample()["picture"]["labels"])).tolist() == [0, 0, 1, 1]

    @pytest.mark.parametrize(
        ("image", "expected"),
        [
            (np.array([[0, 7], [200, 255]], np.uint8), [0, 7, 200, 255]),
            (np.array([[0.0, 0.2], [0.4, 0.5]]), [0, 51, 102, 128]),
            (np.array([[-1.0, 0.0], [1.0, 3.0]]), [0, 64, 128, 255]),
            (np.arange(12, dtype=np.uint8).reshape(2, 2, 3), list(range(12))),
            (np.array([[False, True], [True, True]]), [0, 255, 255, 255]),
        ],
    )
    def test_image(self, write, image, expected):
        view = lc.maskers.Image(reference=0, channels="last").mask(image).view
        page = write(made([1.0, 2.0, 3.0, 4.0], None, view))
        picture = page.sample()["picture"]
        assert unpack(picture["image"]).tolist() == expected
        assert (picture["height"], picture["width"], picture["channels"]) == (2, 2, len(expected) // 4)

    @pytest.mark.parametrize(("reference", "expected"), [(9, [9]), (np.array([[1, 2], [3, 4]]), [1, 2, 3, 4])])
    def test_reference(self, write, reference, expected):
        view = lc.maskers.Image(reference=reference).mask(np.zeros((2, 2), np.uint8)).view
        picture = write(made([1.0, 2.0, 3.0, 4.0], None, view)).sample()["picture"]
        assert unpack(picture["reference"]).tolist() == expected

    def test_labels_of_patches(self, write):
        view = lc.maskers.Image(patch=2).mask(np.zeros((4, 4))).view
        page = write(made([1.0, 2.0, 3.0, 4.0], None, view))
        labels = unpack(page.pool(page.sample()["picture"]["labels"])).reshape(4, 4)
        assert labels.tolist() == [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3], [2, 2, 3, 3]]

    def test_series(self, write):
        series = np.array([[0.5, 1.5, 2.5, 3.5], [9.0, 8.0, 7.0, 6.0]])
        view = lc.maskers.Series(window=2, by_channel=True, channels="first", names=["x", "y"]).mask(series).view
        page = write(made([1.0, 2.0, 3.0, 4.0], None, view))
        picture = page.sample()["picture"]
        assert unpack(picture["series"]).reshape(4, 2).T.tolist() == series.tolist()
        assert picture["channels"] == ["x", "y"]
        assert unpack(page.pool(picture["labels"])).reshape(4, 2).T.tolist() == [[0, 0, 1, 1], [2, 2, 3, 3]]

    def test_bytes(self, write):
        view = lc.maskers.Bytes(4).mask(bytes(range(10))).view
        picture = write(made([1.0, 2.0, 3.0], None, view)).sample()["picture"]
        assert unpack(picture["bytes"]).tolist() == list(range(10))
        assert unpack_spans(picture["spans"]) == [[0, 4], [4, 8], [8, 10]]

    def test_table(self, write):
        view = lc.maskers.Tabular([0, 0, 0], names=["age", "dose", "sex"], pin=["dose"]).mask([70.5, 1 / 3, 1]).view
        page = write(made([1.0, 2.0], ["age", "sex"], view))
        picture = page.sample()["picture"]
        assert page.pool(picture["columns"]) == ["age", "dose", "sex"]
        assert picture["values"] == [70.5, 0.333333, 1.0]
        assert unpack(page.pool(picture["labels"])).tolist() == [0, -1, 1]

    def test_molecule(self, write):
        masked = lc.maskers.Molecule().mask("C[N+](C)(C)CC(=O)O")
        page = write(made(np.arange(8), None, masked.view))
        picture = page.sample()["picture"]
        symbols = ["", ["N", 0, 1], "", "", "", "", ["O", 0, 0], ["O", 1, 0]]
        assert picture["symbols"] == [s or ["", 0, 0] for s in symbols]
        bonds = unpack(picture["bonds"]).reshape(-1, 3).tolist()
        assert sorted(sorted(b[:2]) for b in bonds) == masked.graph.edges.tolist()
        assert [b[2] for b in bonds if set(b[:2]) == {5, 6}] == [2]
        places = unpack(picture["places"]).reshape(-1, 2)
        lengths = [np.hypot(*(places[a] - places[b])) for a, b, _ in bonds]
        assert len(np.unique(places, axis=0)) == 8
        assert max(lengths) < 1.2 * min(lengths)
        assert page.samples[0]["name"] == "C5H12NO2+"

    def test_molecule_without_rdkit(self, write, monkeypatch):
        view = lc.maskers.Molecule().mask("CCO").view
        monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
        page = write(made([1.0, 2.0, 3.0], ["C0", "C1", "O2"], view))
        assert page.sample()["picture"] == {"kind": "bars"}
        assert page.pool(page.samples[0]["names"]) == ["C0", "C1", "O2"]

    def test_a_kind_of_input_that_is_not_known(self, write):
        class Sound(View):
            kind = "sound"

        page = write(made([1.0, 2.0], None, Sound(labels=np.arange(2))))
        assert page.sample()["picture"] == {"kind": "bars"}

    def test_texts_of_old_files_have_no_sentences(self, write):
        view = text_view("It is bad. It just sucks!")
        old = TextView(text=view.text, spans=view.spans, labels=view.labels)
        assert "sentences" in write(made(np.zeros(6), None, view)).sample()["picture"]
        assert "sentences" not in write(made(np.zeros(6), None, old)).sample()["picture"]

    def test_columns_of_texts_and_gaps(self, write):
        view = TableView(columns=["city", "age"], values=[np.nan, 70.0], labels=[0, 1], texts=["Paris", ""])
        page = write(made([1.0, 2.0], ["city", "age"], view))
        assert page.sample()["picture"]["values"] == ["Paris", 70.0]
        assert page.pool(page.samples[0]["names"]) == ["city = Paris", "age = 70"]
