from dataclasses import replace

import numpy as np
import pytest
from explanation_sets import array_set, failed, row_explanations

import lcshap as lc
from lcshap.core.explanations.pack_columns import pack
from lcshap.core.explanations.set_kinds import check_comparable, check_methods, columns_of_output
from lcshap.errors import OptionError


@pytest.mark.parametrize("output", [0, 1])
def test_one_output_of_several_is_that_of_the_explanations(output):
    explanations = list(row_explanations(3, 2))
    columns = columns_of_output(pack([*explanations, failed()]), output)
    for row, e in enumerate(explanations):
        expected, e = e.output(output), columns.explanation(row)
        np.testing.assert_array_equal(e.scores, expected.scores)
        assert (e.base_value, e.full_value) == (expected.base_value, expected.full_value)


def test_a_choice_of_an_output_where_there_is_none_or_another():
    with pytest.raises(OptionError, match="Leave out"):
        columns_of_output(array_set()[0]._columns, 0)
    several = array_set(outputs=2)[0]._columns
    with pytest.raises(OptionError, match="output=0"):
        columns_of_output(several, None)
    with pytest.raises(OptionError, match="from 0 to 1, got 2"):
        columns_of_output(several, 2)


def test_different_targets_values_and_methods_cannot_be_combined():
    first, second = row_explanations(2)
    with pytest.raises(OptionError, match=r"one target, got 2: no, yes.*by=xs.targets"):
        check_comparable(pack([first, second]))
    other_value = replace(first, provenance={**first.provenance, "value": "prob"})
    with pytest.raises(OptionError, match="log_prob, prob"):
        check_comparable(pack([first, other_value]))
    other_method = replace(first, provenance={**first.provenance, "name": "lime"})
    with pytest.raises(OptionError, match="lime, shapley"):
        check_comparable(pack([first, other_method]))


def test_parameters_that_change_the_meaning_of_scores():
    first, _ = row_explanations(2)
    trees = [
        replace(first, provenance={**first.provenance, "name": "tree-shap", "parameters": parameters})
        for parameters in (
            {"index": "shapley", "background": "masker"},
            {"index": "banzhaf", "background": "masker"},
            {"index": "shapley", "background": None},
        )
    ]
    check_methods(pack([first, trees[0], failed()]))
    check_methods(pack([trees[1], trees[1]]))
    check_methods(pack([]))
    for other in trees[1:]:
        with pytest.raises(OptionError, match=r"tree-shap\((index=banzhaf|background=None)\)"):
            check_methods(pack([first, failed(), other]))


def test_estimates_of_the_same_number_can_be_combined():
    first, _ = row_explanations(2)
    estimate = replace(first, provenance={**first.provenance, "name": "graph-kernel-shap"})
    assert len(check_comparable(pack([first, estimate]))) == 2
    assert {first.provenance["name"], "kernel-shap", "sample-shapley", "tree-shap"} <= set(lc.METHODS)
