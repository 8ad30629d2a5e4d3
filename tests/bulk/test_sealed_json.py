import json

import pytest

import lcshap as lc
from lcshap.bulk.sealed_json import encode_sealed_json, read_sealed_json

CONTENT = {"rows": 40, "names": ["a", "ü"]}


def test_every_changed_bit_is_noticed(tmp_path):
    path = tmp_path / "complete.json"
    encoded = encode_sealed_json(CONTENT)
    path.write_bytes(encoded)
    assert read_sealed_json(path) == CONTENT
    for position in range(8 * len(encoded)):
        damaged = bytearray(encoded)
        damaged[position // 8] ^= 1 << position % 8
        path.write_bytes(bytes(damaged))
        try:
            content = read_sealed_json(path)
        except lc.errors.FileFormatError:
            continue
        # The name of the seal itself may be damaged, so that it is read as another entry of the object.
        assert "seal" not in content
        assert {name: content.get(name) for name in CONTENT} == CONTENT


def test_files_of_earlier_versions_have_no_seal(tmp_path):
    path = tmp_path / "complete.json"
    path.write_text(json.dumps(CONTENT))
    assert read_sealed_json(path) == CONTENT
    path.write_text(json.dumps({"seal": "", **CONTENT}))
    with pytest.raises(lc.errors.FileFormatError, match="the file is damaged"):
        read_sealed_json(path)
