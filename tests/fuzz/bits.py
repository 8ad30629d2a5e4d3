"""Single bits flipped in files of runs, stores and saved explanations: each is noticed, or has no effect."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import lcshap as lc
import lcshap.bulk.folder

FACTORY = "lcshap.paper.networks.demo:review_explainer"
TEXTS = ["It just sucks.", "A great film!", "", "Not funny, but moving.", "Too long and too loud.", "I loved it."]


def run(count: int = 40, seed: int = 0) -> dict[str, Any]:
    """Flip so many bits, in all kinds of files in turn."""
    rng = np.random.default_rng(seed)
    found: dict[str, Any] = {"flips": 0, "refused": 0, "unchanged": 0, "failures": []}
    with tempfile.TemporaryDirectory() as name:
        targets = _targets(Path(name))
        expected = {target: repr(read()) for target, read in targets.items()}
        contents = {target: target.read_bytes() for target in targets}
        for number in range(count):
            target = list(targets)[number % len(targets)]
            damaged = bytearray(contents[target])
            bit = int(rng.integers(8 * len(damaged)))
            damaged[bit // 8] ^= 1 << bit % 8
            target.write_bytes(bytes(damaged))
            found["flips"] += 1
            try:
                outcome = repr(targets[target]())
                if outcome == expected[target]:
                    found["unchanged"] += 1
                else:
                    found["failures"].append([target.name, bit, "silent"])
            except lc.errors.LcshapError:
                found["refused"] += 1
            except Exception as error:
                found["failures"].append([target.name, bit, f"{type(error).__name__}: {error}"])
            target.write_bytes(contents[target])
    return found


def _targets(folder: Path) -> dict[Path, Callable[[], Any]]:
    """The files, and what is read from each of them."""
    out = folder / "run"
    lc.bulk.explain_dataset(TEXTS, FACTORY, out, workers=1, shard_rows=3, progress=False)
    explained = list(lc.bulk.load(out))
    explained[0].save(folder / "e.json")
    lc.Explanations(explained).save(folder / "set.json")
    lc.Explanations(explained).save(folder / "set.parquet")
    _explain_with_store(folder / "calls.db")
    run_files = [*(out / "parts").iterdir(), *(out / "times").iterdir(), out / "manifest.json", out / "complete.json"]
    return {
        **dict.fromkeys(run_files, lambda: _read_run(out)),
        folder / "e.json": lambda: _content(lc.load(folder / "e.json")),
        folder / "set.json": lambda: [_content(e) for e in lc.load(folder / "set.json")],
        folder / "set.parquet": lambda: [_content(e) for e in lc.load(folder / "set.parquet")],
        folder / "calls.db": lambda: _copied_store(folder / "calls.db"),
    }


def _read_run(out: Path) -> Any:
    """All that is read from a run. Parts without digests, which give a warning, count as noticed."""
    with warnings.catch_warnings(action="error", category=UserWarning):
        try:
            status = lc.bulk.status(out)
            manifest = lc.bulk.folder.RunFolder(out).manifest
            return status, manifest, lc.bulk.summary(out).to_string(), [_content(e) for e in lc.bulk.load(out)]
        except UserWarning as warning:
            raise lc.errors.BulkError(str(warning)) from warning


def _content(e: Any) -> Any:
    return (
        e.names,
        e.scores.tolist(),
        np.asarray(e.base_value).tolist(),
        np.asarray(e.full_value).tolist(),
        e.provenance,
    )


def _copied_store(path: Path) -> Any:
    """The scores by a copy of a store, because a store in use may be repaired or extended."""
    with tempfile.TemporaryDirectory() as name:
        return _explain_with_store(Path(shutil.copy(path, name)))


def _explain_with_store(path: Path) -> Any:
    """Scores by the answers in a store."""
    execution = lc.Execution(model_name="lengths")
    with lc.SQLiteStore(path) as store:
        explainer = lc.Explainer(
            _lengths, lc.maskers.Text(), "shapley", kind="output", store=store, execution=execution
        )
        return [explainer(text).scores.tolist() for text in TEXTS if text]


def _lengths(texts: list[str]) -> list[float]:
    return [float(len(text)) for text in texts]
