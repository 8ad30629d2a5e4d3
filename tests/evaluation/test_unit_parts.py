"""The parts of a model through the Explainer: batches, the store, background rows, failures, and what is refused."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.adapters import CallableModel
from lcshap.evaluation.unit_parts import PartsModel

ROW = np.array([1.0, 2, 4, 8, 16, 32])
CHAIN = lc.Graph.chain(6)
METHOD = lc.ReceptiveShapley(1)


def parts(rows):
    """Two outputs, each a sum over units of a product with the next unit."""
    rows = np.asarray(rows)
    after = np.column_stack([rows[:, 1:], np.zeros(len(rows))])
    return np.stack([rows * after, rows - after], axis=2)


class Counts:
    """The parts, and how many rows they were asked about; fails after some."""

    def __init__(self, max_rows=10**9):
        self.rows, self.max_rows = 0, max_rows

    def __call__(self, rows):
        if self.rows + len(rows) > self.max_rows:
            raise RuntimeError("the server is gone")
        self.rows += len(rows)
        return parts(rows)


def explainer(fn=parts, background=None, kind="output", **options):
    model = CallableModel(lambda rows: parts(rows).sum(axis=1) - 7, kind, parts=fn)
    masker = lc.maskers.Tabular(np.zeros((1, 6)) if background is None else background, graph=CHAIN)
    return lc.Explainer(model, masker, **{"method": METHOD, "target": 0, **options})


@pytest.mark.parametrize("target", [0, 1, (0, 1), [1, 0], "all"])
@pytest.mark.parametrize("rows", [1, 4])
def test_every_target_and_background(target, rows):
    """With background rows the parts are averaged over them."""
    background = np.random.default_rng(0).normal(size=(rows, 6))
    e = explainer(background=background, target=target)(ROW)
    exact = explainer(background=background, target=target, method=lc.Shapley())(ROW)
    np.testing.assert_allclose(e.scores, exact.scores, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(e.full_value, exact.full_value)


@pytest.mark.parametrize("kind", ["logits", "margin"])
def test_two_classes(kind):
    value = "log_odds" if kind == "logits" else "output"
    e = explainer(kind=kind, value=value, target=None)(ROW)
    exact = explainer(kind=kind, value=value, target=None, method=lc.Shapley())(ROW)
    np.testing.assert_allclose(e.scores, exact.scores, rtol=0, atol=1e-9)


def test_a_store_keeps_parts_and_values():
    count, store = Counts(), lc.MemoryStore()
    explain = explainer(count, store=store)
    first = explain(ROW)
    asked = count.rows
    assert first.rows == asked + 7  # the parts of every coalition, and the value of some
    assert asked == first.calls == METHOD.cost(CHAIN).calls
    repeated = explain(ROW)
    assert (repeated.rows, count.rows) == (0, asked)
    assert repeated.scores.tobytes() == first.scores.tobytes()
    exact = explainer(count, store=store, method=lc.Shapley())(ROW)  # values are no parts
    np.testing.assert_allclose(first.scores, exact.scores, rtol=0, atol=1e-9)


def test_a_failure_loses_nothing():
    count = Counts(max_rows=10)
    explain = explainer(count, batch_size=2)
    with pytest.raises(lc.errors.RunFailedError, match="the server is gone") as failed:
        explain(ROW)
    count.max_rows = 10**9
    e = explain(ROW, store=failed.value.store)
    assert count.rows == e.calls
    np.testing.assert_allclose(e.scores, explainer()(ROW).scores, rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", [lambda p: p, lambda p: p.reshape(-1, 2), lambda p: p.reshape(len(p), -1)])
def test_equivalent_shapes(shape):
    e = explainer(lambda rows: shape(parts(rows)))(ROW)
    assert e.scores.tobytes() == explainer()(ROW).scores.tobytes()


@pytest.mark.parametrize(
    "bad", [lambda p: p[:, :5], lambda p: p[..., 0], lambda p: p.sum(axis=1), lambda p: p[0, 0, 0]]
)
def test_other_shapes(bad):
    with pytest.raises(lc.errors.ModelError, match="Expected parts of shape"):
        explainer(lambda rows: bad(parts(rows)))(ROW)
    with pytest.raises(lc.errors.ModelError, match=r"Expected parts of shape \(2, 6, 2\) or \(12, 2\), got"):
        PartsModel(CallableModel(len, "output", parts=lambda rows: bad(parts(rows))), 6, 2).predict(np.ones((2, 6)))


def test_parts_that_are_not_finite():
    with pytest.raises(
        lc.errors.ModelError,
        match="The model failed on the input with all units absent: Expected finite numbers from the",
    ):
        explainer(lambda rows: np.full((len(rows), 6, 2), np.inf))(ROW)


def test_what_has_no_parts():
    with pytest.raises(
        lc.errors.MethodError, match=r"got CallableModel without parts. Give adapters.CallableModel\(predict"
    ):
        explainer(None)(ROW)
    with pytest.raises(lc.errors.MethodError, match="linear in the model's outputs, got 'prob' of kind='logits'"):
        explainer(kind="logits", value="prob")(ROW)
    with pytest.raises(lc.errors.ModelError, match="Expected a function of rows as parts, got int"):
        explainer(3)
    with pytest.raises(NotImplementedError):
        CallableModel(len, "output").parts([ROW])


def test_the_error_of_one_input_is_kept_in_its_place():
    fn = lambda rows: parts(rows) * np.where(np.asarray(rows).max() > 100, np.nan, 1)  # noqa: E731
    explanation, error = explainer(fn)([ROW, 100 * ROW], errors="keep")
    assert explanation.scores.tobytes() == explainer()(ROW).scores.tobytes()
    assert isinstance(error, lc.errors.ModelError)
