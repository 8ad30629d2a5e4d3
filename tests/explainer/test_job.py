"""One call of an explainer: windows of inputs, and what is kept when it ends early."""

import time

import numpy as np
import pytest

import lcshap as lc
from lcshap.explainer import job as module
from lcshap.explainer.job import Job


def explainer(fn=lambda texts: [float(len(t)) for t in texts], **options):
    return lc.Explainer(fn, lc.maskers.Text(), "shapley", kind="output", batch_size=8, **options)


def masked(*texts):
    return {n: lc.maskers.Text().mask(text) for n, text in enumerate(texts)}


def test_windows_hold_enough_rows_for_full_batches(monkeypatch):
    monkeypatch.setattr(module, "_WINDOW", 100)
    inputs = masked(*["a b c"] * 5)
    sizes = [list(window) for window in module._windows(inputs, dict.fromkeys(inputs, 40))]
    assert sizes == [[0, 1, 2], [3, 4]]
    assert [list(window) for window in module._windows(inputs, {})] == [[0], [1], [2], [3], [4]]  # costs unknown


def test_what_is_found_stays_where_it_belongs():
    ways = explainer()
    job = Job(ways.setup, lc.MemoryStore(), [None, None])
    job.explain(masked("to be", "or not to"), ways.picker)
    assert [e.names for e in job.found] == [("to", "be"), ("or", "not", "to")]
    assert job.found[0] == ways("to be")


class TestUsualBudget:
    """Without a budget, texts of eleven words and more are explained exactly where that takes less than a second."""

    WORDS = "one two three four five six seven eight nine ten eleven twelve"

    def explained(self, x, pace=0.0, fail=False, **options):
        def model(texts):
            time.sleep(pace * len(texts))
            if fail and any(t.startswith("bad") and len(t) < 50 for t in texts):
                raise OSError("gone")
            return [float(len(t)) for t in texts]

        errors = {"errors": options.pop("errors")} if "errors" in options else {}
        return lc.Explainer(model, lc.maskers.Text(), kind="output", **options)(x, **errors)

    def test_a_fast_model_is_asked_about_everything_and_a_slow_one_is_not(self):
        e = self.explained(self.WORDS)
        assert (e.calls, e.rows, e.provenance["name"], e.stderr) == (4096, 4096, "shapley", None)
        e = self.explained(self.WORDS, pace=0.001)
        assert (e.calls, e.rows, e.provenance["name"]) == (96, 96, "graph-kernel-shap")  # timing took no other rows
        assert (e.stderr > 0).all()
        assert self.explained(self.WORDS, budget="8d").calls == 96

    def test_the_second_is_for_all_inputs_together(self):
        many = self.explained([f"{self.WORDS} {i}" for i in range(200)])
        assert {e.calls for e in many} == {104}
        assert [e.calls for e in self.explained([self.WORDS, "to be"])] == [4096, 4]

    def test_a_failure_while_rows_are_timed_belongs_to_its_input(self):
        bad, good = self.explained(["bad" + self.WORDS, self.WORDS], fail=True, errors="keep")
        assert isinstance(bad, lc.ModelError)
        assert good.names[0] == "one"
        with pytest.raises(lc.RunFailedError, match="gone"):
            self.explained(["bad" + self.WORDS, self.WORDS], fail=True)

    def test_the_preview_says_so(self):
        ways = lc.Explainer(len, lc.maskers.Text(), kind="output")
        assert "if all 4,096 coalitions take less than a second" in ways.preview(self.WORDS)
        assert "less than a second" not in ways.preview("to be")

    def test_what_is_to_stop_early_is_sampled(self):
        assert self.explained("to be or not to be", tolerance=0.5).provenance["name"] == "graph-kernel-shap"

    def test_compare_and_stream_do_as_a_call_does(self):
        ways = lc.Explainer(lambda texts: [float(len(t)) for t in texts], lc.maskers.Text(), kind="output")
        assert [e.calls for e in ways.compare(self.WORDS, ["auto"])] == [4096]
        assert [e.calls for e in ways.stream(self.WORDS)] == [4096]


