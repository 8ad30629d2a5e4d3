"""An explanation in a terminal: bars, totals, tables, and where colours are written."""

import io
import re
import time
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console
from showing import explain, mood, runs, strip

import lcshap as lc
from lcshap.core.explanation import Explanation
from lcshap.core.views import TextView
from lcshap.maskers import Tabular, Text
from lcshap.show.palette import find_palette
from lcshap.show.terminal import (
    has_colour,
    print_explanation,
    print_to_file,
    render_explanation,
    render_table,
    rich_console,
)
from lcshap.show.terminal_text import display_width


@pytest.mark.parametrize("colour", [False, True])
def test_no_line_is_wider_than_the_terminal(colour):
    e = explain(mood, Text(), "a good film 这部电影 " + "very" * 40 + " bad\n\nand fine")
    for width in range(40, 121):
        assert max(display_width(strip(line)) for line in render_explanation(e, width, colour).splitlines()) <= width


# -- bars and totals --------------------------------------------------------------------------------------------------


def bars(e, **options):
    """Name, number, columns left and right of the axis, by the half."""
    rows = []
    for line in render_explanation(e, **options).splitlines():
        if "│" in line:
            left, right = line.split("│")
            size = [side.count("█") + 0.5 * (side.count("▐") + side.count("▌")) for side in (left, right)]
            name, number = re.match(r"(.*?)\s+([+-][\d.e-]+)", left).groups()
            rows.append((name, float(number), *size))
    return rows


def test_bars_are_as_long_as_scores_are_large():
    weights = np.array([3.0, -1.5, 0.75, 0.0, -6.0])
    g = lc.Graph.chain(5, names=["a", "b", "c", "d", "e"])
    rows = bars(lc.Shapley().explain(lc.Game(lambda kept: kept @ weights, 5), g), width=100)
    assert [name for name, *_ in rows] == ["e", "a", "b", "c", "d"]
    assert [number for _, number, *_ in rows] == pytest.approx([-6, 3, -1.5, 0.75, 0])
    scale = rows[0][2] / 6
    for _, number, left, right in rows:
        assert left == pytest.approx(scale * max(-number, 0), abs=0.5)
        assert right == pytest.approx(scale * max(number, 0), abs=0.5)


def test_the_rest_is_summed_and_repeated_names_are_numbered():
    e = explain(mood, Text(), "good good bad fine")
    rendered = render_explanation(e, 80, top=2)
    assert "and 2 others, +3.000 together" in rendered
    assert [name for name, *_ in bars(e, top=3)] == ["bad", "good (1)", "good (2)"]


def test_totals_are_those_of_the_explanation():
    e = lc.LShapley(1).explain(lc.Game(lambda kept: kept.prod(axis=1) * 2.0 + 1, 4), lc.Graph.chain(4))
    assert "Base value 1 → full value 3; scores sum to 0, residual 2; 13 calls" in render_explanation(e)
    assert e.calls == 13


def test_standard_errors_are_shown():
    g, rng = lc.Graph.chain(12), np.random.default_rng(0)
    weights = rng.normal(size=(12, 12, 12))
    v = lc.Game(lambda kept: np.einsum("na,nb,nc,abc->n", kept, kept, kept, weights), 12)
    e = lc.SampleShapley(200).explain(v, g)
    unit = int(np.argmax(np.abs(e.scores)))
    line = next(line for line in render_explanation(e).splitlines() if line.startswith(f"{unit} "))
    match = re.search(r"([+-][\d.]+) ± ([\d.]+)", line)
    assert float(match[1]) == pytest.approx(e.scores[unit], rel=1e-3)
    assert float(match[2]) == pytest.approx(e.stderr[unit], abs=0.01)


def test_a_path_is_shown_in_its_own_order():
    g = lc.Graph.chain(6, names=["a", "very", "much", "bad", "film", "indeed"])
    v = lc.Game(lambda kept: 2.0 * (kept[:, 1] | kept[:, 2]) + kept[:, 3], 6)
    e = lc.DeletionPath(budget=24).explain(v, g)
    assert [name for name, *_ in bars(e, top=3)] == [g.names[i] for i in e.path[:3]]


@pytest.mark.parametrize("width", [40, 80])
def test_a_path_says_whether_the_decision_flipped(width):
    g = lc.Graph.chain(4, names=["not", "a", "good", "film"])
    v = lc.Game(lambda kept: kept @ np.array([3.0, 0.0, 1.0, 0.5]), 4)
    rendered = " ".join(render_explanation(lc.DeletionPath(12, flip_below=1.0).explain(v, g), width).split())
    assert "Without *not*, *good*, the decision changes. Base value 0" in rendered
    assert "the model would" not in render_explanation(lc.DeletionPath(12).explain(v, g), width)
    both = lc.Game(lambda kept: kept @ np.array([[3.0, 1], [0.0, 1], [1.0, 0], [0.5, 2]]), 4)
    rendered = " ".join(render_explanation(lc.InsertionPath(12, flip_above=2.5).explain(both, g), width).split())
    assert rendered.endswith("*not* alone is enough for this decision.")


@pytest.mark.parametrize("top", [0, -1, 2.5, True, "all"])
def test_a_number_of_bars_that_is_none_is_refused(top):
    with pytest.raises(lc.errors.ShowError, match="Expected top as an integer of at least 1, got"):
        render_explanation(explain(mood, Text(), "good"), top=top)


