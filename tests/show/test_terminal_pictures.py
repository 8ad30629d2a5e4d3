"""Pictures in letters: the colours and signs are those of the scores."""

import re
from dataclasses import replace

import numpy as np
import pytest
from showing import MOODS, explain, mood, runs, strip

import lcshap as lc
from lcshap.maskers import Bytes, Image, Series, Text
from lcshap.show.palette import find_palette
from lcshap.show.terminal import render


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
    assert "a↵b" in shown


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
    paper, blue = np.array(find_palette("default").colour(0, 1, True)), find_palette("default").colour(1, 1, True)
    white = paper + 0.6 * (255 - paper)  # a photograph is seen in its grey, and under the strongest colour
    assert found[0] == [tuple(np.rint(0.25 * white + 0.75 * np.array(blue)).astype(int).tolist())] * 40
    assert found[-1] == [tuple(np.rint(paper - 0.6 * paper).astype(int).tolist())] * 40
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
