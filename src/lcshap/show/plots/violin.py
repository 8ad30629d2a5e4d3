"""How the scores of each unit are distributed over many inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from ...core.explanation import Explanation
from ...extras import import_optional
from ..check import check_option_count
from ..palette import rgb_to_hex
from .base import PaletteName, theme_colours, value_map
from .beeswarm import draw_value_bar, point_hues
from .by_target import panels
from .empty_axes import draws_empty_sets
from .score_rows import add_caption, label_rows
from .unit_points import Key, UnitPoints, point_groups

_BINS = 200  # of the scores of a unit
_HALF_HEIGHT = 0.42  # of the widest violin, in rows


@draws_empty_sets
def violin(
    explanations: Explanation | Sequence[Explanation],
    ax: Any = None,
    *,
    top: int = 20,
    key: Key | None = None,
    output: int | None = None,
    target: Any = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw the density of the scores of the units that matter most over many inputs, with their median and quartiles.

    The density is a smoothed histogram from the smallest to the largest score, scaled to the same height in each row.
    For tables, the colour at a score is the mean rank of the values of the feature there, from its lowest to its
    highest. For other inputs, it is the mean place of the unit in the input. All inputs are used, however many there
    are. The dot is the median, and the line leads from the first to the third quartile. If inputs are explained for
    several classes, each class has a panel of its own.

    Parameters
    ----------
    explanations : explanations of many inputs.
    ax : matplotlib axes to draw on; by default those of a new figure.
    top, key : as in `summary`.
    output, target : the number of the output to draw, or the name of its target; by default each has a panel.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if there are no explanations, or an option is not valid.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> explainer = lc.Explainer(lambda rows: rows @ [1.0, 5.0], lc.maskers.Tabular(np.zeros((1, 2))), kind="output")
    >>> ax = lc.plots.violin(explainer(np.random.default_rng(0).normal(size=(50, 2))))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['1', '0']
    """
    check_option_count("top", top)
    groups = point_groups(explanations, key, output, target)

    def draw(points: UnitPoints, ax: Any) -> None:
        _draw_violins(points, ax, top, palette, dark)

    return panels(groups, ax, draw, lambda points: (6.8, 0.9 + 0.36 * min(top, len(points.names))), dark)


def _draw_violins(points: UnitPoints, ax: Any, top: int, palette: PaletteName, dark: bool) -> None:
    units = points.strongest(top)
    hues = point_hues(points, units)
    colours = theme_colours(dark)
    ink = rgb_to_hex(colours.ink)
    ax.axvline(0, color=rgb_to_hex(colours.faint), linewidth=0.8, zorder=0)
    strips, strip_hues = [], []
    for row, unit in enumerate(units.tolist()):
        chosen = points.unit == unit
        scores = points.scores[chosen]
        corners, hue = violin_strips(scores, hues[chosen], row)
        strips.append(corners)
        strip_hues.append(hue)
        low, middle, high = np.percentile(scores, [25, 50, 75])
        ax.plot([low, high], [row, row], color=ink, linewidth=2, solid_capstyle="butt", zorder=3)
        ax.plot([middle], [row], "o", color=rgb_to_hex(colours.background), markeredgecolor=ink, markersize=4, zorder=4)
    collection = import_optional("matplotlib.collections", "plot").PolyCollection
    drawn = collection(np.concatenate(strips), cmap=value_map(palette, dark), linewidths=0.5, zorder=2)
    drawn.set_array(np.concatenate(strip_hues))
    drawn.set_clim(0, 1)
    drawn.set_edgecolor("face")
    ax.add_collection(drawn)
    ax.autoscale_view()
    label_rows(ax, points.labels(units), dark)
    draw_value_bar(ax, drawn, points.tables, dark)
    notes = [*points.selection_note(len(units)), "density of the scores, median and quartiles"]
    notes += ["grey: no number"] if np.isnan(np.concatenate(strip_hues)).any() else []
    add_caption(ax, [*points.facts, *notes])


def violin_strips(
    scores: NDArray[np.float64], hues: NDArray[np.float64], row: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The strips of a violin around a row, `(m, 4, 2)`, and the mean hue of the scores at each strip.

    The bandwidth is that of Silverman's rule of thumb; scores that are all equal have one narrow strip.
    """
    low, high = float(scores.min()), float(scores.max())
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        width = 1e-3 * (abs(low) or 1.0)
        ends = np.array([low - width, low + width])
        return _strips(ends, np.full(2, _HALF_HEIGHT), row), np.array([_mean_hue(hues)])
    bandwidth = silverman_bandwidth(scores)
    edges = np.linspace(low - 3 * bandwidth, high + 3 * bandwidth, _BINS + 1)
    sigma = bandwidth / (edges[1] - edges[0])
    bins = np.clip(np.searchsorted(edges, scores, "right") - 1, 0, _BINS - 1)
    density = _smooth(np.bincount(bins, minlength=_BINS), sigma)
    numbered = ~np.isnan(hues)
    counts = np.bincount(bins[numbered], minlength=_BINS)
    sums = np.bincount(bins[numbered], hues[numbered], _BINS)
    with np.errstate(invalid="ignore", divide="ignore"):
        hue = _fill_gaps(_smooth(sums, sigma) / _smooth(counts, sigma))
    middles = (edges[:-1] + edges[1:]) / 2
    heights = np.interp(edges, middles, _HALF_HEIGHT * density / density.max())
    inside = (edges[1:] > low) & (edges[:-1] < high)  # a violin ends where the scores do
    return _strips(edges, heights, row)[inside], hue[inside]


def silverman_bandwidth(scores: NDArray[np.float64]) -> float:
    """The bandwidth of a density by Silverman's rule of thumb, 0.9 min(std, IQR / 1.34) n^(-1/5)."""
    std = float(scores.std())
    first, third = np.percentile(scores, [25, 75])
    spread = min(std, float(third - first) / 1.34) or std
    return float(0.9 * spread * len(scores) ** -0.2)


def _smooth(counts: NDArray[Any], sigma: float) -> NDArray[np.float64]:
    return np.asarray(gaussian_filter1d(counts.astype(np.float64), sigma, mode="constant", truncate=6))


def _fill_gaps(hue: NDArray[np.float64]) -> NDArray[np.float64]:
    """The hues of strips far from all scores, in between those of their neighbours; NaN if no strip has one."""
    coloured = np.flatnonzero(np.isfinite(hue))
    return np.interp(np.arange(len(hue)), coloured, hue[coloured]) if len(coloured) else hue


def _strips(edges: NDArray[np.float64], heights: NDArray[np.float64], row: int) -> NDArray[np.float64]:
    """Quadrangles between neighbouring edges, as high above and below a row as the heights say."""
    above, below = np.stack([edges, row - heights], axis=1), np.stack([edges, row + heights], axis=1)
    return np.stack([above[:-1], above[1:], below[1:], below[:-1]], axis=1)


def _mean_hue(hues: NDArray[np.float64]) -> float:
    numbered = hues[~np.isnan(hues)]
    return float(numbered.mean()) if len(numbered) else float("nan")
