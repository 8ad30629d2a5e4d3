"""For tests of views: what files hold of each kind."""

import numpy as np

from lcshap.core.json_reader import JsonNode
from lcshap.core.read_view import read_view


def array(values, kind="int64"):
    found = np.array(values, kind)
    return {"array": found.ravel().tolist(), "shape": list(found.shape), "type": found.dtype.name}


VIEWS = {
    "text": {"text": "so good", "spans": array([[0, 2], [3, 7]]), "labels": array([0, 1])},
    "bytes": {"bytes": array([1, 2, 255], "uint8"), "spans": array([[0, 2], [2, 3]]), "labels": array([0, 1])},
    "image": {
        "image": array([[[0], [255]]], "uint8"),
        "reference": array([[[9], [9]]], "uint8"),
        "labels": array([[0, 1]]),
    },
    "series": {"series": array([[0.5], [1.5]], "float64"), "channels": ["x"], "labels": array([[0], [1]])},
    "table": {"columns": ["age", "id"], "values": array([70.5, 7], "float64"), "labels": array([0, -1])},
    "molecule": {"block": "no real block", "labels": array([0, 1])},
    "prompt": {
        "text": "so good",
        "spans": array([[0, 2], [3, 7]]),
        "labels": array([0, 1]),
        "sources": array([[0, 7]]),
        "answer": "It is.",
        "answer_spans": array([[0, 6]]),
    },
}


def read(kind, **change):
    """A view of two units as it is read from a file, with some of its fields changed."""
    return read_view(JsonNode({"kind": kind, **VIEWS[kind], **change}, "x", "view"), 2)
