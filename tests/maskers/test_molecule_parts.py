"""What is read as a molecule, and what may stand for one without atoms."""

import pytest

from lcshap.errors import MaskerError
from lcshap.maskers.molecule import Molecule
from lcshap.maskers.molecule_parts import check_base, parse_molecule


def test_molecules_are_read_or_refused_with_the_reason():
    assert parse_molecule("CCO", hydrogens=False).GetNumAtoms() == 3
    assert parse_molecule("CCO", hydrogens=True).GetNumAtoms() == 9
    with pytest.raises(MaskerError, match=r"Expected a SMILES string, got 'C\(', which RDKit cannot parse"):
        parse_molecule("C(", hydrogens=False)


def test_bases_become_what_can_be_compared_and_recorded():
    assert check_base(parse_molecule("OC", hydrogens=False), "remove", True) == "CO"
    assert check_base([[1, 2], [3, 4]], "remove", True) == ((1, 2), (3, 4))
    assert check_base(None, "mask", True) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base": "not a molecule"}, "base to be a molecule"),
        ({"base": ""}, "base to be a molecule with at least one atom"),
        ({"base": 0}, "Numbers need featurise"),
        ({"base": float("nan"), "featurise": len}, "finite numbers"),
        ({"base": "C", "featurise": len, "absent": "mask"}, 'Expected base with absent="remove", got absent="mask"'),
    ],
)
def test_a_base_that_is_none(options, message):
    with pytest.raises(MaskerError, match=message):
        Molecule(**options)
