"""Every public name says what it takes and returns, and shows an example that the doctests run."""

import importlib
import inspect
from itertools import pairwise

import pytest

MODULES = ("lcshap", "lcshap.maskers", "lcshap.adapters", "lcshap.metrics", "lcshap.datasets", "lcshap.models")


def public():
    found = {}
    for module in MODULES:
        loaded = getattr(importlib.import_module("lcshap"), module.rpartition(".")[2], None)
        loaded = loaded if inspect.ismodule(loaded) else importlib.import_module(module)
        for name in loaded.__all__:
            thing = getattr(loaded, name)
            ours = getattr(thing, "__module__", "").startswith("lcshap.")
            if ours and (inspect.isclass(thing) or inspect.isfunction(thing)):
                found[id(thing)] = f"{module}.{name}", thing
    return sorted(found.values(), key=lambda pair: pair[0])


def sections(thing):
    """The names of the sections of a docstring: a line with a line of dashes below it."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    return {a for a, b in pairwise(lines) if b and set(b) == {"-"} and len(b) == len(a)}


@pytest.mark.parametrize(("name", "thing"), [pytest.param(*pair, id=pair[0]) for pair in public()])
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
    assert wanted <= there, f"{name} lacks {', '.join(sorted(wanted - there))}"


def test_the_names_are_found():
    names = [name for name, _ in public()]
    assert len(names) > 90
    assert {"lcshap.Explainer", "lcshap.maskers.Text", "lcshap.metrics.agreement"} <= set(names)
