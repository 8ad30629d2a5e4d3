import json
import shutil

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import lcshap as lc
from bulk_models import TEXTS, explainer
from lcshap.bulk import explain_dataset, load, status, summary
from lcshap.bulk.folder import RunFolder
from lcshap.bulk.sealed_json import read_sealed_json


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
    content = read_sealed_json(folder.path / "manifest.json")
    content["data"].pop("rows")
    (folder.path / "manifest.json").write_text(json.dumps(content))
    assert RunFolder(folder.path).total is None


def read_everything(path):
    """Everything that is read of a run: its status, its summary and its explanations."""
    return [*load(path), status(path).bytes, summary(path).to_csv()]


@pytest.mark.parametrize("name", ["parts/part-000001.parquet", "times/part-000000.parquet", "complete.json"])
def test_every_changed_bit_is_noticed_by_all_that_reads_the_file(folder, name):
    path = folder.path / name
    content, rng = path.read_bytes(), np.random.default_rng(0)
    readers = [status, lambda run: list(load(run)), summary, lambda run: load(run)[-1]]
    for position in {0, len(content) - 1, *rng.integers(0, len(content), 60).tolist()}:
        changed = bytearray(content)
        changed[position] ^= 1 << int(rng.integers(8))
        path.write_bytes(changed)
        for read in readers if name.startswith("parts") else readers[:1]:
            with pytest.raises(lc.errors.BulkError, match=path.name.replace(".", r"\.")):
                read(folder.path)
    path.write_bytes(content)
    assert read_everything(folder.path)


def test_a_changed_manifest_is_noticed(folder):
    path = folder.path / "manifest.json"
    content = path.read_bytes()
    for position in range(0, len(content), 7):
        changed = bytearray(content)
        changed[position] ^= 1
        path.write_bytes(changed)
        with pytest.raises(lc.errors.BulkError, match=r"manifest\.json"):
            status(folder.path)


def test_the_part_of_another_run_is_noticed(folder, tmp_path_factory, in_process):
    """A whole part, with a digest of itself that fits, in the place of another one."""
    other = tmp_path_factory.mktemp("other")
    explain_dataset(["id0 other words", *TEXTS[1:7], ""], explainer, other, shard_rows=4)
    shutil.copy(other / "parts" / "part-000000.parquet", folder.parts)
    assert len(lc.load(folder.part_path(0))) == 4
    with pytest.raises(lc.errors.BulkError, match=r"part-000000\.parquet', which is truncated or has changed"):
        list(load(folder.path))


def test_parts_of_earlier_versions_without_digests_load_with_a_warning(folder):
    expected = list(load(folder.path))
    for number in folder.finished():
        table = pq.read_table(folder.part_path(number))
        pq.write_table(table.replace_schema_metadata({"inputs": "abc"}), folder.part_path(number))
        path = folder.times / folder.part_path(number).name
        metadata = dict(pq.read_table(path).schema.metadata)
        notes = {name: note for name, note in json.loads(metadata[b"notes"]).items() if name != "digest"}
        pq.write_table(pq.read_table(path).replace_schema_metadata({"notes": json.dumps(notes)}), path)
    with pytest.warns(UserWarning, match=r"by an earlier version without digests\. They were not verified"):
        assert list(load(folder.path)) == expected
    with pytest.warns(UserWarning, match="not verified"):
        status(folder.path)
    with pytest.warns(UserWarning, match=r"earlier version without a digest\. Its content was not verified"):
        assert len(lc.load(folder.part_path(0))) == 4


@pytest.mark.parametrize("name", ["times/part-000001.parquet", "complete.json", "times", "manifest.json"])
def test_links_in_the_folder_are_refused_and_not_followed(folder, tmp_path_factory, name):
    """The target of a link is not overwritten, whatever is done with the run."""
    victim = tmp_path_factory.mktemp("elsewhere") / "victim"
    path = folder.path / name
    path.rename(victim)
    before = victim.read_bytes() if victim.is_file() else sorted(victim.iterdir())
    path.symlink_to(victim)
    (folder.parts / "part-000001.parquet").unlink()
    uses = [lambda: explain_dataset([*TEXTS[:7], ""], explainer, folder.path, shard_rows=4)]
    if not name.startswith("times/"):  # The status does not need notes about a part that is missing.
        uses.append(lambda: status(folder.path))
    for use in uses:
        with pytest.raises(lc.errors.BulkError, match=r"which is a symbolic link\. Remove it"):
            use()
    assert (victim.read_bytes() if victim.is_file() else sorted(victim.iterdir())) == before
