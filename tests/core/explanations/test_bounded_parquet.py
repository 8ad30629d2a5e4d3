import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from explanation_sets import array_set, frame, text_explanations

import lcshap as lc
from lcshap.core.explanations.bounded_parquet import read_bounded
from lcshap.core.explanations.part_rows import part_schema
from lcshap.core.file_seal import OPEN_SEAL, seal
from lcshap.errors import FileFormatError

MILLION = 1_000_000


def encode(table, **options):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **{"compression": "zstd", **options})
    return bytes(sink.getvalue())


BOMBS = {
    "equal numbers": lambda: np.zeros(5 * MILLION),
    "nulls": lambda: pa.nulls(5 * MILLION, pa.float64()),
    "a long list": lambda: pa.ListArray.from_arrays([0, 5 * MILLION], pa.array(np.zeros(5 * MILLION))),
    "a long text": lambda: ["x" * 10 * MILLION],
    "a list of texts": lambda: pa.array([["x" * 1000] * 10_000]),
    "rows of nothing": lambda: pa.nulls(2 * MILLION, pa.bool_()),
}


@pytest.mark.parametrize("name", BOMBS)
def test_small_files_with_large_content_are_refused(name):
    encoded = encode(pa.table({"a": BOMBS[name]()}))
    assert len(encoded) < 50_000
    with pytest.raises(FileFormatError, match=r"at most 1,000,000 bytes of memory, got bomb\.parquet, whose content"):
        read_bounded(encoded, ["a"], MILLION, "bomb.parquet")


@pytest.mark.parametrize("listed", [False, True])
def test_a_long_text_that_is_repeated_is_counted_each_time(listed):
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1000, np.int32)), pa.array(["x" * 10_000]))
    column = pa.ListArray.from_arrays(pa.array([0, 1000], pa.int32()), texts) if listed else texts
    encoded = encode(pa.table({"a": column}), store_schema=False)
    assert len(encoded) < 2000
    with pytest.raises(FileFormatError, match=r"whose content takes 10,0\d\d,\d\d\d"):
        read_bounded(encoded, ["a"], MILLION, "bomb.parquet")
    table = read_bounded(encoded, ["a"], 20 * MILLION, "bomb.parquet")
    assert str(table.schema.field("a").type) == ("list<element: string>" if listed else "string")
    assert table.column("a").to_pylist() == ([["x" * 10_000] * 1000] if listed else ["x" * 10_000] * 1000)


def test_only_the_columns_that_are_read_count():
    table = pa.table({"a": np.zeros(5 * MILLION), "b": pa.nulls(5 * MILLION, pa.bool_())})
    assert read_bounded(encode(table), ["b"], 60 * MILLION, "x").column_names == ["b"]


def test_a_type_that_sets_do_not_have_is_refused():
    encoded = encode(pa.table({"a": pa.array([b"1234"], pa.binary(4))}))
    with pytest.raises(FileFormatError, match="with the type FIXED_LEN_BYTE_ARRAY"):
        read_bounded(encoded, ["a"], MILLION, "x")


@pytest.mark.parametrize(
    "xs",
    [
        pytest.param(array_set(300, data=frame(300))[0], id="rows of a table"),
        pytest.param(lc.Explanations(text_explanations() * 100), id="texts"),
    ],
)
def test_the_option_of_load_bounds_the_content(tmp_path, xs):
    path = xs.save(tmp_path / "xs.parquet")
    assert lc.load(path, max_bytes=MILLION) == xs
    with pytest.raises(FileFormatError, match=r"bytes of memory.*load it with load\(path, max_bytes=\.\.\.\)"):
        lc.load(path, max_bytes=path.stat().st_size)


def test_a_part_with_millions_of_empty_rows_is_refused_within_bounded_memory(tmp_path):
    schema = part_schema(False)
    table = pa.table({field.name: pa.nulls(3 * MILLION, field.type) for field in schema}, schema=schema)
    path = tmp_path / "part.parquet"
    path.write_bytes(seal(encode(table.replace_schema_metadata({"lcshap-seal": OPEN_SEAL}))))
    assert path.stat().st_size < 200_000
    program = (
        "import resource, sys, lcshap as lc, pyarrow.parquet, pyarrow.compute\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n    lc.load(sys.argv[1], max_bytes=100_000_000)\n"
        "except lc.errors.FileFormatError as error:\n    assert 'bytes of memory' in str(error), error\n"
        "else:\n    raise SystemExit('not refused')\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert int(done.stdout) * 1024 < 50 * MILLION  # kilobytes; the content would take more than 100 MB
