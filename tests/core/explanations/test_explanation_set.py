import copy
import pickle
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from explanation_sets import array_set, failed, odd_explanations, row_explanations, text_explanations
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc

OUTCOMES = [*odd_explanations(), failed(), *row_explanations(3)]
XS = lc.Explanations(OUTCOMES)
COUNT = len(OUTCOMES)


@settings(deadline=None, max_examples=60)
@given(
    number=st.integers(-COUNT, COUNT - 1),
    some=st.slices(COUNT),
    mask=st.lists(st.booleans(), min_size=COUNT, max_size=COUNT),
)
def test_indexing_is_that_of_a_list(number, some, mask):
    assert XS[number] == OUTCOMES[number]
    assert XS[np.int64(number)] == OUTCOMES[number]
    assert XS[some] == OUTCOMES[some]
    masked = [outcome for outcome, keep in zip(OUTCOMES, mask, strict=True) if keep]
    for form in (mask, np.array(mask), pd.Series(mask, index=range(5, 5 + COUNT))):
        assert XS[form] == masked
        assert XS.where(form) == masked
    numbers = np.flatnonzero(mask)[::-1] - COUNT
    assert XS[numbers] == XS[numbers.tolist()] == masked[::-1]


def test_it_is_a_sequence():
    assert isinstance(XS, Sequence)
    assert len(XS) == COUNT
    assert list(XS) == list(XS[:]) == OUTCOMES
    assert list(reversed(XS)) == OUTCOMES[::-1]
    assert OUTCOMES[2] in XS
    assert text_explanations(("other",))[0] not in XS
    assert XS.index(OUTCOMES[3]) == 3
    assert XS.count(OUTCOMES[3]) == 1
    first, *others = XS
    assert first == OUTCOMES[0]
    assert len(others) == COUNT - 1
    assert bool(XS)
    assert not lc.Explanations()


def test_sums_are_those_of_lists():
    for both in (XS + OUTCOMES[:2], XS + XS[:2]):
        assert isinstance(both, lc.Explanations)
        assert both == OUTCOMES + OUTCOMES[:2]
    assert OUTCOMES[:2] + XS == OUTCOMES[:2] + OUTCOMES
    assert XS + OUTCOMES[:0] == XS
    with pytest.raises(TypeError):
        XS + 1
    with pytest.raises(TypeError):
        1 + XS


def test_equality():
    assert lc.Explanations(OUTCOMES) == XS
    assert OUTCOMES == XS
    assert OUTCOMES[:-1] != XS
    assert OUTCOMES[::-1] != XS
    assert lc.Explanations() == []
    assert XS != 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(XS)


def test_it_cannot_be_changed():
    for change in ("xs[0] = 1", "del xs[0]", "xs.append(1)", "xs.names = 1", "xs._storage = 1", "xs.new = 1"):
        with pytest.raises((TypeError, AttributeError)):
            exec(change, {"xs": XS})
    provenance = XS[0].provenance
    provenance["more"] = 1
    assert "more" not in XS[0].provenance


def test_copies_are_equal():
    assert pickle.loads(pickle.dumps(XS[:3])) == OUTCOMES[:3]
    assert copy.copy(XS) == XS
    assert copy.deepcopy(XS[:3]) == OUTCOMES[:3]


def test_a_failed_input_gives_its_error():
    error = failed()
    xs = lc.Explanations([*row_explanations(1), error])
    assert xs[1] is error
    assert xs[-1:].errors == {0: error}


@pytest.mark.parametrize(
    ("xs", "text"),
    [
        (array_set(1, method="mine")[0], "<Explanations: 1 input, 3 units, mine>"),
        (array_set(1200)[0], "<Explanations: 1,200 inputs, 3 units>"),
        (lc.Explanations(), "<Explanations: 0 inputs>"),
        (lc.Explanations([failed()]), "<Explanations: 1 input, 1 failed>"),
        (lc.Explanations(text_explanations()), "<Explanations: 3 inputs, 1 to 3 units, Shapley()>"),
    ],
)
def test_a_short_description(xs, text):
    assert repr(xs) == text


def test_an_explainer_returns_a_set():
    explainer = lc.Explainer(lambda texts: [1.0 * len(t) for t in texts], lc.maskers.Text(), kind="output")
    xs = explainer(["to be", "", "or not"], errors="keep")
    assert isinstance(xs, lc.Explanations)
    assert isinstance(xs[1], lc.LcshapError)
    assert xs[[0, 2]] == [explainer("to be"), explainer("or not")]
    assert isinstance(explainer.many(["to be"]), lc.Explanations)
    assert isinstance(lc.explain(explainer.model, ["to be"], lc.maskers.Text(), kind="output"), lc.Explanations)
    assert explainer([]) == []


def test_one_explanation_is_no_set():
    (e,) = row_explanations(1)
    with pytest.raises(lc.errors.OptionError, match="brackets"):
        lc.Explanations(e)


def test_the_inputs_that_were_explained():
    explained = list(row_explanations(2))
    xs = lc.Explanations([failed(), explained[0], failed(), explained[1]])
    assert xs.explained == explained
    assert xs.explained.errors == {}
    assert lc.Explanations([failed()]).explained == []
