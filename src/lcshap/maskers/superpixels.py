"""Images are cut into patches or regions of similar colour; this module also has the default choice."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.graphs import Graph
from ..core.graphs.build import check_size
from ..core.views import LARGE_IMAGE
from ..errors import MaskerError, MissingExtraError
from ..extras import import_optional
from .base import Choice, is_count

SEGMENTS = 100  # superpixels of a large image
_MAX_UNITS = 75  # units of a small image by default: eight calls for each are 600
_MAX_SLIC_PIXELS = 1 << 18  # SLIC is run on a smaller copy of larger images, to save time and memory


@dataclass(frozen=True, eq=False)
class ImagePartition:
    """An image cut into units.

    Attributes
    ----------
    labels : `(H, W)`, the unit of each pixel.
    graph : the units.
    choice : the settings that were chosen for this image because the user did not.
    """

    labels: NDArray[np.intp]
    graph: Graph
    choice: Choice | None = None


def cut_by_default(colours: NDArray[Any], segments: int | None, diagonal: bool) -> ImagePartition:
    """Pixels of a tiny image, patches of a small one, and superpixels of a large one, or if `segments` are asked for.

    Patches take the place of superpixels if SLIC is missing or finds no regions.
    """
    size = colours.shape[:2]
    pixels = size[0] * size[1]
    instead = 'Image("pixel") takes each pixel as a unit.'
    if segments is None and pixels <= _MAX_UNITS:
        return cut_patches(size, None, diagonal)
    if segments is None and pixels <= LARGE_IMAGE:
        sides = next(
            sides
            for count in range(_MAX_UNITS, 0, -1)
            if ceil(size[0] / (sides := _even_sides(size, count))[0]) * ceil(size[1] / sides[1]) <= _MAX_UNITS
        )
        cut = cut_patches(size, sides, diagonal)
        note = (
            f"{pixels:,} pixels would take too many calls, so they were cut into {cut.graph.d} patches of {sides[0]} x "
            f"{sides[1]} pixels. {instead}"
        )
        return replace(cut, choice=Choice({"units": "pixel", "patch": sides}, note))
    why = (
        f"{pixels:,} pixels are more than {LARGE_IMAGE:,}, so they were cut into"
        if segments is None
        else f"With segments={segments}, {pixels:,} pixels were cut into"
    )
    segments = SEGMENTS if segments is None else segments
    try:
        cut = cut_regions(find_superpixels(colours, segments), diagonal)
        note = f"{why} {cut.graph.d} superpixels of like colour (SLIC). {instead}"
        return replace(cut, choice=Choice({"units": "superpixel"}, note))
    except MissingExtraError:
        reason = ' Superpixels need pip install "lcshap[image]".'
    except MaskerError:  # the image has only one region, as in noise
        reason = " SLIC found no regions of like colour in it."
    sides = _even_sides(size, segments)
    cut = cut_patches(size, sides, diagonal)
    note = f"{why} {cut.graph.d} patches of {sides[0]} x {sides[1]} pixels. {instead}{reason}"
    return replace(cut, choice=Choice({"units": "pixel", "patch": sides}, note))


def _even_sides(size: tuple[int, ...], count: int) -> tuple[int, int]:
    """The height and width for about so many patches: squares, unless the image is narrower than a square.

    >>> _even_sides((224, 224), 100), _even_sides((1, 5000), 100)
    ((23, 23), (1, 50))
    """
    area = size[0] * size[1] / count
    side = ceil(sqrt(area))
    height, width = min(side, size[0]), min(side, size[1])
    if width < side:
        return min(ceil(area / width), size[0]), width
    return height, width if height == side else min(ceil(area / height), size[1])


def cut_patches(size: tuple[int, ...], patch: int | tuple[int, int] | None, diagonal: bool) -> ImagePartition:
    """Patches in rows and columns; with None each pixel is a unit."""
    rows, columns = (np.arange(n) // side for n, side in zip(size, patch_sides(patch), strict=True))
    grid = int(rows[-1]) + 1, int(columns[-1]) + 1
    prefix = "" if patch is None else "patch "
    check_size(grid[0] * grid[1])
    names = [f"{prefix}({r}, {c})" for r in range(grid[0]) for c in range(grid[1])]
    return ImagePartition(rows[:, None] * grid[1] + columns, Graph.grid(grid, diagonal, names))


def cut_regions(regions: NDArray[np.integer], diagonal: bool) -> ImagePartition:
    """Regions with any numbers; those that touch are neighbours."""
    numbers, labels = np.unique(regions, return_inverse=True)
    labels = labels.reshape(regions.shape)
    edges = find_touching_pairs(labels, diagonal)
    return ImagePartition(labels, Graph.from_edges(len(numbers), edges, [f"region {n}" for n in numbers]))


def find_touching_pairs(labels: NDArray[np.intp], diagonal: bool) -> NDArray[np.int64]:
    """The pairs of units that have pixels next to each other, each once; at a corner too, with `diagonal`.

    >>> find_touching_pairs(np.array([[0, 0, 1], [2, 2, 1]]), diagonal=False).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    steps = [(labels[:, :-1], labels[:, 1:]), (labels[:-1], labels[1:])]
    corners = [(labels[:-1, :-1], labels[1:, 1:]), (labels[:-1, 1:], labels[1:, :-1])]
    count = int(labels.max()) + 1
    codes = []
    for first, second in [*steps, *islice(corners, 2 if diagonal else 0)]:
        first, second = first[first != second], second[first != second]
        codes.append(np.unique(np.minimum(first, second) * count + np.maximum(first, second)))
    return np.stack(np.divmod(np.unique(np.concatenate(codes)), count), axis=1)


