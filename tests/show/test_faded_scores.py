"""Scores that may well be zero are drawn faint: in the terminal, notebooks, figures and the page."""

import json
from dataclasses import replace

import numpy as np
import pytest

import lcshap as lc
from lcshap.show import words
from lcshap.show.faded_scores import FADED_STRENGTH, faded_scores
from lcshap.show.html_report.samples import _pack_entry
from lcshap.show.notebook import to_html
from lcshap.show.pack import ContentPool
from lcshap.show.terminal import render_explanation

TEXT = "one two three four"


@pytest.fixture
def e():
    exact = lc.explain(lambda texts: [float(len(t)) for t in texts], TEXT, kind="output")
    return replace(exact, scores=np.array([4.0, 4.0, -4.0, -4.0]), stderr=np.array([0.5, 3.0, 0.5, 3.0]), dof=20)


def test_colours_are_weaker(e):
    assert faded_scores(e).tolist() == pytest.approx([4, 4 * FADED_STRENGTH, -4, -4 * FADED_STRENGTH])
    exact = replace(e, stderr=None)
    assert faded_scores(exact).tolist() == exact.scores.tolist()


def test_it_is_said(e):
    assert words.faint_note(e) == "Faint: the 95 % interval includes zero (2 of 4 units)"
    assert words.faint_note(replace(e, stderr=None)) == ""
    for rendered in (render_explanation(e), to_html(e)):
        assert words.faint_note(e) in rendered
    for rendered in (render_explanation(replace(e, stderr=None)), to_html(replace(e, stderr=None))):
        assert "faint" not in rendered


def test_terminal(e):
    plain = render_explanation(e, width=60).splitlines()
    at = plain.index(TEXT)
    assert plain[at + 1].split() == ["###", "+++", "=====", "----"]
    bars = {line.split()[0]: line for line in plain if "│" in line}
    assert {name: "░" in bar for name, bar in bars.items()} == {"one": False, "two": True, "three": False, "four": True}
    assert all("4.0" in bar for bar in bars.values())  # the numbers stay
    colours = render_explanation(e, colour=True).split("\n\n")[2]
    assert len({code for code in colours.split("\033[") if code.startswith("38")}) == 4


def test_notebook(e):
    page = to_html(e)
    assert page.count(f",{0.65 * FADED_STRENGTH:.3f})") == 4  # two words and two bars
    assert page.count(",0.650)") == 4
    assert 'title="+4.000"' in page


def test_page(e):
    entry = _pack_entry(e, None, ContentPool())
    assert json.loads(json.dumps(entry))["faint"][0] == FADED_STRENGTH
    assert "faint" not in _pack_entry(replace(e, stderr=None), None, ContentPool())


def test_figures(e):
    ax = lc.plots.bars(e)
    faces = [patch.get_facecolor() for patch in ax.patches]
    pale = {name.get_text(): min(face[:3]) > 0.55 for name, face in zip(ax.get_yticklabels(), faces, strict=True)}
    assert pale == {"one": False, "two": True, "three": False, "four": True}
    assert "includes zero" in " ".join(ax.get_xlabel().split())
