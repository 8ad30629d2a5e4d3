"""Views of an explanation, and what is saved and loaded."""

import json
import sys

import numpy as np
import pytest

import lcshap as lc
from support import NAMED_GRAPHS, table_game

GRAPH = lc.Graph.grid((2, 3), names=["a", "b", "a", "<script>", "ü", "文"])


def explained(outputs=None, method=None):
    return (method or lc.LShapley(1, interactions=True)).explain(table_game(6, seed=1, outputs=outputs)[0], GRAPH)


class TestViews:
    def test_top(self):
        e = explained()
        top = e.top(2)
        assert top == [(e.names[i], e.scores[i]) for i in e.ranking[:2]]
        assert len(e.top(99)) == 6
        with pytest.raises(lc.MethodError, match="there are 3 outputs: say which"):
            explained(3).top()
        assert explained(3).top(1, output=2) == explained(3).output(2).top(1)

    def test_one_output_of_several(self):
        many = explained(3)
        for k in (0, 2, -1):
            one = many.output(k)
            assert one.scores.tolist() == many.scores[:, k].tolist()
            assert one.residual == pytest.approx(many.residual[k])
            assert (one.interactions != many.interactions[k]).nnz == 0
        sampled = explained(2, lc.SampleShapley(30)).output(1)
        assert sampled.stderr.shape == (6,)
        with pytest.raises(IndexError):
            many.output(3)
        with pytest.raises(lc.MethodError, match="one output only"):
            explained().output(0)

    @pytest.mark.parametrize("outputs", [None, 2])
    def test_rescaled_sums_to_the_whole_and_keeps_zeros(self, outputs):
        e = explained(outputs)
        r = e.rescaled()
        np.testing.assert_allclose(r.residual, 0, atol=1e-12)
        np.testing.assert_allclose(r.scores.sum(axis=0), np.subtract(e.full_value, e.base_value))
        assert r.provenance["rescaled"]
        dummy = lc.LShapley(1).explain(lc.Game(lambda k: 1.0 * (k[:, 0] & k[:, 5]) + k[:, 1], 6), GRAPH)
        assert dummy.rescaled().scores[2] == 0
        nothing = lc.LShapley(0).explain(lc.Game(lambda k: 6.0 * k.all(axis=1), 6), GRAPH)
        assert nothing.rescaled().scores.tolist() == [1.0] * 6

    def test_groups_add_up(self):
        e = explained(2)
        g = e.group([0, 0, 1, 1, 2, 2], names=["x", "y", "z"])
        np.testing.assert_allclose(g.scores, e.scores.reshape(3, 2, 2).sum(axis=1))
        assert g.names == ("x", "y", "z")
        assert g.graph.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
        np.testing.assert_allclose(g.residual, e.residual)
        with pytest.raises(lc.MethodError, match="6 integers"):
            e.group([0, 1])

    def test_dataframe(self):
        frame = explained(None, lc.SampleShapley(30)).to_dataframe()
        assert list(frame.columns) == ["name", "score", "stderr", "rank"]
        assert frame.sort_values("rank").score.is_monotonic_decreasing
        assert list(explained(2).to_dataframe().columns) == ["name", "score_0", "score_1"]

    def test_a_missing_package_is_named(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pandas", None)
        monkeypatch.setitem(sys.modules, "shap", None)
        with pytest.raises(ImportError, match='pip install "lcshap\\[pandas\\]"'):
            explained().to_dataframe()
        with pytest.raises(lc.LcshapError, match='pip install "lcshap\\[shap\\]"'):
            explained().to_shap()

    @pytest.mark.filterwarnings("ignore")
    def test_shap(self):
        e = explained()
        theirs = e.to_shap()
        assert theirs.values.tolist() == e.scores.tolist()
        assert theirs.base_values == e.base_value
        assert theirs.feature_names == list(e.names)


METHODS = [
    lc.LShapley(1, interactions=True),
    lc.SampleShapley(12),  # one pair: its standard errors are infinite
    lc.GraphKernelSHAP(30),
    lc.DeletionPath(20, flip_below=0.0),
]


class TestFiles:
    @pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
    @pytest.mark.parametrize("outputs", [None, 2])
    def test_load_gives_back_what_was_saved(self, method, outputs, tmp_path):
        e = explained(outputs, method)
        back = lc.load(e.save(tmp_path / "e.json"))
        assert back == e
        assert type(back) is type(e)
        assert back.scores.tobytes() == e.scores.tobytes()
        assert back.ranking.tolist() == e.ranking.tolist()
        assert back.graph == e.graph
        assert back.provenance["parameters"] == e.provenance["parameters"]
        json.loads((tmp_path / "e.json").read_text(), parse_constant=lambda c: pytest.fail(f"{c} is not JSON"))

    @pytest.mark.parametrize("name", NAMED_GRAPHS)
    def test_any_graph(self, name, tmp_path):
        graph = NAMED_GRAPHS[name]
        e = lc.LShapley(1, interactions=True).explain(table_game(graph.d)[0], graph)
        assert lc.load(e.save(tmp_path / "e.json")) == e

    def test_different_explanations_are_not_equal(self):
        e = explained()
        assert e == explained()
        assert e != explained(None, lc.LShapley(2, interactions=True))
        assert e != e.rescaled()
        assert e != 3

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            ("no json", "is not an explanation"),
            ("[1, 2]", "is not an explanation"),
            ('{"format": "other"}', "is not an explanation"),
            ('{"format": "lcshap-explanation", "version": 99}', "has version 99, this lcshap reads up to 1"),
            ('{"format": "lcshap-explanation", "version": 1, "class": "os.system", "graph": {}}', "is damaged"),
            ('{"format": "lcshap-explanation", "version": 1, "class": "Explanation", "graph": {"d": 2}}', "is damaged"),
        ],
    )
    def test_bad_files(self, content, says, tmp_path):
        (tmp_path / "x.json").write_text(content)
        with pytest.raises(lc.FileFormatError, match=says):
            lc.load(tmp_path / "x.json")

    def test_binary_files(self, tmp_path):
        (tmp_path / "x.json").write_bytes(b"\x80\x04\x95pickle")
        with pytest.raises(lc.FileFormatError):
            lc.load(tmp_path / "x.json")


