"""One call of an explainer: windows of inputs, and what is kept when it ends early."""

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
