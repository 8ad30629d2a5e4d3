"""Explanations as plain data: what any language can read, and nothing is lost (reading back: test_io.py)."""

import json

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.serialize import to_dict


def explained():
    game = lc.Game(lambda kept: kept[:, 0] * 1.0 + kept[:, 1] * kept[:, 2], 3)
    return lc.LShapley(1, interactions=True).explain(game, lc.Graph.chain(3, names=["a", "b", "c"]))


def test_it_is_json_with_all_bits():
    e = explained()
    content = json.loads(json.dumps(to_dict(e), allow_nan=False))
    assert content["format"] == "lcshap-explanation"
    edges, names = [[0, 1], [1, 2]], ["a", "b", "c"]
    assert content["graph"] == {"d": 3, "edges": edges, "names": names, "kind": "chain", "shape": [3]}
    assert np.array(content["scores"]["array"]).tobytes() == e.scores.tobytes()
    assert content["calls"] == e.calls
    assert content["interactions"]["array"] == pytest.approx([0.0, 1.0])
    assert "interaction_pairs" not in content  # they are the edges


def test_infinities_are_strings():
    e = lc.Explanation(np.ones(2), 0.0, 2.0, lc.Graph.chain(2), 3, stderr=np.array([np.inf, 0.5]))
    assert to_dict(e)["stderr"]["array"] == ["inf", 0.5]


def test_rows_do_not_make_explanations_different():
    from dataclasses import replace

    e = explained()
    assert replace(e, rows=3) == e
    assert replace(e, calls=3) != e
