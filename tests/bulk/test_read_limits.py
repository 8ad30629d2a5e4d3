import gzip
import io
import json
import tracemalloc

import pandas as pd
import pytest

import bulk_models
import lcshap as lc
from lcshap.bulk import ReadLimits, explain_dataset
from lcshap.bulk.read_limits import BoundedLines, LongLineError
from lcshap.bulk.sources import open_source

LIMITS = ReadLimits(max_line_characters=50, max_cells=3, max_file_bytes=10_000)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r", ""])
@pytest.mark.parametrize("length", [48, 49, 50, 51, 200_000])
def test_lines_up_to_the_limit_are_read(ending, length):
    text = "x" * length + ending + "short\n" * (ending != "")
    lines = BoundedLines(io.StringIO(text, newline=""), 50)
    if length <= 50:
        assert next(lines) == "x" * length + ending
    else:
        with pytest.raises(LongLineError, match="at most 50 characters in a line or row"):
            next(lines)
    lines.row_characters = 0
    rest = "".join(lines)
    assert rest.strip() == ("short" if ending else "")


def test_a_row_of_many_lines_is_bounded(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('x,y\n1,2\n3,"' + "a line\n" * 100 + '"\n5,6\n')
    rows = list(open_source(str(path), limits=LIMITS).rows())
    assert rows[0].x == {"x": 1.0, "y": 2.0}
    assert "at most 50 characters in a line or row" in rows[1].error


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "jsonl", "jsonl.gz", "parquet", "arrow"])
def test_rows_above_a_limit_have_an_error(tmp_path, kind):
    frame = pd.DataFrame({"text": ["so good", "bad " * 40, "so bad"]})
    path = tmp_path / f"a.{kind}"
    if kind.startswith("csv"):
        frame.to_csv(path, index=False)
    elif kind.startswith("jsonl"):
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path) if kind == "parquet" else frame.to_feather(path)
    rows = list(open_source(str(path), limits=LIMITS).rows())
    assert [row.x for row in rows if row.error is None] == ["so good", "so bad"]
    assert "Raise max_line_characters" in rows[1].error
    assert [row.error for row in open_source(str(path)).rows()] == [None] * 3


def test_rows_with_too_many_cells(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n{"a": 1, "b": 2, "c": 3, "d": 4}\n')
    (tmp_path / "a.csv").write_text("a,b,c,d\n1,2,3,4\n")
    with pytest.raises(lc.errors.DataError, match=r"at most 3 columns, got 4 .* Raise max_cells"):
        open_source(str(tmp_path / "a.csv"), limits=LIMITS)
    limits = ReadLimits(max_cells=3)
    records = open_source(str(tmp_path / "a.jsonl"), limits=limits).format.records
    place = open_source(str(tmp_path / "a.jsonl"), limits=limits).files[0]
    assert list(records(place, None, 0))[1] == "Expected at most 3 cells in a row, got 4. Raise max_cells."


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.parquet"])
def test_files_above_the_limit_are_refused(tmp_path, name):
    path = tmp_path / name
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(b'{"text": "so good"}\n' * 1000))
    else:
        pd.DataFrame({"text": [f"{k} " * 20 for k in range(2000)]}).to_parquet(path)
    with pytest.raises(lc.errors.DataError, match=r"at most 10,000 bytes in .*Raise max_file_bytes"):
        list(open_source(str(path), limits=LIMITS).rows())


def test_a_text_file_above_the_limit_has_an_error(tmp_path, in_process):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("so good " * 2000)
    (tmp_path / "in" / "b.txt").write_text("so good")
    done = explain_dataset(tmp_path / "in", bulk_models.explainer, tmp_path / "out", limits=LIMITS)
    assert (done.rows, done.failed, done.complete) == (2, 1, True)
    assert "at most 10,000 bytes in" in done.error


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_compressed_line_of_gigabytes_takes_little_memory(tmp_path, kind):
    """100 million characters in 100 kB: the row has an error, and the next is read."""
    path = tmp_path / f"bomb.{kind}.gz"
    lines = (
        ["text", "a" * 100_000_000, "so bad"]
        if kind == "csv"
        else [json.dumps({"text": text}) for text in ("so good", "a" * 100_000_000, "so bad")]
    )
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.write("\n".join(lines) + "\n")
    del lines
    limits = ReadLimits(max_line_characters=1_000_000)
    tracemalloc.start()
    rows = list(open_source(str(path), limits=limits).rows())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows[-1].x == "so bad"
    assert "at most 1,000,000 characters" in rows[-2].error
    assert peak < 30e6


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, None])
def test_invalid_limits_are_refused(limit):
    with pytest.raises(lc.errors.OptionError, match="max_cells as a whole number of at least 1"):
        ReadLimits(max_cells=limit)
