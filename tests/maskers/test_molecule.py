import random
import subprocess
import sys

import numpy as np
import pytest
from distinct_keys import coalition_keys
from rdkit import Chem
from rdkit.Chem import Crippen

import lcshap as lc
import oracles
from lcshap import Coalitions, Graph
from lcshap.errors import MaskerError, MissingExtraError, PlanError
from lcshap.maskers.molecule import Molecule

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"
CAFFEINE = "Cn1cnc2c1c(=O)n(C)c(=O)n2C"
INDOLIZINE = "c1cccn2c1ccc2"
AZULENE = "c1ccc2cccc2cc1"
STRANGE = [
    *(CAFFEINE, INDOLIZINE, AZULENE, "c1cc2ccc3cccc4ccc(c1)c2c34", "C1=Cc2cc3ccc(cc4nc(cc5ccc(cc1n2)[nH]5)C=C4)[nH]3"),
    *("C[n+]1ccccc1", "[O-][n+]1ccccc1", "c1cc[o+]cc1", "[Fe+2].c1cc[cH-]c1", "N#[N+]c1ccccc1.F[B-](F)(F)F"),
    *("CS(=O)(=O)c1ccc(N)cc1", "OP(=O)(O)OP(=O)(O)O", "F[P-](F)(F)(F)(F)F", "FS(F)(F)(F)(F)F", "OCl(=O)(=O)=O"),
    *("C[Si](C)(C)C", "CC[Hg]Cl", "C[Mg]Br", "[NH3+][C@@H](C)C(=O)[O-]", "CN([O])C", "[CH3]", "[2H]C([2H])([2H])O"),
    *("C[C@@H]1CC[C@H](C(C)C)[C@@H](O)C1", "C/C=C/C=C\\C", "CC=C=CC", "C[S@](=O)c1ccccc1", "*c1ccccc1", "[H][H]"),
    *("[Na+].[Cl-]", "[NH3]->[Pt](<-[NH3])(Cl)Cl", "O=C1C=CC(=O)C=C1", "B1OBOBO1", "C#CC#N", "[C-]#[O+]"),
]


def canonical(smiles):
    return Chem.MolToSmiles(Chem.MolFromSmiles(smiles))


def rows(x, sets, **options):
    masked = Molecule(**options).mask(x)
    return masked.rows(Coalitions.from_sets(masked.graph.d, sets))


def without(x, *absent):
    d = Molecule().mask(x).graph.d
    return rows(x, [[i for i in range(d) if i not in absent]])[0]


