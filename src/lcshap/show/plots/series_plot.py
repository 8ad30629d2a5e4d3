"""Time series: the lines, with the windows behind them coloured by score."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...core.views import SeriesView
from ...extras import import_optional
from .. import words
from ..faded_scores import faded_scores
from ..palette import colour_limit, rgb_to_hex
from .base import (
    PaletteName,
    colour_bar,
    colour_map,
    flip_caption_inches,
    prepare_axes,
    shown_outputs,
    theme_colours,
    view_of,
)
from .by_target import output_panels
from .empty_axes import draws_one
from .wording import drawable_lines, figure_number

_BAND_MARGIN = 0.1  # of a band, above and below its line
_MAX_NAME_LENGTH = 24  # letters of the name of a channel
_MAX_CHANNELS_WITH_RANGES = 12  # more channels than this are drawn without saying from where to where they go


@draws_one
def series(
    e: Explanation,
    ax: Any = None,
    *,
    palette: PaletteName = "default",
    dark: bool = False,
    output: int | None = None,
    target: Any = None,
) -> Any:
    """Draw a time series as a line over its windows, which are coloured by score.

    Several channels are drawn as bands of the same height, the first on top. Each band reaches from the lowest to the
    highest value of its channel, which are printed below its name. A window of one channel colours only the band of
    that channel. Windows whose 95 % interval contains 0 are drawn faint.

    Parameters
    ----------
    e : an explanation of a time series.
    ax : matplotlib axes to draw on; by default those of a new figure.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.
    output, target : the number of the output to draw, or the name of its target, if the explanation has several; by
        default each has a panel.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if the explanation is not of a time series.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> e = lc.Explainer(lambda rows: rows.sum(axis=1), lc.maskers.Series(window=5), kind="output")(np.arange(20.0))
    >>> lc.plots.series(e).get_xlabel()
    'step'
    """
    outputs, view = shown_outputs(e, output, target), view_of(e, SeriesView)
    if len(outputs) > 1:
        return output_panels(outputs, ax, partial(series, palette=palette, dark=dark), (7.0, 2.6), dark, gap=1.4)
    e = outputs[0]
    values, labels = np.asarray(view.series, np.float64), view.labels
    steps, count = values.shape
    limit, colours = colour_limit([e.scores]), theme_colours(dark)
    ax = prepare_axes(ax, (7.0, 1.7 + max(1.6, 0.7 * min(count, 16)) + flip_caption_inches(e, 7.0)), dark)
    lines, low, high = bands(values) if count > 1 else (values, *_axis_range(values[:, 0]))
    heat = np.where(labels < 0, np.nan, faded_scores(e)[labels]).T
    ax.imshow(
        heat,
        colour_map(palette, dark),
        aspect="auto",
        vmin=-limit,
        vmax=limit,
        extent=(-0.5, steps - 0.5, low, high),
        interpolation="nearest",
    )
    halo = import_optional("matplotlib.patheffects", "plot").withStroke(
        linewidth=3, foreground=rgb_to_hex(colours.background)
    )
    for line in lines.T:
        ax.plot(line, color=rgb_to_hex(colours.ink), linewidth=1.2, path_effects=[halo])
    ax.hlines(range(1, count), -0.5, steps - 0.5, rgb_to_hex(colours.background), linewidth=3)
    ax.set(xlim=(-0.5, steps - 0.5), ylim=(low, high), xlabel="step")
    if count > 1:
        _label_bands(ax, view.channels, values)
    colour_bar(ax, e, limit, palette, dark, below=42, note=words.faint_note(e))
    return ax


def bands(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], float, float]:
    """Channels one above the other, the last from 0 to 1; and how far all of them reach.

    >>> bands(np.array([[5.0, 1.0], [7.0, 1.0]]))[0]
    array([[1.1, 0.5],
           [1.9, 0.5]])
    """
    low, spread = values.min(axis=0), np.ptp(values, axis=0)
    share = np.divide(values - low, spread, out=np.full(values.shape, 0.5), where=spread > 0)
    count = values.shape[1]
    return _BAND_MARGIN + (1 - 2 * _BAND_MARGIN) * share + np.arange(count - 1, -1, -1), 0.0, float(count)


def _axis_range(values: NDArray[np.float64]) -> tuple[float, float]:
    """From where to where the vertical axis of a single channel goes."""
    margin = _BAND_MARGIN * np.ptp(values) or 1.0
    return float(values.min() - margin), float(values.max() + margin)


def _label_bands(ax: Any, names: Sequence[str], values: NDArray[np.float64]) -> None:
    count = len(names)
    names, fonts = drawable_lines(*(words.shorten(name, _MAX_NAME_LENGTH) for name in names))
    labels = list(names)
    if count <= _MAX_CHANNELS_WITH_RANGES:
        lowest, highest = values.min(axis=0), values.max(axis=0)
        labels = [
            f"{name}\n{figure_number(a)} to {figure_number(b)}"
            for name, a, b in zip(names, lowest, highest, strict=True)
        ]
    ax.set_yticks(np.arange(count - 1, -1, -1) + 0.5, labels, fontsize=8, fontfamily=fonts, parse_math=False)
    ax.tick_params(axis="y", length=0)
