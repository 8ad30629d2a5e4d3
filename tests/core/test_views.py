"""Views: what each kind holds, what is refused, and what maskers make."""

from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.views import (
    KINDS,
    BytesView,
    ImageView,
    MoleculeView,
    PromptView,
    SeriesView,
    TableView,
    TextView,
    owners,
)

EXAMPLES = {
    "text": lambda: TextView(text="so good!", spans=[[0, 2], [3, 7]], labels=[0, 1], sentences=[[0, 8]]),
    "bytes": lambda: BytesView(bytes=[1, 2, 255], spans=[[0, 2], [2, 3]], labels=[0, 1]),
    "image": lambda: ImageView(image=np.ones((1, 2, 3)), reference=np.zeros((1, 2, 3)), labels=[[0, 1]]),
    "series": lambda: SeriesView(series=np.ones((2, 1)), channels=["x"], labels=[[0], [1]]),
    "table": lambda: TableView(columns=["a", "b", "c"], values=[1.0, np.nan, 3.0], labels=[0, -1, 1]),
    "molecule": lambda: MoleculeView(block="mol", labels=[0, 1]),
    "prompt": lambda: PromptView(
        text="so good!",
        spans=[[0, 2], [3, 7]],
        labels=[0, 1],
        sources=[[0, 8]],
        answer="It is.",
        answer_spans=[[0, 6], [0, 2]],
    ),
}
MASKED = [
    (lc.maskers.Text(), "Ça va?\n  Très bien, 谢谢", TextView),
    (lc.maskers.Tokens(vocabulary=["", "a", "bc"]), [1, 2, 7], TextView),
    (lc.maskers.Prompt("{sources}?"), {"sources": ["one", "two"]}, PromptView),
    (lc.maskers.Image(patch=2), np.arange(12, dtype=np.uint8).reshape(3, 4), ImageView),
    (lc.maskers.Image(channels="first"), np.arange(12.0).reshape(3, 2, 2), ImageView),
    (lc.maskers.Tabular(np.zeros(3), pin=[1]), np.array([1.0, 2.0, 3.0]), TableView),
    (lc.maskers.Molecule(), "OCC", MoleculeView),
    (lc.maskers.Series(2, channels="first"), np.arange(10.0).reshape(2, 5), SeriesView),
    (lc.maskers.Series(2, by_channel=True, channels="last"), np.arange(10.0).reshape(5, 2), SeriesView),
    (lc.maskers.Bytes(2), b"abc\xff\x00", BytesView),
]


def test_there_is_an_example_of_every_kind():
    assert list(EXAMPLES) == list(KINDS)
    assert all(type(make()) is KINDS[kind] and KINDS[kind].kind == kind for kind, make in EXAMPLES.items())


@pytest.mark.parametrize("kind", EXAMPLES)
class TestAll:
    def test_equal_by_content(self, kind):
        one, other = EXAMPLES[kind](), EXAMPLES[kind]()
        assert one == other
        assert one is not other
        assert one != one.grouped([1, 0])
        assert one != "view"
        assert all(one != make() for name, make in EXAMPLES.items() if name != kind)

    def test_groups(self, kind):
        one = EXAMPLES[kind]()
        grouped = one.grouped([0, 0])
        assert set(grouped.labels[one.labels >= 0].ravel().tolist()) == {0}
        assert (grouped.labels[one.labels < 0] == -1).all()
        assert all(f.name == "labels" or getattr(grouped, f.name) is not None for f in fields(one))

    def test_frozen_and_not_hashable(self, kind):
        one = EXAMPLES[kind]()
        with pytest.raises(FrozenInstanceError):
            one.labels = np.zeros(2)
        with pytest.raises(TypeError):
            hash(one)

    def test_labels_are_integers(self, kind):
        one = EXAMPLES[kind]()
        values = {f.name: getattr(one, f.name) for f in fields(one)}
        with pytest.raises(lc.OptionError, match="Expected integers as labels"):
            type(one)(**{**values, "labels": one.labels + 0.5})


