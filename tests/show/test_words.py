"""What is said about an explanation, word by word."""

from dataclasses import replace

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.views import TableView
from lcshap.show import words

GRAPH = lc.Graph.chain(4, names=["very", "very", "bad", "film"])


def make_explanation(scores=(1.0, 2.0, -4.0, 0.5), base=0.0, full=None, names=None, **more):
    scores = np.asarray(scores, float)
    graph = lc.Graph.chain(len(scores), names=names)
    full = scores.sum(axis=0) if full is None else full
    return lc.Explanation(scores, base, full, graph, 8, **more)


def path(flipped, flip_set, removed=True, count=3, names=("damn", "stupid", "idiot", "you"), **more):
    d = len(names)
    return lc.PathExplanation(
        scores=np.ones(d),
        base_value=0.0,
        full_value=float(d),
        graph=lc.Graph.chain(d, names=names),
        calls=9,
        path=np.arange(count),
        path_values=np.arange(count + 1.0),
        order=np.arange(d),
        flipped=flipped,
        flip_set=flip_set,
        provenance={"name": "deletion-path" if removed else "insertion-path"},
        **more,
    )


class TestNumbers:
    def test_rounding_errors_are_zero_by_one_rule(self):
        e = make_explanation([0.1, 0.2, -0.3], full=3e-17)
        assert words.format_number(3e-17, e) == "0"
        assert words.rounded_residual(e) == 0
        assert words.residual_text(e) == "residual 0"
        assert words.format_signed(3e-17, 0.3) == "+0.0000"
        small = make_explanation([1e-12, 2e-12])
        assert words.format_number(1e-12, small) == "1e-12"
        assert words.format_signed(1e-12, 2e-12) == "+1.000e-12"

    def test_the_scale_is_the_largest_number_of_the_explanation(self):
        assert words.rounded_residual(make_explanation([1e-3], base=1e6, full=1e6 + 1e-3 + 1e-4)) == 0
        assert words.rounded_residual(make_explanation([1e-3], base=0.0, full=1.1e-3)) == pytest.approx(1e-4)

    @pytest.mark.parametrize(
        ("x", "expected"),
        [(0, "0"), (-0.5, "-0.5"), (999.96, "1000"), (1234.4, "1,234"), (-2e6, "-2e+06"), (np.nan, "nan")],
    )
    def test_four_digits(self, x, expected):
        assert words.format_number(x) == expected

    def test_no_minus_zero(self):
        assert words.format_signed(-1e-5, 1.0) == "+0.000"

    def test_standard_errors(self):
        e = make_explanation([1.0, -2.0], stderr=np.array([0.25, np.inf]))
        assert words.format_score(e, 0, 2.0) == "+1.000 ± 0.250"
        assert words.format_score(e, 1, 2.0) == "-2.000 ± inf"
        assert words.format_score(make_explanation([1.0, -2.0]), 1, 2.0) == "-2.000"


class TestWhatIsExplained:
    @pytest.mark.parametrize(
        ("record", "expected"),
        [
            ({}, ""),
            ({"value": "log_prob"}, "log_prob"),
            ({"value": "log_prob", "targets": ["positive"]}, "log_prob of positive"),
            ({"value": "output", "targets": ["0"]}, "output 0"),
            ({"value": "prob", "targets": ["sci - fi"]}, "prob of sci - fi"),
            ({"value": "prob", "targets": [["A", "B"]]}, "prob of A rather than B"),
            ({"value": "prob", "targets": [("A", "B")]}, "prob of A rather than B"),
            ({"value": "prob", "targets": ["a", "b"], "output": 1}, "prob of b"),
            ({"value": "\x1b", "targets": ["\x07"]}, "␛ of ␇"),
        ],
    )
    def test_about(self, record, expected):
        assert words.describe_subject(make_explanation(provenance=record)) == expected

    def test_several_outputs(self):
        record = {"method": "M()", "value": "prob", "targets": ["a", ["b", "c"]]}
        both = make_explanation(np.ones((3, 2)), base=np.zeros(2), provenance=record)
        assert words.heading(both) == "M() explains prob of a, b rather than c"
        assert words.output_names(both) == ["a", "b rather than c"]
        assert words.describe_subject(both.output(1)) == "prob of b rather than c"
        assert words.output_names(replace(both, provenance={"targets": ["x", "x"]})) == ["x (1)", "x (2)"]
        assert words.output_names(replace(both, provenance={})) == ["output 0", "output 1"]
        several_outputs = make_explanation(
            np.ones((3, 8)), base=np.zeros(8), provenance={"value": "prob", "targets": list("abcdefgh")}
        )
        assert words.describe_subject(several_outputs) == "prob of a, b, c, d, e, and 3 others"
        assert words.output_names(make_explanation()) == [""]

    def test_methods(self):
        assert words.heading(make_explanation()) == words.method_text(make_explanation()) == "Explanation"
        game = lc.Game(lambda kept: kept.sum(axis=1), 4)
        explanations = [m.explain(game, GRAPH) for m in (lc.LShapley(1), lc.LShapley(2), lc.Shapley())]
        assert words.method_names(explanations) == ["l-shapley, order 1", "l-shapley, order 2", "shapley"]
        assert words.method_names(explanations[:1]) == ["l-shapley"]
        assert words.method_names([make_explanation(), make_explanation()]) == ["explanation", "explanation"]

    def test_why(self):
        assert words.selection_reason(make_explanation()) == ""
        assert (
            words.selection_reason(make_explanation(provenance={"chosen": {"reason": "it is cheap"}}))
            == "chosen because it is cheap"
        )


