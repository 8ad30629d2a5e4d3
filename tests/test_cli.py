import re

import numpy as np
import pytest

import lcshap as lc
from lcshap import cli, demo


def test_demo_prints_every_word_and_method(capsys):
    assert cli.main(["demo"]) == 0
    out = capsys.readouterr().out
    assert "\033" not in out
    for word in demo.WORDS:
        assert re.search(rf"^{re.escape(word)} ", out, re.MULTILINE)
    for name in demo.METHODS:
        assert name in out
    assert "All methods together took 512 model calls" in out
    assert "-0.000" not in out


def test_colour_changes_nothing_but_the_colour(capsys, monkeypatch):
    cli.main(["demo", "--color", "always"])
    coloured = capsys.readouterr().out
    cli.main(["demo", "--color", "never"])
    plain = capsys.readouterr().out
    assert "\033[48;2;0;0;255" in coloured or "\033[48;2;255;0;0" in coloured  # the largest score has the full colour
    assert re.sub(r"\033\[[0-9;]*m", "", coloured) == plain


def test_the_demo_is_what_the_library_says():
    _, found = demo.explain_sentence()
    graph = lc.Graph.chain(len(demo.WORDS), names=demo.WORDS)
    for method, e in zip(demo.METHODS.values(), found, strict=True):
        assert e.scores.tobytes() == method.explain(demo.sentence_game(), graph).scores.tobytes()
    shapley = dict(zip(demo.WORDS, found[0].scores, strict=True))
    assert shapley["not"] > 0.3  # the word that says nothing alone
    nothing, alone = demo.sentence_game().evaluate(lc.Coalitions.from_sets(9, [[], [demo.WORDS.index("not")]]))
    assert nothing == alone == -np.log(2)


def test_version_and_errors(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["--version"])
    assert stop.value.code == 0
    assert lc.__version__ in capsys.readouterr().out
    for arguments in ([], ["explode"], ["demo", "--color", "pink"]):
        with pytest.raises(SystemExit) as stop:
            cli.main(arguments)
        assert stop.value.code == 2


def test_a_library_error_is_one_line(capsys, monkeypatch):
    def fail(colour):
        raise lc.GameError("v(∅) is nan")

    monkeypatch.setattr(demo, "render", fail)
    assert cli.main(["demo"]) == 1
    assert capsys.readouterr().err == "lcshap: v(∅) is nan\n"
