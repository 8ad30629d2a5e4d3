"""JSON of strangers: what is not JSON is refused, and every question names the place."""

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.json_reader import JsonNode, parse_json


@pytest.mark.parametrize(
    ("encoded", "says"),
    [
        (b'{"a": NaN}', "NaN is not valid JSON"),
        (b"[Infinity]", "Infinity is not valid JSON"),
        (b"[1e999]", "is not finite"),
        (b"9" * 5000, "an integer has 5000 digits"),
        (b'{"a": 1, "b": 2, "a": 3}', "the key 'a' appears twice"),
        (b"[" * 10**6, "nested too deeply"),
        (b'{"a":' * 10**5, "nested too deeply"),
        (b"\xff\xfe", "utf-8"),
        (b"", "Expecting value"),
        (b'{"\\u001b": 1, "\\u001b": 2}', "appears twice"),
    ],
)
def test_what_is_not_json(encoded, says):
    with pytest.raises(lc.errors.FileFormatError, match=says) as error:
        parse_json(encoded, "x\x1b.json")
    assert str(error.value).isprintable()


def array(values, shape, kind):
    return {"array": values, "shape": shape, "type": kind}


class TestArrays:
    @pytest.mark.parametrize("kind", ["float64", "float32", "float16", "int64", "uint8", "bool"])
    def test_types(self, kind):
        numbers = JsonNode(array([True, False] if kind == "bool" else [1, 0], [2], kind), "x").array()
        assert numbers.dtype == kind
        assert numbers.tolist() == [1, 0]

    @pytest.mark.parametrize("kind", ["float64", "float32", "float16", "int64", "uint8"])
    def test_finite_numbers_of_every_type(self, kind):
        assert JsonNode(array([1, 0], [2], kind), "x").array(finite=True).dtype == kind

    def test_infinities(self):
        numbers = JsonNode(array(["inf", "-inf", "nan", 1.5], [4], "float64"), "x").array()
        np.testing.assert_array_equal(numbers, [np.inf, -np.inf, np.nan, 1.5])

    @pytest.mark.parametrize(
        ("value", "says"),
        [
            (array([1.0], [1], "U500000000"), r"at a\.type: expected one of bool, float16.*, got 'U500000000'"),
            (array([1.0], [1], "object"), r"at a\.type"),
            (array([1.0], [1], ["f8"]), r"at a\.type"),
            (array([1.0], [300_000_000], "float64"), r"at a\.array: expected a list of 300,000,000, got one of 1"),
            (array([1.0], [-1], "float64"), r"at a\.shape\[0\]: expected an integer from 0"),
            (array([], [2**31 - 1] * 4 + [0], "float64"), "a shape that NumPy has"),
            (array([1.0], [1] * 9, "float64"), r"at a\.shape: expected a shape"),
            (array([1.0, "x"], [2], "float64"), r"at a\.array\[1\]: expected a number, got 'x'"),
            (array([1.5], [1], "int64"), r"at a\.array\[0\]: expected a number of type int64, got 1.5"),
            (array([True], [1], "int64"), r"at a\.array\[0\]"),
            (array([256], [1], "uint8"), "numbers that fit the type uint8"),
            (array([-1], [1], "uint8"), "numbers that fit the type uint8"),
            (array([1e300], [1], "float32"), "numbers that fit the type float32"),
            (array([None], [1], "float64"), r"at a\.array\[0\]"),
            (array("12", [2], "float64"), r"at a\.array: expected base64 of 16 bytes, got 2 characters"),
            (array(12, [2], "float64"), r"at a\.array: expected a list"),
            ({"array": [1.0], "shape": [1]}, "at a: expected an array, got an object"),
            ([1.0], "at a: expected an array, got a list of 1"),
        ],
    )
    def test_damaged_ones(self, value, says):
        with pytest.raises(lc.errors.FileFormatError, match=says):
            JsonNode(value, "x", "a").array()

    def test_numbers_that_are_not_finite(self):
        for values, says in ((["inf"], "finite numbers"), (["nan"], "finite numbers"), ([1e301], "numbers up to")):
            with pytest.raises(lc.errors.FileFormatError, match=f"expected {says}"):
                JsonNode(array(values, [1], "float64"), "x").float_array(1)


@pytest.mark.parametrize("depth", [30, 1000])
def test_data_that_is_nested(depth):
    content = []
    for _ in range(depth):
        content = [content]
    if depth == 30:
        assert JsonNode(content, "x").plain() == content
    else:
        with pytest.raises(lc.errors.FileFormatError, match="nested at most 32 deep"):
            JsonNode(content, "x", "provenance").plain()
