"""Run the code of the documentation's pages; write down what it prints and the pictures it draws.

    python docs/site/pages.py [PAGE ...]

The Python blocks of a page run from top to bottom, in one namespace and in a folder of their own. A block ``text``
right after a Python block is what that block prints. A picture that a page shows from ``pictures/`` is one that the
page's own code saves. Of the blocks ``sh`` the lines that begin with ``lcshap`` run. Tests run all of it; this script
writes the outputs and the pictures anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_BLOCK = re.compile(r"^( *)```(\w+)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A block of code: its language, its text, and where it stands in the page."""

    language: str
    code: str
    indent: str
    start: int
    end: int


def pages() -> list[Path]:
    """Every page with code in it."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
    return [path for path in found if path.exists() and any(b.language in ("python", "sh") for b in blocks(path))]


def blocks(path: Path) -> list[Block]:
    """The blocks of code of a page."""
    text = path.read_text(encoding="utf-8")
    return [Block(m[2], textwrap.dedent(m[3]), m[1], m.start(), m.end()) for m in _BLOCK.finditer(text)]


def commands(path: Path) -> list[str]:
    """The lines of shell blocks that call lcshap, without comments."""
    shell = "".join(block.code for block in blocks(path) if block.language == "sh").replace("\\\n", " ")
    lines = (line.split("  #")[0].strip() for line in shell.splitlines())
    return [line for line in lines if line.startswith("lcshap ")]


def run(path: Path, scope: dict[str, Any]) -> Iterator[tuple[Block, Block | None, str]]:
    """Run the Python of a page in the current folder: each block, the output that the page shows, what it printed."""
    found = blocks(path)
    text = path.read_text(encoding="utf-8")
    for block, after in zip(found, [*found[1:], None], strict=True):
        if block.language != "python":
            continue
        shown = after if after and after.language == "text" and not text[block.end : after.start].strip() else None
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * text[: block.start].count("\n") + "\n" + block.code, str(path), "exec"), scope)
        yield block, shown, printed.getvalue()


def write(path: Path) -> None:
    """Write the outputs of a page into it, and its pictures beside it."""
    outputs = []
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for _, shown, printed in run(path, {"__name__": "__main__"}):
            if shown:
                outputs.append((shown, textwrap.indent(printed.rstrip() + "\n", shown.indent)))
        text = path.read_text(encoding="utf-8")
        for picture in re.findall(r"\]\((?:\.\./)?pictures/([\w.]+)\)", text):
            shutil.copy(Path(folder) / picture, DOCS / "pictures" / picture)
    for shown, printed in reversed(outputs):
        text = f"{text[: shown.start]}{shown.indent}```text\n{printed}{shown.indent}```{text[shown.end :]}"
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")
    os.environ.setdefault("KERAS_BACKEND", "jax")
    os.environ["LCSHAP_PROGRESS"] = "0"
    for page in map(Path, sys.argv[1:]) if len(sys.argv) > 1 else pages():
        print(page, flush=True)
        write(page.resolve())
