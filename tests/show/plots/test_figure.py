"""Figures show themselves: in a real kernel, in a window of a backend, and are kept by nobody."""

import gc
import sys
import types
import weakref
from pathlib import Path

import matplotlib as mpl
import nbformat
import pytest
from matplotlib import pyplot
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from nbclient import NotebookClient
from showing import explain, mood

import lcshap as lc

PLACE = {"metadata": {"path": str(Path(__file__).parents[2])}}
SETUP = """
import lcshap as lc
from showing import explain, mood
e = explain(mood, lc.maskers.Text(), "a good plot with a bad end")
"""


def outputs(*cells):
    """What the cells of a notebook put out in a real kernel: for each cell a list of the kinds of data."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in (SETUP, *cells)])
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=PLACE).execute()
    return [cell.outputs for cell in notebook.cells[1:]]


def pictures(cell):
    return [o.data["image/png"] for o in cell if "image/png" in o.get("data", {})]


def heights(cell):
    return [o.metadata["image/png"]["height"] for o in cell if "image/png" in o.get("data", {})]


@pytest.mark.filterwarnings("ignore")
def test_every_way_to_end_a_cell_shows_each_figure_once():
    cells = [
        ("e.plot()", 1),
        ("e.plot();", 1),
        ("e.plot().figure", 1),
        ("kept = e.plot()", 1),
        ("e.plot().show()", 1),
        ("for kind in ('bars', 'waterfall'): e.plot(kind)", 2),
        ("import matplotlib.pyplot as plt\ne.plot()", 1),
        ("e.plot();", 1),
        ("e.plot().figure", 1),
        ("e.plot('bars', ax=plt.gca());", 1),
        ("kept", 1),  # one of an earlier cell, shown again
        ("e.top(1)", 0),
    ]
    found = outputs(*(source for source, _ in cells), "print(plt.get_fignums())")
    assert [len(pictures(cell)) for cell in found[:-1]] == [count for _, count in cells]
    assert found[-1][0].text.strip() == "[]"


@pytest.mark.filterwarnings("ignore")
def test_figures_of_one_cell_come_in_their_order():
    alone, together = outputs("e.plot('bars')", "e.plot('waterfall')\ne.plot('bars')")
    first, second = heights(together)
    assert [second] == heights(alone)
    assert first != second


def test_nothing_is_kept_and_pyplot_knows_nothing():
    e = explain(mood, lc.maskers.Text(), "a good plot")
    ax = e.plot("bars")
    figure = weakref.ref(ax.figure)
    assert pyplot.get_fignums() == []
    del ax
    gc.collect()
    assert figure() is None


def test_a_picture_has_half_its_size_on_the_page():
    ax = explain(mood, lc.maskers.Text(), "a good plot").plot("bars", dark=True)
    data, size = ax._repr_png_()
    assert (data, size) == ax.figure._repr_png_()
    wide, high = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    assert abs(wide - 2 * size["width"]) <= 1
    assert abs(high - 2 * size["height"]) <= 1


def test_axes_write_files(tmp_path):
    explain(mood, lc.maskers.Text(), "a good plot").plot(dark=True).savefig(tmp_path / "x.svg")
    assert "#16181c" in (tmp_path / "x.svg").read_text()


def test_a_script_shows_a_window_until_it_is_closed(monkeypatch):
    seen = []

    class Manager(FigureManagerBase):
        @classmethod
        def pyplot_show(cls, *, block=None):
            seen.append((block, pyplot.gcf(), pyplot.get_fignums()))

    class Canvas(FigureCanvasAgg):
        manager_class = Manager

    backend = types.ModuleType("lcshap_test_backend")
    backend.FigureCanvas, backend.FigureManager = Canvas, Manager
    monkeypatch.setitem(sys.modules, backend.__name__, backend)
    before = mpl.get_backend()
    pyplot.switch_backend(f"module://{backend.__name__}")
    try:
        ax = explain(mood, lc.maskers.Text(), "a good plot").plot("bars")
        for _ in range(2):
            ax.show()
    finally:
        pyplot.switch_backend(before)
    assert seen == [(True, ax.figure, [1])] * 2
    assert pyplot.get_fignums() == []
    assert isinstance(ax.figure.canvas, mpl.backend_bases.FigureCanvasBase)
    assert not isinstance(ax.figure.canvas, Canvas)


def test_axes_that_are_given_stay_what_they_are():
    own = mpl.figure.Figure().subplots()
    assert explain(mood, lc.maskers.Text(), "a good plot").plot("bars", ax=own) is own
    assert not hasattr(own, "_repr_png_")
