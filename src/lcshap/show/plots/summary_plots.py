"""Many explanations at once: which words or features matter over a whole set of inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.explanation import Explanation
from ...core.explanations.unit_keys import normalise_word
from ...core.views import TableView, TextView
from ...errors import ShowError
from ...extras import import_optional
from ..check import check_option_count
from ..palette import find_palette, rgb_to_hex
from ..words import describe_subject, format_count, shorten, unit_values
from .bars import add_caption, label_rows
from .base import PaletteName, theme_colours
from .by_target import by_target, panels

Key = Callable[[str], str]
_SWARM_BINS = 80  # in which points of a swarm lie on top of each other


def summary(
    explanations: Sequence[Explanation], top: int | None = 20, *, key: Key | None = None, output: int | None = None
) -> Any:
    """A table of the units that matter most over many inputs: a pandas DataFrame, the most important first.

    Units are the same if their names are: features of tables by their names, words of texts without case and the
    punctuation around them.

    Parameters
    ----------
    top : how many units; None for all.
    key : another way to make one of several names: a function from a name to what it counts as.
    output : which output, where there are several.

    Returns
    -------
    A row for each unit: `name`; `count`, how often it occurs; `mean`, `mean_abs` and `std` of its scores and their
    absolute values where it occurs; `where`, its mean place in the input from 0, the first unit, to 1, the last; and
    `per_input`, the sum of its absolute scores over the number of inputs, by which rows are sorted. Scores of different
    classes are never mixed: where inputs are explained for several, each has rows of its own, and the first column,
    `target`, says of what. To explain one class for all inputs, give the explainer a `target`.

    Examples
    --------
    ``lcshap.plots.summary(explainer(texts))``.
    """
    if top is not None:
        check_option_count("top", top)
    groups = by_target(explanations, output)
    tables = [_summarise(_score_table(group, key), len(group)).head(top) for group in groups.values()]
    if len(tables) == 1:
        return tables[0]
    for table, name in zip(tables, groups, strict=True):
        table.insert(0, "target", name)
    return import_optional("pandas", "pandas").concat(tables, ignore_index=True)


def summary_bars(
    explanations: Sequence[Explanation],
    ax: Any = None,
    *,
    top: int = 20,
    key: Key | None = None,
    output: int | None = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw the units that matter most over many inputs as bars. Their length is `per_input` of `summary`.

    The colour shows the direction: it is full if all scores of a unit have the same sign, and pale if they cancel. The
    number of occurrences follows the name of a unit that does not occur once in every input. If inputs are explained
    for several classes, each class has a panel of its own.

    Parameters
    ----------
    explanations : explanations of many inputs.
    ax : matplotlib axes to draw on; by default those of a new figure.
    top, key : as in `summary`.
    output : the number of the output to draw, if the explanation has several.
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
    >>> import lcshap as lc
    >>> explainer = lc.Explainer(lambda texts: [1.0 * ("good" in t) for t in texts], lc.maskers.Text(), kind="output")
    >>> explanations = explainer(["a good film", "a bad film"])
    >>> ax = lc.plots.summary_bars(explanations)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['good (1)', 'a', 'bad (1)', 'film']
    """
    groups = by_target(explanations, output)
    tables = {id(group): summary(group, top, key=key) for group in groups.values()}
    paint, faint = find_palette(palette), rgb_to_hex(theme_colours(dark).faint)

    def draw(group: list[Explanation], ax: Any) -> None:
        table = tables[id(group)]
        sizes = zip(table["mean"], table["mean_abs"], strict=True)
        fills = [rgb_to_hex(paint.colour(mean, size, dark)) for mean, size in sizes]
        ax.barh(range(len(table)), table["per_input"], height=0.7, color=fills, edgecolor=faint, linewidth=0.5)
        label_rows(ax, _row_names(table, len(group)), dark)
        add_caption(
            ax, [*_subjects(group), "|score|, summed over an input", f"mean of {format_count(len(group), 'input')}"]
        )

    return panels(groups, ax, draw, lambda group: (6.4, 0.9 + 0.28 * len(tables[id(group)])), dark)


def beeswarm(
    explanations: Sequence[Explanation],
    ax: Any = None,
    *,
    top: int = 20,
    key: Key | None = None,
    output: int | None = None,
    palette: PaletteName = "default",
    dark: bool = False,
) -> Any:
    """Draw all scores of the units that matter most over many inputs, one point for each input.

    For tables, the colour of a point is the rank of the value of the feature, from its lowest to its highest. For other
    inputs, it is the place of the unit in the input. Colours do not show the sign here. If inputs are explained for
    several classes, each class has a panel of its own.

    Parameters
    ----------
    explanations : explanations of many inputs.
    ax : matplotlib axes to draw on; by default those of a new figure.
    top, key : as in `summary`.
    output : the number of the output to draw, if the explanation has several.
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
    >>> import lcshap as lc
    >>> explainer = lc.Explainer(lambda texts: [1.0 * ("good" in t) for t in texts], lc.maskers.Text(), kind="output")
    >>> explanations = explainer(["a good film", "a bad film"])
    >>> ax = lc.plots.beeswarm(explanations, top=1)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['good (1)']
    """
    check_option_count("top", top)
    groups = by_target(explanations, output)
    rows = {id(group): min(top, len(_summarise(_score_table(group, key), 1))) for group in groups.values()}

    def draw(group: list[Explanation], ax: Any) -> None:
        _draw_swarm(group, ax, top, key, palette, dark)

    return panels(groups, ax, draw, lambda group: (6.8, 0.9 + 0.32 * rows[id(group)]), dark)


