import numpy as np
import pytest
from benchmarks import contexts
from benchmarks.contexts import Asked, by_ablation, by_surrogate, halves, measure
from benchmarks.facts import make_contexts
from tiny_lm import bpe, llama


def test_contexts_hold_their_answer_once_and_differ_by_seed():
    made = make_contexts(10, seed=2026)
    for number, context in enumerate(made):
        assert len(context.right) == 1 + number % 2
        town = context.answer.strip(" .")
        assert [k for k, text in enumerate(context.passages) if town in text] == [context.right[-1]]
        assert 6 <= len(context.passages) - len(context.right) <= 20
    assert not {c.question for c in made} & {c.question for c in make_contexts(10, seed=0)}


def test_stored_answers_are_not_computed_again(tmp_path):
    context, loads = make_contexts(1)[0], []

    def load():
        loads.append(1)
        return llama(max_position_embeddings=2000), bpe()

    path = tmp_path / "values" / "0.npz"
    kept = halves(len(context.passages), 5)
    found = Asked(context, load, path).log_probs(kept)
    assert loads == [1]
    np.testing.assert_array_equal(Asked(context, load, path).log_probs(kept), found)
    assert loads == [1]
    np.testing.assert_allclose(found[:, 1:].sum(axis=1), found[:, 0])
    Asked(context, load, path).log_probs(~kept)
    assert loads == [1, 1]


def test_every_method_has_the_calls_of_the_table(tmp_path, monkeypatch):
    context = make_contexts(2)[1]
    model = llama(max_position_embeddings=2000), bpe()
    asked = Asked(context, lambda: model, tmp_path / "1.npz")
    by_surrogate(asked, 20)
    assert len(asked.known) <= 20 - 2
    fresh = Asked(context, lambda: model, tmp_path / "2.npz")
    scores = by_ablation(fresh, 20)[0]
    assert len(fresh.known) == asked.d + 1
    assert scores.shape == (asked.d,)
    monkeypatch.setattr(contexts, "METHODS", {"leave-one-out": by_ablation})
    assert not fresh.knows(4)
    [(name, calls, numbers)] = measure(fresh, [20])
    assert (name, calls) == ("leave-one-out", 20)
    top = np.argsort(-scores)[:2]
    removed = np.ones((1, fresh.d), bool)
    removed[0, top] = False
    full = fresh.log_probs(np.ones((1, fresh.d), bool))[0, 0]
    assert numbers[0] == len({*top.tolist()} & {*context.right}) / 2
    assert numbers[1] == pytest.approx(full - fresh.log_probs(removed)[0, 0])
    assert -1 <= numbers[2] <= 1
