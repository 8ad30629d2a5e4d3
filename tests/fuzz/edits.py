"""Data files edited in place during a run: it does not complete, and no part has rows of the new content."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import lcshap as lc
import lcshap.bulk.folder  # whose writing is watched

FACTORY = "lcshap.paper.networks.demo:review_explainer"
FORMATS = ("csv", "jsonl", "parquet", "arrow", "csv.gz", "txt")
WORDS = ("great", "bad", "funny", "dull", "moving", "loud")
ROWS, SHARD_ROWS = 48, 4


def run(count: int = 6, seed: int = 0) -> dict[str, Any]:
    """Edit so many files, of all formats in turn, each after a random number of finished shards."""
    rng = np.random.default_rng(seed)
    found: dict[str, Any] = {"edits": 0, "refused": 0, "resumed": 0, "failures": []}
    with tempfile.TemporaryDirectory() as name:
        for number in range(count):
            folder = Path(name) / str(number)
            folder.mkdir()
            for failure in _edit_one(folder, FORMATS[number % len(FORMATS)], rng, found):
                found["failures"].append([FORMATS[number % len(FORMATS)], number, failure])
    return found


def _edit_one(folder: Path, kind: str, rng: np.random.Generator, found: dict[str, Any]) -> list[str]:
    """Explain a file that is edited during the run, and again after it is restored."""
    source, edited = _write(folder, kind, rng)
    original = edited.read_bytes()
    whole, out = folder / "whole", folder / "out"
    _explain(source, whole)
    finished, after = 0, int(rng.integers(1, ROWS // SHARD_ROWS))
    write = lc.bulk.folder.RunFolder.write

    def write_then_edit(*arguments: Any) -> None:
        nonlocal finished
        write(*arguments)
        finished += 1
        if finished == after:
            content = bytearray(original)
            content[int(rng.integers(len(content)))] ^= 1
            with edited.open("r+b") as file:
                file.write(content)

    failures = []
    lc.bulk.folder.RunFolder.write = write_then_edit  # type: ignore[method-assign]
    try:
        _explain(source, out)
        failures.append("the run completed")
    except lc.errors.LcshapError:
        found["refused"] += 1
    finally:
        lc.bulk.folder.RunFolder.write = write  # type: ignore[method-assign]
    found["edits"] += 1
    if any(content != _parts(whole)[name] for name, content in _parts(out).items()):
        failures.append("a part has other rows")
    edited.write_bytes(original)
    _explain(source, out)
    found["resumed"] += 1
    return failures if _parts(out) == _parts(whole) else [*failures, "the parts differ after the file was restored"]


def _write(folder: Path, kind: str, rng: np.random.Generator) -> tuple[Path, Path]:
    """A data set, and the file of it that is edited."""
    texts = [f"{rng.choice(WORDS)} and {rng.choice(WORDS)} {number}" for number in range(ROWS)]
    frame = pd.DataFrame({"text": texts})
    path = folder / f"a.{kind}"
    if kind == "txt":
        texts_folder = folder / "texts"
        texts_folder.mkdir()
        for number, text in enumerate(texts):
            (texts_folder / f"{number:02}.txt").write_text(text)
        return texts_folder, texts_folder / f"{ROWS - 1:02}.txt"
    if kind == "parquet":
        frame.to_parquet(path)
    elif kind == "arrow":
        frame.to_feather(path)
    elif kind == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False)
    return path, path


def _explain(source: Path, out: Path) -> None:
    lc.bulk.explain_dataset(source, FACTORY, out, workers=1, shard_rows=SHARD_ROWS, progress=False)


def _parts(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (out / "parts").glob("part-*.parquet")}
