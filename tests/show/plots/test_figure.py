"""Figures show themselves: in a real kernel, in a window of a backend, and are kept by nobody."""

import gc
import subprocess
import sys
import types
import weakref
from concurrent.futures import ThreadPoolExecutor
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
    cell_outputs = outputs(*(source for source, _ in cells), "print(plt.get_fignums())")
    assert [len(pictures(cell)) for cell in cell_outputs[:-1]] == [count for _, count in cells]
    assert cell_outputs[-1][0].text.strip() == "[]"


@pytest.mark.filterwarnings("ignore")
def test_figures_of_one_cell_come_in_their_order():
    alone, together = outputs("e.plot('bars')", "e.plot('waterfall')\ne.plot('bars')")
    first, second = heights(together)
    assert [second] == heights(alone)
    assert first != second


ALONE = """
import gc, sys, weakref
import lcshap as lc
from showing import explain, mood
e = explain(mood, lc.maskers.Text(), "a good plot")
ax = e.plot("bars")
figure = weakref.ref(ax.figure)
assert "matplotlib.pyplot" not in sys.modules
del ax
gc.collect()
print(figure())
"""


def test_without_pyplot_nothing_is_kept():
    done = subprocess.run([sys.executable, "-c", ALONE], cwd=PLACE["metadata"]["path"], capture_output=True, text=True)
    assert done.stdout.strip() == "None", done.stderr


@pytest.fixture
def closed():
    pyplot.close("all")
    yield
    pyplot.close("all")


@pytest.mark.usefixtures("closed")
class TestPyplot:
    def test_it_knows_the_figure(self, tmp_path):
        ax = explain(mood, lc.maskers.Text(), "a good plot").plot("bars", dark=True)
        assert pyplot.gcf() is ax.figure
        pyplot.savefig(tmp_path / "x.svg")
        assert "#16181c" in (tmp_path / "x.svg").read_text()

    def test_show_opens_it_though_nobody_kept_it(self, windows):
        explain(mood, lc.maskers.Text(), "a good plot").plot("bars")
        pyplot.show()
        (window,) = windows
        assert window[0] is None
        assert [type(figure).__name__ for figure in window[1]] == ["DisplayedFigure"]

    def test_only_the_last_are_kept_and_those_of_the_user_all(self):
        e = explain(mood, lc.maskers.Text(), "a good plot")
        user_figure = pyplot.figure()
        first = e.plot("bars")
        figures = [weakref.ref(e.plot("bars").figure) for _ in range(30)]
        gc.collect()
        assert sum(figure() is not None for figure in figures) == 10
        assert pyplot.fignum_exists(user_figure.number)
        assert len(pyplot.get_fignums()) == 11
        assert first._repr_png_()[0].startswith(b"\x89PNG")  # closed, and still whole

    def test_many_figures_of_the_user_are_no_reason_to_warn(self):
        for _ in range(20):
            pyplot.figure()
        ax = explain(mood, lc.maskers.Text(), "a good plot").plot("bars")
        assert len(pyplot.get_fignums()) == 20
        assert ax.figure.canvas.manager is None

    def test_other_threads_open_no_windows(self):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(explain(mood, lc.maskers.Text(), "a good plot").plot, "bars").result()
        assert pyplot.get_fignums() == []

    def test_a_backend_without_windows_is_no_error(self, monkeypatch, tmp_path):
        def refuse(**options):
            raise RuntimeError("no display")

        monkeypatch.setattr(pyplot, "figure", refuse)
        explain(mood, lc.maskers.Text(), "a good plot").plot("bars").savefig(tmp_path / "x.svg")
        assert (tmp_path / "x.svg").stat().st_size > 1000


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


@pytest.fixture
def windows(monkeypatch):
    """A backend with windows. Each time it is told to show, it notes how, and which figures."""
    seen = []

    class Manager(FigureManagerBase):
        @classmethod
        def pyplot_show(cls, *, block=None):
            seen.append((block, [pyplot.figure(number) for number in pyplot.get_fignums()]))

    class Canvas(FigureCanvasAgg):
        manager_class = Manager

    backend = types.ModuleType("lcshap_test_backend")
    backend.FigureCanvas, backend.FigureManager = Canvas, Manager
    monkeypatch.setitem(sys.modules, backend.__name__, backend)
    before = mpl.get_backend()
    pyplot.switch_backend(f"module://{backend.__name__}")
    yield seen
    pyplot.switch_backend(before)


@pytest.mark.usefixtures("closed")
@pytest.mark.parametrize("has_manager", [True, False])
def test_a_script_shows_a_window_until_it_is_closed(windows, has_manager):
    ax = explain(mood, lc.maskers.Text(), "a good plot").plot("bars")
    if not has_manager:
        pyplot.close("all")
    for _ in range(2):
        ax.show()
    assert windows == [(True, [ax.figure])] * 2
    assert pyplot.get_fignums() == []


def test_axes_that_are_given_stay_what_they_are():
    user_axes = mpl.figure.Figure().subplots()
    assert explain(mood, lc.maskers.Text(), "a good plot").plot("bars", ax=user_axes) is user_axes
    assert not hasattr(user_axes, "_repr_png_")
