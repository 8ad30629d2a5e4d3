"""What the commands print and write, and how they fail."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command import PLAIN, explained, fails, module, run
from PIL import Image as Picture

import lcshap as lc
from lcshap.cli import demo
from lcshap.core.io import from_dict
from lcshap.paper.experiments import reproduce
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


def test_pages_have_the_masking_curve_and_the_preview_counts_it(here):
    words = ("explain", "--model", "demo-text", "--text", "Not bad at all.", "--method", "l-shapley")
    out, _ = run(*words, "--html", "page.html", "--preview")
    assert "curve   up to 3 more calls, for the masking curve" in out
    run(*words, "--html", "page.html")
    assert '"curve":' in (here / "page.html").read_text(encoding="utf-8")
    assert "for the masking curve" not in run(*words, "--preview")[0]


def test_the_theme_chooses_the_colours():
    words = ("explain", "--model", "demo-text", "--text", "Not bad at all.", "--method", "shapley", "--color", "always")
    light, dark = (run(*words, "--theme", theme)[0] for theme in ("light", "dark"))
    palette = lc.show.palette.PALETTES["default"]
    for out, colour in ((light, palette.positive), (dark, palette.dark_positive)):
        assert "38;2;{};{};{}m".format(*colour) in out
    fails(*words, "--theme", "pink", code=2, match="pink")


def test_preview_asks_the_model_nothing(here):
    module(here, "shy", "def model(rows):\n    raise AssertionError\n")
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


def test_results_go_to_files(here):
    out, err = run(
        "explain", "--model", "demo-text", "--curve", "--save", "e.json", "--html", "e.html", "--plot", "e.png"
    )
    assert [line.partition(" ")[2] for line in err.splitlines()] == ["e.json", "e.png", "e.html"]
    e = lc.load("e.json")
    assert e.curve is not None
    assert f"{e.calls} calls" in out
    assert width_of("e.png") > 300
    page = (here / "e.html").read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "sucks." in page
    fails_after = run("explain", "--model", "demo-text", "--plot", "e.tiff", code=2)[1]
    assert "ends in .png, .svg or .pdf for a figure" in fails_after


def test_what_a_model_prints_does_not_spoil_the_json(here):
    module(here, "loud", "print('hello')\ndef model(rows):\n    print('working')\n    return [len(r) for r in rows]\n")
    out, err = run("explain", "--model", "loud:model", "--kind", "output", "--text", "a bc", "--json")
    assert from_dict(json.loads(out)).scores.tolist() == pytest.approx([1.5, 2.5])
    assert "hello" in err
    assert "working" in err


def test_compare_shows_methods_side_by_side(here):
    out, err = run(
        "compare", "--model", "demo-text", "--methods", "shapley, l-shapley", "--plot", "c.png", "--html", "c.html"
    )
    assert err.splitlines() == ["wrote c.png", "wrote c.html"]
    assert out.count(SENTENCE) == 2
    found = json.loads(run("compare", "--model", "demo-text", "--methods", "shapley,l-shapley", "--json")[0])
    row = next(line for line in out.splitlines() if line.startswith("not "))
    shown = [float(number) for number in re.findall(r"[+-][\d.]+", row)]
    assert shown == pytest.approx([from_dict(e).scores[2] for e in found["explanations"]], abs=1e-3)
    assert "all methods together took 512 model calls instead of 545" in out
    assert width_of("c.png") > 300
    assert "LShapley(order=1" in (here / "c.html").read_text(encoding="utf-8")


def test_compare_of_several_outputs_and_with_curves():
    digits = ("--model", "demo-digits", "--methods", "feature-ablation,l-shapley:order=0", "--units", "patch=4")
    out = run("compare", *digits, "--target", 3, "--target", 8)[0]
    assert out.count("explains log_prob of 3, 8") == 2
    found = json.loads(run("compare", *digits, "--curve", "--json")[0])
    assert all(e["curve"] is not None for e in found["explanations"])
    fails("compare", *digits[:2], "--methods", "l-shapley,lima", code=2, match=r"got 'lima' \(did you mean lime\?\)")
    fails("compare", *digits[:2], "--methods", ",", code=2, match="Expected at least one method")


def test_report_is_written_from_saved_explanations(here):
    for name, method in (("a", "shapley"), ("b", "l-shapley")):
        run("explain", "--model", "demo-text", "--method", method, "--save", f"{name}.json")
    out, err = run("report", "a.json", "b.json", "--out", "both.html", "--title", "Two <methods>")
    assert (out, err) == ("", "wrote both.html\n")
    page = (here / "both.html").read_text(encoding="utf-8")
    assert "Two &lt;methods&gt;" in page or "Two \\u003cmethods\\u003e" in page
    assert "Two <methods>" not in page
    fails("report", "c.json", code=2, match="got 'c.json', which is not a file")
    (here / "d.json").write_text("{}")
    fails("report", "d.json", code=1, match="Expected an explanation saved by lcshap")
    fails("report", code=2, match="(?i)files")


def test_reproduce_runs_an_experiment(here):
    out, err = run("reproduce", "theorems", "--out", "found")
    assert err == ""
    table = (here / "found" / "table.md").read_text(encoding="utf-8")
    assert out.startswith("theorems: found\n")
    assert table.strip() in out


def test_reproduce_hands_on_its_options(monkeypatch):
    seen = []

    def note(**options):
        print("training")
        seen.append(options)
        return "a table"

    monkeypatch.setattr(reproduce, "reproduce", note)
    assert run("reproduce", "mnist") == ("a table\n", "training\n")
    folders = ("--data", "d", "--models", "m", "--out", "o")
    run("reproduce", "imdb", "--samples", 7, "--budget", 300, "--methods", "lime, l-shapley", "--seed", 2, *folders)
    usual = {"samples": 100, "budget": "4d", "methods": None, "data": None, "models": None, "out": None, "seed": 0}
    assert seen[0] == {"name": "mnist", **usual}
    assert seen[1] == {
        "name": "imdb",
        "samples": 7,
        "budget": 300,
        "methods": ["lime", "l-shapley"],
        "data": Path("d"),
        "models": Path("m"),
        "out": Path("o"),
        "seed": 2,
    }


def test_an_interrupted_reproduction_says_how_to_go_on(monkeypatch):
    def stop(**options):
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduce, "reproduce", stop)
    fails("reproduce", "imdb", code=130, match="Interrupted. Rerun the same command to resume")


def test_reproduce_names_every_experiment():
    out = " ".join(run("reproduce", "--help")[0].replace("│", " ").split())
    assert all(name in out for name in reproduce.NAMES)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (["explode"], "No such command 'explode'"),
        (["demo", "--color", "pink"], "pink"),
        (["explain"], "Expected a model, got none. Give one with --model"),
        (["explain", "--model", "demo-txt"], "got 'demo-txt'.*did you mean demo-text"),
        (["explain", "--model", "a:b"], "Expected an input, got none. Give one with --text, --file, --lines"),
        (
            ["explain", "--model", "demo-text", "--text", "a", "--file", "b"],
            "Expected one input, got --text and --file",
        ),
        (["explain", "--model", "demo-text", "--method", "l-shaply"], r"did you mean l-shapley"),
        (["explain", "--model", "demo-text", "--nothing"], "--nothing"),
        (["explain", "--model", "demo-text", "--top", "0"], "--top"),
        (["explain", "--model", "demo-text", "--kind", "numbers"], "--kind"),
        (["reproduce"], "(?i)name"),
        (["reproduce", "theorem"], "got 'theorem'.*did you mean theorems.*Choose one of imdb, agnews"),
        (["reproduce", "imdb", "--samples", "0"], "--samples"),
    ],
)
def test_wrong_usage(arguments, match):
    fails(*arguments, code=2, match=match)


def test_debug_shows_where_an_error_came_from():
    for arguments in (
        ["--debug", "explain", "--model", "demo-text", "--text", ""],
        ["explain", "--model", "demo-text", "--text", "", "--debug"],
    ):
        _, err = run(*arguments, code=1)
        assert "Traceback" in err
        assert err.splitlines()[-1].startswith(
            "lcshap: error: Expected a text with something that the splitter finds, got"
        )


def test_an_error_that_nobody_expected_is_one_line_too(monkeypatch):
    def fail():
        raise RuntimeError("first line\nsecond line")

    monkeypatch.setattr(demo, "explain", fail)
    fails("demo", code=1, match="RuntimeError: first line second line")


def test_no_error_shows_a_key(here, monkeypatch):
    secret = "sk-proj-0123456789abcdef"
    module(here, "leaky", f"raise RuntimeError('GET https://api.example.com/v1?key={secret} failed')\n")
    arguments = ("explain", "--model", "leaky:model", "--text", "a b")
    fails(*arguments, code=1, match=r"RuntimeError\('GET https://api.example.com/v1\?\*\*\* failed'\)")

    def fail():
        raise RuntimeError(f"headers={{'Authorization': 'Bearer {secret}'}}")

    monkeypatch.setattr(demo, "explain", fail)
    for words in (arguments, ("demo",)):
        for debug in ((), ("--debug",)):
            out, err = run(*words, *debug, code=1)
            assert secret not in out + err.replace("raise RuntimeError", "")
            assert "Traceback" in err if debug else len(err.splitlines()) == 1


def test_ctrl_c_is_one_line_and_130(here):
    module(here, "stop", "def model(rows):\n    raise KeyboardInterrupt\n")
    fails("explain", "--model", "stop:model", "--kind", "output", "--text", "a b", code=130, match="Interrupted")


@pytest.mark.parametrize("command", ["explain", "compare", "plan", "methods", "report", "demo", "reproduce"])
def test_help_has_examples_that_parse(command):
    out = run(command, "--help")[0]
    assert "Examples" in out
    assert f"lcshap {command} " in out
    assert out == run(command, "-h")[0]


def test_a_reader_who_has_seen_enough_is_no_error():
    env = {**os.environ, **PLAIN, "OPENBLAS_NUM_THREADS": "1"}
    options = ["explain", "--model", "demo-digits", "--method", "feature-ablation", "--target", "all", "--json"]
    options += ["--units", "pixel"]
    with subprocess.Popen(
        [sys.executable, "-m", "lcshap", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    ) as running:
        assert running.stdout.read(1) == "{"
        running.stdout.close()
        assert running.stderr.read() == ""
        assert running.wait() == 0
