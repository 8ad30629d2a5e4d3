"""Images: a heat map of the scores over the picture, and the paper's picture of the pixels that are masked first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.explanation import Explanation
from ...core.views import ImageView
from ...errors import ShowError
from ...extras import import_optional
from ..palette import RGB, clip_limit, find_palette, image_opacities, rgb_to_hex
from .base import (
    PaletteName,
    colour_bar,
    end_colours,
    flip_caption_inches,
    one_output,
    prepare_axes,
    theme_colours,
    view_of,
)
from .wording import check_limit

_LUMA_WEIGHTS = (0.299, 0.587, 0.114)  # of red, green and blue, by ITU-R BT.601
_WIDTH_INCHES = 4.0  # inches, of a new figure
_MAX_BORDERED_UNITS = 300  # more units than this are drawn without borders


def image(
    e: Explanation,
    ax: Any = None,
    *,
    alpha: float | None = None,
    limit: float | None = None,
    palette: PaletteName = "default",
    dark: bool = False,
    output: int | None = None,
) -> Any:
    """Draw the scores as colours over the image in pale grey.

    Parameters
    ----------
    e : an explanation of an image.
    ax : matplotlib axes to draw on; by default those of a new figure.
    alpha : how pale the image is, from 0 (not at all) to 1 (invisible). The default is 0.75, and 0.4 for photographs
        (more than 4,096 pixels), which also show through the colours.
    limit : the score that gets the full colour; by default the largest absolute score. With a hundred units or more,
        it is the 99th percentile of the absolute scores, and the colour bar states this.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.
    output : the number of the output to draw, if the explanation has several.

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
    e, view = one_output(e, output), view_of(e, ImageView)
    visibility, coverage = image_opacities(view.photograph)
    visibility = visibility if alpha is None else 1 - alpha
    labels = view.labels
    limit, clipped = clip_limit(e.scores) if limit is None else (check_limit(limit, []), False)
    ax = _image_axes(ax, labels.shape, dark, below=0.9 + 0.16 * clipped + flip_caption_inches(e, _WIDTH_INCHES))
    picture, paper = grey(view.image), np.array(theme_colours(dark).background) / 255
    shade = (picture - picture.min()) / (np.ptp(picture) or 1.0)
    ax.imshow(paper + visibility * (shade[..., None] - paper), interpolation="nearest")
    heat = np.where(labels < 0, 0.0, e.scores[labels])
    strength = coverage * np.minimum(np.abs(heat) / limit, 1.0)  # over the paper it gives the colours of the bar
    ax.imshow(heat, end_colours(palette, dark), alpha=strength, vmin=-limit, vmax=limit, interpolation="nearest")
    if e.graph.d < labels.size and e.graph.d <= _MAX_BORDERED_UNITS:
        lines = import_optional("matplotlib.collections", "plot").LineCollection
        ax.add_collection(lines(borders(labels), colors=rgb_to_hex(theme_colours(dark).faint), linewidths=0.6))
    colour_bar(ax, e, limit, palette, dark, clipped=clipped)
    return ax


def masked_image(
    e: Explanation,
    ax: Any = None,
    *,
    percent: float = 20,
    active: float | ArrayLike | None = None,
    palette: PaletteName = "paper",
    dark: bool = False,
    output: int | None = None,
) -> Any:
    """Draw the image in grey, with the units that would be masked first in red if they are active, otherwise in blue.

    This is the paper's figure for MNIST and CIFAR10. The colours are those of the palette for negative and positive
    scores, but they do not show scores here.

    Parameters
    ----------
    e : an explanation of an image.
    ax : matplotlib axes to draw on; by default those of a new figure.
    percent : the percentage of the units that are coloured, by rank and counted as in `lcshap.metrics.masking_curve`.
    active : which pixels are active: those brighter than this number, or a boolean array `(H, W)`. By default, those
        brighter than the average of the image.
    palette : the name of a palette, or a `Palette`.
    dark : whether the figure is for a dark background.
    output : the number of the output to draw, if the explanation has several.

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
    e, view = one_output(e, output), view_of(e, ImageView)
    labels, brightness = view.labels, grey(view.image)
    bright = _active_pixels(active, brightness)
    count = max(1, round(percent * e.graph.d / 100)) if percent > 0 else 0
    top = np.isin(labels, e.ranking[:count])
    colour_scale = find_palette(palette)
    spread = np.ptp(brightness) or 1.0
    level = np.rint(255 * (brightness - brightness.min()) / spread).astype(np.uint8)
    picture = np.repeat(level[..., None], 3, axis=2)
    mask_colours = (
        (colour_scale.dark_negative, colour_scale.dark_positive)
        if dark
        else (colour_scale.negative, colour_scale.positive)
    )
    picture[top & bright], picture[top & ~bright] = mask_colours
    new, ax = ax is None, _image_axes(ax, labels.shape, dark, below=0.3 * (ax is None))
    ax.imshow(picture, interpolation="nearest")
    if new and count:
        _add_legend(ax, mask_colours, count / e.graph.d, dark)
    return ax


def _add_legend(ax: Any, colours: tuple[RGB, RGB], share: float, dark: bool) -> None:
    """Below a new figure: what its two colours mean. In the paper's grids, the text beside the figure says it."""
    patch = import_optional("matplotlib.patches", "plot").Patch
    names = (f"the first {100 * share:.3g} % to be masked: active", "not active")
    marks = [patch(color=rgb_to_hex(colour), label=name) for colour, name in zip(colours, names, strict=True)]
    style = {"frameon": False, "fontsize": 8, "labelcolor": rgb_to_hex(theme_colours(dark).ink), "handlelength": 1.0}
    ax.legend(handles=marks, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2, **style)


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


def _image_axes(ax: Any, shape: tuple[int, int], dark: bool, below: float = 0.0) -> Any:
    """Axes without ticks; new ones have about the shape of the image, and so many inches below it."""
    tall = float(np.clip(shape[0] / shape[1], 0.3, 2.5))
    ax = prepare_axes(ax, (_WIDTH_INCHES, _WIDTH_INCHES * tall + below), dark)
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
