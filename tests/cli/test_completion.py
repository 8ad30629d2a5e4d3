"""What the shell completes."""

import os
import re
import subprocess
import sys

import pytest
from command import PLAIN, run
from typer.testing import CliRunner

import lcshap as lc
from lcshap.cli import completion as complete
from lcshap.cli.typer_app import app
from lcshap.paper.experiments.reproduce import NAMES


def completion_environment(*words):
    """The variables that completion scripts set to complete the last of some words."""
    last = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    return {**PLAIN, **last, "_LCSHAP_COMPLETE": "complete_bash"}


@pytest.mark.parametrize(
    ("words", "completions"),
    [
        (["lcshap", "re"], ["report", "reproduce"]),
        (["lcshap", "explain", "--meth"], ["--method"]),
        (["lcshap", "explain", "--method", "l-s"], ["l-shapley"]),
        (["lcshap", "compare", "--methods", "shapley,l-s"], ["shapley,l-shapley"]),
        (["lcshap", "explain", "--kind", "mu"], ["multilabel", "multilabel-logits"]),
    ],
)
def test_completions_of_words(words, completions):
    assert CliRunner(env=completion_environment(*words)).invoke(app, []).stdout.split() == completions


def test_a_real_run():
    env = {**os.environ, **completion_environment("lcshap", "methods", "c-")}
    code = "import sys; from lcshap.cli import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("c-shapley\n", "")


def test_every_name_is_offered():
    assert complete.methods("") == list(lc.METHODS)
    assert complete.methods_or_auto("au") == ["auto"]
    assert complete.method_lists("lime,") == [f"lime,{name}" for name in lc.METHODS]
    assert complete.experiments("") == list(NAMES)
    assert complete.goals("n") == ["necessary"]
    assert complete.values("log") == ["log_prob", "log_odds"]
    assert complete.graphs("c") == ["chain:", "complete:"]
    assert complete.models("demo-t") == ["demo-text"]
    assert complete.contexts("") == ["absent", "present", "both"]


def test_everything_offered_is_accepted():
    for name in complete.contexts(""):
        run("plan", "--graph", "chain:4", "--context", name)
    for name, size in zip(complete.graphs(""), ("3", "3", "2x2", "3", "-1,0"), strict=True):
        run("plan", "--graph", name + size)
    for name in (*complete.goals(""),):
        run("explain", "--model", "demo-text", "--text", "so good", "--goal", name, "--preview")
    for name in complete.values(""):
        run("explain", "--model", "demo-text", "--text", "so good", "--value", name, "--preview")


def test_help_describes_the_installation_of_completion(tmp_path, monkeypatch):
    assert "lcshap --install-completion" in run("--help")[0]
    monkeypatch.setenv("HOME", str(tmp_path))
    out = run("--install-completion", "bash")[0]
    assert "bash completion installed" in out
    script = (tmp_path / ".bash_completions" / "lcshap.sh").read_text()
    assert re.search(r"complete .* lcshap\b", script)
