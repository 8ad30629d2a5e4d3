"""Tables against loops over cells: backgrounds, names, pinned and dropped columns, graphs, errors."""

import importlib
import subprocess
import sys

import numpy as np
import pytest

import lcshap as lc
from lcshap.errors import MaskerError
from lcshap.maskers.tabular import Tabular

RNG = np.random.default_rng(0)
X = np.array([10.0, 20.0, 30.0, 40.0, 50.0])
ROWS = RNG.normal(size=(4, 5))
NAMES = ("age", "dose", "sex", "weight", "pulse")


class Frame:
    """What a pandas DataFrame is to us."""

    def __init__(self, values, columns):
        self.values, self.columns, self.index = values, columns, range(len(values))

    def to_numpy(self):
        return np.asarray(self.values)


class Series:
    """What a pandas Series is to us."""

    def __init__(self, values, index):
        self.values, self.index = values, index

    def to_numpy(self):
        return np.asarray(self.values, object)


def coalitions(d, n=9):
    """Random ones, ∅ and V, some stored by what they keep and some by what they lack."""
    kept = RNG.random((n, d)) < RNG.random((n, 1))
    kept[0], kept[1] = False, True
    lacking = lc.Coalitions.from_dense(~kept)
    lacking = lc.Coalitions(d, lacking.indices, lacking.offsets, np.ones(n, bool))
    return lc.Coalitions.concat([lc.Coalitions.from_dense(kept), lacking])


def check_rows(masked, x, background, pinned=(), dropped=()):
    """Cell by cell."""
    units = [i for i in range(len(x)) if i not in pinned and i not in dropped]
    sets = coalitions(len(units))
    expected = []
    for kept in sets:
        present = {units[u] for u in kept} | set(pinned)
        for row in np.atleast_2d(background):
            expected.append([x[i] if i in present else row[i] for i in range(len(x))])
    rows = masked.rows(sets)
    assert masked.graph.d == len(units)
    assert len(rows) == len(sets) * masked.rows_per_call
    np.testing.assert_array_equal(rows, np.array(expected, rows.dtype))


def chain_data(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)).cumsum(axis=1)


# -- backgrounds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "background", [ROWS, ROWS[:1], ROWS[0], ROWS.tolist(), ROWS.astype(np.float32), [0, 1, 2, 3, 4]]
)
def test_rows(background):
    masked = Tabular(background).mask(X)
    assert masked.rows_per_call == len(np.atleast_2d(background))
    assert masked.graph == lc.Graph.complete(5)
    assert masked.rows(coalitions(5)).dtype == np.float64
    check_rows(masked, X, background)


@pytest.mark.parametrize(
    ("pin", "drop", "pinned", "dropped"),
    [
        ([1], (), {1}, {}),
        ((), [0, -1], {}, {0, 4}),
        (["dose", 4], "age", {1, 4}, {0}),
        (2, np.int64(3), {2}, {3}),
        (np.array([0, 1]), ["sex", "weight"], {0, 1}, {2, 3}),
        ([1, "dose", 1], (), {1}, {}),
    ],
)
@pytest.mark.parametrize("background", [ROWS, ROWS[0]])
def test_pinned_and_dropped_columns_are_no_units(pin, drop, pinned, dropped, background):
    masked = Tabular(background, names=NAMES, pin=pin, drop=drop).mask(X)
    units = [i for i in range(5) if i not in pinned and i not in dropped]
    assert masked.graph == lc.Graph.complete(len(units), [NAMES[i] for i in units])
    assert masked.columns == NAMES
    assert masked.units.tolist() == units
    check_rows(masked, X, background, pinned, dropped)


def test_dtypes():
    sets = lc.Coalitions.from_sets(5, [[0], [1, 2]])
    for x, dtype in [
        (X, "f8"),
        (X.astype("f4"), "f4"),
        (X.astype(int), "f8"),
        (X > 20, "f8"),
        (X.astype(object), "f8"),
    ]:
        assert Tabular(ROWS).mask(x).rows(sets).dtype == dtype


def test_later_changes_to_the_arrays_do_not_matter():
    background, x = ROWS.copy(), X.copy()
    masker = Tabular(background)
    background[:] = 0
    masked = masker.mask(x)
    x[:] = 0
    check_rows(masked, X, ROWS)


