"""The command itself: its entry point, and what it can do without its extra."""

import json
import os
import re
import subprocess
import sys
import tempfile
import webbrowser

import pytest
from command import fails, process, run

import lcshap as lc
from lcshap import cli
from lcshap.cli import demo_output as demo
from lcshap.core.io import from_dict


@pytest.fixture
def no_onnxruntime(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)


def without(monkeypatch, missing):
    find_spec = cli.find_spec
    monkeypatch.setattr(cli, "find_spec", lambda name: None if name == missing else find_spec(name))


def test_demo_prints_its_page_and_writes_another(workdir):
    out, err = run("demo", "--html", "d.html")
    assert err == ""
    printed = demo.render_demo(demo.explain_demo(), width=100, colour=False, dark=True)
    assert out == f"{printed}\n\nOpen this page in a browser to explore the results: d.html\n"
    page = (workdir / "d.html").read_text(encoding="utf-8")
    assert all(name in page for name in ["lcshap demo", *demo.DEMO_METHODS])
    assert os.listdir(workdir) == ["d.html"]
    fails_after = run("demo", "--html", "d.txt", code=2)[1]
    assert re.fullmatch(r"lcshap: error: Expected a file name that ends in \.html for a report[^\n]*\n", fails_after)


def test_demo_writes_to_a_new_folder_and_opens_it(workdir, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(tempfile, "tempdir", str(workdir))
    out = run("demo", "--open", "--color", "always")[0]
    assert "\033[48;2;" in out or "\033[38;2;" in out
    (page,) = workdir.glob("lcshap-*/lcshap-demo.html")
    assert out.splitlines()[-1].endswith(str(page))
    assert opened == [page.as_uri()]


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra_only_the_demo_works(workdir, monkeypatch, capsys, missing):
    without(monkeypatch, missing)
    monkeypatch.setenv("COLUMNS", "100")
    assert cli.main(["demo", "--color", "never", "--html", "d.html"]) == 0
    assert capsys.readouterr().out == run("demo", "--html", "d.html")[0]
    assert cli.main(["explain", "--model", "demo-text"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert 'pip install "lcshap[cli]"' in err
    assert err.count("\n") == 1
    assert cli.main([]) == 1
    assert cli.main(["--version"]) == 0
    assert lc.__version__ in capsys.readouterr().out
    assert cli.main(["demo", "--color", "pink"]) == 2
    assert cli.main(["demo", "--html", "nowhere/d.html"]) == 2
    assert "lcshap: error: " in capsys.readouterr().err


@pytest.mark.usefixtures("no_onnxruntime")
def test_without_onnxruntime_the_line_that_installs_it(monkeypatch, capsys):
    line = r'pip install "lcshap\[onnx\]"\.'
    for arguments in (["demo"], ["explain", "--model", "demo-text"], ["compare", "--model", "demo-digits"]):
        fails(*arguments, code=1, match=line)
    without(monkeypatch, "typer")
    assert cli.main(["demo"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(rf"lcshap: error: [^\n]*{line}\n", err)


def test_the_library_does_not_import_the_extra():
    code = "import lcshap, lcshap.cli, sys; print([m for m in ('typer', 'rich') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_version():
    assert run("--version")[0] == f"lcshap {lc.__version__}\n"
    assert cli.main(["--version"]) == 0


def test_the_version_is_printed_without_importing_the_rest():
    code = "import sys; from lcshap.cli import main; main(['--version']); "
    code += "print([m for m in ('numpy', 'scipy', 'typer', 'rich', 'asyncio', 'lcshap.show') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"lcshap {lc.__version__}\n[]\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full disk to write to")
def test_a_version_that_cannot_be_written_is_an_error():
    command = [sys.executable, "-m", "lcshap", "--version"]
    with open("/dev/full", "w") as full:
        buffered = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=buffered)
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_real_runs():
    done = process("explain", "--model", "demo-text", "--json")
    assert done.returncode == 0
    assert len(from_dict(json.loads(done.stdout)).scores) == 9
    assert done.stderr == ""
    done = process("explain", "--model", "demo-text", "--method", "lima")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("lcshap: error: Expected a method, got 'lima'")