# -- what is left when atoms are cut out ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("smiles", "absent", "expected"),
    [
        ("CCO", [1], "C.O"),
        ("CCO", [0, 1], "O"),
        ("CCO", [0, 1, 2], ""),
        ("C", [0], ""),
        # benzene and its kin: a broken ring has single bonds
        ("c1ccccc1", [0], "CCCCC"),
        ("c1ccccc1", [0, 3], "CC.CC"),
        ("C1=CC=CC=C1", [5], "CCCCC"),
        ("Cc1ccccc1", [0], "c1ccccc1"),
        ("c1ccc2ccccc2c1", [0], "CCc1ccccc1C"),
        ("c1ccc2ccccc2c1", [3], "CCCCCCCCC"),
        ("c1ccc(-c2ccccc2)cc1", [0], "CCC(CC)c1ccccc1"),
        ("c1cc[nH]c1", [0], "CCNC"),
        ("Cn1cccc1", [0], "c1cc[nH]c1"),
        ("c1ccncc1", [3], "CCCCC"),
        (AZULENE, [0], "CCC1CCCC1CC"),
        # one ring of two keeps its aromaticity, where it can do without the other
        (INDOLIZINE, [0], "CCCn1cccc1"),
        (INDOLIZINE, [7], "CC1CCCCN1C"),
        # a double bond out of an aromatic ring
        ("O=c1cc[nH]cc1", [0], "C1CCNCC1"),
        (CAFFEINE, [0], "Cn1c(=O)c2[nH]cnc2n(C)c1=O"),
        (CAFFEINE, [1], "C.CNc1cc(=O)n(C)c(=O)n1C"),
        (CAFFEINE, [2], "CNc1c(N)n(C)c(=O)n(C)c1=O"),
        (CAFFEINE, [4], "CNC(=O)N(C)C(=O)CN(C)CN"),
        (CAFFEINE, [7], "CN1Cc2c(ncn2C)N(C)C1=O"),
        (CAFFEINE, [8], "C.CN(C=O)c1ncn(C)c1C=O"),
        (CAFFEINE, [1, 2, 3], "C.Cn1ccc(=O)n(C)c1=O"),
        (ASPIRIN, [10], "CC(=O)Oc1ccccc1.O.O"),
        # charges stay with their atoms
        ("[NH3+]CC(=O)[O-]", [1], "[NH4+].O=C[O-]"),
        ("[NH3+]CC(=O)[O-]", [2], "C[NH3+].O.[OH-]"),
        ("C[N+](=O)[O-]", [2], "C[NH2+][O-]"),
        ("C[N+](=O)[O-]", [3], "C[NH+]=O"),
        ("C[n+]1ccccc1", [0], "c1cc[nH+]cc1"),
        ("C[n+]1ccccc1", [2], "CCCC[NH2+]C"),
        ("CC(=O)[O-].[Na+]", [4], "CC(=O)[O-]"),
        # valences above the lowest come down with what held them up
        ("CS(=O)(=O)C", [2], "CS(=O)C"),
        ("CS(=O)(=O)C", [2, 3], "CSC"),
        ("COP(=O)(O)O", [3], "COP(O)O"),
        # configurations: those that lose a neighbour, those that lose a difference, and those that keep both
        ("N[C@@H](C)C(=O)O", [0], "CCC(=O)O"),
        ("N[C@@H](C)C(=O)O", [4], "N[C@@H](C)CO"),
        ("C[C@H](O)[C@@H](F)Cl", [2], "CC[C@@H](F)Cl"),
        ("C[C@H](O)[C@@H](F)Cl", [0], "OC[C@@H](F)Cl"),
        ("OC[C@H](F)CCl", [0, 5], "CC(F)C"),
        ("F/C=C/CCl", [4], "F/C=C/C"),
        ("F/C=C/CCl", [3], "FC=C.Cl"),
        ("F/C=C\\CCl", [4], "F/C=C\\C"),
    ],
)
def test_atoms_are_cut_out(smiles, absent, expected):
    assert without(smiles, *absent) == canonical(expected)


@pytest.mark.parametrize("smiles", STRANGE)
def test_what_is_left_is_a_valid_molecule_however_atoms_are_numbered(smiles, capfd):
    mol = Chem.MolFromSmiles(smiles)
    n, rng = mol.GetNumAtoms(), random.Random(0)
    order = rng.sample(range(n), n)
    sets = [[i for i in range(n) if i != k] for k in range(n)]
    sets += [[i for i in range(n) if rng.random() < 0.7] for _ in range(20)]
    moved = [[order.index(i) for i in kept] for kept in sets]
    fragments, renumbered_fragments = rows(mol, sets), rows(Chem.RenumberAtoms(mol, order), moved)
    assert capfd.readouterr().err == ""
    for fragment, renumbered, kept in zip(fragments, renumbered_fragments, sets, strict=True):
        assert [atom.GetSymbol() for atom in fragment.GetAtoms()] == [mol.GetAtomWithIdx(i).GetSymbol() for i in kept]
        assert Chem.MolToSmiles(fragment) == Chem.MolToSmiles(renumbered)
        assert not Chem.DetectChemistryProblems(fragment)
        if "Cl(=O)" not in smiles:  # RDKit itself reads chlorine with a double bond as ions
            assert canonical(Chem.MolToSmiles(fragment)) == Chem.MolToSmiles(fragment)


