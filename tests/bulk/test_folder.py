import json

import pandas as pd
import pytest

import lcshap as lc
from bulk_models import TEXTS, explainer
from lcshap.bulk import explain_dataset
from lcshap.bulk.folder import RunFolder


@pytest.fixture
def folder(tmp_path, in_process):
    explain_dataset([*TEXTS[:7], ""], explainer, tmp_path, shard_rows=4)
    return RunFolder(tmp_path)


def test_notes_of_a_part(folder):
    assert folder.finished() == [0, 1]
    noted = folder.check(1)
    assert (noted.rows, noted.failed) == (4, 1)
    assert "nothing to explain" in noted.error
    times = pd.read_parquet(folder.times)
    parts = pd.read_parquet(folder.parts)
    assert times["row"].tolist() == parts["row"].tolist() == list(range(8))
    assert abs(times["seconds"][4:].sum() - noted.seconds) < 1e-5
    assert noted.calls == parts["calls"][4:].sum()
    assert (times["sent"][:7] > 0).all()


def test_other_files_are_not_parts(folder):
    (folder.parts / ".lcshap-12.part").write_text("half")
    (folder.parts / "notes.txt").write_text("mine")
    assert folder.finished() == [0, 1]


def test_damaged_notes_are_reported(folder):
    (folder.times / "part-000001.parquet").write_bytes(b"PAR1")
    with pytest.raises(lc.errors.BulkError, match=r"noted about part-000001\.parquet.*Move that part away"):
        folder.check(1)


def test_totals(folder):
    assert folder.total == 8
    assert folder.complete
    (folder.path / "complete.json").unlink()
    assert (folder.total, folder.complete) == (8, False)
    content = json.loads((folder.path / "manifest.json").read_text())
    content["data"].pop("rows")
    (folder.path / "manifest.json").write_text(json.dumps(content))
    assert RunFolder(folder.path).total is None
