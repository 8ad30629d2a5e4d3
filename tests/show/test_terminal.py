import io
import re
import unicodedata
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import lcshap as lc
from lcshap.maskers import Bytes, Image, Series, Tabular, Text
from lcshap.show.letters import display_width, fit, printable, wrap
from lcshap.show.palette import find_palette
from lcshap.show.terminal import has_colour, is_dark, print_explanation, render, render_table, rich_console

CODE = re.compile(r"\033\[([0-9;]*)m")
MOODS = {"good": 2.0, "fine": 1.0, "bad": -4.0}


def mood(texts):
    return [sum(MOODS.get(word.strip(".,"), 0.0) for word in text.split()) for text in texts]


def explain(model, masker, x, method=None, **options):
    return lc.Explainer(model, masker, method or lc.FeatureAblation(), kind="output", **options)(x)


def runs(line):
    """The pieces of a line: text, ink, background (None where there is none)."""
    found, ink, back = [], None, None
    for k, part in enumerate(CODE.split(line)):
        if k % 2 == 0:
            found += [(part, ink, back)] if part else []
            continue
        numbers = [int(n) for n in part.split(";")]
        ink, back = (None, None) if numbers == [0] else (numbers[2:5], numbers[7:10] or None)
    return [(text, ink and tuple(ink), back and tuple(back)) for text, ink, back in found]


def strip(text):
    return CODE.sub("", text)


# -- letters ----------------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.text())
def test_nothing_printable_controls_a_terminal(text):
    shown = printable(text)
    assert len(shown) == len(text)
    kinds = {unicodedata.category(c) for c in shown}
    assert not kinds & {"Cc", "Cs", "Zl", "Zp"}
    shown.encode("utf-8")
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@pytest.mark.parametrize(
    ("text", "width"),
    [("abc", 3), ("电影", 4), ("👍", 2), ("e\u0301", 1), ("ｆｕｌｌ", 8), ("ｶﾅ", 2), ("", 0), ("a\u200bb", 2)],
)
def test_display_width(text, width):
    assert display_width(text) == width


@settings(deadline=None)
@given(st.text(alphabet="ab 电👍\n", max_size=60), st.integers(2, 12))
def test_wrapped_lines_fit_and_lose_nothing(text, width):
    lines = [text[a:b] for a, b in wrap(text, width)]
    assert all(display_width(line.rstrip(" ")) <= width for line in lines)
    spans = list(wrap(text, width))
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    for (_, end), (start, _) in pairwise(spans):
        assert text[end:start] in ("", "\n")


@settings(deadline=None)
@given(st.text(alphabet="ab电👍", max_size=20), st.integers(2, 12), st.booleans())
def test_fit_fills_exactly(text, width, right):
    assert display_width(fit(text, width, right)) == width


# -- texts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True])
def test_words_have_the_colours_of_their_scores(dark):
    e = explain(mood, Text(), "a good plot, a fine start, a bad end")
    assert e.scores.tolist() == [0, 2, 0, 0, 1, 0, 0, -4, 0]
    line = next(line for line in render(e, 80, colour=True, dark=dark).splitlines() if "plot" in line)
    assert strip(line) == "a good plot, a fine start, a bad end"
    palette = find_palette("default")
    painted = {text: (ink, back) for text, ink, back in runs(line) if back}
    assert set(painted) == {"good", "fine", "bad"}
    for word, (ink, back) in painted.items():
        assert back == palette.colour(MOODS[word], 4.0, dark)
        assert ink in ((0, 0, 0), (255, 255, 255))


def test_signs_stand_below_the_words_without_colour():
    e = explain(mood, Text(), "a good plot, a fine start, 电影 bad end")
    lines = render(e, 80).splitlines()
    at = lines.index("a good plot, a fine start, 电影 bad end")
    assert lines[at + 1] == "  ++++         ++++             ==="  # 电影 takes four columns
    assert "\033" not in "".join(lines)
    assert any("against it" in line for line in lines)


