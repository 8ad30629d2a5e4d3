"""The commands: help without NumPy, their order, and how they fail."""

import os
import subprocess
import sys

import pytest
import typer
from command import PLAIN, fails, module, run

from lcshap.cli import demo_output as demo
from lcshap.cli.typer_app import app

CODE = """
import sys
from lcshap.cli import main
code = main({arguments!r})
heavy = {{"numpy", "scipy", "lcshap.explainer", "lcshap.cli.explaining"}}
print(code, sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments", [["--help"], [], ["explain", "--help"], ["bulk", "--help"], ["explain", "--no-such"]]
)
def test_help_does_not_import_numpy(arguments):
    code = CODE.format(arguments=arguments)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *_, last = done.stderr.splitlines()
    wrong = "--no-such" in arguments
    assert last.startswith("2 " if wrong else "0 ")
    assert wrong or last == "0 []"
    assert wrong or "lcshap" in done.stdout


def test_order_of_the_commands():
    assert " ".join(typer.main.get_command(app).commands) == (
        "explain compare plan methods bulk report demo reproduce serve doctor"
    )


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


def test_an_unexpected_error_is_one_line(monkeypatch):
    def fail():
        raise RuntimeError("first line\nsecond line")

    monkeypatch.setattr(demo, "explain_demo", fail)
    fails("demo", code=1, match="RuntimeError: first line second line")


def test_no_error_shows_a_key(workdir, monkeypatch):
    secret = "sk-proj-0123456789abcdef"
    module(workdir, "leaky", f"raise RuntimeError('GET https://api.example.com/v1?key={secret} failed')\n")
    arguments = ("explain", "--model", "leaky:model", "--text", "a b")
    fails(*arguments, code=1, match=r"RuntimeError\('GET https://api.example.com/v1\?\*\*\* failed'\)")

    def fail():
        raise RuntimeError(f"headers={{'Authorization': 'Bearer {secret}'}}")

    monkeypatch.setattr(demo, "explain_demo", fail)
    for words in (arguments, ("demo",)):
        for debug in ((), ("--debug",)):
            out, err = run(*words, *debug, code=1)
            assert secret not in out + err.replace("raise RuntimeError", "")
            assert "Traceback" in err if debug else len(err.splitlines()) == 1


def test_ctrl_c_is_one_line_and_130(workdir):
    module(workdir, "stop", "def model(rows):\n    raise KeyboardInterrupt\n")
    fails("explain", "--model", "stop:model", "--kind", "output", "--text", "a b", code=130, match="Interrupted")


@pytest.mark.parametrize("command", ["explain", "compare", "plan", "methods", "report", "demo", "reproduce"])
def test_help_has_examples_that_parse(command):
    out = run(command, "--help")[0]
    assert "Examples" in out
    assert f"lcshap {command} " in out
    assert out == run(command, "-h")[0]


def test_a_closed_pipe_is_no_error():
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
