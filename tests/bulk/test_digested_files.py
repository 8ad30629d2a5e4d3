import gzip
import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import bulk_models
import lcshap as lc
from lcshap.bulk import digested_files, explain_dataset
from lcshap.bulk.digested_files import DigestedFile
from lcshap.bulk.filesystems import find_location
from lcshap.bulk.sources import open_source

ROWS = 20_000


def write_table(path, frame):
    """Write a table in the format of the ending."""
    name = path.name
    if name.endswith(".parquet"):
        frame.to_parquet(path, row_group_size=1_000)
    elif name.endswith(".arrow"):
        pyarrow.feather.write_feather(frame, path, compression="uncompressed", chunksize=1_000)
    elif name.endswith(".jsonl"):
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False)


def write_in_place(path, position, content):
    """Overwrite bytes of a file without changing its size."""
    with path.open("r+b") as file:
        file.seek(position)
        file.write(content)


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.csv", "t.jsonl", "t.csv.gz"])
@pytest.mark.parametrize("restored", [False, True])
def test_a_change_behind_the_rows_that_were_read_is_noticed(tmp_path, monkeypatch, name, restored):
    monkeypatch.setattr(digested_files, "_BLOCK_BYTES", 1 << 13)
    rng = np.random.default_rng(0)
    path = tmp_path / name
    write_table(path, pd.DataFrame({"x": rng.random(ROWS), "y": rng.random(ROWS)}))
    source = open_source(str(path))
    rows = source.rows()
    first = [next(rows).x for _ in range(100)]
    content = path.read_bytes()
    position = len(content) * 3 // 4
    write_in_place(path, position, bytes([content[position] ^ 1]))
    with pytest.raises(lc.errors.DataError, match=r"as it was when the run began, got other content"):
        list(rows)
    if restored:
        write_in_place(path, position, content[position : position + 1])
        source.verify()
        assert len(list(source.rows(ROWS - 100))) == 100
        assert [row.x for row, _ in zip(source.rows(), range(100), strict=False)] == first
    else:
        with pytest.raises(lc.errors.DataError, match=r"Restore it and run the same again"):
            source.verify()


@pytest.mark.parametrize("change", [b"", b"t", b"text\nso good\n" * 2], ids=["empty", "shorter", "longer"])
def test_another_size_is_noticed(tmp_path, change):
    path = tmp_path / "a.csv"
    path.write_bytes(b"text\nso good\n")
    file = DigestedFile.read_from(find_location(str(path)))
    path.write_bytes(change)
    with pytest.raises(lc.errors.DataError, match=r"got other content"):
        file.verify()
    path.unlink()
    with pytest.raises(lc.errors.DataError, match=r"a\.csv"):
        file.verify()
    with pytest.raises(lc.errors.DataError, match=r"a\.csv"):
        file.open()


def test_any_part_of_a_file_can_be_read(tmp_path):
    content = np.random.default_rng(0).integers(0, 256, 3 * 2**20 + 7, dtype=np.uint8).tobytes()
    (tmp_path / "a.csv").write_bytes(content)
    file = DigestedFile.read_from(find_location(str(tmp_path / "a.csv")))
    assert file.digest == file.location.digest()
    with file.open_input_file() as stream:
        for start, size in ((0, 10), (2**20 - 3, 7), (2**20, 2**21), (len(content) - 5, 100), (len(content), 4)):
            stream.seek(start)
            assert stream.read(size) == content[start : start + size]
        assert stream.seek(-5, os.SEEK_END) == len(content) - 5
        assert stream.read() == content[-5:]


@pytest.mark.parametrize("compressed", [False, True])
def test_a_file_that_is_edited_during_a_run_ends_it(tmp_path, in_process, monkeypatch, compressed):
    """The run does not complete. With the file restored, it does, and has the parts of an undisturbed run."""
    path, out = tmp_path / ("texts.csv.gz" if compressed else "texts.csv"), tmp_path / "out"
    content = ("text\n" + "\n".join(bulk_models.TEXTS) + "\n").encode()
    content = gzip.compress(content, mtime=0) if compressed else content
    path.write_bytes(content)
    explain_dataset(path, bulk_models.explainer, tmp_path / "whole", shard_rows=6)
    harsh, calls = bulk_models.harsh, []

    def edit(texts):
        calls.append(texts)
        if len(calls) == 3:
            write_in_place(path, 40, bytes([content[40] ^ 1]))
        return harsh(texts)

    with monkeypatch.context() as patched:
        patched.setattr(bulk_models, "harsh", edit)
        with pytest.raises(lc.errors.DataError, match=r"as it was when the run began"):
            explain_dataset(path, bulk_models.explainer, out, shard_rows=6)
    assert not lc.bulk.status(out).complete
    with pytest.raises(lc.errors.LcshapError, match=r"data\.files|can be read"):
        explain_dataset(path, bulk_models.explainer, out, shard_rows=6)
    path.write_bytes(content)
    assert explain_dataset(path, bulk_models.explainer, out, shard_rows=6).complete
    assert bulk_models.parts(out) == bulk_models.parts(tmp_path / "whole")


@pytest.mark.parametrize("removed", [False, True])
def test_a_file_of_a_folder_that_is_edited_during_a_run_ends_it(tmp_path, in_process, monkeypatch, removed):
    folder, out = tmp_path / "texts", tmp_path / "out"
    folder.mkdir()
    for number, text in enumerate(bulk_models.TEXTS[:12]):
        (folder / f"{number:02}.txt").write_text(text)
    harsh = bulk_models.harsh

    def edit(texts):
        if removed:
            (folder / "11.txt").unlink(missing_ok=True)
        else:
            (folder / "11.txt").write_text("id11 other words")
        return harsh(texts)

    monkeypatch.setattr(bulk_models, "harsh", edit)
    with pytest.raises(lc.errors.DataError, match=r"11\.txt' as it was when the run began"):
        explain_dataset(folder, bulk_models.explainer, out, shard_rows=6)
    assert sorted(bulk_models.parts(out)) == ["part-000000.parquet"]


def test_a_dataset_of_pyarrow_whose_file_changes_is_not_complete(tmp_path, in_process, monkeypatch):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"text": bulk_models.TEXTS[:12]}), path)
    dataset, harsh = pyarrow.dataset.dataset(path), bulk_models.harsh

    def edit(texts):
        pq.write_table(pa.table({"text": bulk_models.TEXTS[12:24]}), path)
        return harsh(texts)

    monkeypatch.setattr(bulk_models, "harsh", edit)
    with pytest.raises(lc.errors.DataError, match=r"t\.parquet' as it was when the run began"):
        explain_dataset(dataset, bulk_models.explainer, tmp_path / "out", shard_rows=6)
    assert not lc.bulk.status(tmp_path / "out").complete