def test_no_coalitions_no_rows():
    assert Tabular(ROWS).mask(X).rows(lc.Coalitions.from_sets(5, [])).shape == (0, 5)


# -- names ------------------------------------------------------------------------------------------------------------


def test_names_come_from_the_data():
    frame, series = Frame(ROWS, list(NAMES)), Series(X, list(NAMES))
    for background, x in [(frame, X), (frame, series), (ROWS, series)]:
        masked = Tabular(background).mask(x)
        assert masked.graph.names == masked.columns == NAMES
        check_rows(masked, X, ROWS)
    other_names = ["a", "b", "c", "d", "e"]
    assert Tabular(frame, names=other_names).mask(series).columns == tuple(other_names)
    assert Tabular(ROWS, graph=lc.Graph.chain(5, NAMES)).mask(X).columns == NAMES
    assert Tabular(Frame(ROWS, range(5))).mask(Series(X, range(5))).columns == ("0", "1", "2", "3", "4")
    assert Tabular(frame, pin="dose").mask(X).graph.names == ("age", "sex", "weight", "pulse")


def test_pandas_itself():
    pandas = importlib.import_module("pandas")
    data = pandas.DataFrame(ROWS, columns=NAMES)
    data["sex"] = [0, 1, 1, 0]
    data.loc[1, "weight"] = np.nan
    for background, x in [(data.to_numpy(), data.to_numpy()[2]), (Frame(data, NAMES), data.iloc[2])]:
        masked = Tabular(background, names=NAMES, drop=["pulse"]).mask(x)
        assert masked.columns == NAMES
        check_rows(masked, data.to_numpy()[2], data.to_numpy(), dropped={4})


def test_pandas_is_not_imported():
    code = "import lcshap.maskers.tabular, sys; print([m for m in ('pandas', 'sklearn') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_columns_in_another_order_are_aligned_by_name():
    mixed = ["age", "sex", "dose", "weight", "pulse"]
    reordered = Series([X[NAMES.index(name)] for name in mixed], mixed)
    graph = lc.Graph.chain(5, NAMES)
    for masker in (
        Tabular(Frame(ROWS, NAMES)),
        Tabular(ROWS, graph=graph),
        Tabular(ROWS, names=NAMES),
    ):
        masked = masker.mask(reordered)
        assert masked.columns == tuple(NAMES)
        np.testing.assert_array_equal(masked.x, X)
    message = "Expected the same columns in the same order, got 'dose' in the background and 'sex' in the graph"
    with pytest.raises(MaskerError, match=message):
        Tabular(Frame(ROWS, NAMES), graph=lc.Graph.chain(5, mixed))


# -- graphs -----------------------------------------------------------------------------------------------------------


def test_graphs():
    assert Tabular(ROWS, "complete").mask(X).graph == lc.Graph.complete(5)
    assert Tabular(ROWS, "chain").mask(X).graph == lc.Graph.chain(5)
    assert Tabular(ROWS, "chain", pin=[2]).mask(X).graph == lc.Graph.chain(4, ["0", "1", "3", "4"])
    ring = lc.Graph.ring(5, NAMES)
    assert Tabular(ROWS, ring).mask(X).graph == ring
    subgraph = Tabular(ROWS, ring, drop=["sex"]).mask(X).graph
    assert subgraph.names == ("age", "dose", "weight", "pulse")
    assert subgraph.edges.tolist() == [[0, 1], [0, 3], [2, 3]]


