import base64
import io
import math

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import lcshap as lc
from lcshap.errors import MaskerError
from lcshap.playground import Limits
from lcshap.playground.input_readers import find_reader


def reader(masker, examples=(), **limits):
    return find_reader(masker, examples, Limits(**limits))


@pytest.mark.parametrize(
    ("masker", "sent", "x"),
    [
        (lc.maskers.Text(), {"text": "so good"}, "so good"),
        (lc.maskers.Molecule(), {"smiles": " CCO "}, "CCO"),
        (lc.maskers.Tokens(), {"tokens": "1, 2 3"}, [1, 2, 3]),
        (lc.maskers.Bytes(), {"bytes": base64.b64encode(b"\0\1").decode()}, b"\0\1"),
        (lc.maskers.Tabular([[0.0, 1.0]]), {"table": ["2", 3.5]}, [2, 3.5]),
    ],
)
def test_each_kind_of_input(masker, sent, x):
    assert reader(masker).read(sent) == x
    masker.mask(reader(masker).read(sent))


@pytest.mark.parametrize(
    ("masker", "sent"),
    [
        (lc.maskers.Text(), {"text": None}),
        (lc.maskers.Text(), ["text"]),
        (lc.maskers.Text(), {"text": "x" * 101}),
        (lc.maskers.Tokens(), {"tokens": "1 x"}),
        (lc.maskers.Bytes(), {"bytes": "no base64!"}),
        (lc.maskers.Image(), {"image": "AAAA"}),
        (lc.maskers.Tabular([[0.0, 1.0]]), {"table": [1]}),
        (lc.maskers.Tabular([[0.0, 1.0]]), {"table": [1, "x"]}),
        (lc.maskers.Tabular([[0.0, 1.0]]), {"table": [1, [2]]}),
        (lc.maskers.GraphNodes(), {"graph": 1}),
        (lc.maskers.Text(), {"example": True}),
    ],
)
def test_what_cannot_be_read_is_refused(masker, sent):
    with pytest.raises(MaskerError, match=r"Expected|only examples"):
        reader(masker, text=100).read(sent)


@pytest.mark.parametrize(
    ("masker", "x"),
    [
        (lc.maskers.Series(), np.array([0.1, 2.0, 3.0], np.float32)),
        (lc.maskers.Series(), np.array([3, 1, 2])),
        (lc.maskers.Series(channels="last"), np.random.default_rng(0).normal(size=(5, 2))),
        (lc.maskers.Series(channels="first"), np.random.default_rng(0).normal(size=(2, 5))),
    ],
)
def test_a_series_is_the_same_after_it_was_edited_and_left(masker, x):
    input_reader = reader(masker, [x])
    (example,) = input_reader.describe()["examples"]
    read = input_reader.read({"series": example["content"]})
    np.testing.assert_array_equal(read, x)
    assert read.dtype == x.dtype


def test_lines_of_a_series():
    read = lambda text, **limits: reader(lc.maskers.Series(), **limits).read({"series": text})  # noqa: E731
    assert read("1 2 3").tolist() == read("1\n\n2\n3\n").tolist() == [1, 2, 3]
    assert reader(lc.maskers.Series(channels="last")).read({"series": "1, 2\n3;4"}).tolist() == [[1, 2], [3, 4]]
    for wrong in ("1 2\n3", "a\nb", 5):
        with pytest.raises(MaskerError, match="Expected"):
            read(wrong)
    with pytest.raises(MaskerError, match="at most 3 numbers"):
        read("1 2 3 4", pixels=3)
    assert reader(lc.maskers.Series(), [np.zeros(60_000)]).describe()["examples"][0]["content"] is None


def test_examples_are_given_back_as_they_are():
    image = np.arange(12.0).reshape(3, 4)
    assert reader(lc.maskers.Image(), [image]).read({"example": 0}) is image


@pytest.mark.parametrize("shape", [(3, 4), (300, 400, 3), (3, 40, 50), (40, 50, 4)])
def test_the_page_gets_a_small_picture_of_an_image(shape):
    image = np.random.default_rng(0).random(shape).astype(np.float32)
    (example,) = reader(lc.maskers.Image(), [image]).describe()["examples"]
    thumbnail = Image.open(io.BytesIO(base64.b64decode(example["picture"])))
    assert max(thumbnail.size) <= 160
    assert example["content"] is None


def test_examples_have_names():
    prompt = lc.maskers.Prompt("{sources} {question}")
    names = [
        one["title"] for one in reader(prompt, [{"sources": ["a"], "question": "Why?"}, "x"]).describe()["examples"]
    ]
    assert names == ["Why?", "example 2"]


def test_rows_of_mixed_tables():
    frame = pd.DataFrame({"age": [30.0, 40.0], "city": ["Oslo", "Rome"]})
    table_reader = reader(lc.maskers.Tabular(frame))
    assert table_reader.describe()["numeric"] == [True, False]
    assert table_reader.describe()["columns"] == ["age", "city"]
    assert table_reader.describe()["examples"][0]["content"] == [30.0, "Oslo"]
    x = table_reader.read({"table": ["", "Rome"]})
    assert x[0] is None
    array = reader(lc.maskers.Tabular([[0.0, 1.0]])).read({"table": ["", 2]})
    assert math.isnan(array[0])
    assert table_reader.masker.mask(x).rows(lc.Coalitions.from_sets(2, [[0, 1]]))["city"].tolist() == ["Rome", "Rome"]
