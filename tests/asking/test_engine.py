"""Rows of many inputs in batches that suit the model."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.adapters import CallableModel
from lcshap.asking.engine import Engine, Question
from lcshap.core.game import Tally

TEXT = "a good story and a dull end"


def ask(model, coalitions, text=TEXT, **options):
    """What is delivered, by place; how many rows were sent; and the error, if it is returned."""
    found, tally = {}, Tally()
    deliver = lambda places, answers: found.update(zip(places.tolist(), answers[:, 0, 0].tolist(), strict=True))  # noqa: E731
    question = Question(lc.maskers.Text().mask(text), coalitions, deliver, tally)
    (error,) = Engine(model, 2).ask([question], **options)
    return found, tally.rows, error


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
    found = lc.Explainer(model, lc.maskers.Tabular(background), lc.Shapley(), kind="output", batch_size=16)(x)
    assert max(sizes) == 16
    whole = lc.Explainer(model, lc.maskers.Tabular(background), lc.Shapley(), kind="output", batch_size=1000)(x)
    assert found.scores.tolist() == whole.scores.tolist()
    assert found.rows == whole.rows
    sizes.clear()
    masker = lc.maskers.Tabular(np.random.default_rng(0).normal(size=(59, 12)))
    free = lc.Explainer(model, masker, lc.Shapley(), kind="output")
    free(np.ones(12))
    assert free.engine.size.settled  # a size that 59 does not divide stops no search


def test_sizes_are_tried_on_rows_of_middle_length():
    lengths = []

    def model(texts):
        lengths.append([len(t.split()) for t in texts])
        return [float(len(t)) for t in texts]

    text = " ".join(f"w{i}" for i in range(12))
    engine = lc.Explainer(model, lc.maskers.Text(), lc.Shapley(), kind="output").game(text).engine
    lc.Explainer(model, lc.maskers.Text(), lc.Shapley(), kind="output")(text)
    assert engine.size.next == 16
    tried = [part for part in lengths[2:] if len(part) in (16, 32)][:4]
    assert {n for part in tried for n in part} <= {5, 6, 7}
    assert sum(map(len, lengths)) - 1 == 2**12  # and every row is sent once


def test_it_is_remembered_for_the_users_own_model():
    def model(texts):
        return [float(len(t)) for t in texts]

    first = lc.Explainer(model, lc.maskers.Text(), lc.Shapley(), kind="output")
    first(" ".join(map(str, range(14))))  # 16,384 coalitions: enough to try all sizes
    assert first.engine.size.settled
    again = lc.Explainer(model, lc.maskers.Text(), lc.Shapley(), kind="output")
    assert again.engine.size.settled
    assert again.engine.size.best == first.engine.size.best


def test_progress(capsys, monkeypatch):
    import time

    from lcshap.asking import progress

    monkeypatch.setattr(progress, "_PATIENCE", 0.0)

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
    found, tally = {}, Tally()
    deliver = lambda places, answers: found.update(zip(places.tolist(), answers[:, 0, 0].tolist(), strict=True))  # noqa: E731
    question = Question(lc.maskers.Text().mask(TEXT), sets, deliver, tally, "input 7")
    with pytest.raises(lc.ModelError, match=r"input 7, .*gone"):
        Engine(CallableModel(model, "output"), 2).ask([question])
    assert found == {0: 0.0, 1: 1.0, 2: 4.0, 4: 5.0}  # the shortest come first
    assert tally.rows == 4
    found, rows, error = ask(CallableModel(model, "output"), sets, keep=True)
    assert len(found) == rows == 4
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

    questions, found = [], []
    for number, text in enumerate(["so bad it is", "so good it is", "bad"]):
        masked, mine = lc.maskers.Text().mask(text), {}
        found.append(mine)
        sets = lc.Shapley().plan(masked.graph).coalitions
        deliver = lambda places, answers, mine=mine: mine.update(zip(places.tolist(), answers.tolist(), strict=True))  # noqa: E731
        questions.append(Question(masked, sets, deliver, Tally(), f"input {number}"))
    errors = Engine(CallableModel(model, "output"), 8).ask(questions, keep=True)
    assert [error is None for error in errors] == [False, True, False]
    assert len(found[1]) == 16
    assert "input 0" in str(errors[0])
