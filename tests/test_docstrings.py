"""Every public name says what it takes and returns, and shows an example that the doctests run."""

import importlib
import inspect
import re
import runpy
from itertools import pairwise
from pathlib import Path

import pytest

import lcshap as lc

API = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "site" / "api.py"))


def public():
    """Every name of the API reference, which has all public names of lcshap and of its public modules."""
    parameters = {}
    for page, text in API["pages"]().items():
        for path in re.findall(r"^::: (\S+)$", text, re.MULTILINE):
            module, _, name = path.rpartition(".")
            parameters[path] = pytest.param(path, getattr(importlib.import_module(module), name), id=f"{page}.{name}")
    return list(parameters.values())


def sections(obj):
    """The names of the sections of a docstring: a line with a line of dashes below it."""
    lines = (inspect.getdoc(obj) or "").splitlines()
    return {a for a, b in pairwise(lines) if b and set(b) == {"-"} and len(b) == len(a)}


@pytest.mark.parametrize(("name", "obj"), public())
def test_a_public_name_has_the_sections_that_it_needs(name, obj):
    if inspect.isclass(obj) and issubclass(obj, BaseException):
        assert inspect.getdoc(obj)
        return
    present, required = sections(obj), {"Examples"}
    signature = inspect.signature(obj)
    if any(parameter not in ("args", "kwargs") for parameter in signature.parameters):
        assert present & {"Parameters", "Attributes"}, f"{name} does not say what its parameters are"
    if inspect.isfunction(obj) and signature.return_annotation not in (None, "None"):
        required.add("Returns")
    if inspect.isfunction(obj) and re.search(r"^ +raise \w", inspect.getsource(obj), re.MULTILINE):
        required.add("Raises")
    assert required <= present, f"{name} lacks {', '.join(sorted(required - present))}"


def methods():
    """Every public method that a class of the API reference defines, with what its base classes say of it too."""
    classes = {member for _, member in (parameter.values for parameter in public()) if inspect.isclass(member)}
    for cls in sorted(classes, key=lambda cls: cls.__qualname__):
        for name, member in vars(cls).items():
            function = getattr(member, "__func__", member)  # of a class method
            if inspect.isfunction(function) and not name.startswith("_"):
                docstrings = [inspect.getdoc(vars(base)[name]) or "" for base in cls.__mro__ if name in vars(base)]
                yield pytest.param(function, " ".join(docstrings), id=f"{cls.__name__}.{name}")


@pytest.mark.parametrize(("function", "docstring"), list(methods()))
def test_a_public_method_names_each_of_its_parameters(function, docstring):
    assert inspect.getdoc(function)
    for parameter in inspect.signature(function).parameters:
        if parameter not in ("self", "cls", "args", "kwargs"):
            assert re.search(rf"\b{parameter}\b", docstring), f"the docstring does not say what {parameter} is"


def test_every_public_name_is_in_the_reference():
    documented = [parameter.values[1] for parameter in public()]
    for module in (lc, *(module for _, _, module in API["MODULES"].values())):
        for name in getattr(module, "__all__", ()):
            obj = getattr(module, name)
            ours = (getattr(obj, "__module__", "") or "").startswith("lcshap.")
            if ours and (inspect.isclass(obj) or inspect.isfunction(obj)):
                assert any(obj is other for other in documented), f"{module.__name__}.{name}"
    assert len(documented) > 120
