"""Tiny versions of the studies: which files they write, that they go on after an interruption, and what they refuse."""

import json
from pathlib import Path

import numpy as np
import pytest
from toy_study import TEXTS, Recorded, chances, read, text_study

import lcshap as lc
from lcshap.adapters import CallableModel
from lcshap.paper.experiments.method_table import table_md
from lcshap.paper.experiments.reproduce import NAMES, reproduce
from lcshap.paper.experiments.studies import find_study
from lcshap.paper.experiments.study import METHOD_CANDIDATES, Study


def test_the_other_files(toy):
    run = json.loads((toy.out / "run.json").read_text())
    assert run["finished"] is True
    assert run["notes"] == []
    assert run["command"].startswith("lcshap reproduce toy --samples 3 --budget 4d --seed 0 --out ")
    chosen = {e["sample"] for e in read(toy.out / "samples.csv")}
    right = [chances([TEXTS[int(s)]])[0].argmax() == [1, 0, 0, 1, 1][int(s)] for s in chosen]
    assert run["share_correct"] == pytest.approx(sum(right) / 3)
    assert (toy.out / "curves.png").read_bytes()[1:4] == b"PNG"
    assert "<html" in (toy.out / "report.html").read_text(encoding="utf-8")[:200]
    assert table_md(toy.rows) in (toy.out / "table.md").read_text(encoding="utf-8")
    assert str(toy).count("\n| ") == 17
    assert not list(toy.out.rglob("*.part"))


def test_interrupted_and_resumed(tmp_path):
    """After the second sample comes Ctrl-C; then only the third is asked about, and the files come out the same."""
    model, reports, names = Recorded(), [], ["l-shapley", "kernel-shap", "deletion-path"]
    through = reproduce(text_study(), samples=3, out=tmp_path / "through", methods=names)
    tmp_path = tmp_path / "interrupted"

    def stop(done, total, seconds):
        reports.append((done, total, seconds >= 0))
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce(text_study(model), samples=3, out=tmp_path, methods=names, progress=stop)
    assert reports == [(1, 3, True), (2, 3, True)]
    assert json.loads((tmp_path / "run.json").read_text())["finished"] is False
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "explanations").iterdir()}
    done = {int(name.split(".")[0]) for name in before}
    assert len(before) == 6
    model.asked.clear()
    result = reproduce(text_study(model), samples=3, out=tmp_path, methods=names, progress=stop)
    (last,) = {int(row["sample"]) for row in read(tmp_path / "samples.csv")} - done
    words = set(TEXTS[last].split())
    assert model.asked
    assert all(set(text.split()) <= words for text in model.asked)
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "explanations").iterdir()}
    assert {name: after[name] for name in before} == before
    assert (tmp_path / "samples.csv").read_bytes() == (through.out / "samples.csv").read_bytes()
    assert [row[:-1] for row in result.rows] == [row[:-1] for row in through.rows]  # all but the seconds
    model.asked.clear()
    reproduce(text_study(model), samples=3, out=tmp_path, methods=names, progress=False)
    assert not model.asked  # all of it is there
    more = reproduce(text_study(model), samples=4, out=tmp_path, methods=names)
    assert more.rows[0].samples == 4
    assert set(map(int, {row["sample"] for row in read(tmp_path / "samples.csv")})) == {0, 1, 2, 3}


def test_ctrl_c_within_a_path_is_no_result(tmp_path):
    calls = []

    def fn(texts):
        calls.append(len(texts))
        if len(calls) == 3:  # the full input, the words one by one, then in the path
            raise KeyboardInterrupt
        return chances(texts)

    with pytest.raises(KeyboardInterrupt):
        reproduce(text_study(fn), samples=1, out=tmp_path, methods=["deletion-path"])
    assert not list((tmp_path / "explanations").iterdir())


