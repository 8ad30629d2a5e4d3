"""All about a method, for the terminal."""

import re
from dataclasses import fields

import pytest
from command import run

import lcshap as lc
from lcshap.cli.manual import describe_method_fully, strip_markup


@pytest.mark.parametrize("name", list(lc.METHODS))
def test_every_method_is_readable(name):
    entry = lc.METHODS.entry(name)
    text = describe_method_fully(entry, 80)
    assert max(map(len, text.splitlines())) <= 80
    for markup in (":math:", ".. math", "``", "`", ">>>", "frac", "setminus", "----", "]_", "\\|", "\\{", "\\,"):
        assert markup not in text
    assert not re.search(r"\\[a-z]", text)
    flat = " ".join(text.split())
    assert entry.summary.split("`")[0] in flat
    for f in fields(entry.method):
        assert re.search(rf"^  .*\b{f.name}\b", text, re.MULTILINE), f.name
    assert f"--method {name}" in flat
    assert f"help(lcshap.{entry.method.__name__})" in flat


def test_the_command_prints_the_description():
    out = run("methods", "c-shapley")[0]
    assert out == describe_method_fully(lc.METHODS.entry("c-shapley"), 100) + "\n"
    assert "  order=2\n      k, the radius of a neighbourhood in edges." in out
    assert "Say --method c-shapley:order=2" in out
    assert "Chen, Song, Wainwright, Jordan" in out


def test_formulas_become_letters():
    assert strip_markup(r":math:`v(U) - \sum_W v(W) + (c-1) v(\emptyset)`") == "v(U) - Σ_W v(W) + (c-1) v(∅)"
    assert strip_markup(r":math:`(d-1)/(\binom dn n (d-n))`") == "(d-1)/(C(d, n) n (d-n))"
    assert strip_markup(r":math:`\tfrac12 [v(S) + v(V \setminus S)]`") == "1/2 [v(S) + v(V \\ S)]"
    assert strip_markup(r":math:`v[a{+}1,b]`, :math:`(X^\top X)^{-1}`") == "v[a+1,b], (X^T X)^(-1)"