@pytest.mark.parametrize("smiles", [ASPIRIN, *STRANGE])
def test_all_atoms_give_back_the_molecule(smiles):
    mol = Chem.MolFromSmiles(smiles)
    everything = [range(mol.GetNumAtoms())]
    assert rows(smiles, everything) == [smiles]
    row = rows(mol, everything)[0]
    assert row is not mol
    assert Chem.MolToSmiles(row) == Chem.MolToSmiles(mol)


def test_rows_are_what_was_given():
    assert rows("OCC", [[], [0, 2], [1, 2], [0, 1, 2]]) == ["", "C.O", "CC", "OCC"]
    fragments = rows(Chem.MolFromSmiles("OCC"), [[], [0, 2]])
    assert [type(mol) for mol in fragments] == [Chem.Mol, Chem.Mol]
    assert [mol.GetNumAtoms() for mol in fragments] == [0, 2]
    assert rows("OCC", []) == []
    masked = Molecule().mask("OCC")
    coalitions = Coalitions.from_sets(3, [[], [0, 2]])
    assert masked.distinct(coalitions).lengths(coalitions).tolist() == [0, 2]
    assert Molecule(lambda mols: [0 for _ in mols]).mask("OCC").distinct(coalitions).lengths is None


def test_units_are_atoms_in_order_and_edges_are_bonds():
    masked = Molecule().mask("OCC(F)Cl.[Na+]")
    assert masked.graph == Graph.from_edges(6, [(0, 1), (1, 2), (2, 3), (2, 4)], ["O0", "C1", "C2", "F3", "Cl4", "Na5"])
    assert masked.mol.GetNumAtoms() == 6
    assert Molecule().mask("C").graph == Graph.from_edges(1, [], ["C0"])
    with_hydrogens = Chem.AddHs(Chem.MolFromSmiles("CO"))
    assert Molecule().mask(with_hydrogens).graph.names == ("C0", "O1")
    assert Molecule().mask("[H]OC([H])([H])[H]").graph.names == ("O0", "C1")


def test_the_given_molecule_is_left_alone():
    mol = Chem.MolFromSmiles(CAFFEINE, sanitize=False)
    before = mol.ToBinary()
    rows(mol, [[0, 1, 2], range(14)])
    rows(mol, [[0]], hydrogens=True)
    assert mol.ToBinary() == before


def test_positions_stay_with_their_atoms():
    mol = Chem.AddHs(Chem.MolFromSmiles("CO"))
    place = Chem.Conformer(mol.GetNumAtoms())
    place.SetAtomPosition(1, (2.5, 2.0, 3.0))
    mol.AddConformer(place)
    row = rows(mol, [[1]])[0]
    assert row.GetConformer().GetPositions().tolist() == [[2.5, 2, 3]]


# -- hydrogens --------------------------------------------------------------------------------------------------------


def test_hydrogens_as_units_are_not_filled_in():
    masked = Molecule(hydrogens=True).mask("CO")
    assert masked.graph.names == ("C0", "O1", "H2", "H3", "H4", "H5")
    assert masked.graph == Graph.from_edges(6, [(0, 1), (0, 2), (0, 3), (0, 4), (1, 5)], masked.graph.names)
    fragments = masked.rows(Coalitions.from_sets(6, [range(6), [0, 1, 2, 3, 4], [1, 5], [0], [2, 5]]))
    assert [fragments[0], *map(canonical, fragments[1:])] == ["CO", "C[O]", "[OH]", "[C]", "[H].[H]"]


