"""Comprehensiveness and sufficiency against texts written by hand."""

import pytest

import lcshap as lc
from lcshap.metrics import comprehensiveness, sufficiency


@pytest.mark.parametrize(("metric", "keep"), [(comprehensiveness, False), (sufficiency, True)])
def test_rationales_by_hand(explained, metric, keep):
    explainer, texts, explanations, chance = explained
    for percents in [(1, 5, 10, 20, 50), (30,)]:
        losses = metric(explainer, texts, explanations, percents)
        for text, e, loss in zip(texts, explanations, losses, strict=True):
            d = len(text.split())
            probabilities = [chance(text, e.scores, max(1, round(p * d / 100)), keep) for p in percents]
            assert loss == pytest.approx(
                chance(text, e.scores, 0, False) - sum(probabilities) / len(probabilities), abs=1e-12
            )
    assert metric(explainer, texts, explanations).tolist() == pytest.approx(
        metric(explainer, texts, explanations, (1, 5, 10, 20, 50)).tolist()
    )


def test_models_without_classes(counted):
    assert comprehensiveness(*counted, (25, 50)) == pytest.approx(1.5)
    assert sufficiency(*counted, (25, 50)) == pytest.approx(2.5)


def test_bad_input(explained):
    explainer, texts, explanations, _ = explained
    with pytest.raises(
        lc.errors.MetricError, match=r"Expected percents that rise from 0 to at most 100, got \(50, 20\)"
    ):
        comprehensiveness(explainer, texts[0], explanations[0], (50, 20))
