import functools
import gc
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lcshap import Graph
from lcshap.core import digest as module
from lcshap.core.digest import class_name, digest, identity_token


@dataclass(frozen=True)
class Point:
    x: float
    y: float


@dataclass(frozen=True)
class Other:
    x: float
    y: float


class Bare(Point):
    """No dataclass itself: it may hold more than the fields say."""


class Pair(NamedTuple):
    x: float
    y: float


class Slotted:
    __slots__ = ()


class Alike:
    """Equal to all of its kind, as estimators with the same parameters may be."""

    def __eq__(self, other):
        return isinstance(other, Alike)

    def __hash__(self):
        return 0

    def method(self):
        return self


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)

# Each of these differs from each other one.
DIFFERENT = [
    *(None, True, False, 1, 0, -1, 255, -256, 2**70, 1.0, 0.0, -0.0, 1j, 1 + 0j, "1", b"1", bytearray(b"1"), ""),
    *("ab", "a", b"", (), [], {}, set(), frozenset(), ("ab", "c"), ("a", "bc"), ["ab", "c"], (("ab",), "c"), ((),)),
    *(
        "\ud800",
        "\ud801",
        range(3),
        range(0, 4, 2),
        {1},
        frozenset({1}),
        {"a": 1},
        {"a": 1.0},
        {("a", 1)},
        {"a": {1: 2}},
    ),
    *(float("nan"), float("inf"), re.compile("a"), re.compile("a", re.I), re.compile(b"a")),
    *(np.float64(1), np.float32(1), np.int64(1), np.str_("1"), np.array(1.0), np.array([1.0]), np.array([[1.0]])),
    *(np.array([1], np.int64), np.array([1], np.int32), np.array([1], ">i8"), np.array(["1"]), np.array([True])),
    *(np.zeros(2), np.zeros((2, 1)), np.zeros((1, 2)), np.array([-0.0, 0.0]), np.array([], "f4"), np.array([], "f8")),
    *(np.array([1, None], object), np.array([1, "None"], object), np.array([[1, None]], object)),
    *(np.ma.array([1.0, 2.0], mask=[0, 1]), np.ma.array([1.0, 2.0], mask=[1, 0]), np.array([1.0, 2.0])),
    *(np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")]), np.array([(1, 2.0)], [("a", "i4"), ("c", "f8")])),
    *(np.datetime64(1, "s"), np.datetime64(1, "ms")),
    *(sparse.csr_array(np.eye(2)), sparse.csc_array(np.eye(2)), sparse.csr_matrix(np.eye(2)), sparse.csr_array((2, 2))),
    *(Graph.chain(3), Graph.chain(3, ["a", "b", "c"]), Graph.complete(3), Graph.ring(3), Graph.grid((1, 3))),
    *(Point(1.0, 2.0), Point(2.0, 1.0), Other(1.0, 2.0), Pair(1.0, 2.0), (1.0, 2.0), Bare(1.0, 2.0)),
    *(torch.tensor([1.0]), torch.tensor([1]), torch.tensor([1.0], dtype=torch.bfloat16), torch.tensor([[1.0]])),
    *(torch.tensor([1.0], requires_grad=True), torch.eye(2), torch.eye(2).to_sparse(), torch.tensor([1j])),
    *(pd.Series([1, 2]), pd.Series([1.0, 2.0]), pd.Series([1, 2], index=["a", "b"]), pd.Series([1, 2], name="a")),
    *(pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"b": [1, 2]}), pd.DataFrame({"a": [1, 2]}, index=[1, 0])),
    *(pd.DataFrame({"a": ["x", None]}), pd.Index([1, 2]), pd.Categorical(["a"])),
    *(len, abs, int, float, Alike, Alike(), Alike(), Slotted(), Slotted(), lambda: 1, lambda: 1, object()),
    *(Alike().method, Alike().method, functools.partial(abs, 1), functools.partial(abs, 1)),
]


