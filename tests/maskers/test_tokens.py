import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcshap import Coalitions, Graph
from lcshap.errors import MaskerError, PlanError
from lcshap.maskers.tokens import Tokens


def rows(masked, sets):
    return masked.rows(Coalitions.from_sets(masked.graph.d, sets)).tolist()


def mask_naively(recipe, ids, present):
    """One row: the input with only some positions left."""
    if recipe.absent == "replace":
        row = [t if p in present else recipe.padding for p, t in enumerate(ids)]
    else:
        row = [t for p, t in enumerate(ids) if p in present]
    return row


@st.composite
def cases(draw):
    """A recipe, ids with padding in any place, and which positions are units, pinned or dropped."""
    padding = draw(st.integers(-1, 2))
    ids = draw(st.lists(st.integers(-2, 5), min_size=1, max_size=12).filter(lambda x: set(x) != {padding}))
    token_positions = [p for p, t in enumerate(ids) if t != padding]
    role = dict(zip(token_positions, ["u", *draw(st.lists(st.sampled_from("uuupd"), min_size=20))], strict=False))
    recipe = Tokens(
        padding,
        draw(st.none() | st.integers(len(ids), 15)),
        draw(st.sampled_from(["right", "left"])),
        draw(st.sampled_from(["replace", "delete"])),
        pin=lambda token, position: role[position] == "p",
        drop=lambda token, position: role[position] == "d",
    )
    d = sum(r == "u" for r in role.values())
    sets = draw(st.lists(st.frozensets(st.integers(0, d - 1)), max_size=8))
    removed = draw(st.lists(st.booleans(), min_size=len(sets), max_size=len(sets)))
    stored = Coalitions.from_sets(d, sets)
    return recipe, ids, role, Coalitions(d, stored.indices, stored.offsets, np.array(removed, bool))


@settings(max_examples=400, deadline=None)
@given(cases())
def test_rows_are_those_of_a_naive_masker(case):
    recipe, ids, role, coalitions = case
    masked = recipe.mask(ids)
    units = [p for p, r in role.items() if r == "u"]
    inside = {p for p in range(min(role), max(role)) if p not in role}  # padding between tokens
    pinned = {p for p, r in role.items() if r == "p"} | inside
    assert masked.positions.tolist() == units
    assert masked.graph == Graph.chain(len(units), [str(ids[p]) for p in units])
    expected = [mask_naively(recipe, ids, pinned | {units[i] for i in kept}) for kept in coalitions]
    free = max([1, *map(len, expected)]) if recipe.absent == "delete" else len(ids)
    width = recipe.length or free
    fill = {"right": lambda row, more: row + more, "left": lambda row, more: more + row}[recipe.side]
    rows = masked.rows(coalitions)
    assert rows.dtype == np.int64
    assert rows.shape == (len(expected), width)
    assert rows.tolist() == [fill(row, [recipe.padding] * (width - len(row))) for row in expected]
    if recipe.absent == "delete" and recipe.length is None:
        assert masked.distinct(coalitions).lengths(coalitions).tolist() == [len(row) for row in expected]
    else:
        assert masked.distinct(coalitions).lengths is None


def test_absent_tokens_become_padding_in_their_place():
    masked = Tokens(length=6).mask(np.array([5, 9, 5, 0], np.int32))
    assert masked.graph == Graph.chain(3, ["5", "9", "5"])
    assert rows(masked, [[], [1], [0, 1, 2]]) == [[0] * 6, [0, 9, 0, 0, 0, 0], [5, 9, 5, 0, 0, 0]]
    assert rows(Tokens(padding=1, length=4, side="left").mask([5, 9]), [[0]]) == [[1, 1, 5, 1]]
    assert rows(Tokens().mask([0, 0, 5, 9]), [[0, 1]]) == [[0, 0, 5, 9]]


