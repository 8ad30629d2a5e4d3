"""The slot through which explanations are shown."""

import subprocess
import sys

import numpy as np
import pytest

import lcshap as lc
from lcshap.core import presenter

E = lc.Explanation(np.ones(2), 0.0, 2.0, lc.Graph.chain(2), 4)


class Recorder:
    """Says what it was asked for."""

    def show(self, e, top):
        self.shown = (e, top)

    def html(self, e):
        return "html"

    def rich(self, e, console, options):
        yield (console, options)

    def plot(self, e, kind, ax, **options):
        return kind, ax, options

    def report(self, e, path, **options):
        return path, options


@pytest.fixture
def slot():
    """Puts back what was installed."""
    before = presenter.get_presenter()
    yield presenter.install_presenter
    presenter.install_presenter(lambda: before)


def test_explanations_go_through_the_slot(slot):
    mine = Recorder()
    slot(lambda: mine)
    E.show(top=3)
    assert mine.shown == (E, 3)
    assert E._repr_html_() == "html"
    assert list(E.__rich_console__("console", "options")) == [("console", "options")]
    assert E.plot("bars", "axes", top=2) == ("bars", "axes", {"top": 2})
    assert E.to_html("x.html", title="t") == ("x.html", {"title": "t"})


def test_an_empty_slot_raises_with_advice(slot):
    slot(None)
    for ask in (E.show, E._repr_html_, E.plot, lambda: E.to_html("x.html"), lambda: list(E.__rich_console__(0, 0))):
        with pytest.raises(lc.errors.ShowError, match=r"got none\. Import lcshap, or install a presenter first"):
            ask()


def test_the_package_show_fills_it(capsys, tmp_path):
    E.show()
    assert "Base value 0 → full value 2" in capsys.readouterr().out
    assert "<table>" in E._repr_html_()
    assert E.to_html(tmp_path / "e.html").is_file()
    assert len(E.plot().patches) == 2


def test_importing_is_cheap():
    code = "import sys, lcshap.show; print([m for m in ('matplotlib', 'rich', 'pandas') if m in sys.modules])"
    completed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert completed.stdout == "[]\n"
