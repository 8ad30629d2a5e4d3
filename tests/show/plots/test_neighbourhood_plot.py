"""The paper's Figure 1: the coalitions that are drawn against subsets listed by brute force."""

import os
from itertools import combinations
from math import comb
from pathlib import Path

import matplotlib.pyplot
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.image import imread, imsave

import lcshap as lc
from lcshap.errors import ShowError
from lcshap.show.palette import LIGHT, find_palette, rgb_to_hex
from lcshap.show.plots.neighbourhood_plot import Neighbourhood, neighbourhood
from support import NAMED_GRAPHS, edges_of

BASELINE = Path(__file__).parent / "baseline"
UNIT, MEMBER = (rgb_to_hex(find_palette("default").colour(end, 1.0)) for end in (-1.0, 1.0))
INK, EMPTY = rgb_to_hex(LIGHT.ink), rgb_to_hex(LIGHT.background)


def is_connected(units, edges):
    reached, fresh = set(), {units[0]}
    while fresh:
        reached |= fresh
        fresh = {b for e in edges for a, b in (e, e[::-1]) if a in reached and b in units} - reached
    return reached == set(units)


def by_hand(graph, unit, order):
    """The neighbourhood, and all of its subsets with the unit: connected, and not."""
    near = {unit}
    for _ in range(order):
        near |= {b for e in edges_of(graph) for a, b in (e, e[::-1]) if a in near}
    other_units = sorted(near - {unit})
    subsets = [tuple(sorted((unit, *c))) for n in range(len(other_units) + 1) for c in combinations(other_units, n)]
    edges = [e for e in edges_of(graph) if near.issuperset(e)]
    connected = {s for s in subsets if is_connected(s, edges)}
    return sorted(near), connected, set(subsets) - connected


def drawn(ax, near):
    """The coalitions on the right, by the colour of their members, and the headings."""
    _, right = ax.child_axes
    sets_by_colour = {MEMBER: [], INK: []}
    for dots in right.collections:
        if not isinstance(dots, PathCollection):
            continue
        fills = [to_hex(colour) for colour in dots.get_facecolors()]
        kept = tuple(u for u, fill in zip(near, fills, strict=True) if fill != EMPTY)
        edge = [to_hex(colour) for colour in dots.get_edgecolors()]
        assert [e == INK for e in edge] == [fill != EMPTY for fill in fills]
        others = set(fills) - {UNIT, EMPTY}
        sets_by_colour[others.pop() if others else MEMBER].append(kept)
        assert fills.count(UNIT) == 1
    return sets_by_colour[MEMBER], sets_by_colour[INK], [text.get_text() for text in right.texts]


@pytest.mark.parametrize(
    ("name", "unit", "order"), [(n, 0, 1) for n in NAMED_GRAPHS] + [("chain", 3, 2), ("tree", 1, 2)]
)
def test_all_coalitions_of_both_methods_are_drawn(name, unit, order):
    graph = NAMED_GRAPHS[name]
    near, connected, others = by_hand(graph, unit, order)
    ax = neighbourhood(graph, unit, order)
    both, only, heads = drawn(ax, near)
    assert len(both) == len(connected)
    assert set(both) == connected
    assert len(only) == len(others)
    assert set(only) == others
    assert [" ".join(head.split()) for head in heads] == [
        f"{len(connected)} connected: C-Shapley and L-Shapley",
        f"{len(others)} not connected: L-Shapley only",
    ]
    title = ax.child_axes[0].get_title()
    assert title == f"{graph.names[unit]}, order {order}:\n{len(near)} units, {2 ** (len(near) - 1)} coalitions"
    ax.figure.draw_without_rendering()
    assert len(matplotlib.pyplot.get_fignums()) <= 10  # it keeps the last ones only


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_closed_forms_inside_a_chain(order):
    near = Neighbourhood.find(lc.Graph.chain(20), 10, order, 128)
    assert len(near.connected) == (order + 1) ** 2
    assert len(near.connected) + len(near.others) == 4**order
    sizes = [len(s) for s in near.connected + near.others]
    assert [sizes.count(n) for n in range(1, 2 * order + 2)] == [
        comb(2 * order, n - 1) for n in range(1, 2 * order + 2)
    ]


def test_the_neighbourhood_is_coloured_in_the_graph():
    ax = neighbourhood(lc.Graph.grid((5, 5)), 6, 1)
    shade, dots = (c for c in ax.child_axes[0].collections if isinstance(c, PathCollection))
    fills = [to_hex(colour) for colour in dots.get_facecolors()]
    assert [i for i, fill in enumerate(fills) if fill == MEMBER] == [1, 5, 7, 11]
    assert [i for i, fill in enumerate(fills) if fill == UNIT] == [6]
    assert fills.count(EMPTY) == 20
    np.testing.assert_array_equal(shade.get_offsets(), np.asarray(dots.get_offsets())[[1, 5, 6, 7, 11]])


