"""Files, folders, tables and iterables as streams of rows."""

import gzip
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from PIL import Image

import lcshap as lc
from lcshap.bulk import ImageOptions
from lcshap.bulk.columns import Columns
from lcshap.bulk.sources import open_source

TEXTS = ["so good", 'a "quoted", text', "two\nlines", "naïve", "x" * 200_000]
TABLE = pa.table({"key": ["a", "b", "c", "d", "e"], "text": TEXTS, "stars": [1, 2, 3, 4, 5]})


def as_stream(path):
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=2)


def as_json(path):
    path.write_text("\n".join(map(json.dumps, TABLE.to_pylist())) + "\n\n")


def as_gzip(path):
    with gzip.open(path, "wt", newline="", encoding="utf-8") as file:
        TABLE.to_pandas().to_csv(file, index=False)


WRITERS = {
    "t.parquet": lambda path: pq.write_table(TABLE, path, row_group_size=2),
    "t.feather": lambda path: pyarrow.feather.write_feather(TABLE, str(path), chunksize=2),
    "t.arrow": as_stream,
    "t.csv": lambda path: TABLE.to_pandas().to_csv(path, index=False),
    "t.csv.gz": as_gzip,
    "t.tsv": lambda path: TABLE.to_pandas().to_csv(path, index=False, sep="\t"),
    "t.jsonl": as_json,
}


@pytest.mark.parametrize("name", WRITERS)
def test_tables_in_files(tmp_path, name):
    WRITERS[name](tmp_path / name)
    source = open_source(tmp_path / name, Columns("text", "key"))
    assert [row.x for row in source.rows()] == TEXTS
    assert source.count == 5
    for start in range(6):
        assert [row.id for row in source.rows(start)] == list("abcde")[start:]
    assert source.description == open_source(str(tmp_path / name), Columns("text", "key")).description
    assert open_source(tmp_path / name, Columns("text")).description != source.description
    several = next(open_source(tmp_path / name, Columns(["text", "stars"])).rows())
    assert several.id == "0"
    assert list(several.x) == ["text", "stars"]
    with pytest.raises(lc.errors.OptionError, match=r"got 'txt'. It has key, text, stars"):
        open_source(tmp_path / name, Columns("txt"))


def test_many_files_are_one_table(tmp_path):
    for number, name in enumerate(("b.csv", "a.csv", ".hidden.csv")):
        (tmp_path / name).write_text(f"text\nfirst of {number}\nsecond of {number}\n")
    (tmp_path / "README").write_text("not a table")
    expected = ["first of 1", "second of 1", "first of 0", "second of 0"]
    for source in (tmp_path, str(tmp_path / "*.csv"), [tmp_path / "a.csv", tmp_path / "b.csv"]):
        assert [row.x for row in open_source(source).rows()] == expected
    assert [row.id for row in open_source(tmp_path).rows(3)] == ["3"]


@pytest.mark.parametrize(
    "table",
    [TABLE, TABLE.to_pandas(), pyarrow.dataset.dataset(TABLE)],
    ids=["pyarrow", "pandas", "dataset"],
)
def test_tables_in_memory(table):
    source = open_source(table, Columns("text", "key"))
    assert (source.count, source.fixed) == (5, False)
    assert [(row.id, row.x) for row in source.rows(2)] == list(zip("cde", TEXTS[2:], strict=True))


def test_rows_that_cannot_be_read_have_a_reason(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_bytes(b"key,text\n1,good\n2,too,many\n3,\xff\xfe\n4,fine\n")
    rows = list(open_source(path, Columns("text", "key")).rows())
    assert [row.x for row in rows] == ["good", None, None, "fine"]
    assert "Expected 2 cells in the row that ends in line 3, got 3" in rows[1].error
    assert "Expected a text in UTF-8 in the column 'text'" in rows[2].error
    lines = tmp_path / "bad.jsonl"
    lines.write_text('{"text": "good"}\n{"text": \n[1]\n{"other": 1}\n{"text": null}\n')
    rows = list(open_source(lines, Columns("text")).rows())
    assert [row.x for row in rows] == ["good", None, None, None, None]
    assert ["line 2" in rows[1].error, "got list" in rows[2].error, "'text', got none" in rows[3].error] == [True] * 3


def test_folders_of_texts_and_images(tmp_path):
    texts, images = tmp_path / "texts", tmp_path / "images"
    (texts / "neg").mkdir(parents=True)
    images.mkdir()
    (texts / "neg" / "1.txt").write_text("bad", encoding="utf-8")
    (texts / "2.txt").write_bytes(b"\xff")
    source = open_source(texts)
    assert [row.id for row in source.rows()] == ["2.txt", "neg/1.txt"]
    first, second = source.rows()
    assert second.x.load() == "bad"
    with pytest.raises(lc.errors.MaskerError, match=r"Expected a text in UTF-8"):
        first.x.load()
    pixels = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    Image.fromarray(pixels).save(images / "one.png")
    (row,) = open_source(images, images=ImageOptions(scale=True, channels_first=True)).rows()
    assert row.x.load().shape == (3, 4, 4)
    assert np.allclose(row.x.load() * 255, np.moveaxis(pixels, 2, 0))
    before = open_source(images).description
    assert before != open_source(images, images=ImageOptions(grey=True)).description
    Image.fromarray(pixels[::-1].copy()).save(images / "one.png")
    assert open_source(images).description != before


def test_unreadable_sources_are_refused(tmp_path):
    with pytest.raises(lc.errors.DataError, match=r"which does not exist"):
        open_source(tmp_path / "no.csv")
    with pytest.raises(lc.errors.DataError, match=r"got none in"):
        open_source(tmp_path)
    (tmp_path / "a.csv").write_text("text\nx\n")
    (tmp_path / "b.txt").write_text("x")
    with pytest.raises(lc.errors.DataError, match=r"several kinds \(csv, text\)"):
        open_source(tmp_path)
    (tmp_path / "c.parquet").write_text("no Parquet")
    with pytest.raises(lc.errors.DataError, match=r"Expected a Parquet file"):
        open_source(tmp_path / "c.parquet")
    with pytest.raises(lc.errors.OptionError, match=r"got a folder of text files"):
        open_source(tmp_path / "b.txt", Columns("text"))


def test_iterables():
    assert next(open_source(["reviews are good", "a.csv is a file"]).rows()).x == "reviews are good"
    source = open_source(np.arange(6.0).reshape(3, 2))
    assert source.count == 3
    assert next(source.rows(2)).x.tolist() == [4.0, 5.0]
    assert open_source(iter("ab")).count is None
    frame = pd.DataFrame({"a": [1.0], "b": ["x"]})
    assert next(open_source(frame).rows()).x == {"a": 1.0, "b": "x"}
