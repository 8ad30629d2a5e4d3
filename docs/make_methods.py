"""Write the table of methods in docs/methods.md from the registry: python docs/make_methods.py."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import lcshap as lc
from lcshap.estimators.registry import MethodEntry

ROOT = Path(__file__).parents[1]
_GRAPH = lc.Graph.chain(20)  # on which the examples of the sampled methods sample
_BLOCK = re.compile(r"(<!-- methods: written by docs/make_methods\.py -->\n).*?(<!-- end of methods -->)", re.DOTALL)


def guide() -> str:
    """The table of docs/methods.md: every method."""
    head = ("method", "what it computes", "when to choose it", "calls", "linear in v", "random")
    return _table(head, (_row(entry) for entry in lc.METHODS.built_in()))


def updated(path: Path, table: str) -> str:
    """The text of a file with the table between its two marks."""
    text, found = _BLOCK.subn(lambda block: f"{block[1]}{table}{block[2]}", path.read_text(encoding="utf-8"))
    if found != 1:
        raise SystemExit(f"Expected one pair of marks in {path.name}, got {found}.")
    return text


FILES = {ROOT / "docs" / "methods.md": guide}


def _row(entry: MethodEntry) -> Iterable[str]:
    linear = {method.axioms(_GRAPH).linear for method in entry.examples}
    said = "yes" if linear == {True} else "no" if linear == {False} else "depends on its parameters"
    return (_code(entry), entry.summary, entry.choose, entry.cost, said, "seed" if entry.sampled else "no")


def _code(entry: MethodEntry) -> str:
    return f"`lc.{entry.signature}`"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = tuple(head)
    lines = [head, ("---",) * len(head), *rows]
    escaped = (" | ".join(cell.replace("|", "\\|") for cell in line) for line in lines)
    return "".join(f"| {line} |\n" for line in escaped)


if __name__ == "__main__":
    for path, make in FILES.items():
        path.write_text(updated(path, make()), encoding="utf-8")