@pytest.mark.parametrize(
    ("error", "kind"), [(KeyboardInterrupt(), lc.Interrupted), (OSError("gone"), lc.RunFailedError)]
)
def test_what_is_raised_carries_what_is_finished(error, kind, monkeypatch):
    monkeypatch.setattr(module, "_WINDOW", 4)

    def model(texts):
        if any("not" in t for t in texts):
            raise error
        return [float(len(t)) for t in texts]

    with pytest.raises(kind) as info:
        explainer(model)(["to be", "or not", "that is"])
    first, *rest = info.value.explanations
    assert first == explainer()("to be")
    assert rest == [None, None]
    assert len(info.value.store) == 4
    said = str(info.value) + " ".join(getattr(info.value, "__notes__", []))
    assert "1 of 3 explanations are finished" in said
    assert "store=error.store" in said


def test_a_curve_that_fails_keeps_the_explanation():
    calls = []

    def model(texts):
        calls.append(len(texts))
        if len(calls) > 4:  # the full text, then two batches, then the curve
            raise OSError("gone")
        return [float(len(t)) for t in texts]

    ways = lc.Explainer(model, lc.maskers.Text(), lc.FeatureAblation(), kind="output", batch_size=8, curve=True)
    with pytest.raises(lc.RunFailedError) as info:
        ways("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen")
    (e,) = info.value.explanations
    assert len(e.scores) == 16
    assert e.curve is None


class TestTrees:
    """A forest of which the probability is explained is a sum of trees: auto reads it off."""

    def setup_method(self):
        ensemble = pytest.importorskip("sklearn.ensemble")
        pytest.importorskip("shap")
        self.X = np.random.default_rng(0).normal(size=(80, 7))
        self.model = ensemble.RandomForestClassifier(5, random_state=0).fit(self.X, self.X[:, 0] * self.X[:, 1] > 0)
        self.masker = lc.maskers.Tabular(self.X[:6])

    def test_auto_chooses_them_for_one_many_seconds_comparisons_and_streams(self):
        explainer = lc.Explainer(self.model, self.masker, value="prob", target=1)
        exact = lc.Explainer(self.model, self.masker, lc.Shapley(), value="prob", target=1)(self.X[7])
        found = [explainer(self.X[7]), explainer(self.X[6:9])[1], *explainer.stream(self.X[7])]
        found += [explainer.compare(self.X[7], ["auto"])[0]]
        found += [lc.Explainer(self.model, self.masker, value="prob", target=1, budget="20s")(self.X[7])]
        for e in found:
            assert e.provenance["name"] == "tree-shap"
            assert "exact" in e.provenance["chosen"]["reason"]
            np.testing.assert_allclose(e.scores, exact.scores, rtol=0, atol=1e-12)
            assert e.calls == 16
        assert found[0].rows == 15 * 6 + 1  # the full input is one row; those that are compared are not asked twice

    def test_the_preview_says_so_without_asking(self):
        asked = []
        explainer = lc.Explainer(self.model, self.masker, value="prob")
        self.model.predict_proba = lambda rows: asked.append(rows)
        text = explainer.preview(self.X[7])
        assert text.startswith("TreeSHAP()")
        assert "calls   16" in text
        assert "scores are exact" in text
        assert "96 model rows" in text
        assert not asked

    def test_other_values_goals_and_early_stops_are_as_they_were(self):
        for options in ({}, {"value": "prob", "goal": "necessary"}, {"value": "prob", "tolerance": 0.5}):
            e = lc.Explainer(self.model, self.masker, **options)(self.X[7])
            assert e.provenance["name"] != "tree-shap"
        assert lc.Explainer(self.model, self.masker).preview(self.X[7]).startswith("Shapley()")
