"""Inputs and explanations as the metrics take them: one of each, or as many of each."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.metrics import insertion_auc, sufficiency
from lcshap.metrics.ranked_evaluation import one_or_all, pair_with_games, ranked_answers


@pytest.mark.parametrize("keep", [False, True])
def test_answers_by_hand(explained, keep):
    explainer, texts, explanations, chance = explained
    answers = ranked_answers(explainer, texts, explanations, lambda d: np.array([0, 1, d]), keep)
    for text, e, ranked in zip(texts, explanations, answers, strict=True):
        d = len(text.split())
        assert ranked.counts.tolist() == [0, 1, d]
        np.testing.assert_allclose(ranked.values, [chance(text, e.scores, n, keep) for n in (0, 1, d)], atol=1e-12)
        assert ranked.full == pytest.approx(chance(text, e.scores, 0, False))


def test_inputs_share_batches(explained):
    _, texts, _, _ = explained
    batches = []

    def model(rows):
        batches.append(len(rows))
        return [float(len(row)) for row in rows]

    explainer = lc.Explainer(model, lc.maskers.Text(), lc.FeatureAblation(), kind="output")
    explanations = explainer(texts)
    batches.clear()
    ranked_answers(explainer, texts, explanations, lambda d: np.array([1, 2]), keep=False)
    assert batches == [4, 8]  # the full inputs, then two rows of each


def test_one_or_many(explained):
    explainer, texts, explanations, _ = explained
    games, paired = pair_with_games(explainer, texts, explanations)
    assert [game.d for game in games] == [len(text.split()) for text in texts]
    assert paired == list(explanations)
    games, paired = pair_with_games(explainer, texts[1], explanations[1])
    assert len(games) == len(paired) == 1
    assert one_or_all(explainer, texts[1], [0.5]) == 0.5
    np.testing.assert_array_equal(one_or_all(explainer, texts[:2], [0.5, 1.0]), [0.5, 1.0])


def test_inputs_in_an_array():
    rows = np.array([[1.0, 2.0], [3.0, 1.0]])
    explainer = lc.Explainer(lambda x: x.sum(axis=1), lc.maskers.Tabular([0.0, 0.0]), lc.Shapley(), kind="output")
    areas = insertion_auc(explainer, rows, explainer(rows))
    np.testing.assert_allclose(areas, [(0 / 2 + 2 + 3 / 2) / 2, (0 / 2 + 3 + 4 / 2) / 2])


def test_bad_input(explained):
    explainer, texts, explanations, _ = explained
    with pytest.raises(lc.errors.MetricError, match="an explanation for each of 4 inputs, got 3"):
        insertion_auc(explainer, texts, explanations[:3])
    with pytest.raises(lc.errors.MetricError, match="an explanation of 3 units, as the input has, got 10"):
        sufficiency(explainer, texts[2], explanations[0])
