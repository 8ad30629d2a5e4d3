import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from explanation_sets import array_set, failed, frame, row_explanations

import lcshap as lc
from lcshap.core.explanations.part_rows import encode_table
from lcshap.core.explanations.shared_layout import encode_shared
from lcshap.core.file_seal import OPEN_SEAL, seal
from lcshap.errors import FileFormatError

PAIRS = np.ones((6, 3, 3)) - np.eye(3)
SETS = {
    "numbers": array_set(data=np.ones((6, 3)), calls=range(6), rows=3, stderr=np.full((6, 3), np.inf), dof=4)[0],
    "no data": array_set()[0],
    "float32": array_set(data=np.ones((6, 3), np.float32), copy=False)[0],
    "gaps": array_set(data=np.array([[1, np.nan, 2]] * 6))[0],
    "frame": array_set(data=frame(6), graph=lc.Graph.chain(3))[0],
    "outputs": array_set(outputs=2, targets=["a", "b"], stderr=np.ones((6, 3, 2)))[0],
    "interactions": array_set(interactions=PAIRS)[0],
    "pairs of outputs": array_set(outputs=2, interactions=np.stack([PAIRS, 2 * PAIRS], axis=3))[0],
    "targets": array_set(targets=list("abcabc"))[0],
    "rows": lc.Explanations([failed(), *row_explanations(3), failed()]),
    "several": lc.Explanations([*row_explanations(3, 2), failed()]),
    "only errors": lc.Explanations([failed()]),
    "empty": lc.Explanations(),
    "empty arrays": array_set(0)[0],
    "surrogates": array_set(names=["a\ud800", "b", "c"])[0],
}


@pytest.mark.parametrize("name", SETS)
def test_everything_comes_back(tmp_path, name):
    xs = SETS[name]
    loaded = lc.load(xs.save(tmp_path / "xs.parquet"))
    assert loaded == xs
    assert [getattr(e, "rows", None) for e in loaded] == [getattr(e, "rows", None) for e in xs]
    np.testing.assert_array_equal(loaded.scores, xs.scores)
    if isinstance(xs.data, np.ndarray):
        assert loaded.data.dtype == xs.data.dtype
    assert loaded[::-1] == list(xs)[::-1]
    assert lc.load(loaded.save(tmp_path / "again.parquet")) == xs


def test_many_different_entries_come_back(tmp_path):
    xs = lc.Explanations(list(row_explanations(2)) * 200)
    different = lc.Explanations(
        [replace(e, provenance={**e.provenance, "share": k / 7}) for k, e in enumerate(xs)] + [failed()]
    )
    loaded = lc.load(different.save(tmp_path / "xs.parquet"))
    assert loaded == different
    assert lc.load(loaded[5:300].save(tmp_path / "xs.parquet")) == different[5:300]


def write(path, change_table=None, **change_notes):
    """Write a file as lcshap does, with some of its content changed before it is sealed."""
    xs = lc.Explanations([*row_explanations(3), failed()])
    table, notes = encode_shared(xs._columns)
    table = table if change_table is None else change_table(table)
    notes = {"format": "lcshap-explanations", "version": 1, "layout": "shared", **notes, **change_notes}
    path.write_bytes(seal(encode_table(table, {"lcshap": json.dumps(notes), "lcshap-seal": OPEN_SEAL})))
    return path


def column(name, values, kind=None):
    return lambda table: table.set_column(table.schema.get_field_index(name), name, pa.array(values, kind))


NUMBERS = [[1.0, 2.0, 3.0]] * 3


