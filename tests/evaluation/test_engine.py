"""Rows of many inputs in batches that suit the model."""

from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest

import lcshap as lc
from lcshap.adapters import CallableModel
from lcshap.core.game import RowCounter
from lcshap.core.store_keys import set_keys
from lcshap.evaluation.engine import BatchRequest, Engine
from lcshap.maskers.distinct import DistinctRows

TEXT = "a good story and a dull end"


def every_row(coalitions, masked=None):
    """The rows of all coalitions of a text, whether they are equal or not; the shortest are asked first."""
    lengths = (masked or lc.maskers.Text().mask(TEXT)).distinct(coalitions).lengths
    return DistinctRows.by_coalition(coalitions, set_keys(coalitions), lengths=lengths)


def update_by_place(delivered, places, answers):
    """Note the answers of an engine by the place of their key."""
    delivered.update(zip(places.tolist(), answers.tolist(), strict=True))


def ask(model, coalitions, text=TEXT, **options):
    """What is delivered, by place; how many rows were sent; and the error, if it is returned."""
    delivered, tally = {}, RowCounter()
    deliver = lambda places, answers: delivered.update(zip(places.tolist(), answers[:, 0, 0].tolist(), strict=True))  # noqa: E731
    question = BatchRequest(lc.maskers.Text().mask(text), every_row(coalitions), deliver, tally)
    (error,) = Engine(model, 2).ask([question], **options)
    return delivered, tally.rows, error


def test_each_batch_is_sent_within_the_gate():
    log = []

    @contextmanager
    def gate(rows):
        log.append(f"enter with {rows}")
        yield
        log.append("leave")

    def model(texts):
        log.append(f"asked {len(texts)}")
        return [float(len(t)) for t in texts]

    masked = lc.maskers.Text().mask("a good story")
    question = BatchRequest(
        masked, masked.distinct(lc.LShapley(1).plan(masked.graph).coalitions[:3]), lambda *_: None, RowCounter()
    )
    Engine(CallableModel(model, "output"), 2, gate=gate).ask([question])
    assert log == ["enter with 2", "asked 2", "leave", "enter with 1", "asked 1", "leave"]


def test_a_gate_that_raises_ends_the_work_before_the_model_is_called():
    class ClosedError(Exception):
        pass

    def gate(rows):
        raise ClosedError

    asked = []
    masked = lc.maskers.Text().mask(TEXT)
    question = BatchRequest(
        masked, masked.distinct(lc.LShapley(1).plan(masked.graph).coalitions), lambda *_: None, RowCounter()
    )
    with pytest.raises(ClosedError):  # as it is: the model has not failed
        Engine(CallableModel(asked.append, "output"), 2, gate=gate).ask([question])
    assert asked == []


def test_out_of_memory_halves_the_batch():
    sizes = []

    def model(texts):
        sizes.append(len(texts))
        if len(texts) > 10:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")
        return [float(len(t)) for t in texts]

    e = lc.explain(model, TEXT, method=lc.Shapley(), kind="output", batch_size=64)
    assert sizes[:4] == [1, 64, 32, 16]
    assert set(sizes[4:-1]) == {8}
    assert e.provenance["batch_size"] == 8
    assert abs(e.residual) < 1e-9


def test_rows_of_like_length_travel_together():
    spread = []

    def model(texts):
        lengths = [len(t) for t in texts]
        spread.append(max(lengths) - min(lengths))
        return [float(n) for n in lengths]

    text = " ".join(["word"] * 40)
    lc.explain(model, text, method=lc.CShapley(2), kind="output", batch_size=16)
    assert max(spread[:-1]) <= 15  # two sizes at the most in a batch, but for the last


def test_rows_of_one_coalition_may_be_more_than_a_batch():
    """With 59 background rows a coalition takes 59 rows: they are sent in batches of the size that is fastest."""
    sizes = []

    def model(rows):
        sizes.append(len(rows))
        return np.asarray(rows).sum(axis=1)

    background = np.random.default_rng(0).normal(size=(59, 4))
    x = np.ones(4)
    split = lc.Explainer(model, lc.maskers.Tabular(background), lc.Shapley(), kind="output", batch_size=16)(x)
    assert max(sizes) == 16
    unsplit = lc.Explainer(model, lc.maskers.Tabular(background), lc.Shapley(), kind="output", batch_size=1000)(x)
    assert split.scores.tolist() == unsplit.scores.tolist()
    assert split.rows == unsplit.rows
    sizes.clear()
    masker = lc.maskers.Tabular(np.random.default_rng(0).normal(size=(59, 12)))
    free = lc.Explainer(model, masker, lc.Shapley(), kind="output")
    free(np.ones(12))
    assert free.engine.size.search_finished  # a size that 59 does not divide stops no search


