from dataclasses import replace

import pytest
from explanation_sets import failed, row_explanations, text_explanations

import lcshap as lc
from lcshap.errors import ShowError


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_tables_are_drawn_as_a_swarm_and_texts_as_bars():
    rows = [e for e in row_explanations(8) if e.provenance["targets"] == ["no"]]
    swarm = lc.Explanations(rows).plot()
    assert set(labels(swarm)) == {"age", "dose", "city"}
    assert swarm.collections
    texts = text_explanations()
    assert labels(lc.Explanations([*texts, failed()]).plot()) == labels(lc.plots.summary_bars(texts))


def test_a_figure_by_name():
    texts = lc.Explanations(text_explanations())
    assert labels(texts.plot("beeswarm", top=1)) == labels(lc.plots.beeswarm(texts, top=1))
    with pytest.raises(ShowError, match=r"xs\[0\].plot\('waterfall'\)"):
        texts.plot("waterfall")
    with pytest.raises(ShowError, match="got 'pie'"):
        texts.plot("pie")


def test_bar_is_another_name_of_bars():
    xs = lc.Explanations(text_explanations())
    assert labels(xs.plot("bar")) == labels(xs.plot("bars"))
    assert labels(xs[0].plot("bar")) == labels(xs[0].plot("bars"))


@pytest.mark.parametrize("kind", ["beeswarm", "violin", "bars", "summary_bars", "scatter", "heatmap", "decision"])
def test_scores_of_different_meanings_have_no_common_figure(kind):
    e = next(row_explanations(1))
    xs = lc.Explanations([e, replace(e, provenance={**e.provenance, "name": "lime"})])
    with pytest.raises(ShowError, match="by one method, got lime, shapley"):
        xs.plot(kind)
    with pytest.raises(ShowError, match="by one method, got lime, shapley"):
        getattr(lc.plots, kind)(list(xs))
