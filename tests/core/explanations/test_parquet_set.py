import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from explanation_sets import array_set, failed, odd_explanations, row_explanations, text_explanations

import lcshap as lc
from lcshap.bulk.columns import InputRow
from lcshap.bulk.part_files import encode_part
from lcshap.bulk.shards import Shard
from lcshap.core.explanations.parquet_set import write_parquet_set
from lcshap.core.explanations.stored_rows import encode_rows
from lcshap.errors import FileFormatError


def test_explanations_of_every_kind_come_back(tmp_path):
    outcomes = [e for e in odd_explanations() if e.scores.dtype == float]
    xs = lc.Explanations([*outcomes, failed()])
    loaded = lc.load(xs.save(tmp_path / "xs.parquet"))
    assert isinstance(loaded, lc.Explanations)
    assert loaded == xs
    assert loaded[3:5] == outcomes[3:5]
    assert list(loaded.errors) == [len(outcomes)]


def test_the_name_of_a_file_does_not_matter_when_it_is_read(tmp_path):
    xs, *_ = array_set()
    path = xs.save(tmp_path / "xs.parquet").rename(tmp_path / "xs.json")
    assert lc.load(path) == xs
    with pytest.raises(lc.errors.OptionError, match=r"\.parquet or \.json, got 'xs.csv'"):
        xs.save(tmp_path / "xs.csv")


@pytest.mark.parametrize("kind", ["shared", "rows"])
def test_every_changed_bit_is_noticed(tmp_path, kind):
    xs = lc.Explanations(list(row_explanations(2)) if kind == "shared" else text_explanations(("good", "bad day")))
    content = write_parquet_set(xs._columns)
    path = tmp_path / "xs.parquet"
    rng = np.random.default_rng(0)
    positions = {*range(12), *range(len(content) - 12, len(content)), *rng.integers(0, len(content), 400).tolist()}
    for position in sorted(positions):
        changed = bytearray(content)
        changed[position] ^= 1 << int(rng.integers(8))
        path.write_bytes(changed)
        with pytest.raises(FileFormatError):
            lc.load(path)


def test_a_file_that_ends_early(tmp_path):
    content = write_parquet_set(array_set()[0]._columns)
    path = tmp_path / "xs.parquet"
    for length in (4, 5, 100, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(FileFormatError):
            lc.load(path)


def test_a_part_of_a_bulk_run_is_read(tmp_path):
    texts = text_explanations()
    shard = Shard(0, 5, tuple(InputRow(f"r{k}", None, None, "good") for k in range(4)))
    path = tmp_path / "part-000000.parquet"
    path.write_bytes(encode_part(shard, [failed(), *texts], False, {"inputs": "abc"}))
    xs = lc.load(path)
    assert str(xs[0]) == str(failed())
    for number, (e, text) in enumerate(zip(xs[1:], texts, strict=True), 6):
        place = [e.provenance.pop(name) for name in ("row", "id", "label")]
        assert place == [number, f"r{number - 5}", "good"]
        assert e == text


def test_other_parquet_files_are_refused(tmp_path):
    path = tmp_path / "xs.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(FileFormatError, match="without the columns row, id"):
        lc.load(path)


def test_equal_sets_are_equal_bytes():
    assert write_parquet_set(array_set()[0]._columns) == write_parquet_set(array_set()[0]._columns)


def test_files_above_the_limit_are_refused(tmp_path):
    path = array_set()[0].save(tmp_path / "xs.parquet")
    with pytest.raises(FileFormatError, match="at most 100 bytes"):
        lc.load(path, max_bytes=100)


def test_loading_many_rows_takes_little_time(tmp_path):
    xs, *_ = array_set(100_000, 20, data=np.ones((100_000, 20)))
    path = xs.save(tmp_path / "xs.parquet")
    start = time.process_time()
    loaded = lc.load(path)
    np.testing.assert_array_equal(loaded.scores, xs.scores)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "name", ["row", "names", "scores", "base_value", "calls", "error", "record", "rows", "error_type"]
)
def test_columns_of_other_types_are_refused(tmp_path, name):
    table = encode_rows(iter(text_explanations()), False)
    other = pa.array([True] * len(table))
    path = tmp_path / "xs.parquet"
    pq.write_table(table.set_column(table.schema.get_field_index(name), name, other), path)
    with pytest.raises(FileFormatError, match=f"the column {name}"):
        lc.load(path)
    pq.write_table(table, path)
    with pytest.warns(UserWarning, match="not verified"):
        assert len(lc.load(path)) == 3
