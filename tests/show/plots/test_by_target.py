"""Explanations sorted by what they explain."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.show.plots.by_target import by_target, output_panels, panels


def explain(target, value="prob"):
    def chances(rows):
        return np.stack([rows[:, 0], 1 - rows[:, 0]], axis=1)

    options = {"kind": "probabilities", "target": target, "value": value}
    return lc.Explainer(chances, lc.maskers.Tabular(np.full((1, 2), 0.5)), lc.Shapley(), **options)(np.full(2, 0.9))


def test_classes_and_values_are_kept_apart_the_most_frequent_first():
    groups = by_target([explain(0), explain(1), explain(1), explain((0, 1)), explain(1, "log_odds")])
    names = ["prob of 1", "prob of 0", "prob of 0 rather than 1", "log_odds of 1"]
    assert [len(groups[name]) for name in names] == [2, 1, 1, 1]
    assert next(iter(groups)) == names[0]
    assert list(by_target([explain("all")] * 2, output=1)) == ["prob of 1"]


def test_one_target_is_chosen():
    explanations = [explain(0), explain(1), explain("all")]
    assert {name: len(group) for name, group in by_target(explanations).items()} == {"prob of 0": 2, "prob of 1": 2}
    (group,) = by_target(explanations, target="1").values()
    assert len(group) == 2
    with pytest.raises(lc.errors.ShowError, match="Expected target as one of '0', '1', got 7"):
        by_target(explanations[:2], target=7)


def test_panels_do_not_overlap():
    outputs = [explain("all").output(k) for k in (0, 1)]
    ax = output_panels(outputs, None, lambda e, ax: ax.plot([0, 1]), (4, 2), False, gap=1.5)
    first, second = ax.child_axes
    assert [panel.get_title(loc="left") for panel in (first, second)] == ["prob of 0", "prob of 1"]
    assert (first.get_position().y0 - second.get_position().y1) * ax.figure.get_figheight() > 0.9


def test_one_class_needs_no_panels():
    drawn = []
    for several in (False, True):
        groups = by_target([explain(0), explain(int(several))])
        ax = panels(groups, None, lambda group, ax: drawn.append((len(group), ax)), lambda group: (4, 2), False)
        assert len(ax.child_axes) == (2 if several else 0)
    assert [count for count, _ in drawn] == [2, 1, 1]
    assert drawn[0][1] is not drawn[1][1]