def test_colour_changes_nothing_but_the_colour():
    e = explain(mood, Text(), "good " * 30 + "bad")
    coloured = strip(render(e, 50, colour=True)).splitlines()
    plain = render(e, 50).splitlines()
    assert [line for line in plain if line in coloured] == coloured


def test_a_text_cannot_control_the_terminal():
    text = "good \x1b[2J\x1b]0;title\x07 bad\x9b31m \u202eevil\r\x00 \ud800 end"
    e = explain(mood, Text(), text)
    for colour in (False, True):
        shown = render(e, 80, colour)
        assert "␛[2J" in shown
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800]", strip(shown))
    evil = lc.Graph.chain(2, names=["\x1b[31m", "a\nb"])
    e = lc.Shapley().explain(lc.Game(lambda kept: kept @ [1.0, 2.0], 2), evil)
    e = replace(e, provenance={"method": "\x1b[2J", "value": "\x1b", "targets": ["\x07"]})
    shown = render(e, 80)
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "a␊b" in shown


@pytest.mark.parametrize("colour", [False, True])
def test_no_line_is_wider_than_the_terminal(colour):
    e = explain(mood, Text(), "a good film 这部电影 " + "very" * 40 + " bad\n\nand fine")
    for width in range(40, 121):
        assert max(display_width(strip(line)) for line in render(e, width, colour).splitlines()) <= width


# -- bars and totals --------------------------------------------------------------------------------------------------


def bars(e, **options):
    """Name, number, columns left and right of the axis, by the half."""
    found = []
    for line in render(e, **options).splitlines():
        if "│" in line:
            left, right = line.split("│")
            size = [side.count("█") + 0.5 * (side.count("▐") + side.count("▌")) for side in (left, right)]
            name, number = re.match(r"(.*?)\s+([+-][\d.e-]+)", left).groups()
            found.append((name, float(number), *size))
    return found


def test_bars_are_as_long_as_scores_are_large():
    weights = np.array([3.0, -1.5, 0.75, 0.0, -6.0])
    g = lc.Graph.chain(5, names=["a", "b", "c", "d", "e"])
    found = bars(lc.Shapley().explain(lc.Game(lambda kept: kept @ weights, 5), g), width=100)
    assert [name for name, *_ in found] == ["e", "a", "b", "c", "d"]
    assert [number for _, number, *_ in found] == pytest.approx([-6, 3, -1.5, 0.75, 0])
    scale = found[0][2] / 6
    for _, number, left, right in found:
        assert left == pytest.approx(scale * max(-number, 0), abs=0.5)
        assert right == pytest.approx(scale * max(number, 0), abs=0.5)


def test_the_rest_is_summed_and_repeated_names_are_numbered():
    e = explain(mood, Text(), "good good bad fine")
    shown = render(e, 80, top=2)
    assert "and 2 others, +3.000 together" in shown
    assert [name for name, *_ in bars(e, top=3)] == ["bad", "good [0]", "good [1]"]


def test_totals_are_those_of_the_explanation():
    e = lc.LShapley(1).explain(lc.Game(lambda kept: kept.prod(axis=1) * 2.0 + 1, 4), lc.Graph.chain(4))
    assert "v(∅) = 1 → v(V) = 3; scores sum to 0, residual 2; 13 calls" in render(e)
    assert e.calls == 13


def test_standard_errors_are_shown():
    g, rng = lc.Graph.chain(12), np.random.default_rng(0)
    weights = rng.normal(size=(12, 12, 12))
    v = lc.Game(lambda kept: np.einsum("na,nb,nc,abc->n", kept, kept, kept, weights), 12)
    e = lc.SampleShapley(200).explain(v, g)
    unit = int(np.argmax(np.abs(e.scores)))
    line = next(line for line in render(e).splitlines() if line.startswith(f"{unit} "))
    shown = re.search(r"([+-][\d.]+) ± ([\d.]+)", line)
    assert float(shown[1]) == pytest.approx(e.scores[unit], rel=1e-3)
    assert float(shown[2]) == pytest.approx(e.stderr[unit], abs=0.01)


