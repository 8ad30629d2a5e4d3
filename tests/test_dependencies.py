"""Every package that is imported is declared with a minimum version, and the versions that CI installs are listed."""

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = {"": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
DISTRIBUTIONS = {"PIL": "pillow", "skimage": "scikit-image", "sklearn": "scikit-learn"}
NEVER_DECLARED = {
    "IPython": "it is there in every notebook, and used only there",
    "tensorflow": "one of the three backends of Keras, which users choose",
}


@cache
def requirements(extra):
    """What an extra installs, with the extras in it."""
    found = {}
    for need in map(Requirement, EXTRAS[extra]):
        if need.name == "lcshap":
            for part in need.extras:
                found |= requirements(part)
        else:
            found[canonicalize_name(need.name)] = need
    return found


def imports():
    """Each package that a file imports, with the extra that its error names if it has one."""
    for path in sorted((ROOT / "src/lcshap").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((alias.name, None, path.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                yield node.module, None, path.name
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_optional":
                module, extra = (getattr(argument, "value", None) for argument in node.args)
                if isinstance(module, str) and isinstance(extra, str):
                    yield module, extra, path.name


def constraints():
    lines = (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_dependency_has_a_minimum_version(extra):
    for need in map(Requirement, EXTRAS[extra]):
        if need.name == "lcshap":
            assert need.extras <= set(EXTRAS), f"{extra}: unknown extras in {need}"
        else:
            assert {spec.operator for spec in need.specifier} & {">=", "==", "~="}, f"{extra}: {need}"


def test_every_imported_package_is_declared_by_the_extra_that_errors_name():
    seen = set()
    for module, extra, file in imports():
        package = module.partition(".")[0]
        if package in sys.stdlib_module_names or package == "lcshap" or package in NEVER_DECLARED:
            continue
        name = canonicalize_name(DISTRIBUTIONS.get(package, package))
        seen.add(name)
        if extra is None:
            assert any(name in requirements(extra) for extra in EXTRAS if extra != "test"), f"{file}: {package}"
        else:
            assert extra in EXTRAS, f"{file} names an extra that does not exist: {extra}"
            assert name in requirements(extra), f"{file}: the extra {extra} does not install {package}"
    assert {"numpy", "pillow", "h11", "fsspec", "httpx", "pyarrow", "torch"} <= seen


def test_each_line_of_the_constraints_is_one_version():
    lines = constraints()
    assert len(lines) > 200
    for line in lines:
        assert re.fullmatch(r"[\w.-]+==[\w.!]+", line), line  # no local versions, such as +cpu
    names = [canonicalize_name(line.partition("==")[0]) for line in lines]
    assert len(set(names)) == len(names)


def test_the_constraints_satisfy_every_declared_requirement():
    versions = {canonicalize_name(line.partition("==")[0]): Version(line.partition("==")[2]) for line in constraints()}
    for extra in EXTRAS:
        for name, need in requirements(extra).items():
            assert name in versions, f"{extra}: run .ci/constrain, which lists {name}"
            assert need.specifier.contains(versions[name], prereleases=True), f"{extra}: {need}, got {versions[name]}"


def test_workflows_install_the_versions_of_the_constraints():
    steps = {}
    for path in WORKFLOWS:
        for job in re.split(r"\n  (?=\w+:\n)", path.read_text(encoding="utf-8").partition("\njobs:")[2]):
            if "checkout@" in job:
                steps[f"{path.stem} {job.strip().partition(':')[0]}"] = job
    assert {"ci all", "ci coverage", "nightly lowest", "nightly audit", "release build"} <= set(steps)
    for name, job in steps.items():
        if name not in ("nightly lowest", "nightly audit"):  # the first needs other versions, .ci/audit sets it itself
            assert "PIP_CONSTRAINT=$PWD/.ci/constraints.txt" in job, name
    assert "PIP_CONSTRAINT" not in steps["nightly lowest"]
    assert "bash .ci/audit sbom.json" in steps["nightly audit"]
    audit = (ROOT / ".ci/audit").read_text(encoding="utf-8")
    assert "pip-audit" in audit
    assert "cyclonedx-py" in audit


def test_dependabot_watches_the_constraints_and_the_actions():
    text = (ROOT / ".github/dependabot.yml").read_text(encoding="utf-8")
    ecosystems = re.findall(r"package-ecosystem: ([\w-]+).*\n\s+directory: (\S+)", text)
    assert ecosystems == [("pip", "/.ci"), ("github-actions", "/")]
