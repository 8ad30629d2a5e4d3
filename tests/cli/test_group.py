"""Exit codes, help, and a reader who goes away."""

import os
import re
import shlex
import subprocess
import sys

import pytest
from command import PLAIN, fails, module, process, run
from typer.testing import CliRunner

from lcshap import cli
from lcshap.cli.typer_app import app

COMMANDS = ["explain", "compare", "plan", "methods", "report", "demo", "reproduce", "doctor"]
SMALL = ("explain", "--model", "demo-text", "--text", "so good")


def help_text(command, columns="80"):
    return CliRunner(env={**PLAIN, "COLUMNS": columns}).invoke(app, [*command, "--help"]).stdout


def examples(command):
    """The examples of a help, each in one line."""
    text = help_text([command], "300").partition("Examples")[2]
    return [shlex.split(line) for line in text.splitlines() if " lcshap " in f" {line}" and "echo" not in line]


class TestExitCodes:
    """What `lcshap --help` says of them."""

    def test_help_documents_them_all(self):
        text = " ".join(run("--help")[0].split())
        for code, meaning in cli.EXIT_CODES.items():
            assert f"{code}: {meaning}" in text

    def test_success_is_0(self):
        run(*SMALL)

    def test_a_model_or_data_that_fails_is_1(self, workdir):
        module(workdir, "bad", "def model(rows):\n    raise RuntimeError('out of order')\n")
        done = process("explain", "--model", "bad:model", "--kind", "output", "--text", "a b", cwd=workdir)
        assert done.returncode == 1
        assert "out of order" in done.stderr
        (workdir / "empty.csv").write_text("")
        fails("explain", "--model", "bad:model", "--kind", "output", "--csv", "empty.csv", code=1, match="is empty")

    @pytest.mark.parametrize(
        "wrong",
        [
            ("--budget", "many"),
            ("--budget", "-3"),
            ("--budget", "0"),
            ("--budget", "0s"),
            ("--budget", "1"),
            ("--goal", "fun"),
            ("--value", "foo"),
            ("--target", "7"),
            ("--target", "maybe"),
            ("--target", "0", "--against", "0"),
            ("--classes", "a,b,c"),
            ("--theme", "pink"),
            ("--top", "0"),
            ("--plot", "x.xyz"),
            ("--html", "nowhere/x.html"),
            ("--save", "nowhere/x.json"),
        ],
    )
    def test_a_wrong_option_is_2(self, wrong):
        fails(*SMALL, *wrong, code=2, match=".")
        if wrong[0] != "--goal":
            fails("compare", *SMALL[1:], *wrong, code=2, match=".")

    def test_targets_and_values_of_other_models_are_2(self, workdir):
        module(workdir, "two", "import numpy as np\ndef model(rows):\n    return np.ones((len(rows), 2))\n")
        command = ("explain", "--model", "two:model", "--kind", "output", "--text", "a b")
        assert "explains output 0, 1" in run(*command)[0]
        fails(*command, "--target", "5", code=2, match="Expected a target from 0 to 1, got 5")
        fails(
            *command,
            "--value",
            "prob",
            code=2,
            match="Expected a model of probabilities for value='prob', got --kind output",
        )

    def test_an_interruption_is_130(self, workdir):
        module(workdir, "stop", "def model(rows):\n    raise KeyboardInterrupt\n")
        fails("explain", "--model", "stop:model", "--kind", "output", "--text", "a", code=130, match="Interrupted")


class TestHelp:
    def test_the_bare_command_shows_a_short_help(self):
        out, err = run()
        assert err == ""
        assert len(out.splitlines()) <= 15
        assert max(map(len, out.splitlines())) <= 80
        assert all(name in out for name in COMMANDS)

    @pytest.mark.parametrize("columns", ["80", "120"])
    @pytest.mark.parametrize("command", ["", *COMMANDS])
    def test_it_fits_and_has_no_types_of_python(self, command, columns):
        text = help_text([command] if command else [], columns)
        assert max(map(len, text.splitlines())) <= int(columns)
        assert not re.search(r"<(str|bool|int|path|list)\b", text)
        assert "…" not in text

    @pytest.mark.parametrize("command", ["plan", "methods"])
    def test_examples_work(self, command):
        commands = examples(command)
        assert len(commands) >= 2
        for words in commands:
            run(*words[1:])

    def test_examples_with_the_demo_model_work(self, workdir):
        (workdir / "reviews.txt").write_text("Not bad.\nSo good.\n")
        (workdir / "labels.txt").write_text("positive\npositive\n")
        commands = [words for name in ("explain", "compare") for words in examples(name) if "demo-text" in words]
        assert len(commands) >= 5
        for words in commands:
            run(*words[1:])
        assert {path.name for path in workdir.iterdir()} >= {"reviews.html", "methods-1.json", "methods-3.json"}


class TestReaders:
    """Whoever stops reading loses no file."""

    FILES = ("--save", "a.json", "--html", "a.html", "--plot", "a.png")

    def start(self, *arguments, folder, stdout):
        env = {**os.environ, **PLAIN, "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": ""}  # as users have it
        words = [sys.executable, "-m", "lcshap", *arguments]
        return subprocess.Popen(words, stdout=stdout, stderr=subprocess.PIPE, text=True, env=env, cwd=folder)

    @pytest.mark.parametrize("command", ["explain", "compare", "demo"])
    def test_a_pipe_that_is_closed(self, workdir, command):
        files = ("--html", "a.html") if command == "demo" else (*SMALL[1:], *self.FILES)
        read, write = os.pipe()
        os.close(read)  # as by `| true`
        with self.start(command, *files, folder=workdir, stdout=write) as running:
            os.close(write)
            stderr = running.stderr.read()
            assert running.wait() == 0
        expected = {"demo": ["a.html"], "explain": ["a.json", "a.png", "a.html"]}
        expected["compare"] = ["a-1.json", "a-2.json", "a-3.json", "a.png", "a.html"]
        assert sorted(path.name for path in workdir.iterdir()) == sorted(expected[command])
        assert stderr.splitlines() == ([] if command == "demo" else [f"wrote {name}" for name in expected[command]])

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full disk to write to")
    def test_a_disk_that_is_full(self, workdir):
        with (
            open("/dev/full", "w") as full,
            self.start(*SMALL, *self.FILES[:2], folder=workdir, stdout=full) as running,
        ):
            assert "No space left" in running.stderr.read()
            assert running.wait() == 1
        assert (workdir / "a.json").is_file()

    def test_no_standard_output(self, workdir):
        code = "import sys; sys.stdout = None; from lcshap.cli import main; sys.exit(main())"
        done = subprocess.run([sys.executable, "-c", code, *SMALL, *self.FILES[:2]], cwd=workdir, capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"wrote a.json\n")
        assert (workdir / "a.json").is_file()
