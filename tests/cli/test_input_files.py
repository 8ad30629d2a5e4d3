"""Files as the user names them."""

from pathlib import Path

import pytest
from command import explained, module, run

from lcshap.cli import input_files as files
from lcshap.cli import option_groups as declare


def test_a_dash_is_standard_input(workdir):
    module(workdir, "own", "def model(rows):\n    return [float(len(row)) for row in rows]\n")
    (workdir / "review.txt").write_text("one three\n")
    by_name = explained("--model", "own:model", "--kind", "output", "--file", "review.txt")
    for option in ("--file", "--text"):
        piped = explained("--model", "own:model", "--kind", "output", option, "-", text="one three\n")
        assert piped.scores.tolist() == by_name.scores.tolist()
    assert "2 units" in run("plan", "--file", "-", text="one three")[0]


def test_other_inputs_come_from_standard_input_too(workdir):
    module(workdir, "own", "import numpy as np\ndef model(rows):\n    return np.asarray(rows, float).sum(axis=1)\n")
    table = "a,b\n1,2\n3,4\n5,6\n"
    e = explained("--model", "own:model", "--kind", "output", "--csv", "-", "--background", 0, text=table)
    assert e.names == ("a", "b")
    e = explained("--model", "own:model", "--kind", "output", "--series", "-", text="t\n1\n2\n3\n")
    assert len(e.scores) == 3


def test_files_that_cannot_be_read(workdir):
    with pytest.raises(declare.UsageError, match=r"Expected a file, got 'none', which does not exist\."):
        files.read_input_file(Path("none"))
    with pytest.raises(declare.UsageError, match=r"Expected a file that can be read, got '\.'"):
        files.read_input_file(workdir.relative_to(workdir))
    assert [files.display_name(Path(name)) for name in ("-", "a.txt")] == ["standard input", "a.txt"]
