"""The different rows of coalitions: their keys, which coalition has which, and how some of them are made."""

import numpy as np

import lcshap as lc
from lcshap.maskers import DistinctRows, Tabular, Text

SETS = lc.Coalitions.from_sets(3, [[0], [1], [0, 1], [2], [1]])
KEYS = [key * 16 for key in (b"a", b"b", b"a", b"c", b"b")]


def test_keys_come_in_the_order_of_their_first_coalitions():
    distinct = DistinctRows.by_coalition(SETS, KEYS, rows=["one", "two", "one", "three", "two"])
    assert distinct.keys == [KEYS[0], KEYS[1], KEYS[3]]
    assert distinct.index.tolist() == [0, 1, 0, 2, 1]
    assert list(distinct.coalitions) == [(0,), (1,), (2,)]
    assert distinct.make(np.array([2, 0])) == ["three", "one"]


def test_rows_that_all_differ_need_no_index():
    distinct = DistinctRows.by_coalition(SETS[:2], KEYS[:2], rows_per_key=4)
    assert distinct.index is distinct.make is distinct.lengths is None
    assert (len(distinct), distinct.rows_per_key, distinct.copies) == (2, 4, 1)
    assert len(DistinctRows.by_coalition(SETS[:0], [])) == 0


def test_rows_of_a_table_are_made_one_by_one_where_its_background_agrees():
    background = np.array([[0.0, 1, 2], [0, 1, 3], [0, 4, 2]])
    masked = Tabular(background).mask([5.0, 1.0, 2.0])
    sets = lc.Coalitions.from_sets(3, [[], [1, 2], [0]])
    distinct, rows = masked.distinct(sets), masked.rows(sets)
    assert distinct.rows_per_key == distinct.copies == 1
    np.testing.assert_array_equal(distinct.make(distinct.index), rows)
    assert len(distinct) == len(np.unique(rows, axis=0)) < len(rows)


def test_the_full_row_of_a_table_is_made_once_and_stored_for_all_background_rows():
    masked = Tabular(np.arange(21.0).reshape(7, 3) / 8).mask([5.0, 6.0, 7.0])
    full = lc.Coalitions.from_sets(3, [[0, 1, 2], [0, 1, 2]])
    distinct = masked.distinct(full)
    assert (len(distinct), distinct.rows_per_key, distinct.copies) == (1, 1, 7)
    assert distinct.make(np.array([0])).tolist() == [[5.0, 6.0, 7.0]]
    assert masked.distinct(full[:1]).keys == masked.distinct(lc.Coalitions.from_sets(3, [[0], range(3)])).keys[1:]


def test_rows_of_texts_are_those_of_their_coalitions():
    masked = Text().mask("bad bad film")
    sets = lc.Coalitions.from_sets(3, [[0], [0, 2], [1], [1, 2]])
    assert masked.distinct(sets).make(masked.distinct(sets).index) == masked.rows(sets)
