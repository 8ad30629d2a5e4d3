"""Graphs: dots, edges and names against the graph, layouts against their shapes and distances."""

from dataclasses import replace
from itertools import combinations, pairwise

import matplotlib.pyplot
import numpy as np
import pytest
from hypothesis import given, settings
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import lcshap as lc
from lcshap.core.pair_matrices import pair_matrix
from lcshap.errors import ShowError
from lcshap.show.palette import DARK, LIGHT, find_palette, rgb_to_hex
from lcshap.show.plots.network import layout, network
from support import NAMED_GRAPHS, edges_of, graphs, table_game


def explain(graph, scores=None, interactions=None):
    e = lc.LShapley(0).explain(lc.Game(lambda kept: kept.sum(axis=1), graph.d), graph)
    values = np.linspace(-1, 2, graph.d) if scores is None else np.array(scores, float)
    return replace(e, scores=values, interactions=interactions)


def parts(ax):
    """The dots, and the collections of lines."""
    (dots,) = (c for c in ax.collections if isinstance(c, PathCollection))
    return dots, [c for c in ax.collections if isinstance(c, LineCollection)]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("graph", NAMED_GRAPHS.values(), ids=NAMED_GRAPHS)
def test_every_unit_is_a_dot_and_every_edge_a_line(graph, dark):
    e = explain(graph)
    ax = network(e, dark=dark)
    dots, (lines,) = parts(ax)
    places = np.asarray(dots.get_offsets())
    assert len(places) == graph.d
    limit = np.abs(e.scores).max()
    expected = [rgb_to_hex(find_palette("default").colour(s, limit, dark)) for s in e.scores]
    assert [to_hex(colour) for colour in dots.get_facecolors()] == expected
    segments = lines.get_segments()
    assert len(segments) == len(edges_of(graph))
    for line, (i, j) in zip(segments, edges_of(graph), strict=True):
        np.testing.assert_allclose(line, places[[i, j]])
    assert {to_hex(c) for c in lines.get_colors()} == {rgb_to_hex((DARK if dark else LIGHT).faint)}
    assert sorted(text.get_text() for text in ax.texts) == sorted(graph.names)
    ax.figure.draw_without_rendering()
    assert len(matplotlib.pyplot.get_fignums()) <= 10  # it keeps the last ones only


def test_edges_have_the_colour_and_width_of_their_interaction():
    graph = lc.Graph.ring(4)
    values = np.array([4.0, -2.0, 0.0, 1.0])
    ax = network(explain(graph, interactions=pair_matrix(graph, values)))
    _, (wide, thin) = parts(ax)
    assert edges_of(graph) == [(0, 1), (0, 3), (1, 2), (2, 3)]
    palette = find_palette("default")
    assert [to_hex(c) for c in wide.get_colors()] == [rgb_to_hex(palette.colour(v, 4.0)) for v in values]
    assert wide.get_linewidths() == pytest.approx(1.5 * np.abs(values))
    assert len(thin.get_segments()) == 4
    assert ax.child_axes[0].get_xlabel().endswith("edges: interactions, ±4")


def test_interactions_of_a_game_are_drawn_for_the_output_that_is_asked_for():
    game, _ = table_game(4, outputs=2)
    e = lc.LShapley(1, interactions=True).explain(game, lc.Graph.chain(4))
    for k, panel in enumerate(network(e).child_axes):
        colours = [parts(drawn)[0].get_facecolors().tolist() for drawn in (panel, network(e, output=k))]
        assert colours[0] == colours[1]
    _, (wide, _) = parts(network(e, output=1))
    sizes = np.array([abs(e.interactions[1][i, j]) for i, j in edges_of(e.graph)])
    np.testing.assert_allclose(wide.get_linewidths(), 6 * sizes / sizes.max())


