"""Running the command in tests: in this process, or as a process of its own."""

import json
import os
import re
import subprocess
import sys

from typer.testing import CliRunner

from lcshap.cli.typer_app import app
from lcshap.core.io import from_dict

PLAIN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}


def run(*arguments, code=0, text=None):
    """Run a command; standard output and standard error."""
    result = CliRunner(env=PLAIN).invoke(app, list(map(str, arguments)), input=text)
    assert result.exit_code == code, result.output
    return result.stdout, result.stderr


def fails(*arguments, code, match):
    """Run a command that fails, with one line on standard error and nothing on standard output."""
    out, err = run(*arguments, code=code)
    assert out == ""
    assert re.fullmatch(r"lcshap: error: [^\n]*\n", err)
    assert re.search(match, err), err


def explained(*arguments, **options):
    """The explanation in what `explain --json` prints, which must be JSON and nothing else."""
    return from_dict(json.loads(run("explain", *arguments, "--json", **options)[0]))


def process(*arguments, **options):
    """A real run of the command."""
    env = {**os.environ, **PLAIN, "OPENBLAS_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-m", "lcshap", *arguments],
        capture_output=True,
        text=True,
        env=env,
        encoding="utf-8",
        **options,
    )


def module(folder, name, source):
    """Write a module that the command can import."""
    (folder / f"{name}.py").write_text(source)
