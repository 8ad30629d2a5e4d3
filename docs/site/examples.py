"""Write docs/examples.md from the scripts in examples/: python docs/site/examples.py, then pages.py for the outputs."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "examples.md"
HEAD = """# Examples

The following scripts are in `examples/users/`: a short one for each kind of user, with its output. Run one with
`python examples/users/analyst.py`.
"""
LONGER = """
## Longer examples

These scripts train real models on real data, and compare with other libraries. Each says at its top what to install.

| script | what it does |
|---|---|
"""


def said(path: Path) -> str:
    """The first line of a script's docstring."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def code(path: Path) -> str:
    """A script without its docstring."""
    return re.sub(r'\A""".*?"""\n+', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def page() -> str:
    """The page, with empty outputs."""
    parts = [HEAD]
    for path in sorted((ROOT / "examples" / "users").glob("*.py")):
        who, _, what = said(path).partition(": ")
        parts.append(f"\n## {who}\n\n{what[0].upper()}{what[1:]} (`examples/users/{path.name}`)\n")
        parts.append(f"\n```python\n{code(path)}```\n\n```text\n```\n")
    rows = [f"| `examples/{path.name}` | {said(path)} |\n" for path in sorted((ROOT / "examples").glob("*.py"))]
    notebook = "| `examples/tour.ipynb` | A tour of lcshap in a notebook. |\n"
    return "".join([*parts, LONGER, *rows, notebook])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