# -- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"graph": "tree"}, "Expected a Graph or one of 'complete', 'chain', 'learn', 'mutual-information',"),
        ({"graph": 3}, "Expected a Graph or one of 'complete', 'chain', 'learn', 'mutual-information',"),
        ({"graph": lc.Graph.chain(4)}, "Expected a graph of 5 units, one for each column of the background, got 4"),
        ({"names": ["a", "b"]}, "Expected 5 strings as names, one for each column, got"),
        ({"names": "abcde"}, "Expected 5 strings as names, one for each column, got"),
        ({"pin": [5]}, "Expected the name of a column or a number below 5, got 5"),
        ({"pin": [1.5]}, r"Expected the name of a column or a number below 5, got 1\.5"),
        ({"drop": [True, False]}, "Expected names or numbers of columns in pin and drop, got True or False"),
        ({"drop": "age"}, "Expected a name that one column has, got 'age', which 0 columns have"),
        (
            {"names": ["a", "a", "b", "c", "d"], "pin": "a"},
            "Expected a name that one column has, got 'a', which 2 columns have",
        ),
        ({"names": NAMES, "pin": "sex", "drop": [2]}, "Expected columns that are pinned or dropped, got 'sex' in both"),
        (
            {"pin": [0, 1, 2], "drop": [3, 4]},
            "Expected at least one column that is neither pinned nor dropped, got none of 5",
        ),
        ({"background": np.zeros((2, 2, 2))}, r"got an array of shape \(2, 2, 2\)"),
        ({"background": 3.0}, r"got an array of shape \(\)"),
        ({"background": np.zeros((0, 5))}, r"Expected a background with values, got shape \(0, 5\)"),
        ({"background": ["a", "b"]}, r"Expected numbers in the background, got other values \(<U1\)"),
        (
            {"background": np.zeros(3, complex)},
            r"Expected numbers in the background, got other values \(complex128\).*pandas.*polars.*DataFrame",
        ),
        (
            {"background": [[0.0, np.nan], [1.0, np.nan]]},
            "Expected a value in at least one row of every column of the background, got none in",
        ),
        (
            {"background": [[0.0, 1.0], [np.inf, 2.0]], "names": ["a", "b"]},
            "Expected finite numbers in the background, got an infinite one in column 'a'",
        ),
        ({"background": {"a": [1]}}, "got a mapping. Give a DataFrame"),
        ({"groups": "hot"}, 'from names to columns or "one-hot" as groups, got .hot.'),
        ({"groups": {"both": [0, 1], "more": [1]}}, "for the group 'more', got column 1, which is in another group"),
        ({"groups": {"both": [0, 1]}, "pin": [1]}, "got column 1, which is in another group, pinned or dropped"),
        ({"groups": {"none": []}}, "for the group 'none', got no columns"),
        ({"groups": {"both": [0, 9]}}, "Expected the name of a column or a number below 5, got 9"),
        ({"summary": 5}, "Expected a number of rows from 1 to 4, those of the data, got 5"),
        ({"summary": 0}, "got 0"),
    ],
)
def test_fields_are_checked(fields, message):
    with pytest.raises(MaskerError, match=message):
        Tabular(**{"background": ROWS, **fields})


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (X[:4], "Expected x with 5 columns, as the background has, got 4"),
        (X[None], r"Expected x as one row of 5 numbers, got shape \(1, 5\)"),
        (
            Series([1, 2, "high", 4, 5], NAMES),
            r"Expected numbers in x, got other values \(could not convert string to float: 'high'\)",
        ),
        ([1, 2, np.inf, 4, 5], "Expected finite numbers in x, got an infinite one in column 'sex'"),
        (None, "Expected a row of numbers as x, got None"),
        (
            {"age": 1},
            "Expected x to have the columns of the background, got one without 'dose', 'sex', 'weight',",
        ),
    ],
)
def test_what_is_no_row(x, message):
    with pytest.raises(MaskerError, match=message):
        Tabular(ROWS, names=NAMES).mask(x)


def test_a_list_of_numbers_is_one_row():
    masker = Tabular([0.0, 0.0])
    explainer = lc.Explainer(lambda rows: rows.sum(axis=1), masker, lc.Shapley(), kind="output")
    assert explainer([1.0, 2.0]).scores.tolist() == [1.0, 2.0]
    assert [e.scores.tolist() for e in explainer([[1.0, 2.0], (3.0, 4.0)])] == [[1.0, 2.0], [3.0, 4.0]]
    assert explainer([]) == []


def test_a_dict_is_read_by_the_names_that_an_array_was_given():
    masker = Tabular([[0.0, 0.0], [1.0, 1.0]], names=["age", "dose"])
    masked = masker.mask({"dose": 5.0, "age": 70.0})
    assert masked.rows(lc.Coalitions.from_sets(2, [[0, 1]]))[0].tolist() == [70.0, 5.0]
    with pytest.raises(MaskerError, match="no names"):
        Tabular([0.0, 0.0]).mask({"dose": 5.0, "age": 70.0})
