"""One call of an explainer: windows of inputs, and what is kept when it ends early."""

import time

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
