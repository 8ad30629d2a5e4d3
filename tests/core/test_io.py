import pytest
from explanation_sets import array_set, text_explanations

import lcshap as lc
from lcshap.core import io


def test_content_says_whether_a_file_has_one_explanation_or_many(tmp_path):
    (e, *others) = text_explanations()
    assert lc.load(e.save(tmp_path / "e.json")) == e
    xs = lc.Explanations([e, *others])
    for name in ("xs.json", "xs.parquet"):
        loaded = lc.load(xs.save(tmp_path / name))
        assert isinstance(loaded, lc.Explanations)
        assert loaded == xs


@pytest.mark.parametrize("suffix", ["json", "parquet"])
def test_large_files_are_refused(tmp_path, monkeypatch, suffix):
    path = array_set()[0].save(tmp_path / f"xs.{suffix}")
    assert path.stat().st_size < io.MAX_BYTES
    with pytest.raises(lc.errors.FileFormatError, match="at most 50 bytes"):
        lc.load(path, max_bytes=50)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1 and more PAR1", b"{}", b"[]", b"\x00"])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(lc.errors.FileFormatError):
        lc.load(path)


def test_a_folder_is_refused_with_the_function_for_runs(tmp_path):
    with pytest.raises(lc.errors.FileFormatError, match=r"bulk\.load"):
        lc.load(tmp_path)
