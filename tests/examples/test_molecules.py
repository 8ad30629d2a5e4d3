import re
from itertools import groupby

import numpy as np
import pytest
from rdkit import Chem

import lcshap as lc
import oracles
from support import edges_of, example


@pytest.fixture(scope="module")
def script():
    return example("molecules")


@pytest.fixture(scope="module")
def found(script, tmp_path_factory):
    return script["main"](small=True, out=tmp_path_factory.mktemp("drawings"))


def chain_without(smiles, kept):
    """What is left of a chain of single bonds, one letter an atom: the runs of kept letters."""
    runs = groupby(range(len(smiles)), key=lambda i: i in kept)
    return ".".join("".join(smiles[i] for i in run) for there, run in runs if there)


def test_the_model_has_learnt_solubility(found):
    assert found["r2"] > 0.85


def test_myerson_is_shapley_of_the_component_game(script, found):
    smiles = "CCCCCCO"
    e = found["explained"]["hexanol"]
    sets = oracles.subsets(range(7))
    mols = [Chem.MolFromSmiles(chain_without(smiles, kept)) for kept in sets]
    values = found["model"].predict(script["describe"](mols))
    table = {kept: [float(v)] for kept, v in zip(sets, values, strict=True)}
    near = oracles.neighbours(7, [(i, i + 1) for i in range(6)])
    expected = oracles.shapley(7, oracles.component_game(7, near, table))
    np.testing.assert_allclose(e.scores, np.ravel(expected), atol=1e-9)
    assert e.scores.sum() == pytest.approx(values[-1] - values[0])


def test_oxygen_raises_solubility_and_carbon_lowers_it(found):
    alcohol = found["explained"]["hexanol"]
    assert alcohol.names[6] == "O6"
    assert alcohol.scores[6] > 0
    assert alcohol.scores[6] > alcohol.scores[:6].max()
    assert alcohol.scores[:6].sum() < 0
    for e in found["explained"].values():
        polar = np.array([name[0] in "ON" for name in e.names])
        assert e.scores[polar].min() > e.scores[~polar].mean()


@pytest.mark.parametrize("name", ["hexanol", "aspirin"])
def test_calls_are_the_connected_sets_and_the_empty_one(script, found, name):
    graph = script["Molecule"]().mask(script["KNOWN"][name]).graph
    near = oracles.neighbours(graph.d, edges_of(graph))
    connected = sum(oracles.connected(near, kept) for kept in oracles.subsets(range(graph.d)) if kept)
    calls = found["explained"][name].calls
    assert calls == connected + 1
    assert calls < 2**graph.d
    assert lc.Myerson().plan(graph).calls == calls


def test_large_molecules_get_c_shapley(script):
    assert script["pick"](lc.Graph.chain(100)) == lc.Myerson()
    assert script["pick"](lc.Graph.grid((6, 6))).name == "c-shapley"


def test_drawings_are_blue_for_more_and_orange_for_less(found):
    for name, e in found["explained"].items():
        picture = (found["folder"] / f"{name}.svg").read_text(encoding="utf-8")
        found_colours = re.findall(r"<ellipse .*?fill:#(..)(..)(..)", picture)
        colours = np.array([[int(part, 16) for part in colour] for colour in found_colours])
        assert len(colours) == len(e.names)
        clear = np.abs(e.scores) > 0.1 * np.abs(e.scores).max()
        np.testing.assert_array_equal((colours[:, 2] > colours[:, 0])[clear], (e.scores > 0)[clear])