def test_deleted_tokens_leave_no_hole():
    assert rows(Tokens(absent="delete", length=4).mask([5, 9, 7]), [[0, 2], []]) == [[5, 7, 0, 0], [0, 0, 0, 0]]
    assert rows(Tokens(absent="delete", length=4, side="left").mask([5, 9, 7]), [[0, 2]]) == [[0, 0, 5, 7]]
    free = Tokens(absent="delete").mask([0, 5, 9, 7, 0, 0])
    assert rows(free, [[0, 2], [1]]) == [[5, 7], [9, 0]]
    assert rows(free, [[]]) == [[0]]
    assert free.rows(Coalitions.from_sets(3, [])).shape == (0, 1)


def test_pinned_and_dropped_tokens_are_no_units():
    masked = Tokens(absent="delete", pin={101, 102}, drop=[7]).mask([101, 5, 7, 9, 102])
    assert masked.graph == Graph.chain(2, ["5", "9"])
    assert rows(masked, [[], [1], [0, 1]]) == [[101, 102, 0, 0], [101, 9, 102, 0], [101, 5, 9, 102]]
    sets = Coalitions.from_sets(2, [[], [1]])
    assert masked.distinct(sets).lengths(sets).tolist() == [2, 3]
    masked = Tokens(pin=lambda token, position: position == 0).mask([5, 5])
    assert rows(masked, [[]]) == [[5, 0]]


def test_names_come_from_a_vocabulary():
    assert Tokens(vocabulary={5: "it", 9: "sucks"}).mask([5, 9, 4]).graph.names == ("it", "sucks", "4")
    assert Tokens(vocabulary=["<pad>", "it", "sucks"]).mask([1, 2, 3, -1]).graph.names == ("it", "sucks", "3", "-1")
    assert Tokens(graph="ring").mask([1, 2, 3]).graph == Graph.ring(3, ["1", "2", "3"])


@pytest.mark.parametrize(
    ("recipe", "ids", "message"),
    [
        (Tokens(length=2), [1, 2, 3], "Expected at most 2 tokens, the length of rows, got 3"),
        (Tokens(), [], "Expected at least one token, got none"),
        (Tokens(padding=7), [7, 7], "Expected at least one token besides the padding 7, got none"),
        (Tokens(), [1.0, 2.0], "Expected tokens as 64-bit integers, got float64"),
        (Tokens(), [True, False], "Expected tokens as 64-bit integers, got bool"),
        (Tokens(), np.array([2**63], np.uint64), "64-bit integers"),
        (Tokens(), [2**70], "64-bit integers"),
        (Tokens(), [[1, 2]], r"shape \(1, 2\)"),
        (Tokens(), [[1], [2, 3]], "1-D array of integers"),
        (Tokens(), 5, r"shape \(\)"),
        (Tokens(), "text", "one sequence of integers"),
        (Tokens(), ["a"], "Expected tokens as 64-bit integers, got <U1"),
        (
            Tokens(pin={1}, drop={2}),
            [1, 2],
            "Expected at least one token that is neither pinned nor dropped, got none of 2",
        ),
        (Tokens(pin={1}, drop={1}), [1, 2], "Expected units that are pinned or dropped, got 1 in both"),
    ],
)
def test_inputs_that_cannot_be_cut(recipe, ids, message):
    with pytest.raises(MaskerError, match=message):
        recipe.mask(ids)


@pytest.mark.parametrize(
    "options",
    [
        {"padding": 0.5},
        {"length": -1},
        {"length": 0},
        {"length": 2.0},
        {"side": "top"},
        {"absent": "mask"},
        {"pin": 3},
        {"vocabulary": 3},
        {"graph": "grid"},
    ],
)
def test_invalid_parameters(options):
    with pytest.raises(MaskerError, match=next(iter(options))):
        Tokens(**options)


def test_coalitions_of_another_input():
    with pytest.raises(
        PlanError, match="Expected coalitions over the 3 units of the input, got coalitions over 2 units"
    ):
        Tokens().mask([1, 2, 3]).rows(Coalitions.from_sets(2, [[0]]))
