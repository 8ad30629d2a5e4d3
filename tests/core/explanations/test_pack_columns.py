from dataclasses import replace

import numpy as np
import pytest
from explanation_sets import failed, odd_explanations, row_explanations, text_explanations

import lcshap as lc
from lcshap.core.explanations.object_columns import TableRows
from lcshap.core.explanations.pack_columns import pack
from lcshap.core.serialize import to_dict


def contents(outcomes):
    return [outcome if isinstance(outcome, Exception) else {**to_dict(outcome)} for outcome in outcomes]


@pytest.mark.parametrize("outputs", [None, 2])
def test_explanations_of_every_kind_come_back_equal_field_by_field(outputs):
    error = failed()
    outcomes = [*odd_explanations(), error, *row_explanations(3, outputs)]
    columns = pack(outcomes)
    assert contents(columns) == contents(outcomes)
    assert [type(e) for e in columns] == [type(e) for e in outcomes]


def test_rows_of_one_table_have_one_matrix_and_one_graph():
    columns = pack(list(row_explanations(6)))
    assert isinstance(columns.views, TableRows)
    assert len(columns.different_graphs) == 1
    assert columns.provenance["method"].codes is None
    assert columns.provenance["targets"].objects == (["no"], ["yes"])


def test_a_row_without_a_view_stays_without():
    with_view, other = row_explanations(2)
    without = replace(other, view=None)
    assert [e.view for e in pack([with_view, failed(), without]) if not isinstance(e, Exception)] == [
        with_view.view,
        None,
    ]


def test_texts_are_not_padded():
    explanations = text_explanations()
    columns = pack(explanations)
    assert len(columns.scores.values) == sum(e.graph.d for e in explanations)


def test_what_is_no_explanation_is_refused_with_its_position():
    (e,) = row_explanations(1)
    with pytest.raises(lc.errors.OptionError, match="NoneType at position 1"):
        pack([e, None])


def test_numbers_cannot_be_written_to():
    e = pack(list(row_explanations(2))).explanation(0)
    with pytest.raises(ValueError, match="read-only"):
        e.scores[0] = 1
    assert np.isfinite(e.scores).all()
