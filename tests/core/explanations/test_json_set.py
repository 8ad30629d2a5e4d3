import json

import pytest
from explanation_sets import failed, odd_explanations, row_explanations

import lcshap as lc
from lcshap.core.explanations.json_set import write_json_set
from lcshap.errors import FileFormatError, OptionError


def test_explanations_of_every_kind_come_back(tmp_path):
    outcomes = [e for e in odd_explanations() if e.scores.dtype == float]
    xs = lc.Explanations([*outcomes, failed()])
    loaded = lc.load(xs.save(tmp_path / "xs.json"))
    assert isinstance(loaded, lc.Explanations)
    assert loaded == xs
    assert loaded.calls[:-1].tolist() == xs.calls[:-1].tolist()


def test_an_empty_set(tmp_path):
    assert lc.load(lc.Explanations().save(tmp_path / "xs.json")) == []


def test_every_changed_byte_is_noticed(tmp_path):
    content = write_json_set(list(row_explanations(1)))
    path = tmp_path / "xs.json"
    for position in range(0, len(content), 7):
        changed = bytearray(content)
        changed[position] ^= 1
        path.write_bytes(changed)
        with pytest.raises(FileFormatError):
            lc.load(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"version": 2}, "Update lcshap"), ({"seal": ""}, "seal"), ({"explanations": [3]}, "digest")],
)
def test_other_files_are_refused(tmp_path, change, message):
    content = json.loads(write_json_set(list(row_explanations(1))))
    path = tmp_path / "xs.json"
    path.write_text(json.dumps({**content, **change}))
    with pytest.raises(FileFormatError, match=message):
        lc.load(path)


def test_records_that_json_cannot_hold_are_refused():
    (e,) = row_explanations(1)
    e.provenance["model"] = object()
    with pytest.raises(OptionError, match="Change its provenance"):
        write_json_set([e])
