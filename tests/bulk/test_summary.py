"""Which units matter over a data set: the same as the summary of all explanations in memory."""

import sys

import numpy as np
import pytest

import lcshap as lc
from bulk_models import TEXTS, explainer, several
from lcshap.bulk import explain_dataset, load, summary
from lcshap.show.plots.summary_plots import summary as in_memory


def test_summary_equals_the_summary_in_memory(tmp_path, in_process):
    explain_dataset([*TEXTS[:12], "W1, w1! other", ""], explainer, tmp_path, shard_rows=5)
    table = summary(tmp_path, None).set_index("name").sort_index()
    expected = in_memory(list(load(tmp_path)), None).set_index("name").sort_index()
    assert table.index.tolist() == expected.index.tolist()
    for column in ("count", "mean", "mean_abs", "std", "per_input"):
        assert np.allclose(table[column], expected[column], equal_nan=True), column
    assert (table["inputs"] == 13).all()
    assert len(summary(tmp_path, 3)) == 3
    assert (summary(tmp_path, None, min_count=4)["count"] >= 4).all()


def test_classes_are_not_mixed(tmp_path, in_process):
    texts = ["good film", "bad film", "good good plot", "so bad"]
    explain_dataset(texts, "bulk_models:opinions", tmp_path, shard_rows=2)
    table = summary(tmp_path)
    assert set(table["prediction"]) == {"no", "yes"}
    best = table[table["prediction"] == "yes"].iloc[0]
    assert (best["name"], best["inputs"]) == ("good", 2)
    assert best["mean"] > 0
    assert table[table["prediction"] == "no"].iloc[0]["name"] == "bad"


def test_inputs_whose_intervals_are_in_doubt_are_counted(tmp_path, in_process):
    explain_dataset([[1.0] * 12, [2.0] * 12, [0.0] * 11 + [1.0]], "bulk_models:nearly_complete", tmp_path)
    assert set(summary(tmp_path)["doubtful"]) == {2}


def test_rare_names_are_forgotten_when_there_are_too_many(monkeypatch):
    module = sys.modules["lcshap.bulk.summary"]  # the function of this name hides it
    monkeypatch.setattr(module, "_MAX_NAMES", 10)
    totals = module._ClassTotals()
    for k in range(40):
        totals.add([f"rare{k}", "often"], np.array([0.1, 1.0]))
    rows = {row["name"]: row for row in totals.table()}
    assert len(rows) <= 11
    assert (rows["often"]["count"], rows["often"]["mean"]) == (40, 1.0)


def test_several_outputs_and_an_empty_run(tmp_path, in_process):
    explain_dataset([[1.0, 2.0, 3.0]], several, tmp_path)
    assert summary(tmp_path, output=1)["mean"].abs().sum() > 0
    with pytest.raises(lc.errors.OptionError, match=r"Expected output= for a run that explains several"):
        summary(tmp_path)
    with pytest.raises(lc.errors.OptionError, match=r"Expected top as a number"):
        summary(tmp_path, 0)
    for path in (tmp_path / "parts").iterdir():
        path.unlink()
    assert summary(tmp_path, output=0).empty
