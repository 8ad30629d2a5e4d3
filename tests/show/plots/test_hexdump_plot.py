"""Dumps of bytes: which rows are shown, which characters stand where, and the colours behind them."""

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import matplotlib.pyplot
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

import lcshap as lc
from lcshap.errors import ShowError
from lcshap.maskers import Bytes
from lcshap.show.palette import DARK, LIGHT, find_palette, rgb_to_hex
from lcshap.show.plots.hexdump_plot import hexdump, select_rows

DATA = b"\x7fELF$ <&" + bytes(range(200, 222)) + b"~\n."


def scored(data, scores, **options):
    """An explanation of some bytes, with these scores."""

    def total(rows):
        return np.sum(rows, axis=1, dtype=float)

    e = lc.Explainer(total, Bytes(**options), lc.LShapley(0), kind="output")(data)
    return replace(e, scores=np.array(scores, float))


def read(ax):
    """The lines of a dump and the ink of every character, from the outlines: columns are 1 wide, lines 2 high."""
    font = FontProperties(family="DejaVu Sans Mono")
    outlines = {chr(c): TextPath((0, 0), chr(c), size=1.66, prop=font).vertices for c in range(33, 127)}
    page, ink = defaultdict(dict), {}
    for letters in (c for c in ax.collections if isinstance(c, PathCollection)):
        cells = defaultdict(list)
        for x, y in letters.get_paths()[0].vertices:
            cells[round((0.5 - y) / 2), int(x + 1e-6)].append((x, y))
        for (line, column), vertices in cells.items():
            mine = np.array(vertices) - [column, -2.0 * line]
            alike = [c for c, shape in outlines.items() if shape.shape == mine.shape and abs(shape - mine).max() < 1e-6]
            (page[line][column],) = alike
            ink[line, column] = to_hex(letters.get_facecolors()[0])
    lines = ["".join(page[n].get(c, " ") for c in range(max(page[n]) + 1)) for n in sorted(page)]
    return lines, ink


def boxes(ax):
    """Left, bottom, width, height and colour of every background."""
    (collection,) = (c for c in ax.collections if isinstance(c, PolyCollection))
    both = zip(collection.get_paths(), collection.get_facecolors(), strict=True)
    return [(*path.get_extents().bounds, to_hex(colour)) for path, colour in both]


def test_the_text_of_a_dump():
    lines, _ = read(hexdump(scored(DATA, [1, 0, -1], window=16)))
    assert lines == [
        "00000000  7f 45 4c 46 24 20 3c 26 c8 c9 ca cb cc cd ce cf  .ELF$ <&........",
        "00000010  d0 d1 d2 d3 d4 d5 d6 d7 d8 d9 da db dc dd 7e 0a  ..............~.",
        "00000020  2e                                               .",
    ]
    assert len(matplotlib.pyplot.get_fignums()) <= 10  # it keeps the last ones only


@pytest.mark.parametrize("dark", [False, True])
def test_units_have_their_colour_behind_numbers_and_characters(dark):
    ax = hexdump(scored(DATA, [4, -1, -2], window=12), dark=dark)
    palette = find_palette("default")
    first, second, third = (rgb_to_hex(palette.colour(score, 4, dark)) for score in (4, -1, -2))
    expected = [
        (9.5, -0.6, 36, 2, first),  # 12 bytes of row 0: numbers, then characters
        (59, -0.6, 12, 2, first),
        (45.5, -0.6, 12, 2, second),
        (71, -0.6, 4, 2, second),
        (9.5, -2.6, 24, 2, second),
        (59, -2.6, 8, 2, second),
        (33.5, -2.6, 24, 2, third),
        (67, -2.6, 8, 2, third),
        (9.5, -4.6, 3, 2, third),
        (59, -4.6, 1, 2, third),
    ]
    for box, expected_box in zip(boxes(ax), expected, strict=True):
        assert box[:4] == pytest.approx(expected_box[:4])
        assert box[4] == expected_box[4]
    _, ink = read(ax)
    assert ink[0, 0] == rgb_to_hex((DARK if dark else LIGHT).faint)
    assert ink[0, 10] == ("#000000" if dark else "#ffffff")  # 7f, on the fullest colour
    assert ink[1, 59] == ("#ffffff" if dark else "#000000")