def test_inputs_of_a_word_or_two(tmp_path):
    model = CallableModel(chances, "probabilities")
    study = Study("short", model, lc.maskers.Text(), ["good", "not good"], [1, 0], ["negative", "positive"])
    result = reproduce(study, out=tmp_path)
    assert {row.method for row in result.rows} == set(METHOD_CANDIDATES) - {"saliency"}
    assert {row.samples for row in result.rows} == {2}
    exact = np.log(chances(["good"])[0, 1] / chances([""])[0, 1])
    for path in (tmp_path / "explanations").glob("000000.*.json"):
        if "lime" not in path.name and "paper" not in lc.load(path).provenance["method"]:  # shrunk, or scaled
            assert lc.load(path).scores[0] == pytest.approx(exact)


def test_images(image_study, tmp_path):
    result = reproduce(image_study, samples=2, out=tmp_path, seed=3)
    assert {row.method for row in result.rows} == set(METHOD_CANDIDATES)
    for name in ("masks-15.png", "masks-20.png", "curves.png"):
        assert (tmp_path / name).read_bytes()[1:4] == b"PNG"
    path = sorted((tmp_path / "explanations").glob("*.l-shapley.json"))[0]
    e = lc.load(path)
    image = image_study.inputs[e.provenance["experiment"]["sample"]]
    patches = lc.Explainer(image_study.model, lc.maskers.Image(patch=2), lc.LShapley(1))(image)
    for row in range(8):
        for column in range(8):
            assert e.scores[8 * row + column] == pytest.approx(patches.scores[4 * (row // 2) + column // 2] / 4)
    assert e.calls == patches.calls
    assert e.scores.sum() == pytest.approx(patches.scores.sum())
    saliency = lc.load(path.with_name(path.name.replace("l-shapley", "saliency")))
    alone = lc.Explainer(image_study.model, lc.maskers.Image(), lc.Saliency())(image)
    np.testing.assert_allclose(saliency.scores, alone.scores, atol=1e-9)


# -- the paper's studies, on generated data and networks that have learnt nothing --------------------------------------


@pytest.mark.parametrize("name", ["imdb", "agnews", "yahoo", "newsgroups", "cifar10"])
def test_studies_of_the_paper(name, data, trained, tmp_path):
    method = lc.Saliency() if name == "cifar10" else lc.FeatureAblation()
    result = reproduce(name, samples=2, methods=[method.name], data=data, models=trained, out=tmp_path)
    assert result.rows[0].samples == 2
    study = find_study(name, data, trained)
    explainer = lc.Explainer(study.model, study.masker, method, classes=study.classes)
    for path in (tmp_path / "explanations").glob("*.json"):
        e = lc.load(path)
        scores = explainer(study.inputs[e.provenance["experiment"]["sample"]]).scores
        np.testing.assert_allclose(e.scores, scores, atol=1e-5)
    run = json.loads((tmp_path / "run.json").read_text())
    assert len(run["about"]["weights"]) == 16
    (paper, here) = read(tmp_path / "model.csv")
    assert (paper["study"], here["study"]) == ("yahoo" if name == "newsgroups" else name, name)
    words = {"imdb": (9 + 8) / 2, "newsgroups": 4, "agnews": 5, "yahoo": 7}
    assert here["words"] == ("" if name == "cifar10" else str(float(words[name])))
    assert int(here["classes"]) == len(study.classes)


def test_a_model_that_is_not_there_is_trained(data, tmp_path):
    result = reproduce("mnist", samples=1, methods=["saliency"], data=data, out=tmp_path)
    assert (tmp_path / "models/mnist-cnn/model.json").is_file()
    assert result.rows[0].calls == 2
    about = json.loads((tmp_path / "run.json").read_text())["about"]
    assert about["model"] == "mnist-cnn"
    (paper, here) = read(tmp_path / "model.csv")
    assert (paper["source"], paper["train"], paper["accuracy"]) == ("paper", "12000", "0.997")
    assert (here["source"], here["train"], here["test"], here["words"]) == ("here", "6", "6", "")
    card = json.loads((tmp_path / "models/mnist-cnn/card.json").read_text())
    assert float(here["accuracy"]) == card["accuracy"]
    assert here["parameters"] == "4994"
    assert "| mnist | paper | 2 | 12,000 |" in (tmp_path / "model.md").read_text()


def test_the_sentence(data, trained, tmp_path):
    result = reproduce("sentence", data=data, models=trained, out=tmp_path)
    rows = read(tmp_path / "table.csv")
    assert " ".join(row["word"] for row in rows) == "It is not heartwarming or entertaining It just sucks"
    study = find_study("sentence", data, trained)
    exact = lc.Explainer(study.model, study.masker, lc.Shapley())(study.inputs[0])
    np.testing.assert_allclose([float(row["shapley"]) for row in rows], exact.scores, atol=1e-6)
    assert set(rows[0]) == {"word", "shapley", *METHOD_CANDIDATES} - {"saliency"}
    assert (tmp_path / "sentence.png").read_bytes()[1:4] == b"PNG"
    assert "heartwarming" in str(result)


def test_all_has_table_one(data, trained, tmp_path):
    data_folder = tmp_path / "data"
    data_folder.mkdir()
    (data_folder / "ag_news_csv").symlink_to(data / "ag_news_csv")
    result = reproduce("all", 1, methods=["feature-ablation"], data=data_folder, models=trained, out=tmp_path / "out")
    assert [experiment.name for experiment in result.parts] == ["agnews", "sentence", "theorems"]
    rows = read(tmp_path / "out/models.csv")
    assert [(row["study"], row["source"], row["model"]) for row in rows] == [
        ("agnews", "paper", "CharCNN"),
        ("agnews", "here", ""),  # no card: these weights were not trained
    ]


def test_theorems_and_all(tmp_path):
    """Without data, nothing of "all" can be run but the theorems; the rest is noted."""
    (tmp_path / "data").mkdir()
    result = reproduce("all", data=tmp_path / "data", out=tmp_path / "out")
    assert [experiment.name for experiment in result.parts] == ["theorems"]
    assert len(result.notes) == len(NAMES) - 2
    assert all("was left out" in note for note in result.notes)
    rows = read(tmp_path / "out/theorems/table.csv")
    assert len(rows) == 29
    for row in rows:
        assert float(row["l_error"]) <= float(row["l_bound"]) + 1e-12
        assert float(row["c_error_myerson"]) <= float(row["c_bound"]) + 1e-12
    assert (tmp_path / "out/theorems/theorems.png").read_bytes()[1:4] == b"PNG"


# -- what goes wrong --------------------------------------------------------------------------------------------------


def test_bad_input(tmp_path):
    with pytest.raises(lc.errors.OptionError, match=r"Expected one of the experiments imdb.*, got 'imbd'"):
        reproduce("imbd")
    for samples in (0, -1, 2.5, True, "3"):
        with pytest.raises(lc.errors.OptionError, match="Expected samples as an integer of at least 1"):
            reproduce(text_study(), samples=samples)
    with pytest.raises(lc.errors.OptionError, match="Expected seed as an integer of at least 0"):
        reproduce(text_study(), seed=-1)
    with pytest.raises(
        lc.errors.OptionError,
        match=r"Expected different ones of l-shapley, .* as methods",
    ):
        reproduce(text_study(), methods=["saliency"], out=tmp_path)  # no gradient
    with pytest.raises(
        lc.errors.OptionError, match=r"Expected different ones of l-shapley, .* as methods for toy, got lime, lime"
    ):
        reproduce(text_study(), methods=["lime", "lime"], out=tmp_path)
    empty = Study("x", CallableModel(chances, "probabilities"), lc.maskers.Text(), [""], [0], ["n", "p"])
    with pytest.raises(lc.errors.DataError, match="Expected inputs of x that can be cut into units, got none"):
        reproduce(empty, out=tmp_path / "empty")
    reproduce(text_study(), samples=1, methods=["feature-ablation"], out=tmp_path)
    with pytest.raises(
        lc.errors.OptionError, match=r"Expected a run with seed 0, as in .*, got 1. Choose another folder with --out"
    ):
        reproduce(text_study(), samples=1, methods=["feature-ablation"], out=tmp_path, seed=1)
    with pytest.raises(lc.errors.DataError, match="yahoo"):
        reproduce("yahoo", data=tmp_path, out=Path(tmp_path) / "yahoo")
    with pytest.raises(lc.errors.DataError, match="Expected a folder to read imdb from, got"):
        reproduce("imdb", data=tmp_path / "nowhere", out=tmp_path / "imdb")
