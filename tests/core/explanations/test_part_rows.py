"""The rows of parts are tested with the parts of bulk runs, in tests/bulk/test_part_files.py."""

import pyarrow as pa
from explanation_sets import failed, text_explanations

from lcshap.core.explanations.part_rows import decode_row, encode_table, explanation_cells, format_error, part_schema


def test_a_row_and_back():
    for e in text_explanations():
        row = {**dict.fromkeys(part_schema(False).names), **explanation_cells(e)}
        assert decode_row(row, "a row") == e
        assert decode_row(row, "a row").rows is None
        assert decode_row({**row, "rows": 7}, "a row").rows == 7


def test_errors_in_one_line():
    assert format_error(failed()) == "Expected a text, got nothing."
    assert format_error(KeyError("a\nb")) == "KeyError: 'a\\nb'"


def test_notes_are_in_the_metadata():
    encoded = encode_table(pa.table({"a": [1]}), {"b": "c"})
    assert pa.parquet.read_table(pa.BufferReader(encoded)).schema.metadata == {b"b": b"c"}
