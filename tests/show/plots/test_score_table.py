"""Explanations as arrays, against the explanations themselves."""

import numpy as np
import pytest
from explanation_sets import array_set, failed, row_explanations, text_explanations

import lcshap as lc
from lcshap.errors import ShowError
from lcshap.show.plots.score_table import as_set, score_tables, value_column


class TestTables:
    def test_each_target_has_a_table_the_most_frequent_first(self):
        listed = list(row_explanations(5))  # "no" for even numbers, "yes" for odd ones
        for explanations in (listed, lc.Explanations(listed)):
            tables = score_tables(explanations)
            assert list(tables) == ["log_prob of no", "log_prob of yes"]
            for table, members in zip(tables.values(), ([0, 2, 4], [1, 3]), strict=True):
                np.testing.assert_array_equal(table.scores, [listed[i].scores for i in members])
                np.testing.assert_array_equal(table.base_values, [listed[i].base_value for i in members])
                np.testing.assert_array_equal(table.predictions, [listed[i].full_value for i in members])
                assert table.positions.tolist() == members
                assert table.n_given == 5
                assert table.names == ("age", "dose", "city")

    def test_each_output_has_a_table(self):
        xs, scores, base = array_set(6, outputs=2, targets=["cat", "dog"])
        tables = score_tables(xs)
        assert list(tables) == ["cat", "dog"]
        for k, table in enumerate(tables.values()):
            np.testing.assert_array_equal(table.scores, scores[..., k])
            np.testing.assert_array_equal(table.base_values, base[:, k])
        assert list(score_tables(xs, output=1)) == ["dog"]
        assert list(score_tables(xs, target="cat")) == ["cat"]

    def test_failed_inputs_are_left_out_and_positions_are_kept(self):
        listed = list(row_explanations(4))
        xs = lc.Explanations([listed[0], failed(), listed[2]])
        (table,) = score_tables(xs).values()
        assert table.positions.tolist() == [0, 2]
        np.testing.assert_array_equal(table.scores, [listed[0].scores, listed[2].scores])

    def test_the_kind_of_value_separates_targets(self):
        xs = lc.Explanations([e for e in row_explanations(4) if e.provenance["targets"] == ["no"]])
        other = [
            lc.Explanation(e.scores, e.base_value, e.full_value, e.graph, 4, {**e.provenance, "value": "prob"})
            for e in xs
        ]
        assert list(score_tables([*xs, *other])) == ["log_prob of no", "prob of no"]

    def test_one_explanation(self):
        e = next(iter(row_explanations(1)))
        (table,) = score_tables(e).values()
        assert table.scores.shape == (1, 3)

    def test_interactions_on_demand(self):
        pairs = np.zeros((4, 3, 3))
        pairs[:, 0, 1] = pairs[:, 1, 0] = np.arange(4)
        xs, _, _ = array_set(4, interactions=pairs)
        assert next(iter(score_tables(xs).values())).interactions is None
        (table,) = score_tables(xs, interactions=True).values()
        np.testing.assert_array_equal(table.interactions, pairs)
        np.testing.assert_array_equal(table.take(np.array([2])).interactions, pairs[[2]])

    def test_errors(self):
        with pytest.raises(ShowError, match="Expected a list of at least one explanation, got none"):
            score_tables([])
        with pytest.raises(ShowError, match="Expected a list of at least one explanation, got none"):
            as_set(lc.Explanations([failed()]))
        with pytest.raises(ShowError, match=r"Expected the same units in all inputs.*Figures of words are beeswarm"):
            score_tables(text_explanations())
        with pytest.raises(ShowError, match="Expected target as one of 'no', 'yes', got 'maybe'"):
            score_tables(list(row_explanations(3)), target="maybe")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("figure", ["beeswarm", "violin", "summary_bars", "heatmap", "decision"])
def test_scores_that_are_not_finite_are_refused(bad, figure):
    scores = np.ones((4, 3))
    scores[2, 1] = bad
    listed = [lc.Explanation(row, 0.0, 3.0, lc.Graph.complete(3), 4) for row in scores]
    for explanations in (listed, lc.Explanations(listed)):
        with pytest.raises(ShowError, match=r"Expected finite scores, got NaN or infinity in input 2\. Leave out"):
            getattr(lc.plots, figure)(explanations)


class TestUnits:
    def test_units_by_name_and_number(self):
        (table,) = score_tables(array_set(names=["a", "b", "c"])[0]).values()
        assert (table.find_unit("b"), table.find_unit(2), table.find_unit(-1)) == (1, 2, 2)
        with pytest.raises(ShowError, match="Expected the name of a unit, one of 'a', 'b', 'c', got 'd'"):
            table.find_unit("d")
        for bad in (3, 1.0, True):
            with pytest.raises(ShowError, match="Expected a unit by its name or by a number from 0 to 2, got"):
                table.find_unit(bad)

    def test_the_strongest(self):
        xs, scores, _ = array_set(30, 5)
        (table,) = score_tables(xs).values()
        assert table.strongest(3).tolist() == np.argsort(-np.abs(scores).mean(axis=0))[:3].tolist()

    def test_a_sample_is_repeatable_and_in_order(self):
        (table,) = score_tables(array_set(50)[0]).values()
        sample = table.sample(10)
        assert len(sample) == 10
        assert sample.positions.tolist() == sorted(set(sample.positions.tolist()))
        np.testing.assert_array_equal(sample.scores, table.scores[sample.positions])
        np.testing.assert_array_equal(sample.positions, table.sample(10).positions)
        assert table.sample(50) is table


class TestValues:
    def test_numbers_categories_and_gaps(self):
        (table, _) = score_tables(list(row_explanations(4))).values()
        age, dose, city = (table.column(unit) for unit in range(3))
        assert not age.categories
        assert np.isfinite(age.numbers).all()
        assert np.isfinite(dose.numbers).all()
        assert city.categories == ("Oslo",)
        (other,) = score_tables(list(row_explanations(4)), target="yes").values()
        assert np.isnan(other.column(1).numbers).tolist() == [True, False]

    def test_objects(self):
        column = value_column(np.array(["b", None, "a", float("nan"), 2.5], object))
        assert column.categories == ("2.5", "a", "b")
        np.testing.assert_array_equal(column.numbers, [2, np.nan, 1, np.nan, 0])
        np.testing.assert_array_equal(
            value_column(np.array([1, True, 2.5, np.nan], object)).numbers, [1, 1, 2.5, np.nan]
        )

    def test_other_inputs_have_no_values(self):
        (table,) = score_tables(array_set()[0]).values()
        with pytest.raises(ShowError, match="Expected explanations of rows of a table"):
            table.column(0)