@pytest.mark.parametrize("smiles", [CAFFEINE, INDOLIZINE, "c1cc[nH]c1", "[NH3+][C@@H](C)C(=O)[O-]", "FS(F)(F)(F)(F)F"])
def test_with_hydrogens_every_atom_can_go(smiles):
    masked = Molecule(hydrogens=True).mask(Chem.MolFromSmiles(smiles))
    d = masked.graph.d
    for row in masked.rows(Coalitions.from_sets(d, [set(range(d)) - {k} for k in range(d)])):
        assert row.GetNumAtoms() == d - 1
        assert not any(atom.GetTotalNumHs() for atom in row.GetAtoms())


# -- scores -----------------------------------------------------------------------------------------------------------

ETHANOL = {
    (): "",
    (0,): "C",
    (1,): "C",
    (2,): "O",
    (0, 1): "CC",
    (0, 2): "C.O",
    (1, 2): "CO",
    (0, 1, 2): "CCO",
}


def crippen(mols):
    return np.array([Crippen.MolLogP(mol) for mol in mols])


@pytest.mark.parametrize("row_kind", ["strings", "mols", "featurise"])
def test_ethanol_against_fragments_written_by_hand(row_kind):
    table = {frozenset(kept): crippen([Chem.MolFromSmiles(s)]).tolist() for kept, s in ETHANOL.items()}
    near = oracles.neighbours(3, [(0, 1), (1, 2)])
    x = Chem.MolFromSmiles("CCO") if row_kind == "mols" else "CCO"
    model = {
        "strings": lambda smiles: crippen(map(Chem.MolFromSmiles, smiles)),
        "mols": crippen,
        "featurise": lambda rows: rows[:, 0],
    }[row_kind]
    masker = Molecule(lambda mols: crippen(mols)[:, None] * [1, 2]) if row_kind == "featurise" else Molecule()
    for method, expected in (
        (lc.Shapley(), oracles.shapley(3, table)),
        (lc.Myerson(), oracles.myerson(3, near, table)),
        (lc.LShapley(1), oracles.l_shapley(3, near, table, 1, "absent")),
    ):
        e = lc.Explainer(model, masker, method, kind="output")(x)
        np.testing.assert_allclose(e.scores, np.ravel(expected), atol=1e-12)
        assert e.names == ("C0", "C1", "O2")


