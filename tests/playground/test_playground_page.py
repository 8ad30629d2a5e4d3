"""The page holds its script and its style, which its policy knows by their digests, and nothing else."""

import base64
import hashlib
import re
from collections import Counter
from importlib import resources

from lcshap.playground.playground_page import MODULES, make_page

TOP = re.compile(r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", re.M)


def digest(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_this_script_and_this_style_alone():
    page, policy = make_page("A & B", {"x": "</script>"})
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.S)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.S)
    assert digest(script) in policy
    assert digest(style) in policy
    assert "A &amp; B" in page
    assert not re.search(r"https?://(?!www\.w3\.org)", page)


def sources():
    return {
        path.name: path.read_text("utf-8")
        for package in MODULES
        for path in resources.files(package).iterdir()
        if path.name.endswith(".js")
    }


def test_a_name_is_defined_in_one_module_only():
    playground_files = {path.name for path in resources.files(MODULES[0]).iterdir()}
    script_sources = sources()
    names = Counter(name for source in script_sources.values() for name in TOP.findall(source))
    assert {name for name, times in names.items() if times > 1} == set()
    for name in playground_files & script_sources.keys():
        lines = script_sources[name].splitlines()
        assert len(lines) <= 200, name
        assert max(map(len, lines)) <= 120, name
        assert lines[0].startswith("// "), name


def test_elements_are_made_from_text_alone():
    for name, source in sources().items():
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function", source), name
