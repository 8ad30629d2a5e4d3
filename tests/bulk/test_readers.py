import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lcshap as lc
from lcshap.bulk.filesystems import find_location
from lcshap.bulk.readers import KIND_BY_SUFFIX, TABLE_FORMATS


def test_row_groups_before_the_start_are_not_read(tmp_path):
    """The first one is damaged: whoever begins behind it does not notice."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": list(range(4000))}), path, row_group_size=1000, compression="none")
    content = bytearray(path.read_bytes())
    content[4:400] = b"\xff" * 396
    path.write_bytes(content)
    rows = TABLE_FORMATS["parquet"].records(find_location(str(path)), ["x"], 1500)
    assert [row["x"] for row in rows] == list(range(1500, 4000))
    with pytest.raises(OSError):  # noqa: PT011  of pyarrow, in its own words
        list(TABLE_FORMATS["parquet"].records(find_location(str(path)), ["x"], 0))


def test_counts_agree_with_what_is_read(tmp_path):
    (tmp_path / "a.csv").write_text('x\n1\n\n"two\nlines"\n3,4\n')
    (tmp_path / "a.jsonl").write_text('{"x": 1}\n\nnonsense\n')
    pq.write_table(pa.table({"x": [1, 2]}), tmp_path / "a.parquet")
    for kind, count in (("csv", 3), ("jsonl", 2), ("parquet", 2)):
        place = find_location(str(tmp_path / f"a.{kind}"))
        assert TABLE_FORMATS[kind].count(place) == len(list(TABLE_FORMATS[kind].records(place, None, 0))) == count
        assert TABLE_FORMATS[kind].columns(place) == ["x"]


def test_an_unclosed_quote_is_an_error_of_its_row(tmp_path):
    (tmp_path / "a.csv").write_text('x,y\n1,"never ends\n2,3\n')
    rows = list(TABLE_FORMATS["csv"].records(find_location(str(tmp_path / "a.csv")), None, 0))
    assert "cannot be read" in rows[0]


def test_an_invalid_arrow_file_is_refused(tmp_path):
    (tmp_path / "a.arrow").write_text("text")
    with pytest.raises(lc.errors.DataError, match=r"Expected an Arrow file"):
        TABLE_FORMATS["arrow"].columns(find_location(str(tmp_path / "a.arrow")))


def test_every_ending_has_a_reader():
    assert {*KIND_BY_SUFFIX.values()} == {*TABLE_FORMATS, "text", "image"}