def test_bytes_that_the_model_does_not_see_are_faint_and_have_no_colour():
    e = scored(bytes(range(65, 75)), [1, 2], window=2, layout=lambda data: [2, 3, 6, 7])
    ax = hexdump(e)
    assert [box[:3] for box in boxes(ax)] == [(15.5, -0.6, 6), (61, -0.6, 2), (27.5, -0.6, 6), (65, -0.6, 2)]
    lines, ink = read(ax)
    assert lines == ["00000000  41 42 43 44 45 46 47 48 49 4a                    ABCDEFGHIJ"]
    faint = rgb_to_hex(LIGHT.faint)
    assert [ink[0, 59 + i] == faint for i in range(10)] == [i not in (2, 3, 6, 7) for i in range(10)]


def test_of_a_long_file_the_rows_around_the_largest_scores():
    scores = np.zeros(200)
    scores[150], scores[40], scores[199] = -3, 2, 1
    e = scored(bytes(3200), scores, window=16)
    lines, _ = read(hexdump(e, rows=7))
    assert [line[:8] if line[:1] != " " else line.strip() for line in lines] == [
        "... 624 bytes ...",
        *("00000270", "00000280", "00000290"),
        "... 1,712 bytes ...",
        *("00000950", "00000960", "00000970"),
        "... 752 bytes ...",
        "00000c70",
    ]
    usual, _ = read(hexdump(e))
    assert sum(line[:1] != " " for line in usual) == 32
    short, _ = read(hexdump(scored(bytes(400), np.zeros(25), window=16)))
    assert len(short) == 25


@given(st.lists(st.integers(0, 3), min_size=1, max_size=300), st.integers(1, 12))
def test_rows_and_gaps_make_up_the_file(sizes, rows):
    parts = list(select_rows(np.array(sizes, float), rows))
    assert [start for start, _ in parts] == [0, *np.cumsum([count for _, count in parts])[:-1].tolist()]
    assert sum(count for _, count in parts) == len(sizes)
    starts = [start for start, count in parts if count <= 16]
    assert all(start % 16 == 0 for start in starts)
    assert len(starts) >= min(rows, -(-len(sizes) // 16))
    assert max(sizes) in [max(sizes[start : start + 16]) for start in starts]
    gaps = [i for i, (_, count) in enumerate(parts) if count > 16]
    assert all(b - a > 1 for a, b in pairwise(gaps))


def test_axes_of_any_size_are_used():
    figure = Figure(figsize=(2, 1))
    ax = figure.subplots()
    assert hexdump(scored(DATA, [1, 0, -1], window=16), ax, palette="paper") is ax
    figure.draw_without_rendering()
    assert ax.get_aspect() == 1


@pytest.mark.parametrize("rows", [0, -3, 2.5, True, "all"])
def test_a_number_of_rows_that_is_none_is_refused(rows):
    with pytest.raises(ShowError, match="Expected rows as an integer of at least 1, got"):
        hexdump(scored(DATA, [1, 0, -1], window=16), rows=rows)


def test_other_bad_input_is_refused():
    def two_outputs(rows):
        return np.stack([np.sum(rows, axis=1), np.max(rows, axis=1)], axis=1).astype(float)

    e = lc.Explainer(two_outputs, Bytes(window=16), lc.Shapley(), kind="output", target="all")(DATA)
    panels = hexdump(e).child_axes
    assert [read(panel) for panel in panels] == [read(hexdump(e, output=k)) for k in range(2)]
    assert read(hexdump(e, output=1))[0][0].endswith(".ELF$ <&........")
    text = lc.explain(lambda texts: [len(t) for t in texts], "a text", kind="output")
    with pytest.raises(
        ShowError, match="Expected an input of kind 'bytes' for this figure, got an input of kind 'text'"
    ):
        hexdump(text)
