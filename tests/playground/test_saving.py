import json

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.io import from_dict
from lcshap.errors import OptionError
from lcshap.playground.saving import save_as


def test_files():
    e = lc.explain(lambda texts: [len(t) for t in texts], "to be", kind="output", method="shapley")
    explanations = {"one": e, "two": e}
    assert save_as("html", "to be", explanations).content.startswith(b"<!doctype html>")
    np.testing.assert_array_equal(
        from_dict(json.loads(save_as("json", "to be", explanations, "two").content)).scores, e.scores
    )
    assert b"lc.Shapley()" in save_as("python", "to be", explanations).content
    for kind, label in (("exe", None), ("json", "three")):
        with pytest.raises(OptionError, match="Expected"):
            save_as(kind, "to be", explanations, label)