def _draw_swarm(
    explanations: list[Explanation], ax: Any, top: int, key: Key | None, palette: PaletteName, dark: bool
) -> None:
    points = _score_table(explanations, key)
    table = _summarise(points, len(explanations)).head(top)
    points = points[points["name"].isin(table["name"])].copy()
    by_value = all(isinstance(e.view, TableView) for e in explanations)
    if by_value:
        ranks = points.groupby("name")["value"]
        points["hue"] = (ranks.rank() - 1) / (ranks.transform("count") - 1).clip(lower=1)
    else:
        points["hue"] = points["where"]
    row = points["name"].map({name: i for i, name in enumerate(table["name"])}).to_numpy()
    ax.axvline(0, color=rgb_to_hex(theme_colours(dark).faint), linewidth=0.8, zorder=0)
    scores = points["score"].to_numpy()
    options = {"cmap": _hue_map(palette, dark), "vmin": 0, "vmax": 1, "plotnonfinite": True, "linewidths": 0}
    drawn = ax.scatter(scores, row + swarm_offsets(scores, row), s=14, c=points["hue"].to_numpy(), **options)
    label_rows(ax, _row_names(table, len(explanations)), dark)
    _draw_hue_bar(ax, drawn, ("low", "high") if by_value else ("start", "end"), "value" if by_value else "place", dark)
    add_caption(ax, [*_subjects(explanations), "score", format_count(len(explanations), "input")])


def _subjects(explanations: list[Explanation]) -> list[str]:
    """The explained value that all of them share, if it is recorded."""
    return [name] if (name := describe_subject(explanations[0])) else []


def swarm_offsets(scores: NDArray[np.float64], rows: NDArray[np.integer]) -> NDArray[np.float64]:
    """How far each point is moved off the middle of its row, so that points side by side can be told apart.

    >>> swarm_offsets(np.array([1.0, 1.0, 1.0, 5.0]), np.array([0, 0, 0, 0])).round(2).tolist()
    [0.0, 0.08, -0.08, 0.0]
    """
    width = np.ptp(scores) / _SWARM_BINS or 1.0
    places = np.stack([rows, np.floor((scores - scores.min()) / width)], axis=1)
    _, bins = np.unique(places, axis=0, return_inverse=True)
    bins = bins.ravel()
    order = np.argsort(bins, kind="stable")
    firsts = np.searchsorted(bins[order], bins[order])
    number = np.empty(len(bins), np.int64)
    number[order] = np.arange(len(bins)) - firsts
    steps = (number + 1) // 2 * np.where(number % 2, 1, -1)
    return np.asarray(steps * min(0.08, 0.42 / max(1, np.abs(steps).max())))


def _score_table(explanations: list[Explanation], key: Key | None) -> Any:
    """A row for every score: the unit, its place in the input, its value in a table."""
    pandas = import_optional("pandas", "pandas")
    rows = []
    for e in explanations:
        normalise = key or (normalise_word if isinstance(e.view, TextView) else str)
        values = unit_values(e)
        for i, (name, score) in enumerate(zip(e.names, e.scores.tolist(), strict=True)):
            rows.append((normalise(name), score, i / max(len(e.names) - 1, 1), values.get(i, np.nan)))
    table = pandas.DataFrame(rows, columns=["name", "score", "where", "value"])
    if not all(isinstance(name, str) for name in table["name"]):
        raise ShowError("Expected key to return a str for each name, got something else.")
    return table


def _summarise(points: Any, inputs: int) -> Any:
    groups = points.assign(size=points["score"].abs()).groupby("name", sort=True)
    table = groups.agg(
        count=("score", "size"),
        mean=("score", "mean"),
        mean_abs=("size", "mean"),
        std=("score", "std"),
        where=("where", "mean"),
        per_input=("size", lambda sizes: sizes.sum() / inputs),
    )
    return table.sort_values("per_input", ascending=False, kind="stable").reset_index()


def _row_names(table: Any, inputs: int) -> list[str]:
    pairs = zip(table["name"], table["count"], strict=True)
    return [shorten(name) + (f" ({count:,})" if count != inputs else "") for name, count in pairs]


def _hue_map(palette: PaletteName, dark: bool) -> Any:
    """From the one end of a palette straight to the other, and grey for what has no place on it."""
    colour_scale = find_palette(palette)
    ends = [rgb_to_hex(colour_scale.colour(sign, 1.0, dark)) for sign in (-1.0, 1.0)]
    blend = import_optional("matplotlib.colors", "plot").LinearSegmentedColormap.from_list("lcshap hues", ends)
    return blend.with_extremes(bad=rgb_to_hex(theme_colours(dark).faint))


def _draw_hue_bar(ax: Any, drawn: Any, ends: tuple[str, str], label: str, dark: bool) -> None:
    ink = rgb_to_hex(theme_colours(dark).ink)
    place = {"ax": ax, "aspect": 30, "shrink": 0.7, "pad": 0.02}
    if ax not in ax.figure.axes:  # a panel, which cannot give up room of its own
        place = {"cax": ax.inset_axes([1.02, 0.15, 0.015, 0.7])}
    bar = ax.figure.colorbar(drawn, ticks=[0, 1], **place)
    bar.set_ticks([0, 1], labels=ends)
    bar.set_label(label, color=ink, fontsize=8, labelpad=-12)
    bar.ax.tick_params(colors=ink, labelsize=8, length=0)
    bar.outline.set_visible(False)
