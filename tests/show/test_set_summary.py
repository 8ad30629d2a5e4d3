import numpy as np
from explanation_sets import array_set, failed, row_explanations, text_explanations

import lcshap as lc
from lcshap.core.explanations.stored_rows import StoredRows, encode_rows
from lcshap.show.set_summary import first_inputs, importances, set_heading


def test_the_heading_says_how_many_and_of_what():
    assert set_heading(array_set(9, targets="yes", method="mine")[0]) == "9 explanations by mine of yes"
    assert set_heading(lc.Explanations([failed()])) == "1 explanation; 1 input failed"
    assert set_heading(lc.Explanations(list(row_explanations(3)))) == "3 explanations by Shapley()"


def test_the_first_inputs():
    texts = text_explanations()
    header, rows = first_inputs(lc.Explanations([*texts, failed()]))
    assert header == ("input", "explains", "base value", "prediction", "largest scores")
    assert rows[0] == ("0", "output 0", "0", "1", "good +1.000, a +0.000, film +0.000")
    assert rows[3] == ("3", "failed", "", "", "Expected a text, got nothing.")
    header, rows = first_inputs(lc.Explanations(texts))
    assert "explains" not in header


def test_targets_have_an_importance_each():
    groups, note = importances(lc.Explanations([*row_explanations(5), failed()]))
    assert [(group.cohort, group.inputs) for group in groups] == [("no", 3), ("yes", 2)]
    assert note == ""
    groups, note = importances(array_set(4, outputs=5, targets=list("abcde"))[0])
    assert [group.cohort for group in groups] == ["a", "b", "c"]
    assert note == "2 more targets are not shown."
    np.testing.assert_allclose(importances(array_set(9)[0])[0][0].mean_abs, array_set(9)[0].importance().mean_abs)


def test_of_a_set_in_files_only_some_inputs_are_read():
    explanations = text_explanations() * 100
    xs = lc.Explanations.from_storage(StoredRows(encode_rows(iter(explanations), False), "a file"))
    groups, note = importances(xs)
    assert groups[0].inputs == 200
    assert note == "The chart is about the first 200 inputs."
    assert set_heading(xs) == "300 explanations"
    assert not xs.in_memory