@pytest.mark.parametrize(
    "change",
    [
        column("scores", [*NUMBERS, [1.0]]),
        column("scores", [[1.0], [1.0], [1.0], None]),
        column("scores", [[np.inf, 1, 2], *NUMBERS[1:], None]),
        column("scores", [1.0] * 4),
        column("scores", ["a"] * 4),
        column("stderr", [[-1.0] * 3, None, None, None]),
        column("stderr", [[np.nan] * 3, None, None, None]),
        column("stderr", [[1.0] * 2, None, None, None]),
        column("base_value", [1.0, 2.0, None, None]),
        column("base_value", [1.0, 2.0, 3.0, 4.0]),
        column("full_value", [1.0, np.nan, 3.0, None]),
        column("calls", [1, 2, 3, 4]),
        column("calls", [1, 2, None, None]),
        column("calls", [-2, 2, 3, None]),
        column("calls", [1.5, 2, 3, None]),
        column("dof", [-7, None, None, None], pa.int64()),
        column("error", [1, 2, 3, 4]),
        column("value:age", [1.0, None, 2.0, 3.0]),
        column("value:age", [np.inf] * 4),
        column("value:age", ["a"] * 4),
        column("text:city", [1] * 4),
        column("provenance:targets", [5, 0, 0, 0], pa.int32()),
        column("provenance:targets", [-2, 0, 0, 0], pa.int32()),
        column("provenance:targets", [None, 0, 0, 0], pa.int32()),
        lambda table: table.drop_columns(["scores"]),
        lambda table: table.drop_columns(["value:age"]),
        lambda table: table.drop_columns(["text:city"]),
        lambda table: table.drop_columns(["error_type"]),
    ],
)
def test_columns_that_do_not_fit_are_refused(tmp_path, change):
    with pytest.raises(FileFormatError, match="damaged"):
        lc.load(write(tmp_path / "xs.parquet", change))


@pytest.mark.parametrize(
    "notes",
    [
        {"graph": None},
        {"graph": {"d": 2}},
        {"graph": 3},
        {"outputs": 2},
        {"outputs": -1},
        {"table": {}},
        {"table": {"columns": ["age"], "labels": 3}},
        {"provenance": 3},
        {"provenance": {"a": {"objects": []}}},
        {"provenance": {"a": {"objects": None}}},
        {"layout": "other"},
        {"version": 2},
        {"version": "1"},
    ],
)
def test_metadata_that_do_not_fit_are_refused(tmp_path, notes):
    with pytest.raises(FileFormatError):
        lc.load(write(tmp_path / "xs.parquet", **notes))


def with_pairs(path, pairs, interactions, stderr):
    def change(table):
        table = table.append_column("interactions", pa.array(interactions, pa.list_(pa.float64())))
        return table.append_column("interaction_stderr", pa.array(stderr, pa.list_(pa.float64())))

    return write(path, change, pairs=pairs)


TWO_PAIRS, GOOD, NO_NUMBERS = [[0, 1], [1, 2]], [[1.0, 2.0], None, [3.0, 4.0], None], [None] * 4


def test_numbers_of_pairs_are_read(tmp_path):
    xs = lc.load(with_pairs(tmp_path / "xs.parquet", TWO_PAIRS, GOOD, [[np.inf, 1.0], None, None, None]))
    assert xs[2].interactions.toarray().tolist() == [[0, 3, 0], [3, 0, 4], [0, 4, 0]]
    assert xs[1].interactions is None
    assert xs[0].interaction_stderr[0, 1] == np.inf
    assert xs[2].interaction_stderr is None


@pytest.mark.parametrize(
    ("pairs", "interactions", "stderr"),
    [
        pytest.param([[0, 1], [0, 3]], GOOD, NO_NUMBERS, id="a unit that does not exist"),
        pytest.param([[0, 1], [2, 1]], GOOD, NO_NUMBERS, id="the larger unit first"),
        pytest.param([[0, 1], [0, 1]], GOOD, NO_NUMBERS, id="a pair twice"),
        pytest.param([[0, 1]], GOOD, NO_NUMBERS, id="too few pairs"),
        pytest.param("pairs", GOOD, NO_NUMBERS, id="no list of pairs"),
        pytest.param(TWO_PAIRS, [[1.0], None, None, None], NO_NUMBERS, id="too few numbers"),
        pytest.param(TWO_PAIRS, [[1.0, np.nan], None, None, None], NO_NUMBERS, id="not a number"),
        pytest.param(TWO_PAIRS, [None, None, None, [1.0, 2.0]], NO_NUMBERS, id="an input that failed"),
        pytest.param(TWO_PAIRS, GOOD, [[-1.0, 2.0], None, None, None], id="a negative standard error"),
    ],
)
def test_numbers_of_pairs_that_do_not_fit_are_refused(tmp_path, pairs, interactions, stderr):
    with pytest.raises(FileFormatError, match="damaged"):
        lc.load(with_pairs(tmp_path / "xs.parquet", pairs, interactions, stderr))


def test_the_unchanged_file_is_read(tmp_path):
    assert len(lc.load(write(tmp_path / "xs.parquet"))) == 4
    assert pq.read_metadata(tmp_path / "xs.parquet").num_rows == 4
