"""Every block of code in the documents runs, prints what the page says, and draws the pictures that the page shows."""

import re
import runpy
import shlex
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest
from command import run as run_command
from tiny_lm import bpe, llama

import lcshap as lc

ROOT = Path(__file__).parents[2]
made = runpy.run_path(str(ROOT / "docs/site/pages.py"), run_name="pages")
PAGES = made["pages"]()
CHAT = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
LOADED = {  # what a page loads in a block "py", which does not run: a small model with random weights stands in for it
    "docs/language_models.md": lambda: {
        "model": llama(max_position_embeddings=2_000),
        "tokenizer": bpe(chat_template=CHAT),
    }
}
MODULES = {
    "scikit-learn": "sklearn",
    "scikit-image": "skimage",
    "interpret-core": "interpret",
}  # packages whose modules have other names
BROUGHT = {"tokenizers"}  # by transformers
NUMBER = re.compile(r"[-+−]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?")


def name(path):
    return str(path.relative_to(ROOT))


def alike(printed, shown):
    """The same words; numbers may differ a little, as between versions of a library that trains the model."""
    if NUMBER.sub("#", printed).split() != NUMBER.sub("#", shown).split():
        return False
    pairs = zip(NUMBER.findall(printed), NUMBER.findall(shown), strict=True)
    return all(abs(value(a) - value(b)) <= 0.05 * abs(value(b)) + 0.02 for a, b in pairs)


def value(number):
    return float(number.replace(",", "").replace("−", "-").rstrip("."))


def test_there_are_pages_with_code():
    assert {"README.md", "docs/tutorial.md", "docs/explaining.md", "docs/howto/text.md"} <= set(map(name, PAGES))


def installed(path):
    """The modules that the line `pip install` of a page brings, by the extras in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    line = re.search(
        r"^The code on this page needs `pip install (.*)` \(see \[installation\].*\)\.$",
        path.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    left, found = shlex.split(line[1]) if line else [], {"lcshap", *project["dependencies"]}
    while left:
        package, extras = re.match(r"([\w-]+)(?:\[([\w,]+)\])?", left.pop()).groups()
        found.add(package)
        if package == "lcshap":
            left += [
                need for extra in (extras or "").split(",") if extra for need in project["optional-dependencies"][extra]
            ]
    return {MODULES.get(re.match(r"[\w-]+", name)[0], re.match(r"[\w-]+", name)[0]) for name in found}


@pytest.mark.parametrize("path", [path for path in PAGES if path.parent.name == "howto"], ids=name)
def test_a_guide_lists_what_its_code_needs(path):
    code = "".join(block.code for block in made["blocks"](path) if block.language == "python")
    wanted = set(re.findall(r"^\s*(?:from|import) (\w+)", code, re.MULTILINE)) - sys.stdlib_module_names
    wanted |= {"matplotlib"} if "plot" in code else set()
    there = installed(path) | BROUGHT
    assert wanted <= there, f"{name(path)} does not install {', '.join(sorted(wanted - there))}"


@pytest.mark.parametrize("path", PAGES, ids=name)
@pytest.mark.filterwarnings(
    *(f"ignore::{name}Warning" for name in ("Deprecation", "PendingDeprecation", "Future", "User"))
)
def test_the_python_of_a_page_runs_and_prints_the_shown_output(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setattr(lc.METHODS, "_entries", {e.name: e for e in lc.METHODS.entries()})
    for block, shown, printed in made["run"](path, {"__name__": "__main__", **LOADED.get(name(path), dict)()}):
        if shown:
            assert alike(printed, shown.code), f"{block.code}\nprinted:\n{printed}\npage:\n{shown.code}"
        else:
            assert not printed.strip(), f"the page does not show what this prints: {printed}"
    for picture in re.findall(r"\]\((?:\.\./)?pictures/([\w.]+)\)", path.read_text(encoding="utf-8")):
        assert (tmp_path / picture).exists(), f"the code of the page does not save {picture}"


FILES = {
    "reviews.txt": "It is not heartwarming.\nA wonderful film.\n",
    "review.txt": "It is not heartwarming. It just sucks.\n",
    "my_package.py": "def model(texts):\n    return [[0.0, float(text.count('heartwarming'))] for text in texts]\n",
}


@pytest.mark.parametrize("path", [page for page in PAGES if made["commands"](page)], ids=name)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_commands_of_a_page_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for file, text in FILES.items():
        (tmp_path / file).write_text(text)
    pd.DataFrame({"text": FILES["reviews.txt"].splitlines(), "stars": [0, 1]}).to_parquet(tmp_path / "reviews.parquet")
    for line in made["commands"](path):
        if not re.match(r"lcshap (reproduce|demo)\b.*--(data|open)", line):
            run_command(*shlex.split(line)[1:])


def test_the_page_of_examples_has_every_script():
    examples = runpy.run_path(str(ROOT / "docs/site/examples.py"), run_name="examples")
    shown = re.sub(r"```text\n.*?```", "```text\n```", examples["PAGE"].read_text(encoding="utf-8"), flags=re.DOTALL)
    assert shown == examples["page"](), (
        "run python docs/site/examples.py, then python docs/site/pages.py docs/examples.md"
    )
