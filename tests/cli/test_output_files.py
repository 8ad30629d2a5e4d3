"""Files that cannot be written, or that are not ours, are found out before the model is asked."""

import pytest
from command import fails, module, run

SHY = ("--model", "shy:model", "--kind", "output", "--text", "a b c")


@pytest.fixture(autouse=True)
def shy(workdir):
    module(workdir, "shy", "def model(rows):\n    raise AssertionError('asked')\n")


@pytest.mark.parametrize(
    ("option", "says"),
    [
        (("--save", "nowhere/e.json"), "folder to write e.json to, got 'nowhere', which does not exist"),
        (("--html", "nowhere/e.html"), "which does not exist"),
        (("--plot", "nowhere/e.png"), "which does not exist"),
        (("--save", "."), "which is a folder"),
        (("--html", "e.txt"), "Expected a file name that ends in .html for a report, got 'e.txt'"),
        (("--plot", "e.tiff"), "Expected a file name that ends in .png, .svg or .pdf for a figure, got 'e.tiff'"),
    ],
)
def test_files_that_cannot_be_written_are_refused(workdir, option, says):
    for command in ("explain", "compare")[: 1 if option[0] == "--save" else 2]:
        fails(command, *SHY, *option, code=2, match=says)
    assert [path.name for path in workdir.iterdir() if path.suffix != ".py"] in ([], ["__pycache__"])


@pytest.mark.parametrize("option", ["--save", "--html", "--plot"])
def test_files_of_another_kind_need_force(workdir, option):
    name = {"--save": "notes.txt", "--html": "x.html", "--plot": "cat.png"}[option]
    (workdir / name).write_text("precious")
    fails(
        "explain",
        *SHY,
        option,
        name,
        code=2,
        match="which holds something else. Choose another name, or overwrite it with --force",
    )
    assert (workdir / name).read_text() == "precious"
    run("explain", "--model", "demo-text", "--text", "a b", option, name, "--force")
    assert (workdir / name).read_bytes() != b"precious"
    run("explain", "--model", "demo-text", "--text", "a b", option, name)


@pytest.mark.parametrize("name", ["e.png", "e.svg", "e.pdf"])
def test_figures_of_lcshap_are_overwritten(workdir, name):
    for _ in range(2):
        run("explain", "--model", "demo-text", "--text", "a b", "--plot", name)


def test_pages_of_report_and_demo(workdir):
    run("explain", "--model", "demo-text", "--text", "a b", "--save", "e.json")
    (workdir / "report.html").write_text("of another tool")
    fails("report", "e.json", code=2, match="which holds something else")
    fails("report", "e.json", "--out", "nowhere/x.html", code=2, match="which does not exist")
    fails("demo", "--html", "report.html", code=2, match="which holds something else")
    fails("demo", "--html", "nowhere/x.html", code=2, match="which does not exist")
    assert (workdir / "report.html").read_text() == "of another tool"
    run("report", "e.json", "--force")
    run("report", "e.json")


def test_control_characters_in_names_are_not_printed(workdir):
    nasty = "\x1b]0;owned\x07\u202e"
    fails("explain", *SHY, "--save", f"{nasty}/e.json", code=2, match="which does not exist")
    for arguments in (
        ("explain", *SHY, "--html", f"e{nasty}.txt"),
        ("explain", *SHY[:-1], "a b", "--method", nasty),
        ("explain", "--model", nasty, "--text", "a"),
        ("report", nasty),
        ("plan", "--graph", nasty),
        (nasty,),
        ("explain", f"--{nasty}"),
    ):
        for debug in ((), ("--debug",)):
            _, err = run(*arguments, *debug, code=2)
            assert "\x1b" not in err
            assert "\x07" not in err
            assert "\u202e" not in err
    _, err = run("explain", "--model", "demo-text", "--text", "a b", "--save", f"{nasty}.json")
    assert err == "wrote ␛]0;owned␇�.json\n"