def test_tables_show_values_and_several_outputs_stand_side_by_side():
    masker = Tabular(np.zeros(3), names=["age", "dose", "sex"])
    e = explain(lambda rows: rows @ [[1.0, 0], [-2, 1], [0, 0]], masker, np.array([70.0, 3.25, 1]), target="all")
    lines = render_explanation(e, 60).splitlines()
    row = next(line for line in lines if line.startswith("dose = 3.25"))
    assert [float(n) for n in re.findall(r"[+-][\d.]+", row)] == [-6.5, 3.25]
    one = explain(lambda rows: rows @ [1.0, -2, 0], masker, np.array([70.0, 3.25, 1]))
    assert [name for name, *_ in bars(one)] == ["age = 70", "dose = 3.25", "sex = 1"]


def test_several_classes_begin_with_the_most_probable():
    record = {"kind": "probabilities", "value": "log_prob", "targets": ["no", "yes"]}
    names = lc.Graph.chain(2, names=["so", "good"])
    e = lc.Explanation(np.array([[0.1, 0.5], [-0.2, 1.0]]), np.log([0.5, 0.5]), np.log([0.2, 0.8]), names, 4, record)
    sentence = "The model predicts *yes* (80.0 %). *good* counts most for it (+1), in log"
    assert render_explanation(e).splitlines()[:2] == [sentence, "probability."]
    assert "The model predicts <em>yes</em> (80.0 %)." in e._repr_html_()
    assert render_explanation(replace(e, provenance={**record, "kind": "output", "value": "output"})).startswith(
        "Explanation "
    )


def test_a_table_has_standard_errors_and_names_the_others_in_full():
    names = [f"w{i}" for i in range(24)]
    e = lc.Explanation(
        np.linspace(1, 0, 24), 0.0, 12.0, lc.Graph.chain(24, names=names), 99, stderr=np.full(24, 0.3), dof=9
    )
    table = render_table([e, e], ["one", "other"], top=3).splitlines()
    assert table[1].split() == ["w0", "+1.000", "±", "0.300#", "+1.000", "±", "0.300#"]
    assert table[4].startswith("21 others ")
    faint = render_table([replace(e, stderr=np.full(24, 3.0))], ["one"], top=1).splitlines()
    assert faint[1].split() == ["w0", "+1.000", "±", "3.000+"]  # its interval includes zero


def test_a_table_that_is_too_wide_is_cut_into_blocks():
    e = explain(mood, Text(), "good bad fine")
    names = [f"method {k}" for k in range(8)]
    table = render_table([e] * 8, names, 50)
    assert max(map(len, table.splitlines())) <= 50
    assert re.findall(r"method \d", table) == names
    assert table.count("+2.000") == 8
    assert re.findall(r"^calls.*", table, re.MULTILINE)[0].split()[1] == "5"
    short_table = render_table([e], ["one"], 50, top=1)
    assert re.search(r"^2 others +\+3.000$", short_table, re.MULTILINE)


# -- where it is written ----------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_colour_only_where_it_is_wanted(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    e = explain(mood, Text(), "good")
    file = Terminal()
    print_explanation(e, file)
    assert "\033[" in file.getvalue()
    assert not has_colour(io.StringIO())
    assert has_colour(io.StringIO(), "always")
    assert not has_colour(Terminal(), "never")
    monkeypatch.setenv("TERM", "dumb")
    assert not has_colour(Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    file = Terminal()
    print_explanation(e, file)
    assert "\033[" not in file.getvalue()


def test_terminals_without_24_bit_colours_get_256(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for named, code in (("", "\033[38;5;"), ("truecolor", "\033[38;2;")):
        monkeypatch.setenv("COLORTERM", named)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.delenv("TERM_PROGRAM", raising=False)
        file = Terminal()
        print_to_file("\033[38;2;255;0;0mred\033[0m", file)
        assert file.getvalue().startswith(code)


def test_an_encoding_without_blocks_is_no_failure():
    buffer = io.BytesIO()
    file = io.TextIOWrapper(buffer, encoding="ascii")
    print_explanation(explain(mood, Text(), "good"), file)
    file.flush()
    assert b"good" in buffer.getvalue()


def test_printing_goes_to_standard_output_by_default(capsys):
    print_explanation(explain(mood, Text(), "good"))
    assert "good" in capsys.readouterr().out


def test_rich_prints_the_same(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("COLORFGBG", raising=False)
    e = explain(mood, Text(), "a good plot [bold] " + "and so on " * 20 + "bad")

    class Renderable:
        def __rich_console__(self, console, options):
            yield from rich_console(e, console, options)

    for system, colour in (("truecolor", True), (None, False)):
        console = Console(file=io.StringIO(), width=60, color_system=system, force_terminal=True, legacy_windows=False)
        console.print(Renderable())
        printed = console.file.getvalue()
        assert ("\033[" in printed) is colour
        expected = strip(render_explanation(e, 60, colour)).splitlines()
        assert [line.rstrip() for line in strip(printed).splitlines()] == [line.rstrip() for line in expected]
        if colour:
            line = next(line for line in printed.splitlines() if "plot" in line)
            assert {t: b for t, _, b in runs(line)}["good"] == find_palette("default").colour(2, 4, True)


def test_a_word_of_50000_letters_is_shown_in_no_time():
    word = "x" * 50_000
    view = TextView(text=word, spans=[[0, len(word)]], labels=[0])
    e = Explanation(np.ones(1), 0.0, 1.0, lc.Graph.chain(1, names=[word]), 2, {"method": word}, view=view)
    start = time.process_time()
    assert word[:60] in render_explanation(e, 80)
    assert time.process_time() - start < 2
