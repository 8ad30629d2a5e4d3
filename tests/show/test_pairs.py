"""Pairs that interact, with standard errors: which are sure, and where they are shown."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import special

import lcshap as lc
from lcshap.core.explanation import edge_matrix
from lcshap.show.notebook import to_html
from lcshap.show.pairs import caption, drawn_pairs, largest_pairs, note, pairs_of
from lcshap.show.plots.molecule import bond_scores
from lcshap.show.plots.network import edge_values
from lcshap.show.terminal import render

NAMES = ["not", "a", "<good>", "film"]
PAIRS = np.array([[0, 1], [0, 2], [1, 3], [2, 3]])
VALUES, ERRORS = np.array([0.5, -2.0, 0.0, 1.0]), np.array([0.4, 0.25, 0.1, 0.1])


def made(errors=ERRORS, freedom=10):
    graph = lc.Graph.chain(4, names=NAMES)
    e = lc.GraphKernelSHAP(12).explain(lc.Game(lambda kept: kept @ [1.0, 2.0, -3.0, 0.5], 4), graph)
    known = None if errors is None else edge_matrix(graph, errors, PAIRS)
    return replace(e, interactions=edge_matrix(graph, VALUES, PAIRS), interaction_stderr=known, freedom=freedom)


def test_which_are_sure():
    found = pairs_of(made())
    assert found.units.tolist() == PAIRS.tolist()
    assert found.values.tolist() == VALUES.tolist()
    assert found.stderr.tolist() == ERRORS.tolist()
    assert found.faint.tolist() == (np.abs(VALUES) <= special.stdtrit(10, 0.975) * ERRORS).tolist()
    assert found.leading == [1, 3]
    assert pairs_of(made(freedom=0)).leading == []
    assert pairs_of(made(np.full(4, np.inf))).leading == []
    assert pairs_of(made(None)).stderr is None
    assert pairs_of(made(None)).leading == [1, 3, 0]
    assert pairs_of(replace(made(), interactions=None, interaction_stderr=None)) is None


def test_a_matrix_with_less_for_those_in_doubt():
    found = pairs_of(made())
    wanted = np.zeros((4, 4))
    for (one, other), value, faint in zip(PAIRS, VALUES, found.faint, strict=True):
        wanted[one, other] = wanted[other, one] = 0.3 * value if faint else value
    assert drawn_pairs(made()).toarray().tolist() == wanted.tolist()
    np.testing.assert_allclose(edge_values(made()), [0.15, 0, 1])  # of the edges 0-1, 1-2, 2-3
    assert edge_values(made(None)).tolist() == [0.5, 0, 1]


def test_figures_name_the_largest_with_its_standard_error_and_count_those_in_doubt():
    lines = caption(made(), "edges", "2").splitlines()
    name, value = largest_pairs(made())[0]
    assert "±" in value
    assert lines[:2] == ["edges: interactions, ±2", f"the largest: {name} {value}"]
    assert lines[2] == "faint: the 95 % interval holds 0 (2 of 4 pairs)"
    assert caption(made(), "arcs", "2", left_out=True).splitlines()[2].startswith("arcs not drawn: the 95 %")
    assert caption(made(np.full(4, 9.0)), "arcs", "", left_out=True).startswith("arcs not drawn: the 95 %")
    assert caption(made(None), "edges", "2") == "edges: interactions, ±2"


def test_rounding_errors_are_not_drawn():
    e = replace(made(None), interactions=made().interactions * 1e-9)
    assert edge_values(e).tolist() == [0, 0, 0]


def test_bonds_in_doubt_are_faint():
    pytest.importorskip("rdkit")
    from rdkit import Chem

    assert bond_scores(made(), Chem.MolFromSmiles("CCCC"), np.arange(4)) == pytest.approx({0: 0.15, 1: 0, 2: 1})


def test_tables_have_standard_errors():
    rows = [("not + <good>", "-2.000 ± 0.250"), ("<good> + film", "+1.000 ± 0.100")]
    assert largest_pairs(made()) == rows
    assert note(made()) == "largest interactions of 4 pairs, with standard errors; the 95 % intervals of 2 hold 0"
    assert note(made(None)) == "largest interactions of 4 pairs"
    text = render(made(), width=100)
    assert f"{note(made())}\nnot + <good>   -2.000 ± 0.250\n<good> + film  +1.000 ± 0.100\n" in text
    page = to_html(made())
    assert re.search(r"not \+ &lt;good&gt;</th><td>-2.000 ± 0.250<", page)
    assert "<good>" not in page
    without = replace(made(), interactions=None, interaction_stderr=None)
    assert "interactions of" not in render(without) + to_html(without)


def test_rounding_errors_are_not_listed():
    e = made(None)
    assert largest_pairs(replace(e, interactions=e.interactions * 1e-15)) == []
