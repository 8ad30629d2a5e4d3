"""The table of several outputs: which rows and columns it has, and what stands in its cells."""

import numpy as np
import pytest
from showing import answer, made

import lcshap as lc
from lcshap.show.heat_table import make_heat_table
from lcshap.show.notebook import to_html
from lcshap.show.terminal import render_explanation


def test_cells_are_the_scores_in_the_order_of_the_input():
    e = answer()
    heat = make_heat_table(e)
    np.testing.assert_array_equal(heat.scores, e.scores.T)
    assert heat.names == list(e.names)
    assert heat.outputs == ["It", "lives", "in (1)", "Primorye", "in (2)", "a", "wood"]
    assert (heat.limit, heat.left_out, heat.note) == (np.abs(e.scores).max(), 0, "")


def test_units_that_matter_to_no_output_are_left_out():
    scores = np.zeros((5, 2))
    scores[1, 0], scores[4, 1], scores[2, 0] = 1.0, -3.0, 0.5
    heat = make_heat_table(made(scores), top=2)
    assert heat.units.tolist() == [1, 4]
    assert heat.note == "3 units with smaller scores left out"


def test_rounding_is_zero_and_what_is_not_finite_has_a_column():
    heat = make_heat_table(made([[1.0, 1e-17], [np.nan, 0.0], [0.5, 0.0]]), top=2)
    assert heat.units.tolist() == [0, 1]
    assert heat.scores[1, 0] == 0
    assert heat.limit == 1


def test_one_output_is_refused():
    with pytest.raises(lc.errors.ShowError, match="Expected an explanation of several outputs, got one output"):
        make_heat_table(made([1.0, 2.0]))


def test_a_terminal_has_a_line_for_each_of_many_outputs():
    lines = render_explanation(answer(), 60).splitlines()
    line = next(line for line in lines if line.startswith("Primorye"))
    assert line.split()[1] == "Primorye."
    assert max(map(len, lines)) <= 60
    assert lines[0].endswith("of It, lives, in, Primorye, in,")  # not all of them: they stand below
    assert "and 2 others" in " ".join(lines[:3])


def test_a_notebook_has_a_row_for_each_of_many_outputs():
    e = answer()
    page = to_html(e)
    assert page.count("<tr>") == 8
    assert f'title="lives: {e.scores[2, 1]:+.3f}"' in page
    assert "<em>" not in page  # a sentence about one output would be about none of these
