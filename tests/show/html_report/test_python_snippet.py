"""The recipe of an explanation: it makes the same scores again, and no record can become other code."""

import ast
from dataclasses import replace

import numpy as np
import pytest

import lcshap as lc
from lcshap.show.html_report import python_snippet as settings
from lcshap.show.html_report.python_snippet import python_snippet
from lcshap.values import VALUES

TEXT = {"name": "Text", "parameters": {"units": "word", "absent": "delete"}}
METHOD = {"method": "LIME(budget=9)", "name": "lime", "class": "LIME", "parameters": {"budget": 9}}


def recorded(e, masker, targets):
    """An explanation with the record in parts, as explainers write it."""
    kind = lc.get_method(e.provenance["name"]).__name__
    return replace(e, provenance={**e.provenance, "class": kind, "masker": masker, "targets": targets})


def run(e, variables):
    """Run the snippet of an explanation with what it leaves open."""
    lines = python_snippet(e.provenance, e.curve is not None).splitlines()
    scope = dict(variables)
    exec("\n".join(line for line in lines if line.partition(" = ")[0] not in variables), scope)
    return scope["e"]


def call_of(text):
    """The call of the explainer in a snippet, by the names of its options."""
    calls = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call) and ast.unparse(n.func) == "lc.Explainer"]
    return {k.arg: ast.unparse(k.value) for k in calls[0].keywords}, [ast.unparse(a) for a in calls[0].args]


class TestTheSameScores:
    @pytest.mark.parametrize("method", [lc.GraphKernelSHAP(40, seed=3), lc.CShapley(2), lc.SampleShapley(40, seed=2)])
    @pytest.mark.parametrize(
        ("target", "targets"),
        [("for", ["for"]), (("for", "against"), [["for", "against"]]), (["against", "for"], ["against", "for"])],
    )
    def test_of_a_model(self, opinion, explain, method, target, targets, tmp_path):
        text = "a good plot and poor actors"
        e = recorded(explain(text, method, target=target, curve=False, value="log_odds"), TEXT, targets)
        again = run(e, {"model": opinion, "x": text})
        assert again.scores.tobytes() == e.scores.tobytes()
        loaded = lc.load(e.save(tmp_path / "e.json"))
        assert python_snippet(loaded.provenance) == python_snippet(e.provenance)

    def test_of_outputs_of_rescaled_and_of_picked_scores(self, opinion, explain):
        e = explain("good plot", lc.LShapley(1), target="all", curve=False)
        e = recorded(e, TEXT, ["against", "for"])
        for derived in (e, e.rescaled(), e.output(1), e.rescaled().output(-1)):
            again = run(derived, {"model": opinion, "x": "good plot"})
            assert again.scores.tobytes() == derived.scores.tobytes()
            assert again.scores.shape == derived.scores.shape

    def test_of_a_game(self):
        game, graph = lc.Game(lambda k: k.sum(axis=1) ** 2.0, 4), lc.Graph.ring(4)
        e = lc.LShapley(1).explain(game, graph)
        assert run(e, {"game": game, "graph": graph}).scores.tobytes() == e.scores.tobytes()
        named = {k: v for k, v in e.provenance.items() if k != "class"}
        assert "lc.get_method('l-shapley')(order=1" in python_snippet(named)
        assert run(replace(e, provenance=named), {"game": game, "graph": graph}).scores.tobytes() == e.scores.tobytes()


class TestParts:
    @pytest.mark.parametrize(
        ("targets", "expected"),
        [
            (["sci - fi"], "'sci - fi'"),
            ([["sci", "fi"]], "('sci', 'fi')"),
            ([("sci", "fi")], "('sci', 'fi')"),
            (["a", ["b", "c - d"]], "['a', ('b', 'c - d')]"),
            (["3"], "'3'"),
        ],
    )
    def test_targets(self, targets, expected):
        options, _ = call_of(python_snippet({**METHOD, "masker": TEXT, "targets": targets}))
        assert options["target"] == expected

    def test_classes_are_named_and_names_found(self):
        _, arguments = call_of(python_snippet({**METHOD, "masker": TEXT}))
        assert arguments == ["model", "lc.maskers.Text(units='word', absent='delete')", "lc.LIME(budget=9)"]

    def test_what_is_no_literal_is_said_beside_it(self):
        record = {"name": "Tabular", "parameters": {"background": np.zeros(2), "names": ["a"], "top": float("inf")}}
        text = python_snippet({**METHOD, "masker": record})
        assert "lc.maskers.Tabular(names=('a',)),  # with its background and top" in text
        ast.parse(text)

    def test_values_are_those_that_there_are(self):
        assert settings._VALUE_NAMES == VALUES
        assert call_of(python_snippet({**METHOD, "masker": TEXT, "value": "prob"}))[0]["value"] == "'prob'"
        assert "value=...,  # mine" in python_snippet({**METHOD, "masker": TEXT, "value": "mine"})

    def test_groups_cannot_be_made_again(self):
        assert "e.group(...)" in python_snippet({**METHOD, "masker": TEXT, "grouped": True})


class TestOldRecords:
    """Version 0.1 wrote maskers and contrasts as texts: these become comments."""

    def test_maskers(self):
        text = python_snippet({**METHOD, "masker": "Text(units='word')", "targets": ["for"]})
        assert "    ...,  # Text(units='word')" in text
        assert call_of(text)[0]["target"] == "'for'"

    def test_what_may_be_a_contrast(self):
        text = python_snippet({**METHOD, "masker": "Text()", "targets": ["for - against"]})
        assert "target=...,  # for - against" in text
        assert call_of(text)[0]["target"] == "..."


@pytest.mark.parametrize(
    "record",
    [
        {"method": "__import__('os').system('true')", "masker": "Text()\nimport os"},
        {"method": "x\nimport os", "name": "x')\nimport os", "parameters": {}},
        {"name": "lime", "class": "LIME()\nimport os", "parameters": {"budget": "9)\nimport os"}},
        {"name": 5, "class": "os.system", "parameters": {"a": 1}, "masker": {"name": "Text()", "parameters": {}}},
        {**METHOD, "parameters": {"budget=print(1), b": 1}, "masker": {"name": "T\nimport os", "parameters": 3}},
        {**METHOD, "parameters": {"class": 1, "\nimport os": 2}, "masker": {"name": "Text", "parameters": {"if": 1}}},
        {**METHOD, "masker": {"name": "Text", "parameters": {"pin": [{"a\nimport os": "'\nimport os"}]}}},
        {"method": "Shapley()", "versions": {"a\nimport os": "\rimport os"}, "graph": "x\nimport os"},
        {"masker": "Text(", "value": "f\nimport os", "targets": ["'),\nimport os"], "kind": "x'\nimport os"},
        {"masker": TEXT, "targets": [["a'\nimport os", "b\u2028import os"]], "output": "0)\nimport os"},
        {"masker": 5, "method": None, "model": "m\nimport os", "versions": "1.0\nimport os"},
    ],
)
def test_a_record_cannot_become_code(record):
    tree = ast.parse(python_snippet(record))
    assert [n.names[0].name for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)] == ["lcshap"]
    calls = {ast.unparse(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    named = {name for name in calls if name.startswith("lc.get_method(")}
    allowed_calls = {"lc.Explainer", "lc.LIME", "lc.maskers.Text", "lc.get_method", "explainer", "method.explain"}
    assert calls - named <= allowed_calls
    assert all(isinstance(ast.parse(name, mode="eval").body.args[0], ast.Constant) for name in named)
