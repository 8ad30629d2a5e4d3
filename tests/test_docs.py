"""What the documents claim exists: tests they name, references they cite, code they show."""

import re
import runpy
import tomllib
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


def test_the_changelog_begins_with_the_version():
    """A version under way has .dev0, and its section is not released; a release has a section with a date."""
    top = re.search(r"^## (\S+)(.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert lc.__version__ == top[1] + (".dev0" if "unreleased" in top[2] else "")


def test_the_page_about_installation_has_every_extra():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    rows = re.findall(r"^\| (`[^|]*`) \|", (ROOT / "docs/installation.md").read_text(), re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(declared)


def test_every_citation_is_in_the_bibliography():
    keys = set(re.findall(r"@\w+\{(\w+),", (ROOT / "docs/refs.bib").read_text()))
    cited = {
        key for path in (ROOT / "src").rglob("*.py") for key in re.findall(r"\[(\w+\d{4}\w+)\]_", path.read_text())
    }
    assert cited
    assert cited <= keys


def test_the_tables_of_methods_are_those_of_the_registry():
    script = runpy.run_path(str(ROOT / "docs/make_methods.py"))
    for path, make in script["FILES"].items():
        assert script["updated"](path, make()) == path.read_text(encoding="utf-8"), "run python docs/make_methods.py"
    table = script["guide"]()
    assert all(f"`lc.{entry.signature}`" in table for entry in lc.METHODS.built_in())
    assert "| `lc.LIME(budget)` |" in table
    assert "| depends on its parameters | seed |" in table


def test_figures_of_the_studies_are_those_in_their_tables():
    """In sections about studies numbers with decimals are rounded ones of their tables, intervals those of pairs."""
    cited_studies = set()
    for section in re.split(r"^## ", (ROOT / "docs/paper.md").read_text(), flags=re.MULTILINE)[1:]:
        studies = set(re.findall(r"reproduced/(\w+)/", section))
        folders = [ROOT / "docs/reproduced" / study for study in studies]
        table_numbers = [n for folder in folders for file in ("table.csv", "model.csv") for n in numbers(folder / file)]
        table_numbers += [100 * number for number in table_numbers]  # shares in percent
        pairs = [numbers(folder / "pairs.csv", row=True) for folder in folders]
        ends = [(sign * d, *sorted((sign * a, sign * b))) for rows in pairs for d, a, b in rows for sign in (1, -1)]
        for cited in re.findall(INTERVAL, section):
            assert any(all(map(is_rounded, row, cited)) for row in ends), f"{cited} in {section[:30]}"
        for cited in re.findall(r"(?<![\w.])-?\d+\.\d+", re.sub(INTERVAL, "", section)) if studies else ():
            assert any(is_rounded(number, cited) for number in table_numbers), f"{cited} in {section[:30]}"
            cited_studies |= studies
    assert cited_studies >= {"imdb", "agnews", "newsgroups", "mnist", "cifar10"}


INTERVAL = r"(-?\d+\.\d+) \[(-?\d+\.\d+), (-?\d+\.\d+)\]"


def is_rounded(number, cited):
    return f"{number:.{len(cited.partition('.')[2])}f}" == cited


def numbers(path, row=False):
    """The numbers in a table, all of them or those of each row."""
    if not path.is_file():
        return []
    lines = [
        [float(cell) for cell in line.split(",") if re.fullmatch(r"-?[\d.]+(e-?\d+)?", cell)]
        for line in path.read_text().splitlines()[1:]
    ]
    return lines if row else [number for line in lines for number in line]


# Pages that are made while the site is built; test_site.py looks at the links to them.
MADE = {"changelog.md", "command.md", "contributing.md", "security.md"} | {
    f"api/{page}.md" for page in ("index", "adapters", "maskers", "methods")
}


@pytest.mark.parametrize("path", [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")], ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    text = re.sub(r"```.*?```|`[^`]*`", "", path.read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        is_generated = target in MADE or target.removeprefix("../") in MADE
        assert "://" in target or is_generated or (path.parent / target).exists(), target