WEIGHTS = {"C": 1.0, "N": -2.0, "O": 5.0}
METHODS = [
    *(lc.Shapley(), lc.Myerson(), lc.LShapley(2), lc.CShapley(2, weights="myerson"), lc.FeatureAblation()),
    *(lc.GraphKernelSHAP(100), lc.KernelSHAP(100), lc.SampleShapley(100), lc.RegressionCShapley(3)),
    *(lc.DividendCShapley(2), lc.SampledLShapley(60, 2)),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize("absent", ["remove", "mask"])
def test_a_model_that_counts_atoms_gives_each_atom_its_weight(method, absent):
    def count(mols):
        return [[sum(atom.GetSymbol() == symbol for atom in mol.GetAtoms()) for symbol in WEIGHTS] for mol in mols]

    def count_kept(mol, kept):
        return kept @ np.array([[atom.GetSymbol() == symbol for symbol in WEIGHTS] for atom in mol.GetAtoms()], int)

    def model(counts):
        return np.asarray(counts) @ list(WEIGHTS.values())

    masker = Molecule(count if absent == "remove" else count_kept, absent)
    smiles = "CC(=O)Nc1ccc(O)cc1"
    e = lc.Explainer(model, masker, method, kind="output")(smiles)
    np.testing.assert_allclose(e.scores, [WEIGHTS[name[0]] for name in e.names], atol=1e-8)


@pytest.mark.parametrize(("smiles", "orbits"), [("c1ccccc1", 1), ("c1ccc2ccccc2c1", 3), ("Cc1ccccc1", 5), (AZULENE, 6)])
def test_equivalent_atoms_have_equal_scores(smiles, orbits):
    e = lc.Explainer(crippen, Molecule(), lc.Myerson(), kind="output")(Chem.MolFromSmiles(smiles))
    classes = list(Chem.CanonicalRankAtoms(Chem.MolFromSmiles(smiles), breakTies=False))
    assert len(set(classes)) == orbits
    for symmetry_class in set(classes):
        same = e.scores[np.array(classes) == symmetry_class]
        np.testing.assert_allclose(same, same[0], atol=1e-9)


def test_many_molecules_and_a_pipeline_on_strings():
    from sklearn.feature_extraction import text
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    train = ["CCO", "CCCC", "OCCO", "CCN", "CCCCCC", "CO"]
    vectoriser = text.CountVectorizer(analyzer="char", lowercase=False, vocabulary=["C", "N", "O"])
    model = make_pipeline(vectoriser, Ridge(alpha=0.1)).fit(train, [0.5, -2.0, 1.5, 0.3, -3.0, 1.0])
    explained = lc.Explainer(model, Molecule(), lc.Shapley())(["CCO", Chem.MolToSmiles(Chem.MolFromSmiles("OCCN"))])
    weight = dict(zip(vectoriser.vocabulary, model[-1].coef_, strict=True))
    for e in explained:
        np.testing.assert_allclose(e.scores, [weight[name[0]] for name in e.names], atol=1e-9)


def test_masked_atoms_reach_the_featuriser():
    def numbers(mol, kept):
        assert kept.dtype == bool
        return kept * np.array([atom.GetAtomicNum() for atom in mol.GetAtoms()])

    masked = Molecule(numbers, absent="mask").mask("CCO")
    assert masked.rows(Coalitions.from_sets(3, [[0, 2], [], [0, 1, 2]])).tolist() == [[6, 0, 8], [0, 0, 0], [6, 6, 8]]
    masked = Molecule(numbers, absent="mask", hydrogens=True).mask(Chem.MolFromSmiles("O"))
    assert masked.rows(Coalitions.from_sets(3, [[0, 2]])).tolist() == [[8, 0, 1]]


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ("C1CC", "Expected a SMILES string, got 'C1CC', which RDKit cannot parse"),
        ("not a molecule", "Expected a SMILES string, got 'not a molecule', which RDKit cannot parse"),
        ("CC(C)(C)(C)C", r"'CC\(C\)\(C\)\(C\)C': .*valence for atom # 1 C, 5"),
        ("c1cccc1", "'c1cccc1': .*kekulize"),
        ("", "Expected a molecule with at least one atom, got none"),
        (5, "Expected a SMILES string or an RDKit Mol, got int"),
        (None, "Expected a SMILES string or an RDKit Mol, got NoneType"),
    ],
)
def test_inputs_that_are_no_molecules(x, message, capfd):
    with pytest.raises(MaskerError, match=message):
        Molecule().mask(x)
    assert capfd.readouterr().err == ""


def test_mols_that_are_no_molecules():
    with pytest.raises(
        MaskerError,
        match="Expected a molecule that RDKit accepts, got one that it refuses: Explicit valence for atom # 0",
    ):
        Molecule().mask(Chem.MolFromSmiles("F(C)C", sanitize=False))
    with pytest.raises(MaskerError, match="Expected a molecule with at least one atom, got none"):
        Molecule().mask(Chem.Mol())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"featurise": "morgan"}, "Expected featurise as a function or None, got 'morgan'"),
        ({"absent": "delete"}, "Expected .remove. or .mask. as absent, got 'delete'"),
        ({"absent": "mask"}, 'Expected featurise with absent="mask", got none'),
        ({"hydrogens": "yes"}, "Expected hydrogens=True or False, got 'yes'"),
    ],
)
def test_invalid_parameters(options, message):
    with pytest.raises(MaskerError, match=message):
        Molecule(**options)