@pytest.mark.parametrize(
    ("graph", "unit", "n_drawn"),
    [
        (lc.Graph.chain(65), 30, 7),
        (lc.Graph.grid((28, 28)), 100, 25),
        (lc.Graph.from_edges(2000, [(i, i + 1) for i in range(1999)]), 0, 4),
        (lc.Graph.tree([-1] + [0] * 99), 5, 2),  # a spoke of a star: the next ring would be all others
    ],
)
def test_large_graphs_are_drawn_around_the_unit(graph, unit, n_drawn):
    graph_axes, _ = neighbourhood(graph, unit).child_axes
    dots = [c for c in graph_axes.collections if isinstance(c, PathCollection)][-1]
    assert len(dots.get_offsets()) == n_drawn


def test_examples_as_in_the_paper():
    graph = lc.Graph.grid((7, 7))
    near, connected, others = by_hand(graph, 24, 2)
    assert len(connected) + len(others) == 2**12
    both, only, heads = drawn(neighbourhood(graph, 24, 2, examples=1), near)
    assert len(both) == len(only) == 1
    assert both[0] in connected
    assert only[0] in others
    assert [" ".join(head.split()) for head in heads] == [
        f"1 of {len(connected):,} connected: C-Shapley and L-Shapley",
        f"1 of {len(others):,} not connected: L-Shapley only",
    ]
    both, only, _ = drawn(neighbourhood(graph, 24, 2, examples=5), near)
    assert len(set(both)) == len(set(only)) == 5
    both, only, _ = drawn(neighbourhood(lc.Graph.chain(5), 2, 1, examples=3), [1, 2, 3])
    assert (len(both), len(only)) == (3, 0)  # all subsets are connected there


def test_all_fits_into_axes_that_are_given():
    figure = Figure(figsize=(6, 6))
    ax = figure.subplots(2, 2)[1, 0]
    names = ["it", "is", "$not$", "good"]
    assert neighbourhood(lc.Graph.chain(4, names), 2, 1, ax, palette="paper", dark=True) is ax
    figure.draw_without_rendering()
    room = ax.get_window_extent()
    for artist in (*ax.child_axes, *ax.child_axes[1].texts, ax.child_axes[0].title):
        box = artist.get_window_extent()
        assert room.x0 - 1 <= box.x0
        assert box.x1 <= room.x1 + 1
        assert room.y0 - 1 <= box.y0
        assert box.y1 <= room.y1 + 1
    graph_axes = ax.child_axes[0]
    assert [text.get_text() for text in graph_axes.texts] == names
    assert not any(text.get_parse_math() for text in [*graph_axes.texts, graph_axes.title])


def test_the_picture_is_the_one_that_was_looked_at():
    figure = Figure(figsize=(6, 3), dpi=70)
    neighbourhood(lc.Graph.grid((2, 4)), 1, 2, figure.add_axes((0, 0, 1, 1)))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    picture = np.asarray(canvas.buffer_rgba())[..., :3]
    path = BASELINE / "figure1.png"
    if os.environ.get("LCSHAP_WRITE_BASELINE"):
        BASELINE.mkdir(exist_ok=True)
        imsave(path, picture)
    baseline = np.rint(255 * imread(path)[..., :3])
    assert picture.shape == baseline.shape
    assert np.abs(picture - baseline).mean() < 3


@pytest.mark.parametrize("unit", [-1, 5, "not", 1.5, None])
def test_a_unit_outside_the_graph_is_refused(unit):
    with pytest.raises(ShowError, match=r"Expected (a unit|unit as a number) from 0 to 4, got"):
        neighbourhood(lc.Graph.chain(5), unit)


@pytest.mark.parametrize("order", [-1, 1.5, None, True])
def test_an_order_that_is_none_is_refused(order):
    with pytest.raises(ShowError, match="Expected order as an integer of at least 0, got"):
        neighbourhood(lc.Graph.chain(5), 2, order)


def test_too_many_coalitions_are_refused():
    with pytest.raises(ShowError, match=r"Expected at most 128 coalitions to draw, got 2\^12 of 13 units") as error:
        neighbourhood(lc.Graph.grid((9, 9)), 40, 2)
    assert "or examples=1" in str(error.value)
    with pytest.raises(
        ShowError, match=r"Expected at most 65,536 coalitions to draw, got 2\^24 of 25 units.*smaller.*order"
    ):
        neighbourhood(lc.Graph.grid((9, 9)), 40, 3, examples=1)
    with pytest.raises(ShowError, match="Expected at most 64 examples of each kind, got 100"):
        neighbourhood(lc.Graph.grid((9, 9)), 40, 2, examples=100)
    for examples in (0, -1, 1.5, True):
        with pytest.raises(ShowError, match="Expected examples as an integer of at least 1, got"):
            neighbourhood(lc.Graph.chain(5), 2, examples=examples)
