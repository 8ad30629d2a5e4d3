"""What is printed and written: JSON for other programs, and several explanations."""

import json
from pathlib import Path

import numpy as np
import pytest
from command import fails, module, run

import lcshap as lc
from lcshap.cli import main
from lcshap.cli.output import as_json, numbered_paths, write_and_print
from lcshap.core.io import from_dict

TEXTS = "Not bad at all.\n\nA great film, really great.\r\nSucks.\n"
WORDS = ("--model", "demo-text")


@pytest.fixture
def lines(workdir):
    (workdir / "l.txt").write_bytes(TEXTS.encode())
    return ("explain", *WORDS, "--lines", "l.txt")


class TestJSON:
    def test_names_and_scores_are_on_top(self):
        record = json.loads(run("explain", *WORDS, "--text", "so good", "--json")[0])
        assert record["names"] == ["so", "good"]
        assert len(record["scores"]) == 2
        assert record["full_value"] - record["base_value"] == pytest.approx(sum(record["scores"]) + record["residual"])
        assert record["says"].startswith("The model predicts positive (")
        comparison = json.loads(run("compare", *WORDS, "--text", "so good", "--json")[0])
        assert [explanation["names"] for explanation in comparison["explanations"]] == [["so", "good"]] * 3

    def test_rounding_errors_are_no_residual(self):
        e = lc.Explanation(np.array([0.1, 0.7]), -0.7, 0.1 + 0.7 - 0.7 + 1e-16, lc.Graph.chain(2), 4)
        assert e.residual != 0
        assert as_json(e)["residual"] == 0

    def test_it_can_be_loaded_and_reported(self, workdir):
        for options in ((), ("--target", "all"), ("--method", "kernel-shap", "--budget", 6)):
            out = run("explain", *WORDS, "--text", "so very good", "--json", *options)[0]
            (workdir / "e.json").write_text(out)
            e, record = lc.load("e.json"), json.loads(out)
            assert record["scores"] == e.scores.tolist()
            assert (record["stderr"] is None) == (e.stderr is None)
            run("report", "e.json", "--out", "e.html")
        run("explain", *WORDS, "--text", "so good", "--save", "e.json")  # known as one of ours

    def test_json_restores_the_explanation(self):
        g = lc.Graph.chain(2)
        e = lc.Explanation(np.eye(2), np.zeros(2), np.ones(2), g, 4, {}, stderr=np.array([[0.0, np.inf], [1, 2]]))
        back = from_dict(json.loads(json.dumps(as_json(e), allow_nan=False)))
        for name in ("scores", "base_value", "full_value", "stderr"):
            np.testing.assert_array_equal(getattr(back, name), getattr(e, name))

    def test_a_large_input_has_its_scores_as_numbers_too(self):
        e = lc.Explanation(np.arange(2000.0), 0.0, 1.0, lc.Graph.chain(2000), 4, {})
        record = as_json(e)
        assert record["scores"][-1] == 1999.0
        np.testing.assert_array_equal(from_dict(record).scores, e.scores)

    @pytest.mark.parametrize("scores", [[1.0], [[1.0], 2.0], [[1.0], [1.0, 2.0]], ["a", "b"], [[[1.0]], [[2.0]]], []])
    def test_invalid_scores_are_refused(self, scores):
        e = lc.Explanation(np.ones(2), 0.0, 1.0, lc.Graph.chain(2), 4, {})
        with pytest.raises(lc.errors.FileFormatError, match="damaged at scores"):
            from_dict({**as_json(e), "scores": scores})


