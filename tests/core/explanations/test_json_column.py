import json

import numpy as np
import pytest

from lcshap.core.explanations.json_column import JsonColumn
from lcshap.errors import FileFormatError

OBJECTS = [["good", 0.75], None, {"a": [1, 2]}, ["good", 0.75]]


def column():
    texts = [json.dumps(entry) for entry in OBJECTS]
    return JsonColumn(np.array([*texts, None], object), "a file")


def test_objects_are_decoded_one_by_one():
    assert [column().get(row) for row in range(5)] == [*OBJECTS, None]
    assert [column().has(row) for row in range(5)] == [True] * 4 + [False]
    taken = column().take(np.array([2, 4]))
    assert taken.get(0) == OBJECTS[2]
    assert not taken.has(1)


def test_equal_objects_have_one_number():
    assert column().codes.tolist() == column().codes_of(5).tolist() == [0, 1, 2, 0, -1]
    assert column().objects == (["good", 0.75], None, {"a": [1, 2]})


def test_what_is_no_json_is_refused_with_its_place():
    with pytest.raises(FileFormatError, match="a file"):
        JsonColumn(np.array(["{"], object), "a file").get(0)
