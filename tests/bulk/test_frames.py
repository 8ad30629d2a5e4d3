"""Frames to frames, as Spark's `mapInPandas` calls it, with pandas alone."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lcshap as lc
from bulk_models import TEXTS, explainer
from lcshap.bulk import explain_batch, spark_schema

ROOT = Path(__file__).parents[2]


def map_in_pandas(function, frames):
    """What Spark does: the function gets an iterator of frames and gives one back."""
    return pd.concat(list(function(iter(frames))), ignore_index=True)


def test_the_function_of_the_document_on_pandas_alone():
    text = (ROOT / "docs/scale.md").read_text(encoding="utf-8")
    block = re.search(r"```python\n(def explain_frames.*?)```", text, re.DOTALL)[1]
    scope = {"explain_batch": explain_batch}
    exec(block.partition("\n\n\n")[0].replace("my_module:make_explainer", "bulk_models:explainer"), scope)
    frames = [pd.DataFrame({"key": list("abcd"), "text": TEXTS[k : k + 4]}) for k in (0, 4)]
    explained = map_in_pandas(scope["explain_frames"], frames)
    assert explained["id"].tolist() == list("abcd") * 2
    expected = [e for k in (0, 4) for e in explainer().many(TEXTS[k : k + 4])]
    for row, e in zip(explained.itertuples(), expected, strict=True):
        assert np.array_equal(row.scores, e.scores)
        assert tuple(row.names) == e.names


def test_the_model_is_loaded_once(monkeypatch):
    calls = []
    monkeypatch.setattr("lcshap.bulk.frames._WORKERS", {})
    frame = pd.DataFrame({"text": TEXTS[:2]})

    def factory():
        calls.append(1)
        return explainer()

    for _ in range(3):
        explain_batch(frame, factory)
    assert calls == [1]


def test_a_model_that_fails():
    with pytest.raises(lc.errors.BulkError, match=r"failed for all rows that were sent to it: .*the service is gone"):
        explain_batch(pd.DataFrame({"text": ["broken a", "broken b"]}), explainer)


def test_schemas():
    frame = explain_batch(pd.DataFrame({"text": TEXTS[:1]}), explainer)
    assert [column.split()[0] for column in spark_schema().split(", ")] == list(frame.columns)
    assert "scores array<array<double>>" in spark_schema(multi_output=True)
