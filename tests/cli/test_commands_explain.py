"""What explain and compare print and write."""

import json
import re

import numpy as np
import pytest
from command import explained, fails, module, run
from PIL import Image as Picture

import lcshap as lc
from lcshap.core.io import from_dict
from lcshap.paper.networks.demo import SENTENCE, demo_text


def width_of(path):
    with Picture.open(path) as picture:
        return picture.size[0]


def test_explain_gives_what_the_library_gives():
    model, masker, _ = demo_text()
    text = "Not bad, but never really funny."
    words = ("--model", "demo-text", "--text", text, "--method", "l-shapley", "--order", 2, "--context", "both")
    method = lc.LShapley(2, "both")
    for options, used in (((), masker), (("--absent", "delete"), lc.maskers.Text())):
        e = explained(*words, *options)
        assert e.provenance["method"] == str(method)
        expected = lc.Explainer(model, used, method)(text)
        np.testing.assert_allclose(e.scores, expected.scores, atol=1e-9)
        assert e.provenance["targets"] == expected.provenance["targets"]


def test_explain_prints_a_picture():
    out, err = run("explain", "--model", "demo-text", "--top", 3)
    assert err == ""
    assert SENTENCE in out
    assert "explains log_prob of negative" in out
    assert "and 6 others" in out
    assert "chosen because" in out
    assert "\033" not in out
    assert "\033[38;2;" in run("explain", "--model", "demo-text", "--color", "always")[0]


def test_pages_have_the_masking_curve_and_the_preview_counts_it(workdir):
    words = ("explain", "--model", "demo-text", "--text", "Not bad at all.", "--method", "l-shapley")
    out, _ = run(*words, "--html", "page.html", "--preview")
    assert "curve   up to 3 more calls, for the masking curve" in out
    run(*words, "--html", "page.html")
    assert '"curve":' in (workdir / "page.html").read_text(encoding="utf-8")
    assert "for the masking curve" not in run(*words, "--preview")[0]


def test_the_theme_chooses_the_colours():
    words = ("explain", "--model", "demo-text", "--text", "Not bad at all.", "--method", "shapley", "--color", "always")
    light, dark = (run(*words, "--theme", theme)[0] for theme in ("light", "dark"))
    palette = lc.show.palette.PALETTES["default"]
    for out, colour in ((light, palette.positive), (dark, palette.dark_positive)):
        assert "38;2;{};{};{}m".format(*colour) in out
    fails(*words, "--theme", "pink", code=2, match="pink")


def test_preview_does_not_call_the_model(workdir):
    module(workdir, "shy", "def model(rows):\n    raise AssertionError\n")
    out, _ = run("explain", "--model", "shy:model", "--kind", "output", "--text", "a b c", "--preview")
    assert "calls   8" in out
    for method, says in (
        ("saliency", "2, and one gradient of the model"),
        ("deletion-path", "at most 24"),
        ("lime:budget=7:features=2", "calls   7"),
    ):
        out, _ = run(
            *("explain", "--model", "shy:model", "--kind", "output", "--text", "a b c"),
            *("--method", method, "--preview"),
        )
        assert says in out


def test_results_go_to_files(workdir):
    out, err = run(
        "explain", "--model", "demo-text", "--curve", "--save", "e.json", "--html", "e.html", "--plot", "e.png"
    )
    assert [line.partition(" ")[2] for line in err.splitlines()] == ["e.json", "e.png", "e.html"]
    e = lc.load("e.json")
    assert e.curve is not None
    assert f"{e.calls} calls" in " ".join(out.split())
    assert width_of("e.png") > 300
    page = (workdir / "e.html").read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "sucks." in page
    fails_after = run("explain", "--model", "demo-text", "--plot", "e.tiff", code=2)[1]
    assert "ends in .png, .svg or .pdf for a figure" in fails_after


def test_what_a_model_prints_does_not_spoil_the_json(workdir):
    module(
        workdir, "loud", "print('hello')\ndef model(rows):\n    print('working')\n    return [len(r) for r in rows]\n"
    )
    out, err = run("explain", "--model", "loud:model", "--kind", "output", "--text", "a bc", "--json")
    assert from_dict(json.loads(out)).scores.tolist() == pytest.approx([1.5, 2.5])
    assert "hello" in err
    assert "working" in err


def test_compare_shows_methods_side_by_side(workdir):
    out, err = run(
        "compare", "--model", "demo-text", "--methods", "shapley, l-shapley", "--plot", "c.png", "--html", "c.html"
    )
    assert err.splitlines() == ["wrote c.png", "wrote c.html"]
    assert out.count(SENTENCE) == 2
    comparison = json.loads(run("compare", "--model", "demo-text", "--methods", "shapley,l-shapley", "--json")[0])
    row = next(line for line in out.splitlines() if line.startswith("not "))
    printed_scores = [float(number) for number in re.findall(r"[+-][\d.]+", row)]
    assert printed_scores == pytest.approx([from_dict(e).scores[2] for e in comparison["explanations"]], abs=1e-3)
    assert "all methods together took 512 model calls instead of 545" in out
    assert width_of("c.png") > 300
    assert "LShapley(order=1" in (workdir / "c.html").read_text(encoding="utf-8")


def test_compare_of_several_outputs_and_with_curves():
    digits = ("--model", "demo-digits", "--methods", "feature-ablation,l-shapley:order=0", "--units", "patch=4")
    out = run("compare", *digits, "--target", 3, "--target", 8)[0]
    assert out.count("explains log_prob of 3, 8") == 2
    comparison = json.loads(run("compare", *digits, "--curve", "--json")[0])
    assert all(e["curve"] is not None for e in comparison["explanations"])
    fails("compare", *digits[:2], "--methods", "l-shapley,lima", code=2, match=r"got 'lima' \(did you mean lime\?\)")
    fails("compare", *digits[:2], "--methods", ",", code=2, match="Expected at least one method")
