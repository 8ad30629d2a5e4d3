"""The modules of the page: they join without clashes, and each says what it takes from which other."""

import re
from collections import Counter
from importlib import resources

import pytest

from lcshap.show.html_report.scripts import join_modules, read_file

FOLDER = resources.files("lcshap.show.html_report.modules")
MODULES = {path.name: path.read_text("utf-8") for path in FOLDER.iterdir() if path.name.endswith(".js")}
TOP = re.compile(r"^(export )?(?:async )?(?:function|const|let|class) (\w+)", re.M)
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+\.js)";$', re.M)


def exported(source):
    return {name for export, name in TOP.findall(source) if export}


def imported(source):
    return {name.strip(): module for names, module in IMPORT.findall(source) for name in names.split(",")}


def code(source):
    """Without comments, texts and imports; what stands in ${} inside of texts is kept."""
    source = IMPORT.sub("", source)
    source = re.sub(r"/\*.*?\*/|//[^\n]*", "", source, flags=re.S)
    return re.sub(r'"[^"\n]*"', "", source)


def test_a_name_stands_at_the_top_of_one_module_only():
    names = Counter(name for source in MODULES.values() for _, name in TOP.findall(source))
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.parametrize("module", MODULES)
def test_what_is_used_is_imported_and_what_is_imported_is_used(module):
    source = MODULES[module]
    taken, body = imported(source), code(source)
    for name, origin in taken.items():
        assert name in exported(MODULES[origin]), f"{origin} does not export {name}"
        assert re.search(rf"(?:\.\.\.|(?<![.\w])){name}\b", body), f"{name} is imported in vain"
    top_level_names = {name for _, name in TOP.findall(source)}
    for other, text in MODULES.items():
        for name in exported(text) - top_level_names - set(taken) if other != module else ():
            used = re.search(rf"(?<![.\w$])(?<!function ){name}\(", body)
            assert not used, f"{name} of {other} is used and not imported"


def test_every_module_is_a_part_of_the_page():
    script = join_modules("main.js")
    for name, source in MODULES.items():
        first = TOP.search(source) or re.search(r"^(watch)\(()", source, re.M)
        assert first, name
        assert first[0].removeprefix("export ") in script, name
    assert not re.search(r"^(import|export) ", script, re.M)


def test_a_module_comes_after_those_it_imports():
    script = join_modules("main.js")
    places = {name: script.index(code_line(source)) for name, source in MODULES.items()}
    for name, source in MODULES.items():
        assert all(places[other] < places[name] for other in imported(source).values()), name


def code_line(source):
    """The first line that joins."""
    return next(line for line in source.splitlines() if line.startswith("//"))


@pytest.mark.parametrize("module", MODULES)
def test_modules_can_be_read_in_one_sitting(module):
    lines = MODULES[module].splitlines()
    assert len(lines) <= 200
    assert max(map(len, lines)) <= 120
    assert lines[0].startswith("// ")


def test_files_are_read_from_the_package():
    assert read_file("page.css").startswith(":root")
