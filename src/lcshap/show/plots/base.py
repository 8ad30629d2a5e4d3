"""What all figures share: axes, colours, saving. Matplotlib is imported when something is drawn, not before."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap as fill
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...core.atomic_files import check_output_path, write_file
from ...core.explanation import Explanation
from ...core.views import View
from ...errors import ShowError
from ...extras import import_optional
from .. import flips, words
from ..palette import DARK, LIGHT, RGB, Palette, ThemeColours, find_palette, rgb_to_hex
from .wording import LITERAL, drawable_lines, figure_number

PaletteName = str | Palette
V = TypeVar("V", bound=View)
_POINTS_PER_LETTER = 4.6  # the mean width of a letter in a caption, whose font has 8 points
_CLIPPED_NOTE = "the colours end at the 99th percentile of |score|"


def theme_colours(dark: bool) -> ThemeColours:
    """The background and the ink."""
    return DARK if dark else LIGHT


def prepare_axes(ax: Any, size: tuple[float, float], dark: bool) -> Any:
    """Prepare the axes to draw on: those of the caller, or those of a new figure, which notebooks display."""
    if ax is None:
        import_optional("matplotlib.figure", "plot")
        from .figure import new_axes

        ax = new_axes(size)
    if not hasattr(ax, "figure"):
        raise ShowError(f"Expected ax as matplotlib axes, got {ax!r}. Give a unit by its keyword, as in unit='age'.")
    colours = theme_colours(dark)
    ax.figure.set_facecolor(rgb_to_hex(colours.background))
    ax.set_facecolor(rgb_to_hex(colours.background))
    ax.tick_params(colors=rgb_to_hex(colours.ink))
    for label_artist in (ax.xaxis.label, ax.yaxis.label, ax.title):
        label_artist.set_color(rgb_to_hex(colours.ink))
    for side, spine in ax.spines.items():
        spine.set_color(rgb_to_hex(colours.faint))
        spine.set_visible(side in ("left", "bottom"))
    return ax


def colour_map(palette: PaletteName, dark: bool = False) -> Any:
    """A matplotlib colour map from the most negative through zero to the most positive score."""
    colour_scale = find_palette(palette)
    colours = [colour_scale.colour(score, 1.0, dark) for score in np.linspace(-1, 1, 255)]
    return import_optional("matplotlib.colors", "plot").ListedColormap([rgb_to_hex(c) for c in colours], name="lcshap")


def value_map(palette: PaletteName, dark: bool = False) -> Any:
    """A colour map of feature values, from the lowest to the highest; grey for what is not a number."""
    colour_scale = find_palette(palette)
    stops = [rgb_to_hex(colour) for colour in (colour_scale.dark_values if dark else colour_scale.values)]
    blend = import_optional("matplotlib.colors", "plot").LinearSegmentedColormap.from_list("lcshap values", stops)
    return blend.with_extremes(bad=rgb_to_hex(theme_colours(dark).faint))


def magnitude_map(palette: PaletteName, dark: bool = False) -> Any:
    """A colour map of magnitudes: from the background, for 0, to the first colour of values."""
    colour_scale = find_palette(palette)
    strongest = (colour_scale.dark_values if dark else colour_scale.values)[0]
    ends = [rgb_to_hex(theme_colours(dark).background), rgb_to_hex(strongest)]
    return import_optional("matplotlib.colors", "plot").LinearSegmentedColormap.from_list("lcshap magnitudes", ends)


def end_colours(palette: PaletteName, dark: bool = False) -> Any:
    """A colour map of two colours: that of the most negative score below zero, that of the most positive above."""
    colour_scale = find_palette(palette)
    ends = [rgb_to_hex(colour_scale.colour(end, 1.0, dark)) for end in (-1.0, 1.0)]
    return import_optional("matplotlib.colors", "plot").ListedColormap(ends, name="lcshap ends")


def score_colours(scores: NDArray[np.float64], limit: float, palette: PaletteName, dark: bool) -> list[RGB]:
    """The colour of each score."""
    colour_scale = find_palette(palette)
    return [colour_scale.colour(float(score), limit, dark) for score in scores]


def check_explanations(explanations: Explanation | Sequence[Explanation]) -> list[Explanation]:
    """A list of explanations, if these are explanations."""
    listed = [explanations] if isinstance(explanations, Explanation) else list(explanations)
    if not listed or not all(isinstance(e, Explanation) for e in listed):
        raise ShowError("Expected a list of at least one explanation, got none.")
    return listed


def one_output(e: Explanation, output: int | None = None, target: Any = None) -> Explanation:
    """The explanation of one output; raises `ShowError` if there are several and none is chosen."""
    outputs = shown_outputs(e, output, target)
    if len(outputs) > 1:
        raise ShowError(f"Expected one output, got {len(outputs)}. Choose one, such as output=0 for the first.")
    return outputs[0]


def shown_outputs(e: Explanation, output: int | None = None, target: Any = None) -> list[Explanation]:
    """The outputs in a picture of one input: where all classes are explained by default, only the predicted one.

    Parameters
    ----------
    output, target : the number of one output, or the name of its target; or "all" as the target.

    Examples
    --------
    >>> import lcshap as lc
    >>> record = {"kind": "probabilities", "value": "prob", "targets": ["cat", "dog"], "target": "classes"}
    >>> e = lc.Explanation(np.eye(2), np.zeros(2), np.array([0.3, 0.7]), lc.Graph.chain(2), 4, record)
    >>> [words.target_names(shown) for shown in shown_outputs(e)], len(shown_outputs(e, target="all"))
    ([['dog']], 2)
    """
    if isinstance(target, str) and target == "all" and target not in words.target_names(e):
        return choose_outputs(e, output)
    if output is None and target is None and words.explains_all_classes(e):
        output = words.main_output(e)
    return choose_outputs(e, output, target)


def choose_outputs(e: Explanation, output: int | None = None, target: Any = None) -> list[Explanation]:
    """The explanations of all outputs, or of the one that is chosen by its number or by the name of its target.

    Raises
    ------
    ShowError : if both are given, or there is no such output.

    Examples
    --------
    >>> import lcshap as lc
    >>> record = {"targets": ["cat", "dog"]}
    >>> e = lc.Explanation(np.eye(2), np.zeros(2), np.ones(2), lc.Graph.chain(2), 4, record)
    >>> len(choose_outputs(e)), choose_outputs(e, target="dog")[0].scores.tolist()
    (2, [0.0, 1.0])
    """
    if output is not None and target is not None:
        raise ShowError("Expected output= or target=, got both. The first is a number, the second is a name.")
    names = words.target_names(e)
    if target is not None:
        name = words.target_name(target)
        if name not in names:
            options = ", ".join(map(repr, names)) or "none, since the explanation does not name its targets"
            raise ShowError(f"Expected target as one of {options}, got {target!r}.")
        output = names.index(name)
    if e.scores.ndim == 1:
        return [e]
    count = e.scores.shape[1]
    if output is None:
        return [e.output(k) for k in range(count)]
    if not -count <= output < count:
        raise ShowError(f"Expected output as a number from 0 to {count - 1}, got {output!r}.")
    return [e.output(output)]


def view_of(e: Explanation, kind: type[V]) -> V:
    """The view of an explanation, if its input is of this kind. Raises `ShowError` otherwise."""
    if not isinstance(e.view, kind):
        actual = (
            "an explanation without a picture of its input" if e.view is None else f"an input of kind {e.view.kind!r}"
        )
        raise ShowError(
            f"Expected an input of kind {kind.kind!r} for this figure, got {actual}. Choose another figure."
        )
    return e.view


def colour_bar(
    ax: Any,
    e: Explanation,
    limit: float,
    palette: PaletteName,
    dark: bool,
    *,
    below: float = 12,
    note: str = "",
    clipped: bool = False,
) -> Any:
    """A colour bar under the axes, so many points `below`, with what the scores sum to, and a `note`.

    Where it is `clipped`, scores beyond its ends have the colours of its ends.
    """
    width, height = ax.get_window_extent().size * 72 / ax.figure.dpi
    bar = ax.inset_axes([0, -(below + 7) / height, 1, 7 / height])
    norm = import_optional("matplotlib.colors", "plot").Normalize(-limit, limit)
    scale = import_optional("matplotlib.cm", "plot").ScalarMappable(norm, colour_map(palette, dark))
    ax.figure.colorbar(scale, cax=bar, orientation="horizontal", ticks=[-limit, 0, limit])
    colours = theme_colours(dark)
    bar.set_facecolor(rgb_to_hex(colours.background))
    against, favour = words.sign_labels(e)
    low, high = ("≤ ", "≥ ") if clipped else ("", "")
    bar.set_xticks(
        [-limit, 0, limit], [f"{against} {low}{figure_number(-limit)}", "0", f"{favour} {high}+{figure_number(limit)}"]
    )
    for label, side in zip(bar.get_xticklabels(), ("left", "center", "right"), strict=True):
        label.set_horizontalalignment(side)
    bar.tick_params(colors=rgb_to_hex(colours.ink), labelsize=8, length=2)
    for spine in bar.spines.values():
        spine.set_color(rgb_to_hex(colours.faint))
    parts = [
        words.base_value_text(e, figure_number),
        words.full_value_text(e, figure_number),
        words.residual_text(e, figure_number),
    ]
    lines = _pack_lines(parts, round(width / _POINTS_PER_LETTER))
    lines += [line for line in (*note.splitlines(), _CLIPPED_NOTE * clipped, *_flip_lines(e, width)) if line]
    texts, fonts = drawable_lines(*lines)
    bar.set_xlabel("\n".join(texts), color=rgb_to_hex(colours.ink), fontsize=8, fontfamily=fonts, **LITERAL)
    return bar


def add_sentence_above(ax: Any, sentence: str, dark: bool) -> None:
    """Write a sentence above a figure, whose height grows by what the sentence needs."""
    figure = ax.figure
    wide, high = figure.get_size_inches()
    lines = fill(sentence.replace("-", "−"), max(24, round(14 * wide)))
    figure.set_size_inches(wide, high + 0.17 * len(lines) + 0.15)
    texts, fonts = drawable_lines(*lines)
    style = {"x": 0.01, "ha": "left", "fontsize": 9, "color": rgb_to_hex(theme_colours(dark).ink), "fontfamily": fonts}
    figure.suptitle("\n".join(texts), **style, **LITERAL)


def flip_caption_inches(e: Explanation, width: float) -> float:
    """The additional height in inches that a new figure needs for the text of a path below its colour bar."""
    return 0.16 * len(_flip_lines(e, 72 * width))


def _pack_lines(phrases: Sequence[str], max_length: int) -> list[str]:
    """Join phrases by dots, in as few lines as possible. A line that is wider than the axes would make them smaller.

    >>> _pack_lines(["base value 0", "full value 4", "residual 0"], 30)
    ['base value 0 · full value 4', 'residual 0']
    """
    lines = [phrases[0]]
    for phrase in phrases[1:]:
        joined = f"{lines[-1]} · {phrase}"
        lines = [*lines[:-1], joined] if len(joined) <= max_length else [*lines, phrase]
    return lines


def _flip_lines(e: Explanation, width: float) -> list[str]:
    """What is to be said of a path, in lines of a width in points."""
    return fill(flips.path_caption(e), max(24, round(width / _POINTS_PER_LETTER)))


def save(ax: Any, path: str | Path, dpi: int = 150) -> Path:
    """Write the figure of some axes to a PNG, SVG or PDF file.

    Parameters
    ----------
    ax : the axes, as the functions of `lcshap.plots` return them.
    path : the name of the file. Its ending, .png, .svg or .pdf, chooses the format.
    dpi : the resolution of a PNG file, in dots per inch.

    Returns
    -------
    Path : the path of the file.

    Raises
    ------
    ShowError : if the name has another ending.
    OptionError : if the file cannot be written.

    Examples
    --------
    >>> import lcshap as lc
    >>> e = lc.explain(lambda texts: [1.0 * ("good" in text) for text in texts], "a good film", kind="output")
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lc.plots.save(lc.plots.bars(e), f"{folder}/words.svg").name
    'words.svg'
    """
    return write_figure(ax.figure, check_figure_path(path), dpi)


def write_figure(figure: Any, path: str | Path, dpi: int = 150) -> Path:
    """Write a figure, all of it or nothing."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=Path(path).suffix[1:].lower(), dpi=dpi, facecolor=figure.get_facecolor())
    return write_file(path, buffer.getvalue())


def check_figure_path(path: str | Path) -> Path:
    """The path of a figure that can be written."""
    path = Path(path)
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise ShowError(f"Expected a file name that ends in .png, .svg or .pdf for a figure, got {path.name!r}.")
    return check_output_path(path)


def is_figure(data: bytes) -> bool:
    """Whether a file was drawn by matplotlib, as figures of lcshap are."""
    return b"Matplotlib" in data
