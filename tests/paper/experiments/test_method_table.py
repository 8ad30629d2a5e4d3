"""Every number in the tables of a study, computed again by hand."""

import csv
import io
import statistics

import numpy as np
import pytest
from toy_study import PERCENTS, TEXTS, area, by_hand, read

import lcshap as lc
from lcshap.core.printable import printable
from lcshap.paper.experiments.method_table import Measure, MethodRow, table_md, to_csv, to_md
from lcshap.paper.experiments.study import METHOD_CANDIDATES


def test_curves_by_hand(toy):
    rows = read(toy.out / "samples.csv")
    assert {row["method"] for row in rows} == set(METHOD_CANDIDATES) - {"saliency"}
    assert len(rows) == 16 * 3 * len(PERCENTS)
    samples = {int(row["sample"]) for row in rows}
    assert samples == set(np.random.default_rng(0).permutation(5).tolist()[:4]) - {4}  # the empty text is passed over
    for row in rows:
        e = lc.load(toy.out / "explanations" / f"{int(row['sample']):06d}.{row['method']}.json")
        text, percent = TEXTS[int(row["sample"])], float(row["percent"])
        order = sorted(range(len(e.scores)), key=lambda i: (-e.scores[i], i))
        order = e.order.tolist() if row["method"].endswith("-path") else order
        for column, keep in (("drop", False), ("kept", True)):
            expected = by_hand(text, order, percent, keep) - by_hand(text, order, 0, keep)
            assert float(row[column]) == pytest.approx(expected, abs=1e-9)


def test_mean_curves_by_hand(toy):
    samples = read(toy.out / "samples.csv")
    rows = read(toy.out / "curves.csv")
    assert len(rows) == 16 * len(PERCENTS)
    t = 0.95 * (2 / (4 * 0.975 * 0.025)) ** 0.5  # Student's t with two degrees of freedom, in closed form
    for row in rows:
        matching = [r for r in samples if (r["method"], r["percent"]) == (row["method"], row["percent"])]
        for column in ("drop", "kept"):
            numbers = [float(r[column]) for r in matching]
            assert float(row[column]) == pytest.approx(statistics.mean(numbers), abs=1e-12)
            width = t * statistics.stdev(numbers) / 3**0.5
            assert float(row[f"{column}_half_width"]) == pytest.approx(width, abs=1e-12)


def test_table_by_hand(toy):
    curves = read(toy.out / "samples.csv")
    table = {row["method"]: row for row in read(toy.out / "table.csv")}
    means = {}
    for method, row in table.items():
        for name, column, upto in (("area_20", "drop", 20), ("area_100", "drop", 100), ("kept_20", "kept", 20)):
            matching = [r for r in curves if r["method"] == method]
            areas = [
                area([float(r[column]) for r in matching if r["sample"] == s], upto)
                for s in {r["sample"] for r in matching}
            ]
            means[name, method] = sum(areas) / 3
            assert float(row[name]) == pytest.approx(means[name, method])
    for name, better in (("area_20", min), ("area_100", min), ("kept_20", max)):
        best = better(value for (n, _), value in means.items() if n == name)
        for method, row in table.items():
            assert float(row[f"{name}_difference"]) == pytest.approx(means[name, method] - best, abs=1e-12)
            assert float(row[f"{name}_low"]) <= float(row[f"{name}_difference"]) + 1e-12
            assert float(row[f"{name}_high"]) >= float(row[f"{name}_difference"]) - 1e-12
    assert list(table) == sorted(table, key=lambda method: means["area_20", method])
    for method in table:
        files = [lc.load(path) for path in (toy.out / "explanations").glob(f"*.{method}.json")]
        assert float(table[method]["calls"]) == pytest.approx(sum(e.calls for e in files) / 3)
        assert float(table[method]["calls_per_unit"]) == pytest.approx(sum(e.calls / len(e.names) for e in files) / 3)
        assert float(table[method]["seconds"]) > 0  # three samples are timed, these are three
    assert [row.method for row in toy.rows] == list(table)


def test_pairs_by_hand(toy):
    table = {row["method"]: row for row in read(toy.out / "table.csv")}
    pairs = read(toy.out / "pairs.csv")
    assert len(pairs) == 3 * 16 * 15 / 2
    assert len({(p["measure"], frozenset((p["method"], p["other"]))) for p in pairs}) == len(pairs)
    for pair in pairs:
        one, two = (float(table[pair[side]][pair["measure"]]) for side in ("method", "other"))
        assert float(pair["difference"]) == pytest.approx(one - two, abs=1e-12)
        assert float(pair["low"]) <= one - two + 1e-12
        assert float(pair["high"]) >= one - two - 1e-12
    curves = read(toy.out / "samples.csv")
    one, two = ({}, {})
    for name, side in (("lime", one), ("deletion-path", two)):
        for sample in {row["sample"] for row in curves}:
            drops = [float(r["drop"]) for r in curves if (r["method"], r["sample"]) == (name, sample)]
            side[sample] = area(drops, 20)
    (pair,) = (p for p in pairs if (p["measure"], p["method"], p["other"]) == ("area_20", "lime", "deletion-path"))
    differences = [one[sample] - two[sample] for sample in one]
    assert (
        min(differences) <= float(pair["low"]) <= float(pair["high"]) <= max(differences)
    )  # means of resampled differences


def test_the_table_for_people():
    best, worse = Measure(-2.0, 0.0, 0.0, 0.0), Measure(-1.25, 0.75, 0.5, 1.004)
    rows = [
        MethodRow("a", 3, best, best, worse, 1234.0, 4.0, 0.126),
        MethodRow("b", 3, worse, worse, best, 9.4, 2.5, None),
    ]
    assert table_md(rows).splitlines()[2:] == [
        "| a | -2.00 | – | -2.00 | – | -1.25 | +0.75 [0.50, 1.00] | 1,234 | 4.00 | 0.13 |",
        "| b | -1.25 | +0.75 [0.50, 1.00] | -1.25 | +0.75 [0.50, 1.00] | -2.00 | – | 9 | 2.50 |  |",
    ]


def test_cells_that_would_break_a_table():
    assert to_md(["a"], [["x|y"]]) == "| a |\n|---|\n| x&#124;y |\n"
    assert to_csv([["a", 1], ['say "x", y', 2.5]]) == 'a,1\n"say ""x"", y",2.5\n'


@pytest.mark.parametrize("cell", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "－1＋1", "＝x"])
def test_no_text_is_a_formula(cell):
    ((escaped, number, text),) = csv.reader(io.StringIO(to_csv([[cell, -0.5, "-0.5"]]), newline=""))
    assert (escaped, number, text) == ("'" + printable(cell), "-0.5", "-0.5")


def test_other_texts_stay():
    assert to_csv([["a=b", "it's", "1e-5", ""]]) == "a=b,it's,1e-5,\n"
