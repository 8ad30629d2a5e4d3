"""Samples: which explanations belong together, and their numbers, read back from the page."""

from dataclasses import replace

import numpy as np
import pytest
from showing import made, text_view, unpack, unpack_order

import lcshap as lc
from lcshap.show.html_report import report


def ranking(entry):
    """The order in which units are masked: that of the scores as the page has them, if it has no other."""
    scores = unpack(entry["scores"])
    return unpack_order(entry.get("ranking"), np.argsort(-scores, kind="stable"))


class TestNumbers:
    def test_scores_ranking_and_values(self, write, explain):
        e = explain("a good plot, but poor actors")
        page = write(e)
        entry = page.sample()["entries"][0]
        exact = np.where(np.abs(e.scores) < 1e-12, 0.0, e.scores)  # what is but rounding is zero
        np.testing.assert_array_equal(unpack(entry["scores"]), exact.astype(np.float32))
        assert ranking(entry) == e.ranking.tolist()
        assert "leading" not in entry  # that of the sizes, which the page sorts itself
        assert (entry["base"], entry["full"]) == pytest.approx((e.base_value, e.full_value), rel=1e-5)
        assert entry["residual"] == pytest.approx(float(e.residual), rel=1e-5)
        chances = (1 / (1 + np.exp(-e.curve["values"]))).tolist()
        assert entry["curve"]["values"] == pytest.approx(chances, rel=1e-5)
        axis = page.pool(entry["curve"]["said"])
        assert axis["counts"] == e.curve["counts"].tolist()
        assert axis["what"] == "probability of for"
        assert page.samples[0]["entries"] == [
            [0, "for", entry["full"], entry["residual"], pytest.approx(np.abs(e.scores).max(), rel=1e-5), e.calls]
        ]

    def test_a_doubt_about_the_intervals_is_a_note(self, write):
        e = made([1.0, 2.0])
        assert "note" not in write(e).sample()["entries"][0]
        doubtful = replace(e, provenance={**e.provenance, "doubt": "The intervals may be too narrow."})
        assert write(doubtful).sample()["entries"][0]["note"] == "The intervals may be too narrow."

    def test_ranks_that_float32_cannot_tell(self, write):
        e = made([1.0, 1.0 + 1e-12, 1.0 + 2e-12])
        entry = write(e).sample()["entries"][0]
        assert unpack(entry["ranking"]).tolist() == unpack(entry["leading"]).tolist() == [2, 1, 0]

    def test_the_order_of_a_path(self, write, explain):
        e = explain("good good bad film", lc.DeletionPath(40), curve=False)
        entry = write(e).sample()["entries"][0]
        assert ranking(entry) == e.order.tolist()
        rising = replace(e, scores=np.arange(1.0, 5.0), order=np.arange(4))  # against the sizes of the scores
        assert unpack(write(rising).sample()["entries"][0]["leading"]).tolist() == [0, 1, 2, 3]

    def test_what_is_said(self, write, explain):
        e = explain("a good plot, but poor actors", lc.Shapley())
        page = write(e)
        entry = page.sample()["entries"][0]
        assert entry["residual"] == 0  # not 1e-17
        facts = dict(entry["facts"])
        assert facts["explains"] == "log_prob of for"
        value, share = facts["full value"].replace("−", "-").rstrip("%) ").split(" (")
        assert float(value) == pytest.approx(e.full_value, rel=1e-5)
        assert float(share) == pytest.approx(100 * np.exp(e.full_value), abs=0.06)
        assert (facts["residual"], facts["calls"]) == ("0", str(e.calls))
        assert page.pool(entry["curve"]["said"])["note"] == "probability of for, while the top units are masked"
        assert "flip" not in entry

    def test_a_path_that_flips(self, write):
        graph = lc.Graph.chain(3, names=["<b>", "a", "c"])
        game = lc.Game(lambda kept: kept @ np.array([3.0, 0.0, 1.0]), 3)
        entry = write(lc.DeletionPath(8, flip_below=0.5).explain(game, graph)).sample()["entries"][0]
        assert entry["flip"] == ["Without ", "<b>", ", ", "c", ", the decision changes."]

    def test_interactions(self, write, explain):
        e = explain("a good plot and bad actors")
        entry = write(e).sample()["entries"][0]
        pairs = unpack(entry["pairs"]).reshape(-1, 2).tolist()
        assert sorted(pairs) == e.graph.edges.tolist()
        expected = [e.interactions.toarray()[i, j] for i, j in pairs]
        np.testing.assert_allclose(unpack(entry["interactions"]), expected, rtol=1e-6)
        assert "pair_stderr" not in entry
        assert "pair_drawn" not in entry

    def test_interactions_with_standard_errors(self, write, explain):
        e = explain("a great good plot, poor bad great end")
        errors = replace(e, interaction_stderr=abs(e.interactions) * 0.9, dof=9)  # all intervals hold 0
        entry = write(errors).sample()["entries"][0]
        pairs = unpack(entry["pairs"]).reshape(-1, 2)
        expected = errors.interaction_stderr.toarray()[pairs[:, 0], pairs[:, 1]]
        np.testing.assert_allclose(unpack(entry["pair_stderr"]), expected, rtol=1 / 256)
        faded, bits = entry["pair_faint"]
        assert faded == 0.3
        assert np.unpackbits(unpack(bits))[: len(pairs)].all()

    def test_what_is_not_finite(self, write):
        entry = write(made([np.inf, 1.0, np.nan], stderr=np.array([np.inf, 1, 2]))).sample()["entries"][0]
        assert entry["full"] == "NaN"
        assert entry["largest"] == 1
        np.testing.assert_array_equal(unpack(entry["stderr"]), [np.inf, 1, 2])
        assert write(made([np.inf, 1.0])).sample()["entries"][0]["full"] == "Infinity"

    def test_saved_and_loaded_it_gives_the_same_page(self, explain, tmp_path):
        e = explain("great plot. poor end")
        loaded = lc.load(e.save(tmp_path / "e.json"))
        assert report(loaded, tmp_path / "a.html").read_bytes() == report(e, tmp_path / "b.html").read_bytes()


