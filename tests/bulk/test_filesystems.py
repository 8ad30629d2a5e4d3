import fsspec
import pytest

import lcshap as lc
from lcshap.bulk.filesystems import find_location, list_files
from lcshap.bulk.sources import open_source


def test_an_address_of_fsspec():
    """Neither pyarrow nor a path knows memory://."""
    with fsspec.open("memory://reviews/a.csv", "w") as file:
        file.write("text\nso good\nso bad\n")
    source = open_source("memory://reviews/a.csv")
    assert [row.x for row in source.rows()] == ["so good", "so bad"]
    assert [place.path for place in list_files("memory://reviews")[1]] == ["/reviews/a.csv"]


def test_an_address_of_pyarrow(tmp_path):
    (tmp_path / "a.csv").write_text("text\nso good\n")
    place = find_location(f"file://{tmp_path}/a.csv")
    assert place.read() == b"text\nso good\n"
    assert place.digest() == find_location(str(tmp_path / "a.csv")).digest()
    (tmp_path / "a.csv").write_text("text\nso bad\n")
    assert place.digest() != find_location(f"{tmp_path}/b.csv")._replace(path=str(tmp_path / "a.csv")).path


def test_an_unknown_scheme_is_refused():
    with pytest.raises(lc.errors.DataError, match=r"pyarrow or fsspec can open, got 'nowhere://x'"):
        find_location("nowhere://x")
