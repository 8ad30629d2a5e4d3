"""For a chemist: which atoms make a molecule soluble in water, according to a model?"""

from rdkit import Chem
from rdkit.Chem import Crippen

import lcshap as lc


def solubility(smiles):
    """Minus logP, as RDKit estimates it."""
    return [-Crippen.MolLogP(Chem.MolFromSmiles(one)) for one in smiles]


e = lc.Explainer(solubility, lc.maskers.Molecule(), lc.Myerson(), kind="output")("CC(=O)Nc1ccc(O)cc1")  # paracetamol
for atom, score in e.top(3):
    print(f"{atom:4} {score:+.2f}")
