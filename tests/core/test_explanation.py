"""An explanation: parts of it, sums, tables, and what other packages take."""

import sys
from dataclasses import replace

import numpy as np
import pytest

import lcshap as lc
from support import table_game

GRAPH = lc.Graph.grid((2, 3), names=["a", "b", "a", "<script>", "ü", "文"])


def explained(outputs=None, method=None):
    return (method or lc.LShapley(1, interactions=True)).explain(table_game(6, seed=1, outputs=outputs)[0], GRAPH)


class TestFaint:
    def test_scores_whose_interval_holds_zero(self):
        e = replace(explained(), scores=np.array([3.0, 1.0, -1.0, -3.0, 0.0, 2.0]), stderr=np.full(6, 1.0), dof=10)
        assert e.insignificant.tolist() == [False, True, True, False, True, True]  # 2.23 standard errors
        assert replace(e, dof=0).insignificant.all()  # too few samples to tell
        two_outputs = replace(e, scores=np.stack([e.scores, 5 + e.scores], axis=1), stderr=np.ones((6, 2)))
        assert two_outputs.insignificant.sum(axis=0).tolist() == [4, 1]

    def test_what_is_exact_is_never_faint(self):
        assert not explained(method=lc.Shapley()).insignificant.any()
        assert not explained(outputs=2).insignificant.any()
        assert not explained(method=lc.DeletionPath(20)).insignificant.any()


class TestViews:
    def test_top(self):
        e = explained()
        order = np.argsort(-np.abs(e.scores), kind="stable")
        assert e.by_magnitude().tolist() == order.tolist()
        assert e.top(2) == [(e.names[i], e.scores[i]) for i in order[:2]]
        assert len(e.top(99)) == 6
        ups, downs = e.top(sign=1), e.top(sign=-1)
        assert [s for _, s in ups] == sorted((s for s in e.scores.tolist() if s > 0), reverse=True)
        assert [s for _, s in downs] == sorted(s for s in e.scores.tolist() if s < 0)
        with pytest.raises(lc.errors.OptionError, match="Expected 1 or -1 as sign"):
            e.top(sign="+")
        with pytest.raises(lc.errors.OptionError, match="Expected one output, got 3"):
            explained(3).top()
        assert explained(3).top(1, output=2) == explained(3).output(2).top(1)

    def test_the_word_that_decides_comes_first_and_rounding_is_zero(self):
        def model(texts):  # the first example of the README
            return [text.count("good") - 2.0 * text.count("bad") for text in texts]

        e = lc.Explainer(model, lc.maskers.Text(), budget="8d", kind="output")("a good plot with a bad end")
        assert [name for name, _ in e.top(2)] == ["bad", "good"]
        assert [score for _, score in e.top(7)[2:]] == [0.0] * 5
        assert "top: bad -2, good +1, a +0>" in repr(e)
        assert "residual 0;" in repr(e)
        table = e.to_dataframe()
        assert table.sort_values("rank")["name"].tolist()[:2] == ["bad", "good"]

    def test_a_path_leads_with_its_order(self):
        e = lc.DeletionPath(12).explain(table_game(6, seed=1)[0], GRAPH)
        assert e.by_magnitude().tolist() == e.order.tolist()
        assert [name for name, _ in e.top(6)] == [e.names[i] for i in e.order]

    @pytest.mark.parametrize("path", [lc.DeletionPath, lc.InsertionPath])
    def test_the_most_negative_unit_of_a_path_leads_those_below_zero(self, path):
        v = lc.Game(lambda kept: kept @ np.array([-3.0, 1.0, -1.0, 2.0, -2.0, 3.0]), 6)
        e = path(40).explain(v, GRAPH)
        assert e.by_magnitude(-1).tolist() == [0, 4, 2]
        assert e.by_magnitude(1).tolist() == [5, 3, 1]

    def test_one_output_of_several(self):
        e = explained(3)
        for k in (0, 2, -1):
            single = e.output(k)
            assert single.scores.tolist() == e.scores[:, k].tolist()
            assert single.residual == pytest.approx(e.residual[k])
            assert (single.interactions != e.interactions[k]).nnz == 0
        sampled = explained(2, lc.SampleShapley(30)).output(1)
        assert sampled.stderr.shape == (6,)
        with pytest.raises(IndexError):
            e.output(3)
        with pytest.raises(lc.errors.OptionError, match="several outputs, got one"):
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
        with pytest.raises(lc.errors.OptionError, match="6 integers"):
            e.group([0, 1])

    def test_dataframe(self):
        frame = explained(None, lc.SampleShapley(30)).to_dataframe()
        assert list(frame.columns) == ["name", "value", "score", "stderr", "rank"]
        assert frame.sort_values("rank").score.abs().is_monotonic_decreasing
        columns = ["name", "value", "score_0", "score_1", "stderr_0", "stderr_1"]
        assert list(explained(2).to_dataframe().columns) == columns

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


def test_different_explanations_are_not_equal():
    e = explained()
    assert e == explained()
    assert e != explained(None, lc.LShapley(2, interactions=True))
    assert e != e.rescaled()
    assert e != 3


class TestPaths:
    @pytest.mark.parametrize(("method", "removed"), [(lc.DeletionPath(20), True), (lc.InsertionPath(20), False)])
    def test_which_way_a_path_goes(self, method, removed):
        e = explained(None, method)
        assert e.removed is removed
        assert e.rescaled().removed is removed


def test_a_path_whose_record_holds_anything_can_be_shown():
    from dataclasses import replace

    e = lc.DeletionPath(12, flip_below=0.5).explain(lc.Game(lambda kept: 1.0 * kept[:, 0], 3), lc.Graph.chain(3))
    odd = replace(e, provenance={**e.provenance, "name": np.arange(3)})
    assert odd.removed
    assert "Without" in lc.show.flips.flip_sentence(odd)
