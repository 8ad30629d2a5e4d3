"""Masking curves of several methods, averaged over inputs, with bands of confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import half_width
from ...errors import ShowError
from .. import words
from ..palette import find_palette, rgb_to_hex
from .base import PaletteName, prepare_axes, theme_colours
from .wording import figure_number

# After the two of the palette: Okabe and Ito's, then Tol's, so that no two lines of a panel have the same.
# Styles and markers work without colour.
_COLOURS = (
    *("#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6f4e37", "#999933", "#882255"),
    *("#44aa99", "#777777", "#aa4499", "#661100", "#6699cc", "#117733", "#332288"),
)
_STYLES = ("-", "--", "-.", ":")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_AREA_PERCENT = 20.0  # the area is computed up to this percentage of masked units


@runtime_checkable
class MeasuredCurve(Protocol):
    """What `lcshap.metrics.masking_curve` gives: values at percents of units that are masked (kept, if `keep`)."""

    @property
    def percents(self) -> NDArray[np.float64]:
        """How many percent of the units."""

    @property
    def values(self) -> NDArray[np.float64]:
        """What the model says there."""

    @property
    def quantity(self) -> str:
        """In words, what the values are."""

    @property
    def keep(self) -> bool:
        """Whether the top units are the only ones kept."""


Curve = MeasuredCurve | Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class _Line:
    """A curve as it is drawn: less its start."""

    percents: NDArray[np.float64]
    drop: NDArray[np.float64]
    quantity: str
    keep: bool

    @property
    def has_area(self) -> bool:
        return bool(self.percents[0] == 0 and _AREA_PERCENT in self.percents)

    @property
    def area(self) -> float:
        """The mean up to 20 %, by trapezoids: as `lcshap.metrics.MaskingCurve.area` has it."""
        inside = self.percents <= _AREA_PERCENT
        return float(np.trapezoid(self.drop[inside], self.percents[inside]) / _AREA_PERCENT)


def curves(
    curves_by_method: Mapping[str, Curve | Sequence[Curve]],
    ax: Any = None,
    *,
    band: float = 0.95,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw how much the output changes while more and more units are masked. Lower is better.

    Each method has one line, the mean over inputs, with a confidence band by Student's t if there are at least two
    inputs. The legend has the area of each line from 0 to 20 %, which is its mean there.

    Parameters
    ----------
    curves_by_method : the masking curves of some inputs for each method, by its name. Curves are those of
        `lcshap.metrics.masking_curve`, or the `curve` of explanations. All of them must have the same percents.
    ax : matplotlib axes to draw on; by default those of a new figure.
    band : the confidence of the bands, between 0 and 1.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if there are no curves, if their percents differ, or if curves of masked and of kept units are mixed.

    Examples
    --------
    >>> import lcshap as lc
    >>> model, masker = lambda texts: [1.0 * ("good" in text) for text in texts], lc.maskers.Text()
    >>> e = lc.Explainer(model, masker, kind="output", curve=True)("a good film")
    >>> lc.plots.curves({"auto": e.curve}).get_xlabel()
    'units masked (%)'
    """
    if not 0 < band < 1:
        raise ShowError(f"Expected a band between 0 and 1, got {band!r}.")
    samples = {str(name): _read_lines(str(name), measured) for name, measured in curves_by_method.items()}
    if not samples:
        raise ShowError("Expected curves of at least one method, got none.")
    first = next(iter(samples.values()))[0]
    _check_consistent([curve for lines in samples.values() for curve in lines], first)
    ax = prepare_axes(ax, (6.0, 4.0), dark)
    ax.axhline(0, color=rgb_to_hex(theme_colours(dark).faint), linewidth=0.8, zorder=0)
    hues = [*(rgb_to_hex(find_palette(palette).colour(end, 1.0, dark)) for end in (1.0, -1.0)), *_COLOURS]
    for index, (name, lines) in enumerate(samples.items()):
        mean, width = mean_and_width(np.stack([curve.drop for curve in lines]), band)
        colour = hues[index % len(hues)]  # more than sixteen lines are told apart by their markers
        style, marker = _STYLES[index % len(_STYLES)], _MARKERS[index % len(_MARKERS)]
        label = f"{name}, {_signed(np.mean([curve.area for curve in lines]))}" if first.has_area else name
        ax.plot(first.percents, mean, color=colour, linestyle=style, marker=marker, markersize=4, label=label)
        if np.isfinite(width).all():
            ax.fill_between(first.percents, mean - width, mean + width, color=colour, alpha=0.15, linewidth=0)
    quantity = (
        first.quantity
        if all(curve.quantity == first.quantity for lines in samples.values() for curve in lines)
        else "log-odds"
    )
    ax.set(xlabel=words.curve_x_label(first.keep), xlim=first.percents[[0, -1]])
    ax.set_ylabel(words.curve_y_label(quantity), parse_math=False)
    _draw_legend(ax, first.has_area, dark)
    return ax