def test_a_path_is_shown_in_its_own_order():
    g = lc.Graph.chain(6, names=["a", "very", "much", "bad", "film", "indeed"])
    v = lc.Game(lambda kept: 2.0 * (kept[:, 1] | kept[:, 2]) + kept[:, 3], 6)
    e = lc.DeletionPath(budget=24).explain(v, g)
    assert [name for name, *_ in bars(e, top=3)] == [g.names[i] for i in e.path[:3]]


def test_tables_show_values_and_several_outputs_stand_side_by_side():
    masker = Tabular(np.zeros(3), names=["age", "dose", "sex"])
    e = explain(lambda rows: rows @ [[1.0, 0], [-2, 1], [0, 0]], masker, np.array([70.0, 3.25, 1]), target="all")
    lines = render(e, 60).splitlines()
    row = next(line for line in lines if line.startswith("dose = 3.25"))
    assert [float(n) for n in re.findall(r"[+-][\d.]+", row)] == [-6.5, 3.25]
    one = explain(lambda rows: rows @ [1.0, -2, 0], masker, np.array([70.0, 3.25, 1]))
    assert [name for name, *_ in bars(one)] == ["age = 70", "dose = 3.25", "sex = 1"]


def test_a_table_that_is_too_wide_is_cut_into_blocks():
    e = explain(mood, Text(), "good bad fine")
    names = [f"method {k}" for k in range(8)]
    shown = render_table([e] * 8, names, 50)
    assert max(map(len, shown.splitlines())) <= 50
    assert re.findall(r"method \d", shown) == names
    assert shown.count("+2.000") == 8
    assert re.findall(r"^calls.*", shown, re.MULTILINE)[0].split()[1] == "5"
    few = render_table([e], ["one"], 50, top=1)
    assert re.search(r"^2 others +\+3.000$", few, re.MULTILINE)


# -- images, series, bytes --------------------------------------------------------------------------------------------


def heat_map(e, width, dark):
    """The colours of the scores' picture, read back from the codes."""
    rows = []
    for line in render(e, width, colour=True, dark=dark).splitlines():
        if "▀" in line:
            pieces = runs(line[line.index("   ") + 3 :])
            top = [ink for text, ink, _ in pieces for _ in text]
            below = [back for text, _, back in pieces for _ in text]
            rows += [top, below]
    return [row for row in rows if None not in row]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("height", [4, 5])
def test_an_image_is_a_heat_map_of_its_scores(height, dark):
    weights = np.random.default_rng(0).normal(size=(height, 6))
    e = explain(lambda rows: (rows * weights).sum(axis=(1, 2)), Image(reference=0.0), np.ones((height, 6)))
    assert np.allclose(e.scores, weights.ravel())
    found = heat_map(e, 15, dark)  # six columns for each of the two pictures
    limit, palette = np.abs(weights).max(), find_palette("default")
    assert found == [[palette.colour(w, limit, dark) for w in row] for row in weights.tolist()]


def test_large_images_are_averaged_and_small_ones_enlarged():
    image = np.zeros((100, 200))
    image[:50] = 1.0
    e = explain(lambda rows: rows[:, :50].mean(axis=(1, 2)), Image(patch=50, reference=0.0), image)
    found = heat_map(e, 83, True)
    assert (len(found), len(found[0])) == (20, 40)
    palette = find_palette("default")
    assert found[0] == [palette.colour(1, 1, True)] * 40
    assert found[-1] == [palette.colour(0, 1, True)] * 40
    small = explain(lambda rows: rows[:, 0, 0], Image(reference=0.0), np.eye(2))
    assert len(heat_map(small, 80, True)) == 8


