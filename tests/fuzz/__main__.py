"""Run one harness, or all of them, and keep what was found in docs/reliability.json.

python -m tests.fuzz                          what there is
python -m tests.fuzz faults                   with its usual count
python -m tests.fuzz files --count 50000      as often as wanted
python -m tests.fuzz all                      everything, with the counts of docs/reliability.md
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "docs" / "reliability.json"
COUNTS = {  # what docs/reliability.md promises at the least
    "files": 50_000,
    "payloads": 60,
    "plans": 300,
    "faults": 1,
    "interrupts": 200,
    "kills": 200,
    "connections": 500,
    "bits": 2_000,
    "runs": 60,
    "edits": 20,
    "threads": 8,
    "remote": 30,
    "pickling": 1,
}


def main() -> int:
    """Run, print, record; 1 where anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", choices=[*COUNTS, "all"])
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.name is None:
        for name, count in COUNTS.items():
            summary = (import_module(f"tests.fuzz.{name}").__doc__ or "").splitlines()[0]
            print(f"{name:<12}{count:>8,}  {summary}")
        return 0
    failed = 0
    for name in COUNTS if given.name == "all" else [given.name]:
        start = time.monotonic()
        found = import_module(f"tests.fuzz.{name}").run(given.count or COUNTS[name], given.seed)
        found["seconds"] = round(time.monotonic() - start)
        print(name, json.dumps(found, default=str), flush=True)
        failed += bool(found.get("failures"))
        known = json.loads(RECORD.read_text()) if RECORD.is_file() else {}
        RECORD.write_text(json.dumps({**known, name: found}, indent=1, default=str) + "\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
