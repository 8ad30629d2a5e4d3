"""An explanation in a notebook: what is said, what is escaped, and bars."""

import re
from dataclasses import replace

import numpy as np
import pytest
from showing import explain
from showing import read_html as read

import lcshap as lc
from lcshap.maskers import Series, Tabular, Text
from lcshap.show.notebook import to_html

EVIL = (
    "<script>alert(1)</script>",
    '"onmouseover="alert(1)',
    "</style><img src=x onerror=alert(1)>",
    "</title></textarea><svg/onload=alert(1)>",
    "'><b>&amp;</b>",
    "\x00\x1b[2J\ud800",
)


def length(texts):
    return [float(len(text)) for text in texts]


@pytest.mark.parametrize("evil", EVIL)
def test_what_users_write_shows_as_text(evil):
    text = f"good {evil} end"
    page = read(to_html(explain(length, Text(), text)))
    assert evil.replace("\x00", "␀").replace("\x1b", "␛").replace("\ud800", "�") in page.text
    names = lc.Graph.chain(2, names=[evil, "b"])
    e = lc.Shapley().explain(lc.Game(lambda kept: kept @ [1.0, 2.0], 2), names)
    e = replace(e, provenance={"method": evil, "value": evil, "targets": [evil]})
    assert read(to_html(e)).text.count(evil[:1].replace("\x00", "␀")) >= 4
    several = lc.Shapley().explain(lc.Game(lambda kept: kept @ [[1.0, 0], [2.0, 1]], 2), names)
    read(to_html(replace(several, provenance={"method": evil, "value": evil, "targets": [evil, "other"]})))
    series = Series(window=2, channels="last", names=[evil, "b"])
    read(to_html(explain(lambda rows: rows.sum(axis=(1, 2)), series, np.ones((4, 2)))))
    table = Tabular(np.zeros(2), names=[evil, "b"])
    read(to_html(explain(lambda rows: rows.sum(axis=1), table, np.ones(2))))


def test_styles_stay_inside():
    style = re.search(r"<style>(.*?)</style>", to_html(explain(length, Text(), "a b")), re.DOTALL)[1]
    rules = re.findall(r"([^{}]+)\{[^}]*\}", style)
    assert len(rules) > 5
    assert all(selector.strip().startswith(".lcshap") for rule in rules for selector in rule.split(","))


def test_bars_stand_where_scores_are():
    g = lc.Graph.chain(4, names=list("abcd"))
    e = lc.Shapley().explain(lc.Game(lambda kept: kept @ [3.0, -1.0, 0.5, 0.25], 4), g)
    page = read(to_html(e, top=3))
    bars = [re.findall(r"(?:left|width):([\d.]+)%", d["style"]) for d in page.all("div") if "style" in d]
    assert [[float(n) for n in pair] for pair in bars] == [[25, 75], [0, 25], [25, 12.5]]
    assert "and 1 other+0.250" in page.text


def test_several_outputs_are_a_table():
    g = lc.Graph.chain(3, names=["a", "b", "c"])
    weights = np.array([[1.0, -4.0], [2.0, 0.0], [0.1, 0.1]])
    e = lc.Shapley().explain(lc.Game(lambda kept: kept @ weights + [0, 7.0], 3), g)
    page = read(to_html(replace(e, provenance={**e.provenance, "targets": ["no", "yes"]}), top=2))
    assert re.search(r"noyesa\+1.000-4.000b\+2.000\+0.000base value07full value3.13.1residual00", page.text)
    assert "8 calls; 1 other unit not shown" in page.text


def test_the_heading_and_the_ending():
    page = read(to_html(explain(length, Text(), "a bc")))
    assert "FeatureAblation() explains output 0" in page.text
    assert "Base value 0 → prediction 4; scores sum to 5, residual -1; 4 calls" in page.text


def test_a_path_names_the_units_that_flip_the_decision():
    g = lc.Graph.chain(3, names=["<b>", "a", "c"])
    v = lc.Game(lambda kept: kept @ np.array([3.0, 0.0, 1.0]), 3)
    source = to_html(lc.DeletionPath(8, flip_below=0.5).explain(v, g))
    assert "<p>Without <em>&lt;b&gt;</em>, <em>c</em>, the decision changes.</p>" in source
    read(source)
    assert "the decision changes" not in to_html(lc.DeletionPath(8).explain(v, g))
    assert "<p>The value goes from 0 to 4. <em>&lt;b&gt;</em> raises it most (+3).</p>" in to_html(
        lc.Shapley().explain(v, g)
    )
