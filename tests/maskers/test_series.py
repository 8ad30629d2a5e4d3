"""Series against loops over steps and numpy.interp: units, graphs, references, layouts, dtypes, errors."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
import oracles
from lcshap.errors import MaskerError, MethodError, PlanError
from lcshap.maskers.series import Series

LAYOUTS = (None, "last", "first")
WALK = np.array([[3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0], [6.0, 5.0, 3.0, 5.0, 8.0, 9.0, 7.0]])  # (channels, time)


def laid_out(by_channel, channels):
    """A table `(channels, time)` as the masker is given it."""
    return by_channel[0] if channels is None else by_channel.T if channels == "last" else by_channel


def rows(masked, sets):
    return masked.rows(lc.Coalitions.from_sets(masked.graph.d, sets))


def mask_naively(table, window, by_channel, kept, reference):
    """One row, channel by channel and step by step. `reference` is a function of channel and step, or "interpolate"."""
    count, steps = table.shape
    windows = -(-steps // window)
    row = np.empty(table.shape)
    for c in range(count):
        kept_steps = [t for t in range(steps) if (c * windows if by_channel else 0) + t // window in kept]
        for t in range(steps):
            if t in kept_steps:
                row[c, t] = table[c, t]
            elif reference != "interpolate":
                row[c, t] = reference(c, t)
            else:
                kept_values = [float(table[c, s]) for s in kept_steps]
                row[c, t] = np.interp(t, kept_steps, kept_values) if kept_steps else table[c].mean(dtype=np.float64)
    return row


@st.composite
def cases(draw):
    """A series, a masker, coalitions stored in either way, and one function (or word) a background row."""
    channels = draw(st.sampled_from(LAYOUTS))
    count, steps = draw(st.integers(1, 3)) if channels else 1, draw(st.integers(1, 9))
    dtype = draw(st.sampled_from([np.float64, np.float32, np.int16, np.uint8]))
    rng = np.random.default_rng(draw(st.integers(0, 9999)))
    table = rng.integers(0, 200, (count, steps)).astype(dtype)
    window, by_channel = draw(st.integers(1, steps)), draw(st.booleans())
    kind = draw(st.sampled_from(["mean", "interpolate", "number", "channel", "array", "rows"]))
    background = rng.integers(0, 200, (draw(st.integers(1, 3)), count, steps)).astype(dtype)
    references = {
        "number": 7,
        "channel": background[0, :, 0],
        "array": laid_out(background[0], channels),
        "rows": [laid_out(row, channels) for row in background],
    }
    naive = {
        "mean": [lambda c, t: table[c].mean(dtype=np.float64)],
        "interpolate": ["interpolate"],
        "number": [lambda c, t: 7],
        "channel": [lambda c, t: background[0, c, 0]],
        "array": [lambda c, t: background[0, c, t]],
        "rows": [lambda c, t, row=row: row[c, t] for row in background],
    }
    masker = Series(window, by_channel, references.get(kind, kind), channels)
    d = -(-steps // window) * (count if by_channel else 1)
    sets = draw(st.lists(st.frozensets(st.integers(0, d - 1)), max_size=6))
    stored = lc.Coalitions.from_sets(d, sets)
    removed = draw(st.lists(st.booleans(), min_size=len(sets), max_size=len(sets)))
    return table, masker, lc.Coalitions(d, stored.indices, stored.offsets, np.array(removed, bool)), naive[kind]


@settings(max_examples=400, deadline=None)
@given(cases())
def test_rows_are_those_of_a_naive_masker(case):
    table, masker, coalitions, naive = case
    x = laid_out(table, masker.channels)
    masked = masker.mask(x)
    assert masked.graph.d == coalitions.d
    assert masked.rows_per_call == len(naive)
    rows = masked.rows(coalitions)
    assert rows.shape == (len(coalitions) * len(naive), *x.shape)
    assert rows.dtype == x.dtype
    for row, (kept, reference) in zip(rows, itertools.product(coalitions, naive), strict=True):
        expected = laid_out(mask_naively(table, masker.window, masker.by_channel, kept, reference), masker.channels)
        slack = {"float64": 1e-9, "float32": 1e-4}.get(x.dtype.name, 0.5 + 1e-9)  # integers are rounded
        np.testing.assert_allclose(row.astype(float), expected, rtol=0, atol=slack)
        present = np.isin(masked.labels, list(kept))
        np.testing.assert_array_equal(row[present], x[present])
    everything = lc.Coalitions.from_sets(coalitions.d, [range(coalitions.d)])
    assert (masked.rows(everything) == x).all()


# -- units and graphs -------------------------------------------------------------------------------------------------


def test_windows_are_named_by_their_steps():
    masked = Series(window=3).mask(WALK[0])
    assert masked.graph == lc.Graph.chain(3, ["t 0-2", "t 3-5", "t 6"])
    assert masked.labels.tolist() == [0, 0, 0, 1, 1, 1, 2]
    assert Series().mask(WALK[0]).graph == lc.Graph.chain(7, [f"t {t}" for t in range(7)])
    assert Series(window=7).mask(WALK[0]).graph.names == ("t 0-6",)
    assert Series(window=3, graph="ring").mask(WALK[0]).graph.kind == "ring"


def test_a_window_takes_all_channels_unless_each_has_its_own():
    together = Series(window=4, channels="first").mask(WALK)
    assert together.graph == lc.Graph.chain(2, ["t 0-3", "t 4-6"])
    assert together.labels.tolist() == [[0, 0, 0, 0, 1, 1, 1]] * 2
    apart = Series(window=4, by_channel=True, channels="first", names=["x", "y"]).mask(WALK)
    assert apart.graph.names == ("x, t 0-3", "x, t 4-6", "y, t 0-3", "y, t 4-6")
    assert apart.labels.tolist() == [[0, 0, 0, 0, 1, 1, 1], [2, 2, 2, 2, 3, 3, 3]]
    assert Series(window=4, by_channel=True, channels="last").mask(WALK.T).labels.tolist() == apart.labels.T.tolist()
    assert Series(window=7, by_channel=True).mask(WALK[0]).graph.names == ("channel 0, t 0-6",)


@pytest.mark.parametrize("layout", ["chain", "ring", "complete", lambda d: lc.Graph.tree([None, 0, 0, 0, 0][:d])])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_the_graph_of_channels_and_windows(layout, count):
    masked = Series(window=2, by_channel=True, channels="first", graph=layout).mask(np.zeros((count, 9)))
    in_time = getattr(lc.Graph, layout)(5) if isinstance(layout, str) else layout(5)
    near = {(a, b) for a, b in in_time.edges.tolist()}
    expected = set()
    for (c, s), (e, t) in itertools.combinations(itertools.product(range(count), range(5)), 2):
        if (c == e and (s, t) in near) or (c != e and s == t):
            expected.add((c * 5 + s, e * 5 + t))
    assert {tuple(edge) for edge in masked.graph.edges.tolist()} == expected


# -- references -------------------------------------------------------------------------------------------------------


def test_lines_across_gaps_by_hand():
    x = np.array([0.0, 1.0, 9.0, 9.0, 4.0, 6.0, 9.0])
    floats = Series(reference="interpolate").mask(x)
    assert rows(floats, [[1, 4]]).tolist() == [[1, 1, 2, 3, 4, 4, 4]]
    assert rows(floats, [[3]]).tolist() == [[9] * 7]
    assert rows(floats, [[]]).tolist() == [[38 / 7] * 7]
    integers = Series(reference="interpolate").mask(np.array([0, 7, 7, 10]))
    assert rows(integers, [[0, 3], []]).tolist() == [[0, 3, 7, 10], [6, 6, 6, 6]]


def test_each_channel_has_its_own_gaps():
    masked = Series(window=2, by_channel=True, reference="interpolate", channels="first").mask(WALK)
    first, second = rows(masked, [[0, 4, 6]])[0]
    np.testing.assert_allclose(first, np.interp(range(7), [0, 1], [3, 1]))
    np.testing.assert_allclose(second, np.interp(range(7), [0, 1, 4, 5], [6, 5, 8, 9]))
    first, second = rows(masked, [[5, 7]])[0]
    np.testing.assert_allclose(first, np.full(7, 25 / 7))
    np.testing.assert_allclose(second, np.interp(range(7), [2, 3, 6], [3, 5, 7]))


def test_the_masked_series_is_a_copy():
    x = np.zeros(4)
    masked = Series(reference=1).mask(x)
    x[:] = 5
    assert rows(masked, [range(4)]).max() == 0


def test_no_coalitions_no_rows():
    for reference in ("mean", "interpolate", np.zeros((3, 7, 2))):
        masked = Series(reference=reference, channels="last").mask(WALK.T)
        assert rows(masked, []).shape == (0, 7, 2)


# -- models -----------------------------------------------------------------------------------------------------------


def tiny_net():
    """A convolution over time, two channels in and three classes out."""
    torch.manual_seed(0)
    return torch.nn.Sequential(
        *(torch.nn.Conv1d(2, 4, 3), torch.nn.Tanh(), torch.nn.Flatten(), torch.nn.Linear(4 * 5, 3))
    ).double()


def log_probs(net, table):
    with torch.no_grad():
        return torch.log_softmax(net(torch.tensor(np.stack(table))), -1).numpy()


def shapley_by_hand(net, references, target):
    """Every coalition of 2 channels x 3 windows, its rows made step by step, probabilities averaged, then logs."""
    game = {}
    for kept in oracles.subsets(range(6)):
        rows = [mask_naively(WALK, 3, True, kept, reference) for reference in references]
        game[kept] = [float(np.log(np.exp(log_probs(net, rows)[:, target]).mean()))]
    return [score for (score,) in oracles.shapley(6, game)]


@pytest.mark.parametrize("reference", ["mean", "interpolate", "rows"])
def test_scores_by_channel_are_the_shapley_values_of_hand_made_rows(reference):
    net = tiny_net()
    background = np.random.default_rng(0).normal(size=(4, 2, 7))
    references = {
        "mean": [lambda c, t: WALK[c].mean()],
        "interpolate": ["interpolate"],
        "rows": [lambda c, t, row=row: row[c, t] for row in background],
    }[reference]
    masker = Series(3, True, background if reference == "rows" else reference, channels="first")
    e = lc.Explainer(net, masker, lc.Shapley(), kind="logits")(WALK)
    target = int(log_probs(net, [WALK])[0].argmax())
    np.testing.assert_allclose(e.scores, shapley_by_hand(net, references, target), atol=1e-10)


def test_gradients_need_one_reference():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(14, 1)).double()
    weights = net[1].weight.detach().numpy().reshape(2, 7)
    masker = Series(3, True, reference=1.5, channels="first")
    e = lc.Explainer(net, masker, lc.GradientInput(), kind="output")(WALK)
    parts = weights * (WALK - 1.5)
    expected = [parts[c, s : s + 3].sum() for c in range(2) for s in (0, 3, 6)]
    np.testing.assert_allclose(e.scores, expected)
    for reference in ("interpolate", np.zeros((2, 2, 7))):
        varying = Series(3, True, reference, channels="first")
        with pytest.raises(MethodError, match="Expected rows of numbers and one reference"):
            lc.Explainer(net, varying, lc.GradientInput(), kind="output")(WALK)


def test_a_list_of_numbers_is_one_series_and_a_list_of_series_is_many():
    masker = Series(window=2)
    explainer = lc.Explainer(lambda r: r.sum(axis=1), masker, lc.Shapley(), kind="output")
    single = explainer([1.0, 2.0, 6.0])
    np.testing.assert_allclose(single.scores, [-3, 3])
    several = explainer([[1.0, 2.0, 6.0], np.array([0, 4])])
    np.testing.assert_allclose(several[0].scores, [-3, 3])
    np.testing.assert_allclose(several[1].scores, [0])
    assert masker.is_many((WALK[0], WALK[1]))


# -- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"window": 0}, "Expected window as a number of steps of at least 1, got 0"),
        ({"window": 2.0}, "Expected window as a number of steps of at least 1, got"),
        ({"window": True}, "Expected window as a number of steps of at least 1, got"),
        (
            {"reference": "median"},
            r'Expected "mean", "interpolate", a number or an array of numbers as reference, got.*median',
        ),
        ({"channels": "middle"}, "Expected .last., .first., .none. or None as channels, got 'middle'"),
        ({"names": "xy"}, "Expected names as a list of strings, one for each channel, got 'xy'"),
        ({"graph": "star"}, "Expected .chain., .ring., .complete. or a function of d as graph, got 'star'"),
    ],
)
def test_fields_are_checked(fields, message):
    with pytest.raises(MaskerError, match=message):
        Series(**fields)


@pytest.mark.parametrize(
    ("masker", "x", "message"),
    [
        (Series(), 5.0, r"Expected one series of shape \(time,\), \(time, channels\) or \(channels, time\), got \(\)"),
        (
            Series(),
            np.zeros((2, 3, 4)),
            r"Expected one series of shape \(time,\), \(time, channels\) or \(channels, time\), got \(2, 3,.*several",
        ),
        (Series(), [], r"Expected a series with at least one number, got shape \(0,\).*nothing.*explain"),
        (Series(channels="last"), np.zeros((0, 3)), r"Expected a series with at least one number, got shape \(0, 3\)"),
        (
            Series(),
            [[1.0], [1.0, 2.0]],
            "Expected a series as an array of numbers, got something else: setting an array element",
        ),
        (Series(), ["a", "b"], "Expected a series as an array of real numbers, got <U1"),
        (Series(), [True, False], "Expected a series as an array of real numbers, got bool"),
        (
            Series(),
            np.zeros((6, 100)),
            r'Expected to find the channels by the shape, got \(6, 100\), which .*channels="last" or "first"',
        ),
        (
            Series(window=4),
            [1.0, 2.0, 3.0],
            r"Expected a series of at least 4 steps, the size of a window, got 3.*smaller",
        ),
        (Series(window=3, channels="last"), WALK, "Expected a series of at least 3 steps, the size of a window, got 2"),
        (Series(), [1.0, np.nan, np.inf], r"Expected a series of finite numbers, got nan at t 1.*first"),
        (Series(channels="first"), [[1.0, 2.0, np.nan], [1.0, np.inf, 3.0]], "inf at t 1 of channel 1"),
        (Series(channels="last", names=["x", "y"]), [[1.0, 2.0], [np.nan, 2.0]], "nan at t 1 of x"),
        (Series(channels="first", names=["x"]), WALK, "Expected 2 names, one for each channel of the series, got 1"),
    ],
)
def test_what_is_no_series(masker, x, message):
    with pytest.raises(MaskerError, match=message):
        masker.mask(x)


@pytest.mark.parametrize(
    ("reference", "dtype", "message"),
    [
        (
            np.zeros((2, 6)),
            float,
            r"Expected a number, one number per channel, an array or rows of shape \(2, 7\) as.*reference",
        ),
        (WALK.T, float, r"\(7, 2\)"),
        ([1.0, 2.0, 3.0], float, r"\(3,\)"),
        (np.zeros((0, 2, 7)), float, r"\(0, 2, 7\)"),
        (np.zeros((1, 1, 2, 7)), float, r"\(1, 1, 2, 7\)"),
        ([[1.0], [1.0, 2.0]], float, "a number or an array of numbers"),
        (["a", "b"], float, "Expected a reference of numbers, got <U1"),
        (None, float, "Expected a reference of numbers, got object"),
        (np.nan, float, "Expected a reference of finite numbers that float64, the type of the series, can hold,"),
        (
            [0.0, -np.inf],
            float,
            "Expected a reference of finite numbers that float64, the type of the series, can hold,",
        ),
        (1e300, np.float32, "Expected a reference of finite numbers that float32, the type of the series, can hold,"),
        (0.5, np.int64, "Expected a reference of finite numbers that int64, the type of the series, can hold,"),
        (np.nan, np.int64, "Expected a reference of finite numbers that int64, the type of the series, can hold,"),
        (300, np.uint8, "Expected a reference of finite numbers that uint8, the type of the series, can hold,"),
        (-1, np.uint8, "Expected a reference of finite numbers that uint8, the type of the series, can hold,"),
    ],
)
def test_references_that_do_not_fit(reference, dtype, message):
    with pytest.raises(MaskerError, match=message):
        Series(reference=reference, channels="first").mask(WALK.astype(dtype))


def test_coalitions_of_another_input_are_refused():
    with pytest.raises(
        PlanError, match="Expected coalitions over the 7 units of the input, got coalitions over 8 units"
    ):
        Series().mask(WALK[0]).rows(lc.Coalitions.from_sets(8, [[7]]))