class TestPictures:
    """What a picture of the input needs travels with the explanation, into files and through groups."""

    @pytest.mark.parametrize(
        ("masker", "x"),
        [
            (lc.maskers.Text(), "Ça va?\n  Très bien, 谢谢"),
            (lc.maskers.Tokens(vocabulary=["", "a", "bc"]), [1, 2, 7]),
            (lc.maskers.Image(patch=2), np.arange(12, dtype=np.uint8).reshape(3, 4)),
            (lc.maskers.Image(channels="first"), np.arange(12.0).reshape(3, 2, 2)),
            (lc.maskers.Tabular(np.zeros(3), pin=[1]), np.array([1.0, 2.0, 3.0])),
            (lc.maskers.Molecule(), "OCC"),
            (lc.maskers.Series(2, channels="first"), np.arange(10.0).reshape(2, 5)),
            (lc.maskers.Series(2, by_channel=True, channels="last"), np.arange(10.0).reshape(5, 2)),
            (lc.maskers.Bytes(2), b"abc\xff\x00"),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_saved_and_grouped(self, masker, x, tmp_path):
        e = lc.Explainer(lambda rows: np.arange(len(rows)), masker, lc.FeatureAblation(), kind="output")(x)
        again = lc.load(e.save(tmp_path / "e.json"))
        assert again == e
        assert set(again.view["labels"].ravel().tolist()) - {-1} == set(range(e.graph.d))
        grouped = e.group(np.arange(e.graph.d) // 2)
        assert grouped.view["labels"].max() == (e.graph.d - 1) // 2
        assert (grouped.view["labels"] == np.where(e.view["labels"] < 0, -1, e.view["labels"] // 2)).all()

    def test_where_units_are(self):
        count = lambda rows: [float(len(row)) for row in rows]  # noqa: E731
        text = lc.explain(count, "Ça va? 谢谢", method=lc.FeatureAblation(), kind="output")
        assert tuple(text.view["text"][a:b] for a, b in text.view["spans"]) == text.names
        tokens = lc.maskers.Tokens(vocabulary=["", "a", "bc"]).mask([1, 2, 7])
        assert [tokens.view["text"][a:b] for a, b in tokens.view["spans"]] == ["a", "bc", "7"]
        image = lc.maskers.Image(channels="first").mask(np.arange(12.0).reshape(3, 2, 2)).view
        assert image["image"].shape == image["reference"].shape == (2, 2, 3)
        assert image["labels"].tolist() == [[0, 1], [2, 3]]

    def test_files_of_version_1_without_views_can_be_read(self, tmp_path):
        path = explained().save(tmp_path / "e.json")
        content = json.loads(path.read_text())
        del content["view"], content["curve"]
        path.write_text(json.dumps(content))
        assert lc.load(path).view is None
