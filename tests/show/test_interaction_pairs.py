"""Pairs that interact, with standard errors: which are sure, and where they are shown."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import special

import lcshap as lc
from lcshap.core.pair_matrices import pair_matrix
from lcshap.show.interaction_pairs import (
    faded_interactions,
    interaction_caption,
    interaction_note,
    largest_pairs,
    pairs_of,
)
from lcshap.show.notebook import to_html
from lcshap.show.plots.molecule_plot import bond_scores
from lcshap.show.plots.network import edge_values
from lcshap.show.terminal import render_explanation

NAMES = ["not", "a", "<good>", "film"]
PAIRS = np.array([[0, 1], [0, 2], [1, 3], [2, 3]])
VALUES, ERRORS = np.array([0.5, -2.0, 0.0, 1.0]), np.array([0.4, 0.25, 0.1, 0.1])


def make_explanation(errors=ERRORS, dof=10):
    graph = lc.Graph.chain(4, names=NAMES)
    e = lc.GraphKernelSHAP(12).explain(lc.Game(lambda kept: kept @ [1.0, 2.0, -3.0, 0.5], 4), graph)
    stderr = None if errors is None else pair_matrix(graph, errors, PAIRS)
    return replace(e, interactions=pair_matrix(graph, VALUES, PAIRS), interaction_stderr=stderr, dof=dof)


def test_which_are_sure():
    pairs = pairs_of(make_explanation())
    assert pairs.units.tolist() == PAIRS.tolist()
    assert pairs.values.tolist() == VALUES.tolist()
    assert pairs.stderr.tolist() == ERRORS.tolist()
    assert pairs.insignificant.tolist() == (np.abs(VALUES) <= special.stdtrit(10, 0.975) * ERRORS).tolist()
    assert pairs.by_magnitude == [1, 3]
    assert pairs_of(make_explanation(dof=0)).by_magnitude == []
    assert pairs_of(make_explanation(np.full(4, np.inf))).by_magnitude == []
    assert pairs_of(make_explanation(None)).stderr is None
    assert pairs_of(make_explanation(None)).by_magnitude == [1, 3, 0]
    assert pairs_of(replace(make_explanation(), interactions=None, interaction_stderr=None)) is None


def test_a_matrix_with_less_for_those_in_doubt():
    pairs = pairs_of(make_explanation())
    expected = np.zeros((4, 4))
    for (one, other), value, faint in zip(PAIRS, VALUES, pairs.insignificant, strict=True):
        expected[one, other] = expected[other, one] = 0.3 * value if faint else value
    assert faded_interactions(make_explanation()).toarray().tolist() == expected.tolist()
    np.testing.assert_allclose(edge_values(make_explanation()), [0.15, 0, 1])  # of the edges 0-1, 1-2, 2-3
    assert edge_values(make_explanation(None)).tolist() == [0.5, 0, 1]


def test_figures_name_the_largest_with_its_standard_error_and_count_those_in_doubt():
    lines = interaction_caption(make_explanation(), "edges", "2").splitlines()
    name, value = largest_pairs(make_explanation())[0]
    assert "±" in value
    assert lines[:2] == ["edges: interactions, ±2", f"the largest: {name} {value}"]
    assert lines[2] == "Faint: the 95 % interval includes zero (2 of 4 pairs)"
    assert (
        interaction_caption(make_explanation(), "arcs", "2", left_out=True)
        .splitlines()[2]
        .startswith("arcs not drawn: the 95 %")
    )
    assert interaction_caption(make_explanation(np.full(4, 9.0)), "arcs", "", left_out=True).startswith(
        "arcs not drawn: the 95 %"
    )
    assert interaction_caption(make_explanation(None), "edges", "2") == "edges: interactions, ±2"


def test_rounding_errors_are_not_drawn():
    e = replace(make_explanation(None), interactions=make_explanation().interactions * 1e-9)
    assert edge_values(e).tolist() == [0, 0, 0]


def test_bonds_in_doubt_are_faint():
    pytest.importorskip("rdkit")
    from rdkit import Chem

    assert bond_scores(make_explanation(), Chem.MolFromSmiles("CCCC"), np.arange(4)) == pytest.approx(
        {0: 0.15, 1: 0, 2: 1}
    )


def test_tables_have_standard_errors():
    rows = [("not + <good>", "-2.000 ± 0.250"), ("<good> + film", "+1.000 ± 0.100")]
    assert largest_pairs(make_explanation()) == rows
    assert (
        interaction_note(make_explanation())
        == "largest interactions of 4 pairs, with standard errors; the 95 % intervals of 2 include zero"
    )
    assert interaction_note(make_explanation(None)) == "largest interactions of 4 pairs"
    text = render_explanation(make_explanation(), width=100)
    assert (
        f"{interaction_note(make_explanation())}\nnot + <good>   -2.000 ± 0.250\n<good> + film  +1.000 ± 0.100\n"
        in text
    )
    page = to_html(make_explanation())
    assert re.search(r"not \+ &lt;good&gt;</th><td>-2.000 ± 0.250<", page)
    assert "<good>" not in page
    without = replace(make_explanation(), interactions=None, interaction_stderr=None)
    assert "interactions of" not in render_explanation(without) + to_html(without)


def test_rounding_errors_are_not_listed():
    e = make_explanation(None)
    assert largest_pairs(replace(e, interactions=e.interactions * 1e-15)) == []
