"""A model, an input and a value as a game: the rows it sends, its counts, its store and its decision."""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest

import lcshap as lc
from lcshap.evaluation.engine import Engine
from lcshap.evaluation.model_game import at_target, evaluate_model_games

TEXT = "not bad at all"
WORTH = {"not": 1.5, "bad": -2.0, "at": 0.1, "all": 0.2}


def logits(texts):
    """Two classes; "not bad" is good."""
    margin = [sum(WORTH.get(w, 0.0) for w in t.split()) + 3.0 * ("not bad" in t) for t in texts]
    return np.stack([np.zeros(len(texts)), np.array(margin)], axis=1)


def game(fn=logits, text=TEXT, **options):
    return lc.Explainer(fn, lc.maskers.Text(), kind="logits", batch_size=4, **options).game(text)


def every(d):
    return lc.Coalitions.from_dense((np.arange(2**d)[:, None] >> np.arange(d) & 1).astype(bool))


def test_values_are_log_probabilities_of_the_class_at_the_full_input():
    sets = every(4)
    texts = [" ".join(TEXT.split()[i] for i in kept) for kept in sets]
    z = logits(texts)
    expected = z[:, 1] - np.log(np.exp(z).sum(axis=1))
    np.testing.assert_allclose(game().evaluate(sets), expected, atol=1e-12)


def test_stored_answers_are_not_computed_again_and_rows_are_counted():
    asked = []
    v = game(lambda texts: asked.extend(texts) or logits(texts))
    assert asked == [TEXT]
    v.evaluate(every(4))
    v.evaluate(every(4)[:7])
    assert len(asked) == len(set(asked)) == v.row_counter.rows == 16
    assert v.row_counter.read_and_reset() == 16
    assert v.row_counter.read_and_reset() == 0


def test_several_games_share_batches():
    sizes = []
    explainer = lc.Explainer(
        lambda texts: sizes.append(len(texts)) or logits(texts), lc.maskers.Text(), kind="logits", batch_size=64
    )
    games = explainer.games([TEXT, "all bad"])
    assert sizes == [2]
    values_of_games = evaluate_model_games([(v, every(v.d)) for v in games])
    assert sizes == [2, 15 + 3]
    for v, values in zip(games, values_of_games, strict=True):
        np.testing.assert_array_equal(values, game(text=" ".join(v.graph.names)).evaluate(every(v.d)))


class TestDecisions:
    def decision_unchanged(self, v):
        sets = every(4)
        v.evaluate(sets)
        unchanged = v.decision_unchanged(sets)
        return None if unchanged is None else dict(zip(sets, unchanged.tolist(), strict=True))

    def test_the_predicted_class(self):
        decision_unchanged = self.decision_unchanged(game())
        assert decision_unchanged[0, 1, 2, 3]
        assert decision_unchanged[0, 1]
        assert not decision_unchanged[1, 2, 3]  # "bad at all"
        assert not decision_unchanged[()]  # a tie goes to the lower class, and the full text is of the other

    def test_a_contrast(self):
        three = lambda texts: np.concatenate([logits(texts), np.full((len(texts), 1), 9.0)], axis=1)  # noqa: E731
        decision_unchanged = self.decision_unchanged(
            game(three, target=(1, 0))
        )  # the most probable class is another one
        assert decision_unchanged[0, 1, 2, 3]
        assert not decision_unchanged[1, 2, 3]

    def test_no_decision(self):
        assert self.decision_unchanged(game(target=0)) is None  # the model does not choose it
        plain = lc.Explainer(lambda texts: logits(texts)[:, 1], lc.maskers.Text(), kind="output").game(TEXT)
        assert self.decision_unchanged(plain) is None

    def test_only_what_has_been_evaluated(self):
        with pytest.raises(lc.errors.ModelError, match="Expected coalitions that have been evaluated"):
            game().decision_unchanged(every(4))

    @pytest.mark.parametrize("goal", ["necessary", "sufficient"])
    def test_goals_answer_what_changes_the_decision(self, goal):
        """Against a search over all sets: the smallest that flips, or that is enough."""
        explainer = lc.Explainer(logits, lc.maskers.Text(), goal=goal, budget=16, kind="logits", batch_size=4)
        e = explainer(TEXT)
        decision_unchanged = self.decision_unchanged(game())
        full = set(range(4))
        flips = [
            kept
            for kept in decision_unchanged
            if (
                not decision_unchanged[tuple(sorted(full - set(kept)))]
                if goal == "necessary"
                else decision_unchanged[kept]
            )
        ]
        assert e.flipped
        assert tuple(e.flip_set) in flips
        assert len(e.flip_set) == min(map(len, flips))
        assert ("the decision changes" if goal == "necessary" else "enough") in lc.show.flips.flip_sentence(e)


def test_gradients_need_one_reference():
    explainer = lc.Explainer(lambda x: x, lc.maskers.Tabular(np.zeros((2, 3))), "saliency", kind="logits")
    with pytest.raises(lc.errors.MethodError, match="one reference"):
        explainer(np.ones(3))


def test_the_target_can_be_fixed():
    v = game()
    assert at_target(v).target == 1
    assert at_target(game(target=0)).target == 0
    assert at_target(game(value="expected_log_prob")).target is None


def test_evaluated_twice():
    game().check()
    rng = np.random.default_rng(0)
    with pytest.raises(lc.errors.ModelError, match=r"and then .* for the"):
        game(lambda texts: logits(texts) + rng.normal(size=(len(texts), 2))).check()


def test_a_gradient_is_taken_within_the_gate_of_the_engine():
    torch = pytest.importorskip("torch")
    explainer = lc.Explainer(torch.nn.Linear(3, 2), lc.maskers.Tabular(np.zeros(3)), kind="logits")
    entered = []

    def gate(rows):
        entered.append(rows)
        return nullcontext()

    v = explainer.game(np.ones(3))
    guarded = replace(v, engine=Engine(explainer.adapter, gate=gate))
    entered.clear()
    np.testing.assert_array_equal(guarded.gradient()[0], v.gradient()[0])
    assert entered == [1]