class TestTotals:
    def test_one_output(self):
        e = make_explanation([1.0, 2.0], base=-1.0, full=3.0)
        assert words.base_and_full_value(e) == "base value -1 → full value 3"
        assert words.totals_sentence(e) == "Base value -1 → full value 3; scores sum to 3, residual 1; 8 calls"
        expected = {"base value": "-1", "full value": "3", "sum of scores": "3", "residual": "1", "calls": "8"}
        assert words.totals(e) == expected

    def test_several_outputs(self):
        e = make_explanation([[1.0, 2.0]], base=np.array([0.0, 1e-20]), full=np.array([1.0, 2.5]))
        assert words.base_and_full_value(e) == "base value 0, 0 → full value 1, 2.5"
        assert words.residual_text(e) == "residual 0, 0.5"

    def test_rows_are_told_where_they_differ_from_calls(self):
        assert words.cost_text(make_explanation(rows=8)) == words.cost_text(make_explanation()) == "8 calls"
        assert words.cost_text(make_explanation(rows=1600)) == "8 calls (1,600 rows)"


class TestUnits:
    def test_repeated_names_are_numbered(self):
        assert words.unit_names(make_explanation(names=["a", "b", "a", "a\n"])) == ["a (1)", "b", "a (2)", "a↵"]

    def test_long_names_are_cut_before_their_number(self):
        names = words.unit_names(make_explanation([1.0, 2.0], names=["x" * 40, "x" * 40]), max_length=5)
        assert names == ["xxxx… (1)", "xxxx… (2)"]

    def test_columns_of_a_table_have_values(self):
        view = TableView(columns=["age", "income", "x", "y"], values=[70.0, 2500.0, 1.0, 2.0], labels=[0, 1, 2, 2])
        e = make_explanation([1.0, 2.0, 3.0], names=["age", "income", "xy"], view=view)
        assert words.unit_names(e) == ["age = 70", "income = 2,500", "xy"]
        assert words.unit_values(e) == {0: 70.0, 1: 2500.0}
        assert words.unit_values(make_explanation()) == {}

    def test_texts_and_gaps_of_a_table_are_read(self):
        view = TableView(
            columns=["city", "age"], values=[np.nan, np.nan], labels=[0, 1], texts=["Paris\x1b", "missing"]
        )
        e = make_explanation([1.0, 2.0], names=["city", "age"], view=view)
        assert words.unit_names(e) == ["city = Paris␛", "age = missing"]
        assert words.unit_names(e, max_length=4) == ["city = Par…", "age = mis…"]

    def test_leading(self):
        assert words.top_units(make_explanation(), 2) == [2, 1]
        e = path(None, None)
        assert words.top_units(replace(e, scores=np.array([0.0, 1, 2, 3])), 2) == [0, 1]


def test_masking_curves():
    assert words.curve_x_label() == "units masked (%)"
    assert words.curve_x_label(keep=True) == "units kept (%)"
    assert words.curve_y_label("log-odds of a") == "change of the log-odds of a"
    assert words.curve_note("log-odds of a") == "log-odds of a, while the top units are masked"
