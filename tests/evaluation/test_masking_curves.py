"""Masking curves from games: the numbers of the paper's measure, by hand."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.evaluation.masking_curves import (
    PERCENTS,
    check_percents,
    masked_counts,
    masking_curves,
    smoothed_log_odds,
    top_coalitions,
)

TEXT = "a good film with a bad end"


def chances(texts):
    p = 1 / (1 + np.exp([3.0 * t.count("bad") - 2.0 * t.count("good") for t in texts]))
    return np.stack([1 - p, p], axis=1)


def test_against_rows_made_by_hand():
    explainer = lc.Explainer(chances, lc.maskers.Text(), "shapley", kind="probabilities", target=1)
    e, game = explainer(TEXT), explainer.game(TEXT)
    for keep in (False, True):
        (curve,) = masking_curves([game], [e], keep=keep)
        words, order = TEXT.split(), np.argsort(-e.scores, kind="stable").tolist()
        for percent, count, value in zip(curve.percents, curve.counts, curve.values, strict=True):
            expected = 0 if percent == 0 else max(1, round(percent * 7 / 100))
            top = set(order[:expected])
            text = " ".join(w for i, w in enumerate(words) if (i in top) == keep)
            q = chances([text])[0, 1]
            assert count == expected
            assert value == pytest.approx(np.log(q + 1e-6) - np.log(1 - q + 1e-6))
        assert curve.quantity == "log-odds of 1"
    assert len(curve.percents) == len(PERCENTS)


def test_the_explainer_carries_the_same_curve():
    explainer = lc.Explainer(chances, lc.maskers.Text(), "shapley", kind="probabilities", curve=True)
    e = explainer(TEXT)
    (curve,) = masking_curves([explainer.game(TEXT)], [e])
    assert e.curve["values"].tolist() == curve.values.tolist()
    assert e.rows > lc.Explainer(chances, lc.maskers.Text(), lc.FeatureAblation(), kind="probabilities")(TEXT).rows


def test_pieces():
    e = lc.Shapley().explain(lc.Game(lambda kept: kept @ [1.0, 3.0, 2.0], 3), lc.Graph.chain(3))
    assert list(top_coalitions(e, np.array([0, 1, 2]), keep=True)) == [(), (1,), (1, 2)]
    assert list(top_coalitions(e, np.array([0, 1, 2]), keep=False)) == [(0, 1, 2), (0, 2), (0,)]
    assert masked_counts(np.array([0.0, 0.5, 20.0]), 50).tolist() == [0, 1, 10]
    assert smoothed_log_odds(np.array([0.5])) == pytest.approx([0])
    with pytest.raises(lc.errors.MetricError, match=r"Expected percents that rise from 0 to at most 100, got \[5, 5\]"):
        check_percents([5, 5])
