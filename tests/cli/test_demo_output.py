"""What the demo shows is what the library and the models say."""

import re
import subprocess
import sys

import numpy as np
import pytest

import lcshap as lc
from lcshap.cli import demo_output as demo
from lcshap.paper.networks.demo import SENTENCE, demo_digits, demo_text
from lcshap.show.terminal_text import display_width

WORDS = ["It", "is", "not", "heartwarming", "or", "entertaining", "It", "just", "sucks"]


@pytest.fixture(scope="module")
def explanations():
    return demo.explain_demo()


def plain(text):
    return re.sub(r"\033\[[0-9;]*m", "", text)


def log_negative(is_kept):
    """What the model says where some words are read as padding, by hand."""
    model, *_ = demo_text()
    text = "{} {} {} {} {} {}. {} {} {}.".format(*(w if k else "<pad>" for w, k in zip(WORDS, is_kept, strict=True)))
    logits = model.predict([text])[0].astype(float)
    return logits[0] - np.logaddexp(*logits)


def test_every_method_equals_a_separate_run(explanations):
    model, masker, text = demo_text()
    assert list(explanations.sentence) == list(demo.DEMO_METHODS)
    for name, method in demo.DEMO_METHODS.items():
        separate = lc.Explainer(model, masker, method)(text)
        np.testing.assert_allclose(explanations.sentence[name].scores, separate.scores, atol=1e-6)
        assert explanations.sentence[name].calls == separate.calls


def test_words_are_left_out_by_hand(explanations):
    everything = np.ones(9, bool)
    scores = [log_negative(everything) - log_negative(~np.eye(9, dtype=bool)[i]) for i in range(9)]
    np.testing.assert_allclose(explanations.sentence["FeatureAblation"].scores, scores, atol=1e-6)
    gain = log_negative(everything) - log_negative(~everything)
    assert explanations.sentence["Shapley"].scores.sum() == pytest.approx(gain, abs=1e-6)


def test_the_digit_is_explained_by_pixels_and_patches(explanations):
    model, _, image = demo_digits()
    three, eight = model.predict(image[None])[0].astype(float)
    for e, units in zip(explanations.digit.values(), (784, 49), strict=True):
        assert len(e.scores) == units
        assert e.full_value == pytest.approx(three - eight, abs=1e-5)


def test_pictures_of_the_digit_are_side_by_side(explanations):
    scores = explanations.digit["patches"].scores.reshape(7, 7)
    shares = scores / np.abs(scores).max()
    strong, weak, none = np.where(shares > 0, "#", "="), np.where(shares > 0, "+", "-"), "·"
    signs = np.where(np.abs(shares) > 0.5, strong, np.where(np.abs(shares) < 0.06, none, weak))
    expected = ["".join(np.repeat(row, 4)) for row in np.repeat(signs, 2, axis=0)]
    for width, names in (
        (100, ["the digit by pixels by patches"]),
        (80, ["the digit by pixels", "by patches"]),
        (60, ["the digit by pixels", "by patches"]),
        (40, ["the digit", "by pixels", "by patches"]),
    ):
        lines = demo.render_demo(explanations, width, False, dark=True).splitlines()
        heads = [k for k, line in enumerate(lines) if " ".join(line.split()) in names]
        assert [" ".join(lines[k].split()) for k in heads] == names
        assert [line[-28:] for line in lines[heads[-1] + 1 : heads[-1] + 15]] == expected
        image = [line[:28] for line in lines[heads[0] + 1 : heads[0] + 15]]
        assert sum(letter in "░▒▓█" for line in image for letter in line) > 60  # the digit is to be seen


@pytest.mark.parametrize("width", [40, 60, 80, 104, 140])
@pytest.mark.parametrize("colour", [False, True])
def test_the_page_fits(explanations, width, colour):
    text = demo.render_demo(explanations, width, colour, dark=True)
    assert ("\033" in text) == colour
    lines = plain(text).splitlines()
    if width >= 60:
        wrapped = lines[: lines.index('Next, with pip install "lcshap[cli]":')]  # commands are to be copied
        assert max(map(display_width, wrapped)) <= width
        assert "…" not in text  # nothing is cut
        assert len(lines) <= (62 if width >= 104 else 110)
    assert sum(bool(re.search(r"[+-]\d\.\d\d +\d+$", line)) for line in lines) == len(demo.DEMO_METHODS)
    assert "-0.00" not in text


def test_the_table_has_the_scores_residuals_and_calls(explanations):
    for colour in (False, True):
        lines = plain(demo.render_demo(explanations, 104, colour, dark=False)).splitlines()
        head = next(i for i, line in enumerate(lines) if line.endswith("calls") and line.startswith(" "))
        assert lines[head].split() == [*WORDS, "residual", "calls"]
        for line, (name, e) in zip(lines[head + 1 :], explanations.sentence.items(), strict=False):
            assert line.startswith(f"{name} ")
            numbers = [float(number) for number in line.removeprefix(name).split()]
            np.testing.assert_allclose(numbers, [*e.scores, e.residual, e.calls], atol=0.00501)


def test_rows_of_the_paper_have_colours(explanations):
    text = demo.render_demo(explanations, 104, True, dark=True)
    rows = [line for line in text.splitlines() if plain(line).endswith(SENTENCE) and plain(line) != SENTENCE]
    assert [plain(row).removesuffix(SENTENCE).strip() for row in rows] == list(demo.DEMO_METHODS)
    r, g, b = lc.show.palette.PALETTES["default"].dark_positive
    assert all(re.search(rf"48;2;{r};{g};{b}msucks", row) for row in (rows[0], rows[1], rows[3]))
    assert SENTENCE + '"' in plain(text)


def test_calls_together_and_apart(explanations):
    text = " ".join(demo.render_demo(explanations, 104, False, dark=True).split())
    separate_calls = sum(e.calls for e in explanations.sentence.values())
    # 512 is the number of all sets of nine words, because Shapley is one of the methods.
    assert f"took 512 calls instead of {separate_calls}" in text
    assert f"with probability {np.exp(log_negative([True] * 9)):.3f}" in text


def test_one_page_has_all(explanations, tmp_path):
    page = explanations.save(tmp_path / "demo.html").read_text(encoding="utf-8")
    assert all(name in page for name in [*demo.DEMO_METHODS, "pixels", "patches"])


def test_onnxruntime_is_enough(tmp_path):
    banned = ("torch", "typer", "rich", "matplotlib", "PIL", "sklearn", "skimage")
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({banned}))\n"
        "from lcshap import cli\n"
        "cli.find_spec = lambda name: None\n"
        "sys.exit(cli.main(['demo', '--html', 'd.html']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "d.html").is_file()
