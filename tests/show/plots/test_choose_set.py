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