def test_sizes_are_tried_on_rows_of_middle_length():
    lengths = []

    def model(texts):
        lengths.append([len(t.split()) for t in texts])
        return [float(len(t)) for t in texts]

    text = " ".join(f"w{i}" for i in range(12))
    engine = lc.Explainer(model, lc.maskers.Text(), lc.Shapley(), kind="output").game(text).engine
    lc.Explainer(model, lc.maskers.Text(), lc.Shapley(), kind="output")(text)
    assert engine.size.next == 16
    tried = [batch for batch in lengths[2:] if len(batch) in (16, 32)][:4]
    assert {n for batch in tried for n in batch} <= {5, 6, 7}
    assert sum(map(len, lengths)) - 1 == 2**12  # and every row is sent once


def test_the_batch_size_is_remembered_for_the_model_of_the_user():
    def model(texts):
        return [float(len(t)) for t in texts]

    first = lc.Explainer(model, lc.maskers.Text(), lc.Shapley(), kind="output")
    first(" ".join(map(str, range(14))))  # 16,384 coalitions: enough to try all sizes
    assert first.engine.size.search_finished
    second_explainer = lc.Explainer(model, lc.maskers.Text(), lc.Shapley(), kind="output")
    assert second_explainer.engine.size.search_finished
    assert second_explainer.engine.size.best == first.engine.size.best


def test_progress(capsys, monkeypatch):
    import time

    from lcshap.evaluation import progress

    monkeypatch.setattr(progress, "_SHOW_AFTER_SECONDS", 0.0)

    def model(texts):
        time.sleep(0.05)
        return [0.0 for _ in texts]

    lc.explain(model, TEXT, method=lc.Shapley(), kind="output", batch_size=8, progress=True)
    assert "model calls" in capsys.readouterr().err
    lc.explain(model, TEXT, method=lc.Shapley(), kind="output", batch_size=8, progress=False)
    assert capsys.readouterr().err == ""


def test_nan_names_the_coalition():
    def model(texts):
        return [np.nan if t == "good" else 0.0 for t in texts]

    with pytest.raises(lc.LcshapError, match=r"nan|NaN|finite"):
        lc.explain(model, TEXT, method=lc.Shapley(), kind="output")
    with pytest.raises(lc.LcshapError, match=r"shape|rows"):
        ask(CallableModel(lambda texts: [0.0], "output"), lc.Coalitions.from_sets(7, [[], [1]]))


def test_answers_are_delivered_batch_by_batch_until_the_model_fails():
    def model(texts):
        if "good story" in texts:
            raise RuntimeError("gone")
        return [float(len(t)) for t in texts]

    sets = lc.Coalitions.from_sets(7, [[], [0], [1], [1, 2], [2]])
    delivered, tally = {}, RowCounter()
    deliver = lambda places, answers: delivered.update(zip(places.tolist(), answers[:, 0, 0].tolist(), strict=True))  # noqa: E731
    question = BatchRequest(lc.maskers.Text().mask(TEXT), every_row(sets), deliver, tally, "input 7")
    with pytest.raises(lc.errors.ModelError, match=r"input 7, .*gone"):
        Engine(CallableModel(model, "output"), 2).ask([question])
    assert delivered == {0: 0.0, 1: 1.0, 2: 4.0, 4: 5.0}  # the shortest come first
    assert tally.rows == 4
    delivered, rows, error = ask(CallableModel(model, "output"), sets, isolate_failures=True)
    assert len(delivered) == rows == 4
    assert "gone" in str(error)


def test_a_model_may_use_its_buffer_again():
    """Inputs of different shapes in one batch: what was answered first must not change with what comes after."""
    buffer = np.zeros((64, 1))

    def model(x):
        buffer[: len(x), 0] = x.sum(axis=1)
        return buffer[: len(x)]

    masker = lc.maskers.Tokens(padding=0)
    inputs = [np.arange(1, n) for n in (4, 6, 5)]
    explainer = lc.Explainer(model, masker, lc.Shapley(), kind="output")
    for x, e in zip(inputs, explainer(inputs), strict=True):
        assert e.scores.tolist() == pytest.approx(x.tolist())


def test_rows_of_a_failing_input_do_not_cost_the_others_theirs():
    def model(texts):
        if any("bad" in t for t in texts):
            raise RuntimeError("bad word")
        return [float(len(t)) for t in texts]

    questions, delivered = [], []
    for number, text in enumerate(["so bad it is", "so good it is", "bad"]):
        masked, answers_by_place = lc.maskers.Text().mask(text), {}
        delivered.append(answers_by_place)
        sets = lc.Shapley().plan(masked.graph).coalitions
        deliver = partial(update_by_place, answers_by_place)
        questions.append(BatchRequest(masked, every_row(sets, masked), deliver, RowCounter(), f"input {number}"))
    errors = Engine(CallableModel(model, "output"), 8).ask(questions, isolate_failures=True)
    assert [error is None for error in errors] == [False, True, False]
    assert len(delivered[1]) == 16
    assert "input 0" in str(errors[0])


def test_the_error_of_a_batch_of_many_inputs_names_the_first_and_the_last():
    def model(rows):
        raise ValueError("no")

    explainer = lc.Explainer(model, lc.maskers.Tabular(np.zeros((1, 2))), kind="output")
    with pytest.raises(lc.LcshapError, match=r"failed on one of 9 inputs from input 0 to input 8, a batch of"):
        explainer(np.arange(18.0).reshape(9, 2))
