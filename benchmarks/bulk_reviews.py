"""The IMDB test set by the demo word-CNN at four calls a word, as a run over a data set that is killed on the way.

The reviews are put into a random order first (seed 0), so that what is finished at any moment is a random sample. The
command is killed with ``kill -9`` every `--kill` minutes and started again, until all reviews are explained or
`--minutes` are over. Run the script again to go on; minutes and kills are summed up. It prints how far the run is, what
it took by the clock and of the processor, and what the summary shows.
``python benchmarks/bulk_reviews.py imdb_test.parquet OUT [--minutes 40] [--kill 10] [--workers 2]``
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

import lcshap as lc


def shuffled(data: Path, path: Path) -> None:
    """The reviews in a random order, which is always the same."""
    table = pd.read_parquet(data, columns=["label", "text"])
    table["id"] = [f"{k}" for k in range(len(table))]
    table.iloc[np.random.default_rng(0).permutation(len(table))].to_parquet(path, index=False, row_group_size=1000)


def run(data: Path, out: Path, workers: int, seconds: float) -> bool:
    """Run the command for so many seconds at most; whether it came to its end."""
    command = [sys.executable, "-m", "lcshap", "bulk", str(data), "--column", "text", "--id", "id"]
    command += ["--label", "label", "--label-names", "0=negative,1=positive", "--model", "demo-text"]
    command += ["--method", "graph-kernel-shap", "--budget", "4d", "--out", str(out), "--workers", str(workers)]
    command += ["--shard-rows", "20"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        if process.wait(seconds):
            raise SystemExit("the command failed")
        return True
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False


def accuracy(out: Path) -> str:
    """How often the predictions agree with the labels."""
    parts = pd.read_parquet(out / "parts", columns=["label", "prediction", "error"])
    parts = parts[parts["error"].isna()]
    right = parts["prediction"] == parts["label"]
    return f"{right.mean():.1%} of {len(parts):,} predictions agree with the label"


def room(out: Path) -> str:
    """How large the folder of a run is."""
    files = [path for path in out.rglob("*") if path.is_file()]
    return f"{sum(path.stat().st_size for path in files) / 1e6:,.1f} MB in {len(files):,} files"


def main() -> None:
    """Run, kill, resume, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--kill", type=float, default=10)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    data, out = given.out / "reviews.parquet", given.out / "run"
    if not data.exists():
        shuffled(given.data, data)
    notes = given.out / "taken.json"
    taken = json.loads(notes.read_text()) if notes.exists() else {"seconds": 0.0, "kills": 0}
    start, done = time.monotonic(), False
    while not done and (left := 60 * given.minutes - (time.monotonic() - start)) > 0:
        begun = time.monotonic()
        done = run(data, out, given.workers, min(left, 60 * given.kill))
        taken = {"seconds": taken["seconds"] + time.monotonic() - begun, "kills": taken["kills"] + (not done)}
        notes.write_text(json.dumps(taken))
    print(f"{taken['seconds'] / 60:.1f} minutes by {given.workers} workers, killed {taken['kills']} times")
    found = lc.bulk.status(out)
    print(found)
    print(room(out))
    print(accuracy(out))
    print(lc.bulk.summary(out, 12, min_count=20).to_string(index=False, float_format="%.4f"))


if __name__ == "__main__":
    main()
