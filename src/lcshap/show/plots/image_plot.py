"""Images: a heat map of the scores over the picture, and the paper's picture of the pixels that are masked first."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.explanation import Explanation
from ...core.views import ImageView
from ...errors import ShowError
from ...extras import import_optional
from ..kinds.image_drawing import to_rgb
from ..palette import RGB, clip_limit, find_palette, image_opacities, rgb_to_hex
from .base import (
    PaletteName,
    colour_bar,
    end_colours,
    flip_caption_inches,
    prepare_axes,
    shown_outputs,
    theme_colours,
    view_of,
)
from .by_target import output_panels
from .empty_axes import draws_one
from .wording import check_limit

_LUMA_WEIGHTS = (0.299, 0.587, 0.114)  # of red, green and blue, by ITU-R BT.601
_WIDTH_INCHES = 4.0  # inches, of a new figure
_OPACITIES_BESIDE = (0.35, 0.9)  # of a grey photograph and of full colours, where the photograph stands beside them
_GAP_SHARE = 0.04  # of the width of an image, between two of them
_MASKED_COLOURS = ((0, 158, 115), (152, 78, 190))  # green and purple: they stand out from black, white and grey
_MAX_BORDERED_UNITS = 300  # more units than this are drawn without borders


@draws_one
def image(
    e: Explanation,
    ax: Any = None,
    *,
    alpha: float | None = None,
    limit: float | None = None,
    original: bool | None = None,
    palette: PaletteName = "default",
    dark: bool = False,
    output: int | None = None,
    target: Any = None,
) -> Any:
    """Draw the scores as colours over the image in pale grey.

    Colours of scores cannot be told from colours of the image, so the image under them is grey. A new figure of a
    colourful photograph has the photograph as it is on the left.

    Parameters
    ----------
    e : an explanation of an image.
    ax : matplotlib axes to draw on; by default those of a new figure.
    alpha : how pale the image is, from 0 (not at all) to 1 (invisible). The default is 0.75, and 0.4 for photographs
        (more than 4,096 pixels), which also show through the colours; 0.65 if the photograph stands beside them.
    limit : the score that gets the full colour; by default the largest absolute score. With a hundred units or more,
        it is the 99th percentile of the absolute scores, and the colour bar states this.
    original : whether the image as it is stands on the left, on the same axes. By default, it does in new figures of
        photographs (more than 4,096 pixels) that have colours.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.
    output, target : the number of the output to draw, or the name of its target, if the explanation has several; by
        default each has a panel.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if the explanation is not of an image, or an option is not valid.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> model, masker = lambda images: images.sum(axis=(1, 2)), lc.maskers.Image("pixel", reference="black")
    >>> e = lc.Explainer(model, masker, lc.FeatureAblation(), kind="output")(np.eye(4))
    >>> len(lc.plots.image(e).images)  # the image, and the colours over it
    2
    """
    if alpha is not None and not 0 <= alpha <= 1:
        raise ShowError(f"Expected alpha from 0 to 1, got {alpha!r}.")
    outputs, view = shown_outputs(e, output, target), view_of(e, ImageView)
    if len(outputs) > 1:
        draw = partial(image, alpha=alpha, limit=limit, original=original, palette=palette, dark=dark)
        return output_panels(outputs, ax, draw, (_WIDTH_INCHES, _WIDTH_INCHES + 0.5), dark)
    e = outputs[0]
    if original is None:
        original = ax is None and view.photograph and is_colourful(view.image)
    visibility, coverage = _OPACITIES_BESIDE if original and view.photograph else image_opacities(view.photograph)
    visibility = visibility if alpha is None else 1 - alpha
    labels = view.labels
    limit, clipped = clip_limit(e.scores) if limit is None else (check_limit(limit, []), False)
    below = 0.9 + 0.16 * clipped + flip_caption_inches(e, _WIDTH_INCHES)
    ax = _image_axes(ax, labels.shape, dark, below, copies=1 + original)
    picture, paper = grey(view.image), np.array(theme_colours(dark).background) / 255
    shade = (picture - picture.min()) / (np.ptp(picture) or 1.0)
    ax.imshow(paper + visibility * (shade[..., None] - paper), interpolation="nearest")
    heat = np.where(labels < 0, 0.0, e.scores[labels])
    strength = coverage * np.minimum(np.abs(heat) / limit, 1.0)  # over the paper it gives the colours of the bar
    ax.imshow(heat, end_colours(palette, dark), alpha=strength, vmin=-limit, vmax=limit, interpolation="nearest")
    if e.graph.d < labels.size and e.graph.d <= _MAX_BORDERED_UNITS:
        lines = import_optional("matplotlib.collections", "plot").LineCollection
        ax.add_collection(lines(borders(labels), colors=rgb_to_hex(theme_colours(dark).faint), linewidths=0.6))
    if original:
        _draw_original(ax, view.image)
    colour_bar(ax, e, limit, palette, dark, clipped=clipped)
    return ax


def is_colourful(picture: NDArray[Any]) -> bool:
    """Whether an image `(H, W, C)` has red, green and blue channels that differ.

    >>> is_colourful(np.zeros((2, 2, 3))), is_colourful(np.arange(12).reshape(2, 2, 3))
    (False, True)
    """
    return picture.shape[2] in (3, 4) and bool((picture[..., :3] != picture[..., :1]).any())


def _draw_original(ax: Any, picture: NDArray[Any]) -> None:
    """Draw the image as it is, on the left of what the axes show."""
    height, width = picture.shape[:2]
    right = -_GAP_SHARE * width - 0.5
    ax.imshow(
        to_rgb(picture).astype(np.uint8), extent=(right - width, right, height - 0.5, -0.5), interpolation="nearest"
    )
    ax.set(xlim=(right - width, width - 0.5), ylim=(height - 0.5, -0.5))


@draws_one
def masked_image(
    e: Explanation,
    ax: Any = None,
    *,
    percent: float = 20,
    active: float | ArrayLike | None = None,
    palette: PaletteName | None = None,
    dark: bool = False,
    output: int | None = None,
    target: Any = None,
) -> Any:
    """Draw the image in grey, with the units that would be masked first in green if they are active, else in purple.

    This is the paper's figure for MNIST and CIFAR10. The colours do not show scores here, so by default they are not
    those of scores.

    Parameters
    ----------
    e : an explanation of an image.
    ax : matplotlib axes to draw on; by default those of a new figure.
    percent : the percentage of the units that are coloured, by rank and counted as in `lcshap.metrics.masking_curve`.
    active : which pixels are active: those brighter than this number, or a boolean array `(H, W)`. By default, those
        brighter than the average of the image.
    palette : the name of a palette, or a `Palette`, whose colours of negative and positive scores are drawn for active
        and other units: "paper" gives the red and blue of the paper.
    dark : whether the figure is for a dark background.
    output, target : the number of the output to draw, or the name of its target, if the explanation has several; by
        default each has a panel.

    Returns
    -------
    Axes : the matplotlib axes. They have `show` and `savefig`, and notebooks display them.

    Raises
    ------
    ShowError : if the explanation is not of an image, or an option is not valid.

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> model, masker = lambda images: images.sum(axis=(1, 2)), lc.maskers.Image("pixel", reference="black")
    >>> e = lc.Explainer(model, masker, lc.FeatureAblation(), kind="output")(np.eye(4))
    >>> ax = lc.plots.masked_image(e, percent=25)
    >>> ax.axison
    False
    """
    if not 0 <= percent <= 100:
        raise ShowError(f"Expected percent from 0 to 100, got {percent!r}.")
    outputs, view = shown_outputs(e, output, target), view_of(e, ImageView)
    if len(outputs) > 1:
        draw = partial(masked_image, percent=percent, active=active, palette=palette, dark=dark)
        return output_panels(outputs, ax, draw, (_WIDTH_INCHES, _WIDTH_INCHES), dark)
    e = outputs[0]
    labels, brightness = view.labels, grey(view.image)
    bright = _active_pixels(active, brightness)
    count = max(1, round(percent * e.graph.d / 100)) if percent > 0 else 0
    top = np.isin(labels, e.ranking[:count])
    spread = np.ptp(brightness) or 1.0
    level = np.rint(255 * (brightness - brightness.min()) / spread).astype(np.uint8)
    picture = np.repeat(level[..., None], 3, axis=2)
    colours = _mask_colours(palette, dark)
    picture[top & bright], picture[top & ~bright] = colours
    new, ax = ax is None, _image_axes(ax, labels.shape, dark, below=0.5 * (ax is None))
    ax.imshow(picture, interpolation="nearest")
    if new and count:
        _add_legend(ax, colours, f"masked first: {_share_text(e, count)}", _active_label(active), dark)
    return ax


def _mask_colours(palette: PaletteName | None, dark: bool) -> tuple[RGB, RGB]:
    """The colours of active and of other units that are masked."""
    if palette is None:
        return _MASKED_COLOURS
    scale = find_palette(palette)
    return (scale.dark_negative, scale.dark_positive) if dark else (scale.negative, scale.positive)


def _share_text(e: Explanation, count: int) -> str:
    units = "pixels" if e.view is not None and e.graph.d == e.view.labels.size else "units"
    return f"the {100 * count / e.graph.d:.3g} % of the {units} with the largest scores"


def _active_label(active: float | ArrayLike | None) -> str:
    if active is None:
        return "brighter than the mean"
    return f"brighter than {np.asarray(active):.4g}" if np.ndim(active) == 0 else "active"


def _add_legend(ax: Any, colours: tuple[RGB, RGB], title: str, active: str, dark: bool) -> None:
    """Below a new figure: what its two colours mean. In the paper's grids, the text beside the figure says it."""
    patch = import_optional("matplotlib.patches", "plot").Patch
    names = (active, f"not {active}")
    marks = [patch(color=rgb_to_hex(colour), label=name) for colour, name in zip(colours, names, strict=True)]
    ink = rgb_to_hex(theme_colours(dark).ink)
    style = {"frameon": False, "fontsize": 8, "labelcolor": ink, "handlelength": 1.0, "title_fontsize": 8}
    legend = ax.legend(
        handles=marks, title=title, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2, borderaxespad=0.2, **style
    )
    legend.get_title().set_color(ink)