def mean_and_width(drops: NDArray[np.float64], confidence: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean of rows, and half the width of its confidence interval: inf for a single row.

    >>> mean_and_width(np.array([[0.0, -1.0], [0.0, -3.0]]), 0.5)
    (array([ 0., -2.]), array([0., 1.]))
    """
    count = len(drops)
    error = drops.std(axis=0, ddof=1) / count**0.5 if count > 1 else np.zeros(drops.shape[1])
    return np.asarray(drops.mean(axis=0)), half_width(error, count - 1, confidence)


def _signed(x: Any) -> str:
    return ("+" if x > 0 else "") + figure_number(x)


def _read_lines(name: str, measured: Any) -> list[_Line]:
    """A list of curves, from objects or dictionaries, or from a single one."""
    listed: list[Any] = (
        [measured] if isinstance(measured, MeasuredCurve | Mapping) or measured is None else list(measured)
    )
    if not listed:
        raise ShowError(f"Expected at least one curve of {name!r}, got none.")
    return [_read_line(name, curve) for curve in listed]


def _read_line(name: str, curve: Any) -> _Line:
    if isinstance(curve, MeasuredCurve):
        return _Line(curve.percents, curve.values - curve.values[0], curve.quantity, curve.keep)
    if curve is None:
        raise ShowError(
            f"Expected explanations with masking curves, got one by {name!r} without. Make it with "
            "Explainer(..., curve=True)."
        )
    if not isinstance(curve, Mapping):
        raise ShowError(f"Expected a MaskingCurve or the curve of an explanation for {name!r}, got {curve!r}.")
    try:
        percents, _, values = (np.asarray(curve[key], np.float64) for key in ("percents", "counts", "values"))
        return _Line(percents, values - values[0], str(curve["what"]), bool(curve.get("keep", False)))
    except KeyError:
        raise ShowError(
            f"Expected a curve with percents, counts, values and what for {name!r}, got {list(curve)}."
        ) from None


def _check_consistent(lines: list[_Line], first: _Line) -> None:
    for curve in lines:
        if not np.array_equal(curve.percents, first.percents):
            raise ShowError(
                f"Expected curves at the same percents, got {first.percents.tolist()} and "
                f"{curve.percents.tolist()}. Measure them again."
            )
        if curve.keep != first.keep:
            raise ShowError(
                "Expected curves of masked units or curves of kept units, got both. Draw them in two figures."
            )


def _draw_legend(ax: Any, with_area: bool, dark: bool) -> None:
    colours = theme_colours(dark)
    ink, background = rgb_to_hex(colours.ink), rgb_to_hex(colours.background)
    legend = ax.legend(fontsize=8, labelcolor=ink, facecolor=background, edgecolor="none")
    for text in legend.get_texts():
        text.set_parse_math(False)
    if with_area:
        legend.set_title(f"method, mean from 0 to {_AREA_PERCENT:.0f} %", prop={"size": 8})
        legend.get_title().set_color(ink)