@pytest.mark.parametrize(
    ("featurise", "message"),
    [
        (lambda mols: [0], "Expected 2 rows from featurise, as an array or a list, got a list of 1"),
        (lambda mols: np.zeros((3, 2)), r"got ndarray of shape \(3, 2\)"),
        (lambda mols: None, r"got NoneType of shape \(\)"),
    ],
)
def test_featurisers_that_lose_rows(featurise, message):
    with pytest.raises(MaskerError, match=message):
        rows("CCO", [[0], [1]], featurise=featurise)
    with pytest.raises(MaskerError, match=message):
        rows("CCO", [[0], [1]], featurise=lambda mol, kept: featurise(kept), absent="mask")


def test_coalitions_of_another_input():
    with pytest.raises(
        PlanError, match="Expected coalitions over the 3 units of the input, got coalitions over 2 units"
    ):
        Molecule().mask("CCO").rows(Coalitions.from_sets(2, [[0]]))


def test_rdkit_is_imported_when_needed_and_named_when_missing(monkeypatch):
    code = "import lcshap.maskers.molecule, sys; print([m for m in sys.modules if m.startswith('rdkit')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
    monkeypatch.setitem(sys.modules, "rdkit", None)
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(MissingExtraError, match=r'pip install "lcshap\[molecule\]"'):
        Molecule().mask("CCO")


# -- something in place of the empty molecule ----------------------------------------------------------------------


def test_a_base_replaces_only_the_empty_molecule():
    every = Coalitions.from_sets(3, [[], [0], [2], [0, 1, 2]])
    assert Molecule(base="C").mask("CCO").rows(every) == ["C", "C", "O", "CCO"]
    masked = Molecule(base=Chem.MolFromSmiles("O")).mask(Chem.MolFromSmiles("CCO"))
    assert [Chem.MolToSmiles(mol) for mol in masked.rows(every)] == ["O", "C", "O", "CCO"]
    keys = coalition_keys(Molecule(base="C").mask("CCO"), every)
    assert keys[0] == keys[1] != keys[2]  # equal rows are asked once
    assert Molecule(base="C").mask("CCO").key != Molecule().mask("CCO").key


@pytest.mark.parametrize(("base", "row"), [(0, [0, 0]), ((5, 7), [5, 7]), (np.array([0.5, 1.5]), [0.5, 1.5])])
def test_a_featurisers_zero(base, row):
    def count(mols):
        assert all(mol.GetNumAtoms() for mol in mols)
        return np.array([[mol.GetNumAtoms(), 1] for mol in mols])

    masked = Molecule(count, base=base).mask("CCO")
    rows = masked.rows(Coalitions.from_sets(3, [[0, 1], [], [2]]))
    np.testing.assert_array_equal(rows, [[2, 1], row, [1, 1]])
    np.testing.assert_array_equal(masked.rows(Coalitions.from_sets(3, [[]])), [row])


def test_a_model_that_fails_without_atoms_works_with_a_base(tmp_path):
    def weight(smiles):
        mols = [Chem.MolFromSmiles(s) for s in smiles]
        return [1.0 / mol.GetNumAtoms() for mol in mols]

    with pytest.raises(lc.errors.ModelError, match=r"division by zero.*Molecule\(base="):
        lc.Explainer(weight, Molecule(), lc.Shapley(), kind="output")("CCO")
    e = lc.Explainer(weight, Molecule(base="CCCC"), lc.Shapley(), kind="output")("CCO")
    assert e.base_value == pytest.approx(1 / 4)
    assert e.scores.sum() == pytest.approx(1 / 3 - 1 / 4)
    assert e.provenance["masker"]["parameters"]["base"] == "CCCC"
    assert lc.load(e.save(tmp_path / "e.json")).provenance["masker"] == e.provenance["masker"]


def test_a_base_of_another_length():
    masker = Molecule(lambda mols: np.zeros((len(mols), 3)), base=[1, 2])
    with pytest.raises(
        MaskerError, match=r"Expected base of shape \(3,\), as the rows that featurise makes, got \(2,\)"
    ):
        masker.mask("CCO").rows(Coalitions.from_sets(3, [[], [0]]))