def test_equality_sees_types_and_bits():
    image = EXAMPLES["image"]()
    single = ImageView(image=image.image.astype(np.float32), reference=image.reference, labels=image.labels)
    assert image != single
    assert EXAMPLES["table"]() == EXAMPLES["table"]()  # with NaN
    assert TableView(columns=["a"], values=[0.0], labels=[0]) != TableView(columns=["a"], values=[-0.0], labels=[0])


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: TextView(text="a", spans=[[0, 1]], labels=[0, 1]), "a label for each span"),
        (lambda: BytesView(bytes=[1], spans=[[0, 1]], labels=[]), "a label for each span"),
        (lambda: ImageView(image=np.ones((2, 2)), reference=np.ones((2, 2)), labels=[[0]]), "height, width, channels"),
        (lambda: ImageView(image=np.ones((1, 1, 3)), reference=np.ones((1, 1, 1)), labels=[[0]]), "the same shape"),
        (lambda: ImageView(image=np.ones((1, 2, 1)), reference=np.ones((1, 2, 1)), labels=[[0]]), "for each pixel"),
        (lambda: SeriesView(series=np.ones((2, 2)), channels=["x"], labels=[[0], [1]]), "steps, channels"),
        (lambda: SeriesView(series=np.ones((2, 1)), channels=["x"], labels=[0, 1]), "for each number"),
        (lambda: TableView(columns=["a"], values=[1.0, 2.0], labels=[0]), "Expected 1 values"),
        (lambda: TableView(columns=["a"], values=[1.0], labels=[0, 1]), "for each column"),
        (lambda: TableView(columns=["a"], values=[1.0], labels=[0], texts=["x", "y"]), "Expected 1 texts"),
    ],
)
def test_parts_that_do_not_fit_are_refused(make, says):
    with pytest.raises(lc.OptionError, match=says):
        make()


def test_parts_and_owners():
    text = EXAMPLES["text"]()
    assert text.parts == ("so", "good")
    assert owners(text).tolist() == [0, 0, -1, 1, 1, 1, 1, -1]
    assert owners(EXAMPLES["bytes"]()).tolist() == [0, 0, 1]
    assert TextView(text="a", spans=[[0, 1]], labels=[0]).sentences.shape == (0, 2)


def test_values_of_units_that_are_one_column():
    assert EXAMPLES["table"]().unit_values == {0: 1.0, 1: 3.0}
    assert EXAMPLES["table"]().grouped([0, 0]).unit_values == {}


class TestMaskers:
    @pytest.mark.parametrize(("masker", "x", "kind"), MASKED, ids=lambda value: getattr(value, "__name__", None))
    def test_every_unit_has_parts_and_groups_keep_them(self, masker, x, kind):
        e = lc.Explainer(lambda rows: np.arange(len(rows)), masker, lc.FeatureAblation(), kind="output")(x)
        assert type(e.view) is kind
        assert e.view == masker.mask(x).view
        assert set(e.view.labels.ravel().tolist()) - {-1} == set(range(e.graph.d))
        grouped = e.group(np.arange(e.graph.d) // 2)
        assert (grouped.view.labels == np.where(e.view.labels < 0, -1, e.view.labels // 2)).all()

    def test_where_units_are(self):
        text = lc.maskers.Text().mask("Ça va? 谢谢")
        assert text.view.parts == text.graph.names
        assert [text.view.text[a:b] for a, b in text.view.sentences] == ["Ça va?", "谢谢"]
        tokens = lc.maskers.Tokens(vocabulary=["", "a", "bc"]).mask([1, 2, 7])
        assert tokens.view.parts == ("a", "bc", "7")
        image = lc.maskers.Image(channels="first").mask(np.arange(12.0).reshape(3, 2, 2)).view
        assert image.image.shape == image.reference.shape == (2, 2, 3)
        assert image.labels.tolist() == [[0, 1], [2, 3]]

    def test_graphs_need_no_picture(self):
        assert lc.Shapley().explain(lc.Game(lambda k: k.sum(axis=1), 2), lc.Graph.chain(2)).view is None


def test_texts_of_a_table_are_kept_and_grouped():
    names, texts = ["sex", "city_Oslo", "city_New_York", "age"], ["female", "", "", "missing"]
    view = TableView(columns=names, values=[np.nan, 0, 1, np.nan], labels=[0, 1, 1, 2], texts=texts)
    assert view.unit_texts == {0: "female", 1: "New_York", 2: "missing"}
    assert view.grouped([0, 0, 1]).unit_texts == {1: "missing"}
    assert view == TableView(columns=names, values=[np.nan, 0, 1, np.nan], labels=[0, 1, 1, 2], texts=texts)
    assert view != TableView(columns=names, values=[np.nan, 0, 1, np.nan], labels=[0, 1, 1, 2])
