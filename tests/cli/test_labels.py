"""Labels and names from the command line to the page, and what is said where they do not fit."""

import json
import re

import pytest
from command import fails, module, run

TEXTS = "Not bad at all.\n\nA great film, really great.\nSucks.\n"
WORDS = ("explain", "--model", "demo-text")


def samples(path):
    """What the index of a page says about its samples."""
    page = path.read_text(encoding="utf-8")
    match = re.search(r'<script type="application/json" id="index">(.*?)</script>', page, re.DOTALL)
    return json.loads(match[1])["samples"]


@pytest.fixture
def lines(workdir):
    (workdir / "l.txt").write_text(TEXTS)
    return (*WORDS, "--lines", "l.txt", "--html", "e.html")


@pytest.fixture
def saved(workdir, lines):
    run(*lines, "--save", "e.json")
    return ("report", "e.json", "--force", "--out", "e.html")


class TestLines:
    def test_a_label_belongs_to_the_text_on_the_same_line(self, workdir, lines):
        (workdir / "labels.txt").write_bytes(b"positive\r\n\r\npositive\r\n\r\n")  # the last one is not known
        (workdir / "names.txt").write_text("one\n\nthree\nfour", encoding="utf-8-sig")
        run(*lines, "--labels", "labels.txt", "--names", "names.txt")
        page_samples = samples(workdir / "e.html")
        assert [sample.get("label") for sample in page_samples] == ["positive", "positive", None]
        assert [sample["name"] for sample in page_samples] == ["one", "three", "four"]

    def test_failed_texts_are_removed_with_their_labels(self, workdir, lines):
        source = "def model(rows):\n    if any('bad' in r for r in rows):\n        raise RuntimeError('no bad words')\n"
        module(workdir, "touchy", source + "    return [[float(len(r)), 1.0] for r in rows]\n")
        (workdir / "names.txt").write_text("one\ntwo\nthree\nfour\n")
        command = ("explain", "--model", "touchy:model", "--kind", "logits", "--lines", "l.txt", "--html", "e.html")
        run(*command, "--names", "names.txt", code=1)
        assert [sample["name"] for sample in samples(workdir / "e.html")] == ["three", "four"]

    def test_a_wrong_number_of_lines_is_reported_before_the_model_is_called(self, workdir, lines):
        module(workdir, "never", "def model(rows):\n    raise SystemExit('called')\n")
        (workdir / "labels.txt").write_text("positive\npositive\nnegative\n")
        command = ("explain", "--model", "never:model", "--kind", "logits", "--lines", "l.txt", "--html", "e.html")
        message = "Expected 4 lines in labels.txt for --labels, one for each line of l.txt, got 3. Leave a line blank"
        fails(*command, "--labels", "labels.txt", code=2, match=message)
        (workdir / "labels.txt").write_text("a\n\nb\nc\nd\n")
        fails(*command, "--labels", "labels.txt", code=2, match="got 5")
        assert not (workdir / "e.html").exists()

    def test_labels_that_are_no_class(self, workdir, lines):
        (workdir / "labels.txt").write_text("1\n\n1\n0\n")
        out, err = run(*lines, "--labels", "labels.txt", code=2)
        assert "Expected labels that are names of classes such as 'negative', got '0'" in err
        assert "line 3" in out  # what the model said is not lost

    def test_wrong_usage(self, workdir, lines):
        fails(*lines[:-2], "--labels", "l.txt", code=2, match="Expected --html with --labels, got none")
        fails(*lines, "--names", "none.txt", code=2, match="got 'none.txt', which does not exist")
        (workdir / "latin.txt").write_bytes("é\n\né\né\n".encode("latin-1"))
        fails(
            *lines, "--names", "latin.txt", code=1, match=r"Expected a text in UTF-8, got latin\.txt .* Save the file"
        )


def test_one_input_has_one_line(workdir):
    (workdir / "label.txt").write_text("negative\n")
    text = (*WORDS, "--text", "so good", "--html", "e.html", "--labels", "label.txt")
    run(*text)
    assert [sample["label"] for sample in samples(workdir / "e.html")] == ["negative"]
    (workdir / "label.txt").write_text("negative\npositive\n")
    fails(*text, code=2, match="Expected 1 lines? in label.txt for --labels, one for each input, got 2")


class TestTable:
    @pytest.fixture
    def table(self, workdir):
        module(
            workdir,
            "columns",
            "def model(rows):\n    assert rows.shape[1] == 2\n    return [[r[0], r[1]] for r in rows]\n",
        )
        (workdir / "t.csv").write_text("who,a,b,outcome\nAnn,1,2,1\nBob,3,1,0\nEve,2,2,\n")
        return ("explain", "--model", "columns:model", "--kind", "logits", "--csv", "t.csv", "--html", "e.html")

    def test_columns_are_read_and_hidden_from_the_model(self, workdir, table):
        run(*table, "--row", 1, "--labels", "outcome", "--names", "who", "--drop", "who")
        (sample,) = samples(workdir / "e.html")
        assert (sample["name"], sample["label"]) == ("Bob", "0")
        run(*table, "--row", 2, "--labels", "outcome", "--names", "who")
        assert "label" not in samples(workdir / "e.html")[0]

    def test_wrong_usage(self, table):
        message = r"Expected a column of t.csv in --labels, got 'outcom' \(did you mean outcome\?\). It has who"
        fails(*table, "--labels", "outcom", code=2, match=message)
        fails(*table, "--labels", "outcome", "--names", "who", "--row", 7, code=2, match="Expected a --row from 0 to 2")
        fails(*table[:-3], "-", *table[-2:], "--labels", "outcome", code=2, match="Expected a file for --csv")


class TestReport:
    def test_saved_explanations_have_a_line_for_each_input(self, workdir, saved):
        (workdir / "labels.txt").write_text("positive\npositive\nnegative\n")
        run(*saved, "--labels", "labels.txt", "--names", "labels.txt")
        page_samples = samples(workdir / "e.html")
        assert [sample["label"] for sample in page_samples] == ["positive", "positive", "negative"]
        assert [sample["name"] for sample in page_samples] == ["positive", "positive", "negative"]
        (workdir / "labels.txt").write_text("positive\nnegative\n")
        fails(*saved, "--labels", "labels.txt", code=2, match="Expected 3 labels, one for each input, got 2")

    def test_a_run_has_a_line_for_each_input_of_the_data_set(self, workdir):
        pytest.importorskip("pyarrow")
        words = ["good", "bad", "great", "sucks", "fine"]
        (workdir / "r.csv").write_text("text\n" + "".join(f"a {word} film\n" for word in words))
        run("bulk", "r.csv", "--column", "text", "--model", "demo-text", "--budget", "4d", "--out", "run")
        (workdir / "names.txt").write_text("".join(f"the {word} one\n" for word in words))
        report = ("report", "run", "--out", "e.html", "--names", "names.txt")
        run(*report, "--samples", 3)
        assert [sample["name"] for sample in samples(workdir / "e.html")] == [f"the {word} one" for word in words[::2]]
        (workdir / "names.txt").write_text("only one\n")
        fails(*report, code=2, match="Expected 5 lines in names.txt for --names, one for each input of the run, got 1")
