"""The table of drawings: every kind of view has its row, and what the row names exists."""

from dataclasses import dataclass
from importlib import resources

import numpy as np
import pytest
from saved_views import read
from showing import made, unpack

import lcshap as lc
from lcshap.core.views import KINDS, View
from lcshap.show.ink import Ink
from lcshap.show.kinds import DRAWINGS, Drawing, drawing_of
from lcshap.show.notebook import to_html
from lcshap.show.pack import ContentPool, pack_array
from lcshap.show.plots.choose import KINDS as FIGURES
from lcshap.show.plots.choose import plot
from lcshap.show.styling import InlineStyling
from lcshap.show.terminal import render_explanation

VIEWS = {kind: read(kind) for kind in KINDS} | {"molecule": lc.maskers.Molecule().mask("CC").view}


class Sound(View):
    kind = "sound"


def test_every_kind_of_view_has_a_row():
    assert set(DRAWINGS) == set(KINDS.values())


@pytest.mark.parametrize("view", [*VIEWS.values(), None], ids=[*VIEWS, "none"])
def test_figures_and_pictures_of_the_page_are_there(view):
    script = resources.files("lcshap.show.html_report").joinpath("modules/pictures.js").read_text(encoding="utf-8")
    table = script[script.index("const PICTURES = {") :]
    drawing = drawing_of(view)
    assert drawing.figure_of(view) in FIGURES
    assert set(drawing.figures) <= set(FIGURES)
    packed = drawing.pack(view, ContentPool())
    assert packed["kind"] == {"none": "bars", "prompt": "text"}.get(kind := getattr(view, "kind", "none"), kind)
    assert f"  {packed['kind']}: draw" in table


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_picture_without_scripts_unless_bars_say_all(kind):
    e = made([1.0, -2.0], view=VIEWS[kind])
    drawing, ink = drawing_of(e.view), Ink(e.scores, 2.0, colour=True, dark=True)
    assert (drawing.html(e, e.view, InlineStyling()) == "") == (kind == "table")
    assert (drawing.lines(e, e.view, 80, ink) == []) == (kind in ("table", "molecule"))


def test_others_have_bars():
    sound = Sound(labels=np.arange(2))
    assert drawing_of(None) == drawing_of(sound) == Drawing()
    assert Drawing().figure_of(sound) == Drawing().pack(sound, ContentPool())["kind"] == "bars"


def test_a_kind_of_input_that_is_not_known(write):
    page = write(made([1.0, 2.0], None, Sound(labels=np.arange(2))))
    assert page.sample()["picture"] == {"kind": "bars"}


def test_a_new_kind_needs_its_view_and_its_drawing_alone(write, monkeypatch, tmp_path):
    @dataclass(frozen=True, eq=False, kw_only=True)
    class Tones(View):
        kind = "tones"

        tones: np.ndarray

        @classmethod
        def read_fields(cls, place, last):
            tones = place["tones"].array("f", finite=True)
            return {"tones": tones, "labels": place["labels"].integer_array(-1, last, len(tones))}

    drawing = Drawing(
        lines=lambda e, view, width, ink: ink.lines([("do re", 1)]),
        html=lambda e, view, styling: "<p>do re</p>",
        pack=lambda view, pool: {"kind": "tones", "tones": pack_array(view.tones)},
    )
    monkeypatch.setitem(KINDS, "tones", Tones)
    monkeypatch.setitem(DRAWINGS, Tones, drawing)
    e = made([1.0, -2.0], view=Tones(tones=np.array([440.0, 220.0]), labels=np.arange(2)))
    assert lc.load(e.save(tmp_path / "e.json")).view == e.view
    assert "do re\n=====" in render_explanation(e, 80)
    assert "<p>do re</p>" in to_html(e)
    page = write(e)
    assert unpack(page.sample()["picture"]["tones"]).tolist() == [440, 220]
    assert page.samples[0]["name"] == "tones 1"
    assert "<p>do re</p>" in page.source  # where no script runs
    assert plot(e).get_xlabel() == plot(e, "bars").get_xlabel()