def test_no_two_of_many_things_share_a_digest_and_each_keeps_its_own():
    digests = [digest(obj) for obj in DIFFERENT]
    assert len(set(digests)) == len(DIFFERENT)
    assert digests == [digest(obj) for obj in DIFFERENT]
    assert {len(d) for d in digests} == {16}


@given(PLAIN, PLAIN)
def test_plain_data_has_equal_digests_exactly_where_it_is_written_alike(first, second):
    def key(obj):  # dicts know no order, and 1 == True == 1.0 and 0.0 == -0.0 are told apart
        if isinstance(obj, dict):
            return "dict", tuple(sorted((repr(k), key(v)) for k, v in obj.items()))
        inside = tuple(map(key, obj)) if isinstance(obj, list | tuple) else repr(obj)
        return type(obj).__name__, inside

    assert (digest(first) == digest(second)) == (key(first) == key(second))
    assert digest(first, second) != digest((first, second))


def test_order_does_not_count_in_sets_and_dicts():
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest(set(range(100))) == digest(set(reversed(range(100))))
    assert digest([1, 2]) != digest([2, 1])


def test_digests_of_arrays_do_not_depend_on_their_layout():
    array = np.arange(12.0).reshape(3, 4)
    assert digest(array) == digest(np.asfortranarray(array)) == digest(np.repeat(array, 2, axis=1)[:, ::2])
    assert digest(array) != digest(array.T)
    assert digest(np.broadcast_to(1.0, (3, 4))) == digest(np.ones((3, 4)))


def test_a_change_in_place_is_seen():
    array, inside = np.zeros(3), np.array([[1, 2], None], object)
    before = digest(array), digest(inside)
    array[1], inside[0][1] = 1, 3
    assert digest(array) != before[0]
    assert digest(inside) != before[1]


def test_a_method_is_known_by_its_object_and_function():
    first, second = Alike(), Alike()
    assert digest(first.method) == digest(first.method) != digest(second.method)


def test_objects_that_are_equal_are_not_the_same():
    first, second = Alike(), Alike()
    assert first == second
    assert identity_token(first) == identity_token(first) != identity_token(second)


def test_a_token_goes_with_its_object_and_never_comes_back():
    tokens = set()
    for _ in range(200):  # memory is reused at once
        obj = Alike()
        assert identity_token(obj) not in tokens
        tokens.add(identity_token(obj))
    count = len(module._TOKENS_BY_ID)
    del obj
    gc.collect()
    assert len(module._TOKENS_BY_ID) < count


def test_what_cannot_be_weakly_referenced_is_kept_alive():
    first = identity_token(Slotted())
    assert all(identity_token(Slotted()) != first for _ in range(200))


def test_classes_of_the_same_name_are_distinguished():
    def make():
        @dataclass(frozen=True)
        class Local:
            x: int

        return Local

    first, second = make(), make()
    assert digest(first(1)) == digest(first(1)) != digest(second(1))
    assert class_name(Point) == class_name(Point) != class_name(Other)


PROGRAM = """
import sys
import numpy as np
from lcshap import Graph
from lcshap.core.digest import digest
from lcshap.maskers import Text
print(digest({"a", "b", 1, None}, {"x": np.eye(2)}, Graph.ring(4)).hex(), Text().mask("to be or not").key.hex())
assert "pandas" not in sys.modules
"""


def test_content_has_the_same_digest_in_every_process():
    runs = [subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True) for _ in range(2)]
    assert [run.stderr for run in runs] == ["", ""]
    assert runs[0].stdout == runs[1].stdout != ""


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.bool, torch.complex64]
)
def test_tensors_are_known_by_what_they_hold(dtype):
    tensor, reversed_tensor = torch.tensor([1, 0]).to(dtype), torch.tensor([0, 1]).to(dtype)
    assert digest(tensor) == digest(tensor.clone()) == digest(reversed_tensor.flip(0)) != digest(reversed_tensor)
