"""Texts in the terminal, in HTML and on the page."""

import re
from dataclasses import replace

import numpy as np
import pytest
from showing import MOODS, Fragment, explain, made, mood, runs, strip, text_view, unpack, unpack_spans
from showing import read_html as read

import lcshap as lc
from lcshap.core.views import TextView
from lcshap.maskers import Text
from lcshap.show.kinds.text_drawing import text_html
from lcshap.show.notebook import to_html
from lcshap.show.palette import find_palette
from lcshap.show.styling import ClassStyling
from lcshap.show.terminal import render_explanation


@pytest.mark.parametrize("dark", [False, True])
def test_words_have_the_colours_of_their_scores(dark):
    e = explain(mood, Text(), "a good plot, a fine start, a bad end")
    assert e.scores.tolist() == [0, 2, 0, 0, 1, 0, 0, -4, 0]
    line = next(line for line in render_explanation(e, 80, colour=True, dark=dark).splitlines() if "plot" in line)
    assert strip(line) == "a good plot, a fine start, a bad end"
    palette = find_palette("default")
    painted = {text: (ink, back) for text, ink, back in runs(line) if back}
    assert set(painted) == {"good", "fine", "bad"}
    for word, (ink, back) in painted.items():
        assert back == palette.colour(MOODS[word], 4.0, dark)
        assert ink in ((0, 0, 0), (255, 255, 255))


def test_a_text_cannot_control_the_terminal():
    text = "good \x1b[2J\x1b]0;title\x07 bad\x9b31m \u202eevil\r\x00 \ud800 end"
    e = explain(mood, Text(), text)
    for colour in (False, True):
        rendered = render_explanation(e, 80, colour)
        assert "␛[2J" in rendered
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800]", strip(rendered))
    evil = lc.Graph.chain(2, names=["\x1b[31m", "a\nb"])
    e = lc.Shapley().explain(lc.Game(lambda kept: kept @ [1.0, 2.0], 2), evil)
    e = replace(e, provenance={"method": "\x1b[2J", "value": "\x1b", "targets": ["\x07"]})
    rendered = render_explanation(e, 80)
    assert "\x1b" not in rendered
    assert "\x07" not in rendered
    assert "a↵b" in rendered


def test_words_have_colours_in_html():
    page = read(
        to_html(explain(lambda texts: [t.count("good") - 2.0 * t.count("bad") for t in texts], Text(), "good bad end"))
    )
    marks = [m for m in page.all("span")]
    assert [m["title"] for m in marks] == ["+1.000", "-2.000", "+0.000"]
    strengths = [float(re.search(r"([\d.]+)\)$", m["style"])[1]) for m in marks]
    assert strengths[2] == 0
    assert strengths[0] == pytest.approx(strengths[1] / 2, abs=1e-3)
    palette = find_palette("default")
    assert str(palette.dark_negative)[1:-1].replace(" ", "") in marks[1]["style"]


def test_long_texts_are_cut_where_the_page_says_so():
    e = explain(lambda texts: [float(len(t)) for t in texts], Text(), "good " * 30 + "end")
    cut = Fragment(text_html(e, e.view, ClassStyling(find_palette("paper"), longest_text=7)))
    assert cut.text == "good go"
    assert "end" in read(to_html(e)).text


@pytest.mark.parametrize("text", ["plain words here", "👩‍👩‍👧 two 𝒳𝒴 words", "中文很好 and 𠀀 more", " \n lead"])
def test_spans_count_as_javascript_does(write, text):
    view = text_view(text)
    names = [text[s:e] for s, e in view.spans]
    page = write(made(np.arange(len(names)), names, view))
    wide = page.samples[0]["text"].encode("utf-16-le")
    spans = unpack_spans(page.sample()["picture"]["spans"])
    assert [wide[2 * s : 2 * e].decode("utf-16-le") for s, e in spans] == names
    assert "names" not in page.samples[0]


def test_sentences(write):
    text = "It is bad. It just sucks! Really?\n\nYes"
    view = text_view(text)
    picture = write(made(np.zeros(len(view.spans)), None, view)).sample()["picture"]
    expected = lc.maskers.Text(units="sentence").mask(text).spans
    assert unpack_spans(picture["sentences"]) == [list(span) for span in expected]


@pytest.mark.parametrize(("text", "units"), [("only one sentence.", "word"), ("One. Two.", "sentence")])
def test_no_sentences_where_they_add_nothing(write, text, units):
    view = text_view(text, units)
    assert "sentences" not in write(made(np.zeros(len(view.spans)), None, view)).sample()["picture"]


def test_no_sentences_where_units_reach_over_them(write):
    view = lc.maskers.Text(splitter=r"\w+\W+\w+|\w+").mask("One two. Three. Four five six. Seven").view
    assert "sentences" not in write(made(np.zeros(len(view.spans)), None, view)).sample()["picture"]


def test_units_of_several_words(write):
    e = explain(mood, Text(), "good plot. bad end").group([0, 0, 1, 1], names=["first", "second"])
    page = write(e)
    assert page.pool(page.samples[0]["names"]) == ["first", "second"]
    assert unpack(page.pool(page.sample()["picture"]["labels"])).tolist() == [0, 0, 1, 1]


def test_texts_of_old_files_have_no_sentences(write):
    view = text_view("It is bad. It just sucks!")
    old = TextView(text=view.text, spans=view.spans, labels=view.labels)
    assert "sentences" in write(made(np.zeros(6), None, view)).sample()["picture"]
    assert "sentences" not in write(made(np.zeros(6), None, old)).sample()["picture"]
