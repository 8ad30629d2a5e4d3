import numpy as np
import pytest

import lcshap as lc
from lcshap.playground.snippet import snippet


def positive(texts):
    return [text.count("good") - 2.0 * text.count("bad") for text in texts]


@pytest.mark.parametrize("x", ["good plot, bad end", 'it\'s "good"\n\\ bad', "</script> good"])
def test_it_makes_the_same_explanation(x):
    e = lc.Explainer(positive, lc.maskers.Text(), lc.LShapley(2), kind="output")(x)
    names = {}
    exec(snippet(e, x, "from playground_model import positive as model").replace("playground_model", __name__), names)
    np.testing.assert_array_equal(names["e"].scores, e.scores)


def test_rows_with_missing_values_are_written_down():
    e = lc.Explainer(lambda rows: np.nansum(rows, axis=1), lc.maskers.Tabular([0.0, 0.0]), kind="output")([1.0, np.nan])
    assert "x = [1, float(\"nan\"), 'nan']" in snippet(e, [1, float("nan"), "nan"])


def test_what_cannot_be_written_down_stays_open():
    e = lc.explain(lambda images: images.mean(axis=(1, 2)), np.eye(2), kind="output")
    assert "x = ..." in snippet(e, np.eye(2))
    assert "model = ..." in snippet(e, np.eye(2))
