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
    monkeypatch.setattr(module, "_WINDOW_ROWS", 100)
    inputs = masked(*["a b c"] * 5)
    sizes = [list(window) for window in module._windows(inputs, dict.fromkeys(inputs, 40))]
    assert sizes == [[0, 1, 2], [3, 4]]
    assert [list(window) for window in module._windows(inputs, {})] == [[0], [1], [2], [3], [4]]  # costs unknown


def test_what_is_found_stays_where_it_belongs():
    explain = explainer()
    job = Job(explain.setup, lc.MemoryStore(), [None, None])
    job.explain(masked("to be", "or not to"), explain.selector)
    assert [e.names for e in job.outcomes] == [("to", "be"), ("or", "not", "to")]
    assert job.outcomes[0] == explain("to be")


class TestDefaultBudget:
    """Without a budget, texts of up to ten words are explained exactly, and how fast the model is changes nothing."""

    WORDS = "one two three four five six seven eight nine ten eleven twelve"

    def explained(self, x, pace=0.0, fail=False, **options):
        def model(texts):
            time.sleep(pace * len(texts))
            if fail and any(t.startswith("bad") and len(t) < 50 for t in texts):
                raise OSError("gone")
            return [float(len(t)) for t in texts]

        errors = {"errors": options.pop("errors")} if "errors" in options else {}
        return lc.Explainer(model, lc.maskers.Text(), kind="output", **options)(x, **errors)

    @pytest.mark.parametrize("pace", [0.0, 0.001])
    def test_fast_and_slow_models_get_the_same_method_every_time(self, pace):
        for _ in range(2):
            e = self.explained(self.WORDS, pace)
            assert (e.calls, e.rows, e.provenance["name"]) == (96, 96, "graph-kernel-shap")
            assert (e.stderr > 0).all()
            assert "2^12 coalitions, and without a budget" in e.provenance["chosen"]["reason"]
        assert self.explained(self.WORDS, pace, budget="8d").calls == 96
        e = self.explained("to be or not to be", pace)
        assert (e.calls, e.provenance["name"], e.stderr) == (64, "shapley", None)
        assert e.provenance["chosen"]["reason"] == "all 2^6 = 64 coalitions fit: the result is exact"

    def test_a_budget_for_all_coalitions_is_exact(self):
        e = self.explained(self.WORDS, budget=4096)
        assert (e.calls, e.rows, e.provenance["name"], e.stderr) == (4096, 4096, "shapley", None)

    def test_the_same_explainer_and_another_one_give_the_same(self):
        """Thirteen columns with a background: 104 calls, then and always."""
        X = np.random.default_rng(0).normal(size=(40, 13))
        explainers = [
            lc.Explainer(lambda rows: np.tanh(rows.sum(axis=1)), lc.maskers.Tabular(X[:20]), kind="output")
            for _ in range(2)
        ]
        first, *repeated = [explain(X[30]) for explain in explainers for _ in range(3)]
        assert (first.calls, first.provenance["name"]) == (104, "graph-kernel-shap")
        for e in repeated:
            assert (e.calls, e.provenance["method"]) == (first.calls, first.provenance["method"])
            assert e.provenance["chosen"] == first.provenance["chosen"]
            assert e.scores.tolist() == first.scores.tolist()

    @pytest.mark.parametrize(("background", "calls", "name"), [(256, 512, "shapley"), (257, 72, "graph-kernel-shap")])
    def test_background_rows_count(self, background, calls, name):
        """Nine columns have 512 coalitions: with 256 background rows, that are 131,072 model rows."""
        X = np.random.default_rng(0).normal(size=(300, 9))
        explain = lc.Explainer(lambda rows: rows[:, 0] * rows[:, 1], lc.maskers.Tabular(X[:background]), kind="output")
        assert f"calls   {calls}" in explain.preview(X[299])
        e = explain(X[299])
        assert (e.calls, e.provenance["name"]) == (calls, name)
        assert [e.calls for e in explain.compare(X[299], ["auto"])] == [calls]
        assert ("model rows" in e.provenance["chosen"]["reason"]) == (name != "shapley")

    def test_other_inputs_of_a_call_change_nothing(self):
        explanations = self.explained([self.WORDS, "to be", f"{self.WORDS} thirteen"])
        assert [e.calls for e in explanations] == [96, 4, 104]
        assert all("reason" in e.provenance["chosen"] for e in explanations)

    def test_a_failure_belongs_to_its_input(self):
        bad, good = self.explained(["bad" + self.WORDS, self.WORDS], fail=True, errors="keep")
        assert isinstance(bad, lc.errors.ModelError)
        assert good.names[0] == "one"
        with pytest.raises(lc.errors.RunFailedError, match="gone"):
            self.explained(["bad" + self.WORDS, self.WORDS], fail=True)

    @pytest.mark.parametrize("text", ["to be", WORDS])
    @pytest.mark.parametrize("options", [{}, {"budget": "4d"}, {"goal": "necessary"}, {"interactions": "all"}])
    def test_the_preview_shows_the_method_and_the_reason(self, text, options):
        explain = lc.Explainer(
            lambda texts: [float(len(t)) for t in texts], lc.maskers.Text(), kind="output", **{**options}
        )
        preview = explain.preview(text)
        for e in (explain(text), *explain.compare(text, ["auto"])):
            assert preview.startswith(str(e.provenance["method"]))
            assert f"chosen  because {e.provenance['chosen']['reason']}" in preview

    def test_the_preview_of_a_named_method_has_no_reason(self):
        assert "chosen" not in explainer().preview(self.WORDS)

    def test_what_is_to_stop_early_is_sampled(self):
        assert self.explained("to be or not to be", tolerance=0.5).provenance["name"] == "graph-kernel-shap"

    def test_compare_and_stream_do_as_a_call_does(self):
        explain = lc.Explainer(lambda texts: [float(len(t)) for t in texts], lc.maskers.Text(), kind="output")
        for text, calls in ((self.WORDS, 96), ("to be or not", 16)):
            last = list(explain.stream(text))[-1]
            for e in (explain(text), *explain.compare(text, ["auto"]), last):
                assert e.calls == calls
                assert "reason" in e.provenance["chosen"]


