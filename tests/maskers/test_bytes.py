"""Files against loops over bytes: windows, padding, lengths, layouts, dtypes, errors."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
import oracles
from lcshap.errors import MaskerError, PlanError
from lcshap.maskers.bytes import Bytes

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"  # 16 bytes


def rows(masked, sets):
    return masked.rows(lc.Coalitions.from_sets(masked.graph.d, sets)).tolist()


@st.composite
def cases(draw):
    """A file, a masker (with a layout, a length or neither), and coalitions of units that are told by the file."""
    data = draw(st.binary(min_size=1, max_size=20))
    window, padding = draw(st.integers(1, 22)), draw(st.sampled_from([0, 256, -1]))
    length = draw(st.none() | st.integers(len(data), 25))
    layout = draw(st.none() | st.lists(st.integers(-1, len(data) - 1), min_size=1, max_size=25))
    if layout is not None and set(layout) == {-1}:
        layout.append(0)
    positions = layout if layout is not None else list(range(len(data))) + [-1] * ((length or len(data)) - len(data))
    if layout is None:
        masker = Bytes(window, padding, length, dtype="int32")
    else:
        masker = Bytes(window, padding, layout=lambda file: layout if file == data else None, dtype="int32")
    units = sorted({place // window for place in positions if place >= 0})
    sets = draw(st.lists(st.frozensets(st.integers(0, len(units) - 1)), max_size=6))
    stored = lc.Coalitions.from_sets(len(units), sets)
    removed = draw(st.lists(st.booleans(), min_size=len(sets), max_size=len(sets)))
    coalitions = lc.Coalitions(len(units), stored.indices, stored.offsets, np.array(removed, bool))
    return data, masker, positions, units, coalitions


@settings(max_examples=400, deadline=None)
@given(cases())
def test_rows_are_those_of_a_naive_masker(case):
    data, masker, positions, units, coalitions = case
    masked = masker.mask(data)
    seen = [sorted(p for p in positions if p >= 0 and p // masker.window == unit) for unit in units]
    assert masked.spans == tuple((places[0], places[-1] + 1) for places in seen)
    assert masked.graph == lc.Graph.chain(len(units), [f"0x{places[0]:04x}" for places in seen])
    expected = []
    for kept in coalitions:
        present = {units[i] for i in kept}
        expected.append([data[p] if p >= 0 and p // masker.window in present else masker.padding for p in positions])
    rows = masked.rows(coalitions)
    assert rows.dtype == np.int32
    assert rows.shape == (len(coalitions), len(positions))
    assert rows.tolist() == expected


def test_windows_of_a_file_by_hand():
    masked = Bytes(window=6).mask(PNG)
    assert masked.graph == lc.Graph.chain(3, ["0x0000", "0x0006", "0x000c"])
    assert masked.spans == ((0, 6), (6, 12), (12, 16))
    assert rows(masked, [[0, 2], [1]]) == [
        [0x89, *b"PNG\r\n", 0, 0, 0, 0, 0, 0, *b"IHDR"],
        [0, 0, 0, 0, 0, 0, 0x1A, 0x0A, 0, 0, 0, 13, 0, 0, 0, 0],
    ]
    assert masked.rows(lc.Coalitions.from_sets(3, [])).shape == (0, 16)
    assert Bytes().mask(PNG * 3000).graph.names[-1] == "0xbb70"
    assert Bytes(graph="ring").mask(PNG * 3).graph == lc.Graph.ring(3, ["0x0000", "0x0010", "0x0020"])


def test_short_files_are_filled_up_with_padding_outside_all_units():
    masked = Bytes(window=2, padding=256, length=6).mask(b"abc")
    assert rows(masked, [[0, 1], [1], []]) == [[97, 98, 99, 256, 256, 256], [256, 256, 99, 256, 256, 256], [256] * 6]
    assert masked.labels.tolist() == [0, 0, 1, -1, -1, -1]


def test_beginning_and_end_share_their_bytes_in_a_short_file():
    def ends(data):
        return [*range(4), *range(len(data) - 4, len(data))]

    masker = Bytes(window=4, padding=256, layout=ends)
    masked = masker.mask(b"abcdef")
    assert masked.spans == ((0, 4), (4, 6))
    assert rows(masked, [[0], [1]]) == [[*b"abcd", *b"cd", 256, 256], [256] * 6 + [*b"ef"]]
    masked = masker.mask(bytes(range(100)))
    assert masked.spans == ((0, 4), (96, 100))
    assert masked.graph == lc.Graph.chain(2, ["0x0000", "0x0060"])


@pytest.mark.parametrize("dtype", [np.uint8, "int16", "int32", "int64", np.uint64])
def test_dtypes(dtype):
    rows = Bytes(window=1, padding=7, dtype=dtype).mask(b"\xff\x00").rows(lc.Coalitions.from_sets(2, [[0], [1]]))
    assert rows.dtype == dtype
    assert rows.tolist() == [[255, 7], [7, 0]]


def test_what_a_file_may_be(tmp_path):
    path = tmp_path / "picture.png"
    path.write_bytes(PNG)
    array = np.frombuffer(PNG, np.uint8)
    for x in (PNG, bytearray(PNG), memoryview(PNG), array, np.repeat(array, 2)[::2], path):
        masked = Bytes().mask(x)
        assert masked.x.tobytes() == PNG
        assert rows(masked, [[0]]) == [list(PNG)]


def test_the_masked_file_is_a_copy():
    x = bytearray(PNG)
    masked = Bytes().mask(x)
    x[0] = 0
    assert masked.x.tobytes() == PNG
    assert rows(masked, [[0]]) == [list(PNG)]


def test_scores_are_the_shapley_values_of_hand_made_rows():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Embedding(257, 3), torch.nn.Flatten(), torch.nn.Tanh(), torch.nn.Linear(60, 4))
    data = [*PNG, *[256] * 4]
    game = {}
    for kept in oracles.subsets(range(4)):
        row = torch.tensor([[b if p >= 16 or p // 5 in kept else 256 for p, b in enumerate(data)]])
        game[kept] = torch.log_softmax(net(row).double(), -1)[0].tolist()
    e = lc.Explainer(net, Bytes(5, 256, 20), lc.Shapley(), kind="logits", target="all")(PNG)
    np.testing.assert_allclose(e.scores, oracles.shapley(4, game), atol=1e-6)


# -- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"window": 0}, "Expected window as a number of bytes of at least 1, got 0"),
        ({"window": True}, "Expected window as a number of bytes of at least 1, got True"),
        ({"length": 0}, "Expected length as an integer of at least 1, or None, got 0"),
        ({"length": 8.0}, r"Expected length as an integer of at least 1, or None, got 8\.0"),
        ({"layout": [0, 1]}, r"Expected layout as a function from bytes to positions, got \[0, 1\]"),
        ({"layout": len, "length": 8}, "Expected length or layout, got both"),
        ({"padding": 0.0}, r"Expected padding as an integer, got 0\.0"),
        ({"padding": False}, "Expected padding as an integer, got False"),
        ({"padding": 256, "dtype": np.uint8}, r"Expected a padding that uint8 can hold, got 256.*another.*dtype"),
        ({"dtype": "int8"}, "Expected dtype as an integer type that can hold every byte, got int8"),
        ({"dtype": float}, "Expected dtype as an integer type that can hold every byte, got float64"),
        ({"dtype": "number"}, "Expected dtype as an integer type, got 'number'"),
        ({"graph": "star"}, "Expected .chain., .ring., .complete. or a function of d as graph, got 'star'"),
    ],
)
def test_fields_are_checked(fields, message):
    with pytest.raises(MaskerError, match=message):
        Bytes(**fields)


@pytest.mark.parametrize(
    ("masker", "x", "message"),
    [
        (Bytes(), b"", r"Expected a file with at least one byte, got an empty file.*nothing.*explain"),
        (Bytes(), np.empty(0, np.uint8), "Expected a file with at least one byte, got an empty file"),
        (Bytes(), "setup.py", r"Expected bytes or a pathlib\.Path, got a str"),
        (Bytes(), 5, r"Expected bytes, a 1-D array of uint8 or a pathlib\.Path, got int"),
        (
            Bytes(),
            np.zeros(3),
            r"Expected bytes, a 1-D array of uint8 or a pathlib\.Path, got an array of float64 of.*shape",
        ),
        (Bytes(), np.zeros((2, 3), np.uint8), r"of uint8 of shape \(2, 3\)"),
        (
            Bytes(length=10),
            PNG,
            r"Expected a file of at most 10 bytes, got 16.*layout",
        ),
        (
            Bytes(layout=lambda data: [0.0]),
            PNG,
            r"Expected a row of integers from the layout, got float64 of shape \(1,\)",
        ),
        (
            Bytes(layout=lambda data: [[0]]),
            PNG,
            r"Expected a row of integers from the layout, got int64 of shape \(1, 1\)",
        ),
        (
            Bytes(layout=lambda data: [3, 16]),
            PNG,
            "Expected positions from 0 to 15 from the layout, or -1 for padding, got 16",
        ),
        (
            Bytes(layout=lambda data: [-2]),
            PNG,
            "Expected positions from 0 to 15 from the layout, or -1 for padding, got -2",
        ),
        (Bytes(layout=lambda data: [-1, -1]), PNG, "Expected a layout that shows some byte of the file, got none"),
    ],
)
def test_what_is_no_file(masker, x, message):
    with pytest.raises(MaskerError, match=message):
        masker.mask(x)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(MaskerError, match=r"Expected a file that can be read, got '.*none.bin': No such file"):
        Bytes().mask(tmp_path / "none.bin")
    with pytest.raises(MaskerError, match="Expected a file that can be read"):
        Bytes().mask(tmp_path)


def test_coalitions_of_another_file_are_refused():
    with pytest.raises(
        PlanError, match="Expected coalitions over the 1 units of the input, got coalitions over 2 units"
    ):
        Bytes().mask(PNG).rows(lc.Coalitions.from_sets(2, [[1]]))