def test_chains_rings_and_grids_are_drawn_by_their_shape():
    np.testing.assert_array_equal(layout(lc.Graph.chain(3)), [[0, 0], [1, 0], [2, 0]])
    grid = layout(lc.Graph.grid((2, 3), diagonal=True)).reshape(2, 3, 2)
    np.testing.assert_array_equal(grid[..., 0], [[0, 1, 2]] * 2)  # columns to the right
    np.testing.assert_array_equal(grid[..., 1], [[0] * 3, [-1] * 3])  # rows downwards
    for ring in (layout(lc.Graph.ring(8)), layout(lc.Graph.complete(8))):
        np.testing.assert_allclose(np.linalg.norm(ring, axis=1), 8 / (2 * np.pi))
        steps = np.linalg.norm(np.diff(ring, axis=0, append=ring[:1]), axis=1)
        np.testing.assert_allclose(steps, steps[0])
    cube = layout(lc.Graph.grid((2, 3, 4)))
    assert len({tuple(place) for place in cube.round(6).tolist()}) == 24


@settings(deadline=None, max_examples=40)
@given(graphs())
def test_other_layouts_are_repeatable_and_keep_dots_apart(graph):
    places = layout(graph)
    assert places.shape == (graph.d, 2)
    np.testing.assert_array_equal(places, layout(graph))
    assert all(np.linalg.norm(places[i] - places[j]) > 0.1 for i, j in combinations(range(graph.d), 2))


def test_a_path_without_a_shape_is_drawn_straight_and_a_tree_by_distances():
    numbering = [3, 0, 4, 1, 5, 2]
    path = lc.Graph.from_edges(6, list(pairwise(numbering)))
    places = layout(path)[numbering]
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    np.testing.assert_allclose(steps, 1, atol=0.02)
    assert np.linalg.norm(places[5] - places[0]) == pytest.approx(5, abs=0.05)
    star = layout(lc.Graph.tree([-1, 0, 0, 0]))
    spokes = np.linalg.norm(star[1:] - star[0], axis=1)
    np.testing.assert_allclose(spokes, spokes[0], rtol=0.02)


def test_names_are_written_as_they_are_the_largest_scores_first():
    ax = network(explain(lc.Graph.chain(3, names=["$x$", "a_b", "\\n"])))
    assert [text.get_text() for text in ax.texts] == ["\\n", "$x$", "a_b"]  # scores of 2, -1 and 0.5
    assert not any(text.get_parse_math() for text in ax.texts)
    crowd = lc.Graph.complete(7, names=["five", "one", "six", "two", "four", "three", "apart"])
    ax = network(explain(crowd, [3, -7, 2, 6, -4, 5, 1]), positions=[[0, 0]] * 6 + [[5, 5]])
    assert [text.get_text() for text in ax.texts] == ["one", "two", "three", "four", "apart"]  # a dot has four sides
    assert len(network(explain(lc.Graph.chain(41))).texts) <= 40
    slanted = network(explain(lc.Graph.chain(12, names=["entertaining"] * 12))).texts
    assert [text.get_rotation() for text in slanted] == [35] * 12


def test_the_strongest_has_its_name_however_crowded_it_stands():
    around = [[x, y] for x in (-0.04, 0, 0.04) for y in (-0.04, 0, 0.04)]
    names = [f"number {i}" for i in range(10)]
    scores = np.ones(10)
    scores[4] = -9  # in the middle of all others
    ax = network(explain(lc.Graph.complete(10, names=names), scores), positions=[*around, [5, 5]])
    assert "number 4" in [text.get_text() for text in ax.texts]
    scores = np.ones(300)
    scores[123] = 5
    ax = network(
        explain(lc.Graph.from_edges(300, [(0, 1)]), scores), positions=np.random.default_rng(0).random((300, 2))
    )
    assert ax.texts[0].get_text() == "123"


def test_given_positions_and_axes_are_used():
    places = np.array([[0, 0], [3, 1], [2, 5]])
    figure = Figure()
    ax = figure.subplots()
    assert network(explain(lc.Graph.chain(3)), ax, positions=places, palette="shap") is ax
    np.testing.assert_array_equal(parts(ax)[0].get_offsets(), places)
    figure.draw_without_rendering()