class TestSamples:
    def entries(self, page):
        methods = page.blocks["index"]["methods"]
        return [[(methods[m], output) for m, output, *_ in sample["entries"]] for sample in page.samples]

    def test_methods_of_one_input_are_one_sample(self, write, explain):
        texts = ["good plot", "bad plot"]
        page = write(explain(texts, lc.LShapley(1)) + explain(texts, lc.Shapley()))
        one = [("LShapley(order=1, context='absent', interactions=False)", "for"), ("Shapley()", "for")]
        assert self.entries(page) == [one, one]
        assert [sample["text"] for sample in page.samples] == texts

    def test_names_given_for_methods(self, write, explain):
        texts = ["good plot", "bad plot"]
        page = write({"ours": explain(texts, lc.LShapley(1)), "exact": explain(texts[0], lc.Shapley())})
        assert self.entries(page) == [[("ours", "for"), ("exact", "for")], [("ours", "for")]]

    def test_outputs_and_targets(self, write, explain):
        both = explain("good plot", lc.Shapley(), target="all", curve=False)
        single = explain("good plot", lc.Shapley(), target=("for", "against"), curve=False)
        single = replace(single, provenance={**single.provenance, "targets": [["for", "against"]]})
        page = write([both, single])
        assert self.entries(page) == [[("Shapley()", name) for name in ("against", "for", "for rather than against")]]
        for k, entry in enumerate(page.sample()["entries"][:2]):
            np.testing.assert_allclose(unpack(entry["scores"]), both.scores[:, k].astype(np.float32), atol=1e-12)
            assert entry["full"] == pytest.approx(both.full_value[k], rel=1e-5)
        nameless = made([[1.0, 2.0], [3.0, 4.0]])
        assert self.entries(write(nameless)) == [[("Shapley()", "output 0"), ("Shapley()", "output 1")]]
        alike = made([[1.0, 2.0], [3.0, 4.0]], provenance={"targets": ["x", "x"]})
        assert self.entries(write(alike)) == [[("Shapley()", "x (1)"), ("Shapley()", "x (2)")]]
        picked = both.output(1)
        assert self.entries(write(picked)) == [[("Shapley()", "for")]]

    def test_the_same_method_again_is_another_sample(self, write, explain):
        twice = [explain("good plot", m) for m in (lc.Shapley(), lc.LShapley(1), lc.Shapley(), lc.LShapley(1))]
        assert [len(sample) for sample in self.entries(write(twice))] == [2, 2]

    def test_inputs_without_a_view(self, write):
        game = lc.Game(lambda kept: kept @ np.array([1.0, 2.0, 4.0]), 3)
        other = lc.Game(lambda kept: kept @ np.array([1.0, 2.0, 5.0]), 3)
        graph = lc.Graph.chain(3, names=["a", "b", "c"])
        page = write([m.explain(g, graph) for g in (game, other) for m in (lc.Shapley(), lc.LShapley(1))])
        assert [len(sample) for sample in self.entries(page)] == [2, 2]
        assert [sample["kind"] for sample in page.samples] == ["bars", "bars"]
        assert page.pool(page.samples[0]["names"]) == ["a", "b", "c"]

    def test_names_tell_units_apart(self, write):
        page = write(made([1.0, 2.0, 3.0], ["so", "very", "very"], text_view("so very very")))
        assert "names" not in page.samples[0]  # the script numbers them: see test_browser.py
        page = write(made([1.0, 2.0, 3.0], ["so", "very", "VERY"], text_view("so very very")))
        assert page.pool(page.samples[0]["names"]) == ["so", "very", "VERY"]
        table = lc.maskers.Tabular([0, 0], names=["age", "sex"]).mask([70.5, 1]).view
        page = write(made([1.0, 2.0], ["age", "sex"], table))
        assert page.pool(page.samples[0]["names"]) == ["age = 70.5", "sex = 1"]

    def test_images_differ_by_their_pixels(self, write):
        masker, model = lc.maskers.Image(), lambda x: np.asarray(x).sum(axis=(1, 2))
        images = [np.zeros((2, 2)), np.array([[0.0, 0.0], [0.0, 1.0]])]
        page = write(lc.Explainer(model, masker, lc.Shapley(), kind="output")([*images, images[0]]))
        assert len(page.samples) == 3  # the first again, by the same method
        assert len({sample["names"] for sample in page.samples}) == 1
