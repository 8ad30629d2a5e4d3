"""What the documents claim exists: tests they name, references they cite, code they show."""

import re
from pathlib import Path

import pytest

import lcshap as lc

ROOT = Path(__file__).parent.parent


def test_every_test_named_in_the_differences_exists():
    text = (ROOT / "docs/differences.md").read_text()
    named = re.findall(r"`((?:\w+/)?test_\w+\.py)((?:::\w+)*)`(?:, `…((?:::\w+)+)`)?", text)
    assert len(named) >= 8
    sources = {path.name: path.read_text() for path in (ROOT / "tests").rglob("test_*.py")}
    for file, first, second in named:
        for name in (first + second).split("::"):
            pattern = rf"(def|class) {name}\b"
            assert not name or re.search(pattern, sources[Path(file).name]), f"{file}::{name}"


def test_every_citation_is_in_the_bibliography():
    keys = set(re.findall(r"@\w+\{(\w+),", (ROOT / "docs/refs.bib").read_text()))
    cited = {
        key for path in (ROOT / "src").rglob("*.py") for key in re.findall(r"\[(\w+\d{4}\w+)\]_", path.read_text())
    }
    assert cited
    assert cited <= keys


@pytest.mark.parametrize("file", ["README.md", "docs/explaining.md"])
def test_the_python_in_the_documents_runs(file):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / file).read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, file, "exec"), {})


def test_the_method_in_contributing_works():
    block = re.search(r"   ```python\n(.*?)   ```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL).group(1)
    imports = """
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from lcshap import *
from lcshap.plan import Plan, Terms, check_calls
"""
    scope = {}
    code = imports + "\n".join(line[3:] for line in block.splitlines())
    exec(compile(code, "CONTRIBUTING.md", "exec"), scope)
    v = lc.Game(lambda kept: kept @ [1.0, 2.0, 4.0], 3)
    e = scope["LeaveOneOut"]().explain(v, lc.Graph.chain(3))
    assert e.scores.tolist() == [1, 2, 4]
    assert e.calls == 5


def test_figures_of_the_studies_are_those_in_their_tables():
    """Every number with decimals in a section about studies is a rounded one of their tables."""
    folder, seen = ROOT / "docs/reproduced", set()
    for section in re.split(r"^## ", (ROOT / "docs/paper.md").read_text(), flags=re.MULTILINE)[1:]:
        studies = set(re.findall(r"reproduced/(\w+)/table\.md", section))
        known = [
            float(cell)
            for study in studies
            for file in (folder / study / "table.csv", folder / study / "model.csv")
            if file.is_file()
            for cell in re.split(r"[,\n]", file.read_text())
            if re.fullmatch(r"-?[\d.]+(e-?\d+)?", cell)
        ]
        known += [100 * number for number in known]  # shares in percent
        for cited in re.findall(r"(?<![\w.])-?\d+\.\d+", section) if studies else ():
            decimals = len(cited.partition(".")[2])
            assert any(f"{number:.{decimals}f}" == cited for number in known), f"{cited} in {section.splitlines()[0]}"
            seen |= studies
    assert seen >= {"imdb", "mnist"}