class TestLines:
    def test_each_line_is_explained_as_it_would_be_alone(self, workdir, lines):
        method = ("--json", "--method", "kernel-shap", "--budget", "4d")
        records = [json.loads(line) for line in run(*lines, *method)[0].splitlines()]
        assert [record["line"] for record in records] == [1, 3, 4]
        for record, text in zip(records, (line for line in TEXTS.splitlines() if line), strict=True):
            separate = json.loads(run("explain", *WORDS, "--text", text, *method)[0])
            assert record["names"] == separate["names"]
            assert record["scores"] == pytest.approx(separate["scores"], abs=1e-6)
            assert record["provenance"]["parameters"] == separate["provenance"]["parameters"]

    @pytest.mark.parametrize("name", ["many.json", "many.parquet"])
    def test_one_file_has_all_lines(self, workdir, lines, name):
        out, err = run(*lines, "--save", name, "--html", "e.html")
        assert err.splitlines() == [f"wrote {name}", "wrote e.html"]
        assert [line for line in out.splitlines() if line.startswith("line ")] == ["line 1", "line 3", "line 4"]
        xs = lc.load(name)
        assert isinstance(xs, lc.Explanations)
        assert len(xs) == 3
        assert xs[1].names[0] == "A"
        run(*lines, "--save", name)  # what lcshap wrote is overwritten
        assert [e.names for e in lc.load(name)] == [e.names for e in xs]
        run("report", name, "--out", "report.html")
        assert "Sucks" in (workdir / "report.html").read_text(encoding="utf-8")
        assert "Sucks" in (workdir / "e.html").read_text(encoding="utf-8")

    def test_standard_input_and_the_preview(self):
        out = run("explain", *WORDS, "--lines", "-", "--json", text="so good\nso bad\n")[0]
        assert [json.loads(line)["names"][1] for line in out.splitlines()] == ["good", "bad"]
        out = run("explain", *WORDS, "--lines", "-", "--preview", text="so good\nbad\n")[0]
        assert out.startswith("line 1\nShapley()\n")
        assert "calls   2" in out.partition("line 2")[2]

    def test_a_failed_text_does_not_affect_the_others(self, workdir, lines):
        source = "def model(rows):\n    if any('bad' in r for r in rows):\n        raise RuntimeError('no bad words')\n"
        module(workdir, "picky", source + "    return [float(len(r)) for r in rows]\n")
        command = ("explain", "--model", "picky:model", "--kind", "output", "--lines", "l.txt")
        out, err = run(*command, "--json", "--save", "e.json", code=1)
        records = [json.loads(line) for line in out.splitlines()]
        assert "no bad words" in records[0]["error"]
        assert [len(record["scores"]) for record in records[1:]] == [5, 1]
        assert err.splitlines()[0] == "wrote e.json"
        assert err.splitlines()[1].startswith("lcshap: error: line 1: ")
        assert list(lc.load("e.json").errors) == [0]

    def test_wrong_usage(self, workdir, lines):
        fails(*lines, "--plot", "a.png", code=2, match="Use --html")
        fails("compare", *WORDS, "--lines", "l.txt", code=2, match="Expected one input to compare methods on")
        out, err = run(*lines, "--target", 7, code=2)
        assert (out, err) == ("", "lcshap: error: Expected a target from 0 to 1, got 7.\n")
        (workdir / "blank.txt").write_text("\n \n")
        fails("explain", *WORDS, "--lines", "blank.txt", code=1, match="at least one text in blank.txt, got none")
        (workdir / "e.json").write_text("precious")
        (workdir / "e.parquet").write_bytes(b"PAR1 precious PAR1")
        fails(*lines, "--save", "e.json", code=2, match="which holds something else")
        fails(*lines, "--save", "e.parquet", code=2, match="which holds something else")
        assert (workdir / "e.json").read_text() == "precious"


def test_compare_saves_each_method(workdir):
    err = run("compare", *WORDS, "--text", "so good", "--methods", "shapley,lime", "--save", "m.json")[1]
    assert err == "wrote m-1.json\nwrote m-2.json\n"
    assert [lc.load(f"m-{k}.json").provenance["name"] for k in (1, 2)] == ["shapley", "lime"]
    run("report", "m-1.json", "m-2.json")
    (workdir / "m-2.json").write_text("precious")
    fails(
        "compare", *WORDS, "--methods", "shapley,lime", "--save", "m.json", code=2, match="which holds something else"
    )


def test_the_text_is_printed_if_a_file_fails(capsys):
    def full():
        raise OSError("No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_and_print("the result", [lambda: Path("a.json"), full])
    assert capsys.readouterr() == ("the result\n", "wrote a.json\n")


def test_numbers_of_files_keep_their_order():
    names = [path.name for path in numbered_paths(Path("e.json"), range(8, 13))]
    assert names == sorted(names) == ["e-08.json", "e-09.json", "e-10.json", "e-11.json", "e-12.json"]


@pytest.mark.parametrize("columns", [60, 80])
def test_a_comparison_fits_the_terminal_and_shows_the_prediction(columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["compare", *WORDS, "--text", "not bad, but never really funny", "--color", "never"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("The model predicts *positive* (")
    assert max(map(len, lines)) <= columns
    assert main([]) == 0
    assert all(len(line) <= columns for line in capsys.readouterr().out.splitlines() if not line.startswith(" "))


def test_a_parquet_file_has_all_explanations(workdir):
    (workdir / "texts.txt").write_text("so good\nso bad\nvery good\n", encoding="utf-8")
    run("explain", *WORDS, "--lines", "texts.txt", "--save", "xs.parquet")
    xs = lc.load(workdir / "xs.parquet")
    assert [e.names for e in xs] == [("so", "good"), ("so", "bad"), ("very", "good")]
    run("explain", *WORDS, "--text", "so good", "--save", "one.parquet")
    assert lc.load(workdir / "one.parquet") == xs[:1]
    run("report", "xs.parquet", "--out", "page.html")
    assert "very" in (workdir / "page.html").read_text(encoding="utf-8")
