import numpy as np
import pytest
from explanation_sets import failed, odd_explanations

import lcshap as lc
from lcshap.core.explanations.stored_rows import StoredRows, encode_rows
from lcshap.errors import FileFormatError, OptionError

OUTCOMES = [*(e for e in odd_explanations() if e.scores.dtype == float), failed(), KeyError("gone")]


@pytest.mark.parametrize("several", [False, True])
def test_rows_of_every_kind_come_back(several):
    rows = StoredRows(encode_rows(iter(OUTCOMES), several), "a file")
    assert len(rows) == len(OUTCOMES)
    assert rows.loaded is None
    xs = lc.Explanations.from_storage(rows)
    assert lc.Explanations(list(xs)[:-1]) == OUTCOMES[:-1]
    assert xs[-2:0:-3] == OUTCOMES[-2:0:-3]
    assert [e.rows for e in xs if isinstance(e, lc.Explanation)] == [
        e.rows for e in OUTCOMES if isinstance(e, lc.Explanation)
    ]
    assert str(xs[-1]) == "KeyError: 'gone'"
    assert sorted(xs.errors) == [len(OUTCOMES) - 2, len(OUTCOMES) - 1]
    assert "when they are needed" in repr(xs)
    assert rows.columns() is rows.columns() is rows.loaded
    assert "failed" in repr(xs)


def test_rows_are_not_decoded_before_they_are_needed():
    table = encode_rows(iter(OUTCOMES[:2]), False)
    records = table.column("record").to_pylist()
    position = table.schema.get_field_index("record")
    broken = table.set_column(position, "record", [[records[0], "{}"]])
    xs = lc.Explanations.from_storage(StoredRows(broken, "a file"))
    assert xs[0] == OUTCOMES[0]
    with pytest.raises(FileFormatError, match="row 1 of a file"):
        _ = xs[1]
    assert len(xs[np.array([0])]) == 1


def test_records_that_json_cannot_hold_are_refused():
    e = odd_explanations()[0]
    e.provenance["model"] = object()
    with pytest.raises(OptionError, match="Change its provenance"):
        encode_rows(iter([e]), False)
