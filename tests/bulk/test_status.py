import json
import re

import pyarrow.parquet as pq
import pytest

import lcshap as lc
from bulk_models import TEXTS, explainer
from lcshap.bulk import explain_dataset, status


def test_how_far_it_is(tmp_path, here):
    explain_dataset([*TEXTS[:7], ""], explainer, tmp_path, shard_rows=4)
    found = status(tmp_path)
    assert (found.rows, found.total, found.failed, found.shards, found.complete) == (8, 8, 1, 2, True)
    assert "8 of 8 inputs in 2 parts" in str(found)
    assert found.processor > 0
    time = r"[\d.]+ m?s"
    assert re.search(
        rf"model calls in {time} of the workers, [\d,]+ ms an input \({time} of the processor\)", str(found)
    )
    assert "1 input with an error, the first: Expected a text with at least one word" in str(found)
    (tmp_path / "complete.json").unlink()
    (tmp_path / "parts" / "part-000001.parquet").unlink()
    found = status(tmp_path)
    assert (found.rows, found.complete, found.failed) == (4, False, 0)
    assert "interrupted: run it again to resume" in str(found)


def test_the_processor_time_of_older_parts_is_not_known(tmp_path, here):
    explain_dataset(TEXTS[:3], explainer, tmp_path)
    path = tmp_path / "times" / "part-000000.parquet"
    table = pq.read_table(path)
    notes = json.loads(table.schema.metadata[b"notes"])
    del notes["processor"]
    pq.write_table(table.replace_schema_metadata({"notes": json.dumps(notes)}), path)
    found = status(tmp_path)
    assert (found.rows, found.processor) == (3, None)
    assert "of the processor" not in str(found)


def test_what_is_no_run(tmp_path):
    with pytest.raises(lc.BulkError, match=r"which has no manifest.json"):
        status(tmp_path)