def test_an_image_without_colour():
    image = np.array([[1.0, 0, 0], [1, 0, 0]])
    e = explain(lambda rows: rows[:, :, 0].sum(axis=1) - 0.0, Image(reference=0.0), image)
    assert "█     #··" in render(e, 9)


def test_a_series_is_a_line_of_bars():
    series = np.repeat([0.0, 7, 3], 4)
    e = explain(lambda rows: rows[:, 4:8].sum(axis=1), Series(window=4, reference=0.0), series)
    lines = render(e, 60).splitlines()
    at = next(i for i, line in enumerate(lines) if "█" in line)
    assert lines[at] == "▁▁▁▁████▄▄▄▄"
    assert lines[at + 1] == "    ####"
    coloured = next(line for line in render(e, 60, colour=True).splitlines() if "▁▁▁▁" in line)
    assert {text: ink for text, ink, _ in runs(coloured)}["████"] == find_palette("default").dark_positive


def test_series_of_several_channels_are_squeezed_to_the_width():
    series = np.random.default_rng(0).normal(size=(300, 3))
    masker = Series(window=50, by_channel=True, channels="last", names=["x\x1b", "yy", "z"])
    e = explain(lambda rows: rows[:, :, 0].mean(axis=1), masker, series)
    rows = [line for line in render(e, 40).splitlines() if re.match(r"(x␛|yy|z )  ", line)]
    assert [len(row) for row in rows] == [40] * 3


def test_bytes_are_a_dump():
    data = bytes(range(40))
    e = explain(lambda rows: (rows[:, 16:32] == 20).sum(axis=1), Bytes(window=16, padding=256), data)
    lines = render(e, 80).splitlines()
    for start in (0, 16, 32):
        part = data[start : start + 16]
        letters = "".join(chr(b) if 32 <= b < 127 else "." for b in part)
        assert f"{start:08x}  {part.hex(' '):<47}  {letters}" in [line.rstrip() for line in lines]
    at = next(i for i, line in enumerate(lines) if line.startswith("00000010"))
    assert lines[at + 1].split() == ["#" * 47, "#" * 16]


def test_of_long_files_the_lines_that_matter_are_shown():
    data = bytes(5000)
    e = explain(lambda rows: (rows[:, 1605:1610] == 0).sum(axis=1), Bytes(window=16, padding=1), data)
    shown = render(e, 80)
    lines = re.findall(r"^[0-9a-f]{8}  ", shown, re.MULTILINE)
    assert lines == ["00000640  "]
    assert [int(n.replace(",", "")) for n in re.findall(r"… ([\d,]+) bytes", shown)] == [1600, 5000 - 1616]
    narrow = render(e, 60)
    assert "00000640  00 00 00 00 00 00 00 00  ........" in narrow
    assert max(map(len, narrow.splitlines())) <= 60


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


def test_light_terminals_say_so(monkeypatch):
    for said, dark in ((None, True), ("15;0", True), ("0;15", False), ("0;default;7", False)):
        if said is None:
            monkeypatch.delenv("COLORFGBG", raising=False)
        else:
            monkeypatch.setenv("COLORFGBG", said)
        assert is_dark() is dark


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

    class Shown:
        def __rich_console__(self, console, options):
            yield from rich_console(e, console, options)

    for system, colour in (("truecolor", True), (None, False)):
        console = Console(file=io.StringIO(), width=60, color_system=system, force_terminal=True, legacy_windows=False)
        console.print(Shown())
        printed = console.file.getvalue()
        assert ("\033[" in printed) is colour
        expected = strip(render(e, 60, colour)).splitlines()
        assert [line.rstrip() for line in strip(printed).splitlines()] == [line.rstrip() for line in expected]
        if colour:
            line = next(line for line in printed.splitlines() if "plot" in line)
            assert {t: b for t, _, b in runs(line)}["good"] == find_palette("default").colour(2, 4, True)