@pytest.mark.parametrize("positions", [[[0, 1]], np.zeros((3, 3)), np.full((3, 2), np.nan), [["a", "b"]] * 3])
def test_positions_that_do_not_fit_are_refused(positions):
    with pytest.raises(ShowError, match=r"Expected positions as 3 pairs of finite numbers, got .* of shape"):
        network(explain(lc.Graph.chain(3)), positions=positions)


def test_too_many_units_need_positions():
    graph = lc.Graph.from_edges(1001, [(0, 1)])
    with pytest.raises(ShowError, match=r"Expected at most 1,000 units to lay out, got 1,001.*positions"):
        network(explain(graph))
    assert len(parts(network(explain(graph), positions=np.zeros((1001, 2))))[0].get_offsets()) == 1001
    assert layout(lc.Graph.chain(5000)).shape == (5000, 2)


class TestDenseGraphs:
    def test_only_the_strongest_edges_are_drawn_and_the_caption_counts_them(self):
        graph = lc.Graph.complete(30)
        values = np.random.default_rng(0).normal(size=len(graph.edges))
        ax = network(explain(graph, interactions=pair_matrix(graph, values)))
        _, (wide, thin) = parts(ax)
        strongest = sorted(range(435), key=lambda k: -abs(values[k]))[:60]
        places = np.asarray(parts(ax)[0].get_offsets())
        expected = {tuple(map(tuple, places[graph.edges[k]])) for k in strongest}
        for lines in (wide, thin):
            assert {tuple(map(tuple, line)) for line in lines.get_segments()} == expected
        assert "the strongest 60 of 435 edges are drawn" in ax.child_axes[0].get_xlabel()

    def test_without_interactions_nothing_can_be_chosen(self):
        ax = network(explain(lc.Graph.complete(30)))
        assert not len(parts(ax)[1][0].get_segments())
        assert "435 edges are not drawn: the graph is dense" in ax.child_axes[0].get_xlabel()

    def test_max_edges(self):
        graph = lc.Graph.ring(4)
        e = explain(graph, interactions=pair_matrix(graph, np.array([4.0, -2.0, 0.0, 1.0])))
        assert len(parts(network(e, max_edges=3))[1][0].get_segments()) == 3
        assert "edges are drawn" not in network(e, max_edges=4).child_axes[0].get_xlabel()
        assert "4 edges are not drawn" in network(e, max_edges=0).child_axes[0].get_xlabel()
        for bad in (-1, 1.5, True):
            with pytest.raises(ShowError, match="Expected max_edges as an integer of at least 0, got"):
                network(e, max_edges=bad)

    def test_grids_are_never_thinned_out(self):
        graph = lc.Graph.grid((20, 20), diagonal=True)
        assert len(parts(network(explain(graph)))[1][0].get_segments()) == len(edges_of(graph))

    def test_names_around_a_circle_cover_neither_each_other_nor_dots_and_stay_inside(self):
        graph = lc.Graph.complete(40, names=[f"the feature number {i}" for i in range(40)])
        ax = network(explain(graph))
        canvas = FigureCanvasAgg(ax.figure)
        canvas.draw()
        assert len(ax.texts) == 40
        width, height = ax.figure.bbox.size
        bar = ax.child_axes[0].get_window_extent()
        middle = ax.transData.transform((0, 0))
        radius = np.linalg.norm(ax.transData.transform(layout(graph)[0]) - middle)
        for text in ax.texts:
            box = text.get_window_extent(canvas.get_renderer())
            assert min(box.x0, width - box.x1, height - box.y1) > -3
            assert box.y0 > bar.y1
            start = ax.transData.transform(text.xy) + np.array(text.xyann) * ax.figure.dpi / 72
            assert np.linalg.norm(start - middle) > radius  # the name begins outside the circle

    def test_names_that_found_no_place_are_counted(self):
        places = np.random.default_rng(0).random((300, 2))
        ax = network(explain(lc.Graph.from_edges(300, [(0, 1)])), positions=places)
        assert f"{300 - len(ax.texts)} names not written" in ax.child_axes[0].get_xlabel()