def grey(picture: NDArray[Any]) -> NDArray[np.float64]:
    """The brightness `(H, W)` of an image `(H, W, C)`; three channels, or four, are taken for RGB, or RGBA.

    >>> grey(np.array([[[255, 0, 0], [10, 10, 10]]], np.uint8)).round(3)
    array([[76.245, 10.   ]])
    """
    values = np.asarray(picture, np.float64)
    if values.shape[2] in (3, 4):
        return np.asarray(values[..., :3] @ np.array(_LUMA_WEIGHTS))
    return np.asarray(values.mean(axis=2))


def borders(labels: NDArray[np.integer]) -> NDArray[np.float64]:
    """The sides of pixels that part two units, as lines `(n, 2, 2)` from (x, y) to (x, y).

    >>> borders(np.array([[0, 1]])).tolist()
    [[[0.5, -0.5], [0.5, 0.5]]]
    """
    y, x = np.nonzero(labels[:, 1:] != labels[:, :-1])
    upright = np.stack([np.stack([x + 0.5, y - 0.5], 1), np.stack([x + 0.5, y + 0.5], 1)], 1)
    y, x = np.nonzero(labels[1:] != labels[:-1])
    level = np.stack([np.stack([x - 0.5, y + 0.5], 1), np.stack([x + 0.5, y + 0.5], 1)], 1)
    return np.concatenate([upright, level])


def _image_axes(ax: Any, shape: tuple[int, int], dark: bool, below: float = 0.0, copies: int = 1) -> Any:
    """Axes without ticks; new ones have about the shape of some copies of the image, and so many inches below it."""
    tall = float(np.clip(shape[0] / shape[1], 0.3, 2.5))
    ax = prepare_axes(ax, (copies * _WIDTH_INCHES, _WIDTH_INCHES * tall + below), dark)
    ax.set_anchor("N")  # what is left of the height is for what stands below
    ax.set_axis_off()
    return ax


def _active_pixels(active: float | ArrayLike | None, brightness: NDArray[np.float64]) -> NDArray[np.bool_]:
    criterion = np.asarray(brightness.mean() if active is None else active)
    if criterion.ndim == 0 and criterion.dtype.kind in "iuf":
        return np.asarray(brightness > criterion)
    if criterion.shape != brightness.shape or criterion.dtype != np.bool_:
        raise ShowError(
            f"Expected active as a number or a boolean array of shape {brightness.shape}, got {criterion.dtype} "
            f"of shape {criterion.shape}."
        )
    return criterion
