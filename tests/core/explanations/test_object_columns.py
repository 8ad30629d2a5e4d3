import numpy as np
from explanation_sets import row_explanations
from hypothesis import given
from hypothesis import strategies as st

import lcshap as lc
from lcshap.core.explanations.object_columns import CodedColumn, TableRows
from lcshap.core.views import TextView

OBJECTS = st.none() | st.integers(0, 2) | st.booleans() | st.lists(st.sampled_from("ab"), max_size=2)


@given(objects=st.lists(OBJECTS, max_size=9), data=st.data())
def test_a_column_returns_the_objects_and_stores_equal_ones_once(objects, data):
    column = CodedColumn.of(objects)
    assert [column.get(row) for row in range(len(objects))] == objects
    present = [entry for entry in objects if entry is not None]
    assert len(column.objects) == len({(type(entry), repr(entry)) for entry in present})
    numbers = data.draw(st.lists(st.integers(0, len(objects) - 1), max_size=9)) if objects else []
    taken = column.take(np.array(numbers, np.intp))
    assert [taken.get(row) for row in range(len(numbers))] == [objects[number] for number in numbers]
    assert len(taken.objects) <= len(column.objects)


def test_true_and_one_are_different_objects():
    column = CodedColumn.of([1, True, 1.0])
    assert [type(column.get(row)) for row in range(3)] == [int, bool, float]


def test_an_object_may_be_none_if_something_else_stands_for_no_object():
    absent = object()
    column = CodedColumn.of([None, absent], absent)
    assert column.has(0)
    assert not column.has(1)


def test_graphs_are_equal_by_structure_and_names():
    graphs = [lc.Graph.chain(2), lc.Graph.chain(2), lc.Graph.chain(2, ["a", "b"]), lc.Graph.complete(2)]
    assert len(CodedColumn.of(graphs).objects) == 3


def test_a_column_without_objects_is_none():
    assert CodedColumn.listed([None, None]) is None
    assert CodedColumn.listed([]) is None


def test_rows_of_a_table_give_their_views_back():
    views = [e.view for e in row_explanations(4)]
    table = TableRows.of([*views, None], failed={4})
    assert table.values.shape == (5, 3)
    assert [table.get(row) for row in range(4)] == views
    assert [table.take(np.array([2, 0])).get(row) for row in range(2)] == [views[2], views[0]]
    assert [table.take(slice(1, 3)).get(row) for row in range(2)] == views[1:3]


def test_views_of_other_kinds_and_of_different_tables_are_no_rows():
    views = [e.view for e in row_explanations(2)]
    assert TableRows.of([views[0], views[1].grouped([0, 0, 1])]) is None
    assert TableRows.of([TextView(text="a", spans=[[0, 1]], labels=[0])]) is None
    assert TableRows.of([views[0], None]) is None
    assert TableRows.of([None]) is None
    assert TableRows.of([]) is None
