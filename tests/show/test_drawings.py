"""The table of drawings: every kind of view has its row, and what the row names exists."""

from importlib import resources

import numpy as np

from lcshap.core.views import KINDS, View
from lcshap.show.drawings import DRAWINGS, Drawing, drawing_of
from lcshap.show.html_report import pictures
from lcshap.show.plots.choose import KINDS as FIGURES


def test_every_kind_of_view_has_a_row():
    assert set(DRAWINGS) == set(KINDS.values())


def test_figures_and_pictures_of_the_page_are_there():
    script = resources.files("lcshap.show.html_report").joinpath("modules/pictures.js").read_text(encoding="utf-8")
    table = script[script.index("const PICTURES = {") :]
    for drawing in [*DRAWINGS.values(), Drawing()]:
        assert drawing.plot in FIGURES
        assert callable(getattr(pictures, f"pack_{drawing.page}"))
        assert f"  {drawing.page}: draw" in table


def test_others_have_bars():
    class Sound(View):
        kind = "sound"

    assert drawing_of(None) == drawing_of(Sound(labels=np.arange(2))) == Drawing()
    assert Drawing().plot == Drawing().page == "bars"
