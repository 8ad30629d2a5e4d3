"""Figures that show themselves: in notebooks, with or without pyplot, and in a window from a script.

Matplotlib shows a figure by itself only if pyplot made it, and pyplot keeps what it made until somebody closes it. In
notebooks, and in scripts that have not imported pyplot, pyplot does not keep the figures of lcshap: they are freed with
the last reference to them. In scripts that have imported pyplot, they are registered with it, so that ``pyplot.show()``
and ``pyplot.savefig`` work as with its own figures; only the last few are kept open.
"""

from __future__ import annotations

import io
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

from matplotlib._pylab_helpers import Gcf
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_DPI = 160  # of a picture in a notebook, which is shown at half its size: sharp on fine screens

_MAX_OPEN_FIGURES = 10  # that pyplot keeps for lcshap; older ones are closed, but remain valid for their owners

_pending_figures: list[DisplayedFigure] = []  # drawn in the running cell, and not yet shown
_registered_shells: list[Any] = []  # the shell whose event at the end of a cell is registered


class DisplayedFigure(Figure):
    """A figure that a notebook shows as a picture, and that `show` opens in a window."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """As a notebook shows it, see the documentation of IPython."""
        show_pending(before=self)
        drawn = io.BytesIO()
        self.savefig(drawn, format="png", dpi=_DPI, facecolor=self.get_facecolor())
        wide, high = (round(inches * _DPI / 2) for inches in self.get_size_inches())
        return drawn.getvalue(), {"width": wide, "height": high}

    def show(self, warn: bool = True) -> None:
        """Show it now: in a notebook as a picture, elsewhere in a window of pyplot's backend until it is closed."""
        if _notebook_shell() is not None:
            _display(self)
            return
        from matplotlib import pyplot

        old, manager = self.canvas, self.canvas.manager
        if manager not in Gcf.get_all_fig_managers():
            canvas = type(pyplot.figure(figsize=(1, 1)).canvas)
            pyplot.close()
            manager = canvas.new_manager(self, max([0, *pyplot.get_fignums()]) + 1)
        Gcf._set_new_active_manager(manager)
        try:
            pyplot.show(block=True)
        finally:
            Gcf.destroy(manager)
            self.set_canvas(old)


class DisplayedAxes(Axes):
    """Axes of such a figure: shown as all of it."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """As a notebook shows it."""
        return self._display_figure()._repr_png_()

    def show(self) -> None:
        """Show the figure now, see `DisplayedFigure.show`."""
        self._display_figure().show()

    def savefig(self, path: str | Path, **options: Any) -> None:
        """Write the figure to a file, as ``figure.savefig`` does."""
        self._display_figure().savefig(path, **{"facecolor": self._display_figure().get_facecolor(), **options})

    def _display_figure(self) -> DisplayedFigure:
        figure = self.figure
        assert isinstance(figure, DisplayedFigure)
        return figure


def new_axes(size: tuple[float, float]) -> DisplayedAxes:
    """Axes of a new figure. In a notebook it is shown at the end of the cell, if nothing has shown it before."""
    shell = _notebook_shell()
    figure = _new_figure(size, sys.modules.get("matplotlib.pyplot") if shell is None else None)
    if shell is not None:
        if shell not in _registered_shells:
            shell.events.register("post_execute", show_pending)
            _registered_shells[:] = [shell]
        _pending_figures.append(figure)
    ax = figure.add_subplot(axes_class=DisplayedAxes)
    assert isinstance(ax, DisplayedAxes)
    return ax


def _new_figure(size: tuple[float, float], pyplot: Any) -> DisplayedFigure:
    """A figure that pyplot knows, if it is given and has room; the oldest of ours make room."""
    standalone = partial(DisplayedFigure, figsize=size, layout="constrained")
    if pyplot is None or current_thread() is not main_thread():
        return standalone()
    ours = [manager for manager in Gcf.get_all_fig_managers() if isinstance(manager.canvas.figure, DisplayedFigure)]
    for manager in ours[: max(0, len(ours) + 1 - _MAX_OPEN_FIGURES)]:
        Gcf.destroy(manager)
    if 0 < pyplot.rcParams["figure.max_open_warning"] <= len(pyplot.get_fignums()):
        return standalone()  # the user keeps many figures open: one more would be warned of
    try:
        figure = pyplot.figure(FigureClass=DisplayedFigure, figsize=size, layout="constrained")
    except Exception:  # the backend cannot open windows here; the figure can be saved all the same
        return standalone()
    assert isinstance(figure, DisplayedFigure)
    return figure


def show_pending(before: DisplayedFigure | None = None) -> None:
    """Show the figures of this cell that are not shown yet: all of them, or those drawn before one that comes now."""
    places = [k for k, figure in enumerate(_pending_figures) if before is None or figure is before]
    count = places[-1] + 1 if places else 0
    figures, _pending_figures[:count] = _pending_figures[:count], []
    for figure in figures:
        if figure is not before:
            _display(figure)


def _display(figure: DisplayedFigure) -> None:
    import_module("IPython.display").display(figure)


def _notebook_shell() -> Any:
    """The shell of the notebook in which this runs; None elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell if getattr(shell, "kernel", None) is not None else None