def patch_sides(patch: int | tuple[int, int] | None) -> tuple[int, int]:
    """Height and width of a patch.

    >>> patch_sides(None), patch_sides(4), patch_sides((2, 3))
    ((1, 1), (4, 4), (2, 3))
    """
    pair = (1, 1) if patch is None else tuple(patch) if isinstance(patch, Sequence) else (patch, patch)
    if len(pair) != 2 or not all(map(is_count, pair)):
        raise MaskerError(f"Expected patch as a number of pixels, or a height and a width, got {patch!r}.")
    return operator.index(pair[0]), operator.index(pair[1])


def find_superpixels(colours: NDArray[Any], segments: int) -> NDArray[np.integer]:
    """Regions of similar colour of an image `(H, W, C)`, numbered from 0. The same image gives the same regions.

    If an image has more than 262,144 pixels, a smaller copy is cut, whose pixels are averages of squares.
    """
    slic = import_optional("skimage.segmentation", "image").slic
    height, width, count = colours.shape
    side = ceil(sqrt(height * width / _MAX_SLIC_PIXELS))
    # The compactness is the weight of distance against colour. Three channels are converted to Lab, which goes to 100;
    # others go to 1, and their squares are summed. With these weights photographs get about `segments` regions.
    # In fine patterns few regions are connected, so that rounder regions are tried.
    compactness = 10.0 if count == 3 else 0.1 * count**0.5
    small = _average_squares(colours, side)
    for factor in (1, 3, 10, 100):
        regions = slic(
            small[..., 0] if count == 1 else small,
            n_segments=segments,
            compactness=factor * compactness,
            sigma=1.0,
            channel_axis=None if count == 1 else -1,
            start_label=0,
        )
        if 2 * (regions.max() + 1) >= segments:
            break
    if segments > 1 and regions.max() == 0:  # as in noise, where no two neighbours are similar
        raise MaskerError(f"Expected about {segments} regions from SLIC, got one. Give patch or labels instead.")
    return np.asarray(regions.repeat(side, axis=0).repeat(side, axis=1)[:height, :width])


def _average_squares(colours: NDArray[Any], side: int) -> NDArray[np.float64]:
    """Averages of squares, those at the far edges smaller."""
    if side == 1:
        return np.asarray(colours, np.float64)
    sums = np.asarray(colours)
    for axis in (0, 1):
        starts = np.arange(0, sums.shape[axis], side)
        counts = np.diff(starts, append=sums.shape[axis])
        shape = [-1 if dimension == axis else 1 for dimension in range(3)]
        sums = np.add.reduceat(sums, starts, axis=axis, dtype=np.float64) / counts.reshape(shape)
    return sums