@pytest.mark.parametrize(
    ("error", "kind"), [(KeyboardInterrupt(), lc.errors.Interrupted), (OSError("gone"), lc.errors.RunFailedError)]
)
def test_what_is_raised_carries_what_is_finished(error, kind, monkeypatch):
    monkeypatch.setattr(module, "_WINDOW_ROWS", 4)

    def model(texts):
        if any("not" in t for t in texts):
            raise error
        return [float(len(t)) for t in texts]

    with pytest.raises(kind) as info:
        explainer(model)(["to be", "or not", "that is"])
    first, *unfinished = info.value.explanations
    assert first == explainer()("to be")
    assert unfinished == [None, None]
    assert len(info.value.store) == 4
    message = str(info.value) + " ".join(getattr(info.value, "__notes__", []))
    assert "1 of 3 explanations are finished" in message
    assert "store=error.store" in message


def test_a_curve_that_fails_keeps_the_explanation():
    calls = []

    def model(texts):
        calls.append(len(texts))
        if len(calls) > 4:  # the full text, then two batches, then the curve
            raise OSError("gone")
        return [float(len(t)) for t in texts]

    explain = lc.Explainer(model, lc.maskers.Text(), lc.FeatureAblation(), kind="output", batch_size=8, curve=True)
    with pytest.raises(lc.errors.RunFailedError) as info:
        explain("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen")
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
        at_once = [explainer(self.X[7]), explainer(self.X[6:9])[1]]
        alone = [*explainer.stream(self.X[7]), explainer.compare(self.X[7], ["auto"])[0]]
        alone += [lc.Explainer(self.model, self.masker, value="prob", target=1, budget="20s")(self.X[7])]
        for e in (*at_once, *alone):
            assert e.provenance["name"] == "tree-shap"
            assert "exact" in e.provenance["chosen"]["reason"]
            np.testing.assert_allclose(e.scores, exact.scores, rtol=0, atol=1e-12)
        assert {(e.calls, e.rows) for e in at_once} == {(1, 1)}
        assert {e.calls for e in alone} == {16}

    def test_the_preview_shows_it_without_calling_the_model(self):
        asked = []
        explainer = lc.Explainer(self.model, self.masker, value="prob")
        self.model.predict_proba = lambda rows: asked.append(rows)
        text = explainer.preview(self.X[7])
        assert text.startswith("TreeSHAP(background=")
        assert "calls   16" in text
        assert "scores are exact" in text
        assert "96 model rows" in text
        assert not asked

    def test_other_values_goals_and_early_stops_are_as_they_were(self):
        for options in (
            {"value": "log_prob"},
            {"value": "prob", "goal": "necessary"},
            {"value": "prob", "tolerance": 0.5},
        ):
            e = lc.Explainer(self.model, self.masker, **options)(self.X[7])
            assert e.provenance["name"] != "tree-shap"
        for options, method in (({"value": "log_prob"}, "Shapley()"), ({}, "TreeSHAP(")):
            assert lc.Explainer(self.model, self.masker, **options).preview(self.X[7]).startswith(method)


def test_long_texts_of_many_units_are_refused_before_anything_is_sent():
    """A megabyte by sentences would send 10^11 characters. What the message names works."""
    asked = []

    def model(texts):
        asked.extend(texts)
        return [float(text.count("7")) for text in texts]

    text = " ".join(f"This is sentence number {k} of a long text." for k in range(25_000))
    explainer = lc.Explainer(model, lc.maskers.Text("sentence"), kind="output")
    with pytest.raises(lc.errors.PlanTooLargeError, match=r"at most 5e\+10 characters .*splitter= .*smaller budget"):
        explainer(text)
    assert asked == []

    def paragraphs(text):
        step = -(-len(text) // 40)
        return [(start, min(start + step, len(text))) for start in range(0, len(text), step)]

    longer_units = lc.Explainer(model, lc.maskers.Text(splitter=paragraphs), lc.KernelSHAP(100), kind="output")
    e = longer_units(text)
    assert len(e.names) == 40
    assert abs(e.residual) < 1e-6 * text.count("7")


def test_a_table_of_ten_thousand_columns_is_refused_with_what_works():
    weights = np.linspace(-1.0, 1.0, 10_000)
    groups = {f"columns {k}": list(range(100 * k, 100 * k + 100)) for k in range(100)}

    def explain(**options):
        masker = lc.maskers.Tabular(np.zeros((1, 10_000)), **options)
        return lc.Explainer(lambda rows: np.asarray(rows) @ weights, masker, kind="output")(np.ones(10_000))

    with pytest.raises(lc.errors.GraphError, match=r"at most 33,554,432 edges.* groups= of the columns"):
        explain()
    np.testing.assert_allclose(explain(groups=groups).scores, weights.reshape(100, 100).sum(axis=1), atol=1e-6)
