"""Views: what each kind holds, what is refused, and what maskers make."""

from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import lcshap as lc
from lcshap.core import views
from lcshap.core.views import (
    KINDS,
    BytesView,
    ImageView,
    MoleculeView,
    PromptView,
    SeriesView,
    TableView,
    TextView,
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


def test_pickles_of_older_versions_find_their_classes():
    assert all(getattr(views, kind.__name__) is kind for kind in KINDS.values())


@pytest.mark.parametrize("kind", EXAMPLES)
class TestAll:
    def test_equal_by_content(self, kind):
        view, other = EXAMPLES[kind](), EXAMPLES[kind]()
        assert view == other
        assert view is not other
        assert view != view.grouped([1, 0])
        assert view != "view"
        assert all(view != make() for name, make in EXAMPLES.items() if name != kind)

    def test_groups(self, kind):
        view = EXAMPLES[kind]()
        grouped = view.grouped([0, 0])
        assert set(grouped.labels[view.labels >= 0].ravel().tolist()) == {0}
        assert (grouped.labels[view.labels < 0] == -1).all()
        assert all(f.name == "labels" or getattr(grouped, f.name) is not None for f in fields(view))

    def test_frozen_and_not_hashable(self, kind):
        view = EXAMPLES[kind]()
        with pytest.raises(FrozenInstanceError):
            view.labels = np.zeros(2)
        with pytest.raises(TypeError):
            hash(view)

    def test_labels_are_integers(self, kind):
        view = EXAMPLES[kind]()
        values = {f.name: getattr(view, f.name) for f in fields(view)}
        with pytest.raises(lc.errors.OptionError, match="Expected integers as labels"):
            type(view)(**{**values, "labels": view.labels + 0.5})


def test_equality_sees_types_and_bits():
    image = EXAMPLES["image"]()
    single = ImageView(image=image.image.astype(np.float32), reference=image.reference, labels=image.labels)
    assert image != single
    assert EXAMPLES["table"]() == EXAMPLES["table"]()  # with NaN
    assert TableView(columns=["a"], values=[0.0], labels=[0]) != TableView(columns=["a"], values=[-0.0], labels=[0])


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
