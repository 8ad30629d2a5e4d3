import json
import re

import pyarrow.parquet as pq
import pytest

import lcshap as lc
from bulk_models import TEXTS, explainer
from lcshap.bulk import explain_dataset, status


def test_status_of_complete_and_interrupted_runs(tmp_path, in_process):
    explain_dataset([*TEXTS[:7], ""], explainer, tmp_path, shard_rows=4)
    run_status = status(tmp_path)
    assert (run_status.rows, run_status.total, run_status.failed) == (8, 8, 1)
    assert (run_status.shards, run_status.complete) == (2, True)
    assert "8 of 8 inputs in 2 parts" in str(run_status)
    assert run_status.processor > 0
    time = r"[\d.]+ m?s"
    assert re.search(
        rf"model calls in {time} of the workers, [\d,]+ ms an input \({time} of the processor\)", str(run_status)
    )
    assert "1 input with an error, the first: Expected a text with at least one word" in str(run_status)
    (tmp_path / "complete.json").unlink()
    (tmp_path / "parts" / "part-000001.parquet").unlink()
    run_status = status(tmp_path)
    assert (run_status.rows, run_status.complete, run_status.failed) == (4, False, 0)
    assert "interrupted: run it again to resume" in str(run_status)


def test_the_processor_time_of_older_parts_is_not_known(tmp_path, in_process):
    explain_dataset(TEXTS[:3], explainer, tmp_path)
    path = tmp_path / "times" / "part-000000.parquet"
    table = pq.read_table(path)
    notes = json.loads(table.schema.metadata[b"notes"])
    del notes["processor"]
    pq.write_table(table.replace_schema_metadata({"notes": json.dumps(notes)}), path)
    run_status = status(tmp_path)
    assert (run_status.rows, run_status.processor) == (3, None)
    assert "of the processor" not in str(run_status)


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(lc.errors.BulkError, match=r"which has no manifest.json"):
        status(tmp_path)
