"""Parts: explanations to rows of Parquet files and back, which other programs read too."""

import io

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

import lcshap as lc
from lcshap.bulk.columns import InputRow
from lcshap.bulk.part_files import decode_row, encode_part, part_schema, read_rows
from lcshap.bulk.shards import Shard


def make_shard(count):
    return Shard(2, 20, tuple(InputRow(f"r{k}", None, None, "good") for k in range(count)))


def model(rows):
    return np.stack([rows.sum(axis=1), rows[:, 0] * rows[:, 1] - rows[:, 2]], axis=1)


def make_explanation(method="shapley", **options):
    settings = {"kind": "logits", **options}
    return lc.Explainer(model, lc.maskers.Tabular(np.zeros(4)), method, **settings).one(np.array([1.0, -2.0, 0.5, 3.0]))


def write_part(tmp_path, outcomes, several=False):
    path = tmp_path / "part.parquet"
    path.write_bytes(encode_part(make_shard(len(outcomes)), outcomes, several, {"inputs": "abc"}))
    return path


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": lc.KernelSHAP(12)},
        {"method": lc.SampleShapley(30)},
        {"method": lc.DeletionPath(12)},
        {"method": lc.GraphKernelSHAP(14, interactions=True)},
        {"curve": True},
        {"target": (0, 1)},
        {"target": [0, 1]},
        {"target": "all", "method": lc.SampleShapley(30)},
    ],
    ids=str,
)
def test_decoding_restores_the_explanation(tmp_path, options):
    e = make_explanation(**options)
    several = e.scores.ndim == 2
    path = write_part(tmp_path, [e], several)
    (row,) = read_rows(str(path))
    decoded = decode_row(row, "a row")
    assert decoded == e
    assert decoded.scores.tobytes() == e.scores.tobytes()
    assert row["row"] == 20
    assert [row["prediction"], row["probability"]] == e.provenance["prediction"][0]
    assert pq.read_schema(path).metadata[b"inputs"] == b"abc"


@pytest.mark.parametrize("text", ["so “good” \ud800 end", "naïve 🙂 café", "a\0b c"])
def test_texts_of_all_kinds(tmp_path, text):
    e = lc.Explainer(lambda texts: [1.0 * len(t) for t in texts], lc.maskers.Text(), "shapley", kind="output")(text)
    (row,) = read_rows(str(write_part(tmp_path, [e])))
    assert decode_row(row, "a row").scores.tobytes() == e.scores.tobytes()
    if text.isprintable():
        assert decode_row(row, "a row") == e


def test_errors_and_explanations_side_by_side(tmp_path):
    path = write_part(tmp_path, [make_explanation(), lc.errors.MaskerError("an empty\ntext"), KeyError("gone")])
    frame = pd.read_parquet(path)
    assert frame["error"].tolist()[1:] == ["an empty text", "KeyError: 'gone'"]
    assert frame["scores"].isna().tolist() == [False, True, True]
    assert frame["label"].tolist() == ["good"] * 3
    assert np.array_equal(frame["scores"][0], make_explanation().scores)
    selected = duckdb.sql(f"select id, list_sum(scores) as total, len(names) as units, label from '{path}' order by id")
    assert selected.fetchall()[0] == ("r0", pytest.approx(make_explanation().scores.sum()), 4, "good")
    assert selected.fetchall()[1:] == [("r1", None, None, "good"), ("r2", None, None, "good")]
    table = pl.read_parquet(path)
    assert table["scores"][0].to_list() == make_explanation().scores.tolist()
    assert table["names"][0].to_list() == ["0", "1", "2", "3"]
    assert table["id"].to_list() == ["r0", "r1", "r2"]


def test_all_parts_have_one_schema(tmp_path):
    """Also one in which every row failed: Spark and DuckDB read many files as one table."""
    explained_part = encode_part(make_shard(1), [make_explanation()], False, {})
    failed_part = encode_part(make_shard(1), [lc.errors.MaskerError("x")], False, {})
    assert pq.read_schema(io.BytesIO(explained_part)) == pq.read_schema(io.BytesIO(failed_part)) == part_schema(False)
    nested = pq.read_schema(io.BytesIO(encode_part(make_shard(1), [lc.errors.MaskerError("x")], True, {})))
    assert str(nested.field("scores").type).count("list") == 2


def test_the_same_explanations_are_the_same_bytes():
    outcomes = [make_explanation(), lc.errors.MaskerError("x")]
    assert encode_part(make_shard(2), outcomes, False, {}) == encode_part(make_shard(2), outcomes, False, {})


@pytest.mark.parametrize(
    ("target", "prediction"), [(None, "toxic"), ("rude", None), ("toxic", "toxic"), (["rude", "toxic"], "toxic")]
)
def test_labels_that_do_not_exclude_each_other(tmp_path, target, prediction):
    def labels(rows):
        return np.stack([rows.sum(axis=1), -rows.sum(axis=1), rows[:, 0] - 0.9], axis=1)

    masker, options = lc.maskers.Tabular(np.zeros(4)), {"kind": "multilabel-logits", "target": target}
    explainer = lc.Explainer(labels, masker, "shapley", classes=["toxic", "rude", "spam"], **options)
    e = explainer.one(np.array([1.0, 1.0, 0.5, 0.0]))
    (row,) = read_rows(str(write_part(tmp_path, [e], e.scores.ndim == 2)))
    assert row["prediction"] == prediction
    assert row["probability"] == (None if prediction is None else pytest.approx(1 / (1 + np.exp(-2.5))))


def test_several_outputs_in_a_part_for_one_are_an_error(tmp_path):
    (row,) = read_rows(str(write_part(tmp_path, [make_explanation(target="all")])))
    assert row["error"] == "Expected one number to explain, got 2 outputs."


def test_a_row_that_is_no_explanation():
    (row,) = (dict.fromkeys(part_schema(False).names),)
    for record in ("{}", "3", "no json", '{"format": "lcshap-explanation", "version": 3, "graph": {"d": 2}}'):
        with pytest.raises(lc.errors.FileFormatError):
            decode_row({**row, "record": record, "scores": [1.0, 2.0]}, "a row")
