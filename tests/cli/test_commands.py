"""What the commands do is imported when one of them runs, and not for help."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import lcshap.cli
from lcshap.cli import app, commands

CODE = """
import sys
from lcshap.cli import main
code = main({arguments!r})
print(code, sorted({{"numpy", "scipy", "lcshap.cli.commands"}} & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments", [["--help"], [], ["explain", "--help"], ["bulk", "--help"], ["explain", "--no-such"]]
)
def test_help_needs_neither_numpy_nor_what_the_commands_do(arguments):
    code = CODE.format(arguments=arguments)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *_, last = done.stderr.splitlines()
    wrong = "--no-such" in arguments
    assert last.startswith("2 " if wrong else "0 ")
    assert wrong or last == "0 []"
    assert wrong or "lcshap" in done.stdout


def test_each_command_calls_what_it_is_declared_for():
    tree = ast.parse(Path(app.__file__).read_text(encoding="utf-8"))
    called = {
        node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "commands"
    }
    public = {name for name, found in vars(commands).items() if getattr(found, "__module__", "") == commands.__name__}
    assert called == {name for name in public if not name.startswith("_")}
    assert len(called) == 10


def test_what_a_command_prints(capsys):
    assert lcshap.cli.main(["plan", "--graph", "chain:10", "--method", "l-shapley"]) == 0
    assert "calls   37" in capsys.readouterr().out
