import io

import numpy as np
import pandas as pd
import pytest
from explanation_sets import array_set, failed, frame, odd_explanations, row_explanations

import lcshap as lc
from lcshap.core.explanations.pack_columns import pack
from lcshap.core.explanations.parquet_set import write_parquet_set
from lcshap.core.explanations.shared_layout import encode_shared, is_shared
from lcshap.errors import OptionError


def test_rows_of_a_table_share_their_records_and_others_do_not():
    assert is_shared(pack([*row_explanations(3), failed()]))
    assert is_shared(pack([]))
    assert is_shared(pack([failed()]))
    for e in odd_explanations()[:2]:
        assert not is_shared(pack([e]))
    for e in odd_explanations()[2:4]:  # with interactions
        assert is_shared(pack([e, failed(), e]))
    assert not is_shared(pack([*row_explanations(1), *row_explanations(1, 2)]))


def test_the_shared_record_is_written_once():
    xs, *_ = array_set(50, data=frame(50), method="a method with a long name")
    content = write_parquet_set(xs._columns)
    assert content.count(b"a method with a long name") == 2  # its method and its name
    table, notes = encode_shared(xs._columns)
    assert table.column("record").null_count == 50
    assert notes["graph"]["names"] == ["age", "dose", "city"]


def test_other_programs_read_the_feature_values_beside_the_scores():
    people = frame(5)
    xs, scores, base = array_set(5, data=people, calls=8)
    table = pd.read_parquet(io.BytesIO(write_parquet_set(xs._columns)))
    assert table["value:age"].tolist() == people["age"].tolist()
    assert table["text:city"].tolist() == people["city"].tolist()
    np.testing.assert_array_equal(np.stack(table["scores"]), scores)
    assert table["base_value"].tolist() == base.tolist()
    assert table["names"][4].tolist() == ["age", "dose", "city"]
    assert table["calls"].tolist() == [8] * 5


def test_columns_of_the_same_name():
    xs, *_ = array_set(2, names=["a", "a", "a#2"], data=np.arange(6.0).reshape(2, 3))
    table = pd.read_parquet(io.BytesIO(write_parquet_set(xs._columns)))
    assert [name for name in table if name.startswith("value:")] == ["value:a", "value:a#2", "value:a#2#2"]


def test_a_provenance_that_json_cannot_hold_is_refused():
    xs, *_ = array_set(2, provenance={"model": object()})
    with pytest.raises(OptionError, match="plain data"):
        encode_shared(xs._columns)


def test_many_different_entries_are_a_column_of_json():
    xs = lc.Explanations(list(row_explanations(3)))
    different = lc.Explanations([_with_prediction(e, k / 1000) for k, e in enumerate(list(xs) * 100)])
    table, notes = encode_shared(different._columns)
    assert notes["provenance"]["prediction"] == {"objects": None}
    assert table.column("provenance:prediction")[7].as_py() == '[["no", 0.007]]'


def _with_prediction(e, share):
    return lc.Explanation(**{**vars(e), "provenance": {**e.provenance, "prediction": [["no", share]]}})
