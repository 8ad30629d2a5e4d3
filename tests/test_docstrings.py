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
    found = {}
    for page, text in API["pages"]().items():
        for path in re.findall(r"^::: (\S+)$", text, re.MULTILINE):
            module, _, name = path.rpartition(".")
            found[path] = pytest.param(path, getattr(importlib.import_module(module), name), id=f"{page}.{name}")
    return list(found.values())


def sections(thing):
    """The names of the sections of a docstring: a line with a line of dashes below it."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    return {a for a, b in pairwise(lines) if b and set(b) == {"-"} and len(b) == len(a)}


@pytest.mark.parametrize(("name", "thing"), public())
def test_a_public_name_has_the_sections_that_it_needs(name, thing):
    if inspect.isclass(thing) and issubclass(thing, BaseException):
        assert inspect.getdoc(thing)
        return
    there, wanted = sections(thing), {"Examples"}
    signature = inspect.signature(thing)
    if any(parameter not in ("args", "kwargs") for parameter in signature.parameters):
        assert there & {"Parameters", "Attributes"}, f"{name} does not say what its parameters are"
    if inspect.isfunction(thing) and signature.return_annotation not in (None, "None"):
        wanted.add("Returns")
    if inspect.isfunction(thing) and re.search(r"^ +raise \w", inspect.getsource(thing), re.MULTILINE):
        wanted.add("Raises")
    assert wanted <= there, f"{name} lacks {', '.join(sorted(wanted - there))}"


def methods():
    """Every public method that a class of the API reference defines, with what its base classes say of it too."""
    classes = {thing for _, thing in (parameter.values for parameter in public()) if inspect.isclass(thing)}
    for cls in sorted(classes, key=lambda cls: cls.__qualname__):
        for name, thing in vars(cls).items():
            function = getattr(thing, "__func__", thing)  # of a class method
            if inspect.isfunction(function) and not name.startswith("_"):
                said = [inspect.getdoc(vars(base)[name]) or "" for base in cls.__mro__ if name in vars(base)]
                yield pytest.param(function, " ".join(said), id=f"{cls.__name__}.{name}")


@pytest.mark.parametrize(("function", "said"), list(methods()))
def test_a_public_method_names_each_of_its_parameters(function, said):
    assert inspect.getdoc(function)
    for parameter in inspect.signature(function).parameters:
        if parameter not in ("self", "cls", "args", "kwargs"):
            assert re.search(rf"\b{parameter}\b", said), f"the docstring does not say what {parameter} is"


def test_every_public_name_is_in_the_reference():
    things = [parameter.values[1] for parameter in public()]
    for module in (lc, *(module for _, _, module in API["MODULES"].values())):
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            ours = (getattr(thing, "__module__", "") or "").startswith("lcshap.")
            if ours and (inspect.isclass(thing) or inspect.isfunction(thing)):
                assert any(thing is other for other in things), f"{module.__name__}.{name}"
    assert len(things) > 120
