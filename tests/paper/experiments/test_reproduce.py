"""Tiny versions of the studies; every number in the files is computed again, by hand."""

import csv
import json
import statistics
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from matplotlib.image import imread
from sklearn.datasets import load_digits
from torch import nn

import lcshap as lc
from lcshap.adapters import CallableModel, TorchModel
from lcshap.core.views import ImageView
from lcshap.paper import networks as models
from lcshap.paper.datasets import DataError
from lcshap.paper.experiments import figures
from lcshap.paper.experiments.reproduce import NAMES, main, reproduce
from lcshap.paper.experiments.runner import Runner
from lcshap.paper.experiments.studies import find_study
from lcshap.paper.experiments.study import LINEUP, Lineup, Study
from lcshap.paper.experiments.table import table_md

TEXTS = [
    "a good film with warm moments and no bad scene",
    "not good at all, only dull and flat",
    "fine cast",
    "the plot is bad yet the music is good, very good, and fresh",
    "",
]
PERCENTS = (0, 1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
WEIGHTS = {"good": 1.2, "warm": 0.7, "fresh": 0.8, "fine": 0.9, "bad": -1.5, "dull": -1.1, "flat": -0.6, "very": 0.1}


def chances(texts):
    """P(negative), P(positive): words add up, "not" before "good" turns it round."""
    odds = []
    for text in texts:
        words = text.replace(",", "").split()
        total = sum(WEIGHTS.get(word, 0.0) for word in words)
        total -= 2.0 * sum(a == "not" and b == "good" for a, b in pairwise(words))
        odds.append(total + 0.1)
    p = 1 / (1 + np.exp(-np.array(odds)))
    return np.stack([1 - p, p], axis=1)


class Recorded:
    """The model, and what it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, texts):
        self.asked += texts
        return chances(texts)


def text_study(fn=chances):
    model = CallableModel(fn, "probabilities")
    return Study("toy", model, lc.maskers.Text(), TEXTS, [1, 0, 0, 1, 1], ["negative", "positive"])


def by_hand(text, order, percent, keep):
    """The log-odds of the predicted class when the first words of an order are gone, or alone."""
    words = text.split()
    n = max(1, round(percent * len(words) / 100)) if percent else 0
    left = " ".join(word for i, word in enumerate(words) if (i in order[:n]) == keep)
    q = chances([left])[0, chances([text])[0].argmax()]
    return float(np.log(q + 1e-6) - np.log(1 - q + 1e-6))


def area(drops, upto):
    pairs = [(p, v) for p, v in zip(PERCENTS, drops, strict=True) if p <= upto]
    return sum((q - p) * (a + b) / 2 for (p, a), (q, b) in pairwise(pairs)) / upto


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    return reproduce(text_study(), samples=3, out=tmp_path_factory.mktemp("toy"))


def test_curves_by_hand(toy):
    rows = read(toy.out / "samples.csv")
    assert {row["method"] for row in rows} == set(LINEUP) - {"saliency"}
    assert len(rows) == 15 * 3 * len(PERCENTS)
    samples = {int(row["sample"]) for row in rows}
    assert samples == set(np.random.default_rng(0).permutation(5).tolist()[:4]) - {4}  # the empty text is passed over
    for row in rows:
        e = lc.load(toy.out / "explanations" / f"{int(row['sample']):06d}.{row['method']}.json")
        text, percent = TEXTS[int(row["sample"])], float(row["percent"])
        order = sorted(range(len(e.scores)), key=lambda i: (-e.scores[i], i))
        order = e.order.tolist() if row["method"] == "deletion-path" else order
        for column, keep in (("drop", False), ("kept", True)):
            expected = by_hand(text, order, percent, keep) - by_hand(text, order, 0, keep)
            assert float(row[column]) == pytest.approx(expected, abs=1e-9)


def test_mean_curves_by_hand(toy):
    each = read(toy.out / "samples.csv")
    rows = read(toy.out / "curves.csv")
    assert len(rows) == 15 * len(PERCENTS)
    t = 0.95 * (2 / (4 * 0.975 * 0.025)) ** 0.5  # Student's t with two degrees of freedom, in closed form
    for row in rows:
        own = [r for r in each if (r["method"], r["percent"]) == (row["method"], row["percent"])]
        for column in ("drop", "kept"):
            numbers = [float(r[column]) for r in own]
            assert float(row[column]) == pytest.approx(statistics.mean(numbers), abs=1e-12)
            width = t * statistics.stdev(numbers) / 3**0.5
            assert float(row[f"{column}_half_width"]) == pytest.approx(width, abs=1e-12)


def test_table_by_hand(toy):
    curves = read(toy.out / "samples.csv")
    table = {row["method"]: row for row in read(toy.out / "table.csv")}
    means = {}
    for method, row in table.items():
        for name, column, upto in (("area_20", "drop", 20), ("area_100", "drop", 100), ("kept_20", "kept", 20)):
            own = [r for r in curves if r["method"] == method]
            each = [area([float(r[column]) for r in own if r["sample"] == s], upto) for s in {r["sample"] for r in own}]
            means[name, method] = sum(each) / 3
            assert float(row[name]) == pytest.approx(means[name, method])
    for name, better in (("area_20", min), ("area_100", min), ("kept_20", max)):
        best = better(value for (n, _), value in means.items() if n == name)
        for method, row in table.items():
            assert float(row[f"{name}_difference"]) == pytest.approx(means[name, method] - best, abs=1e-12)
            assert float(row[f"{name}_low"]) <= float(row[f"{name}_difference"]) + 1e-12
            assert float(row[f"{name}_high"]) >= float(row[f"{name}_difference"]) - 1e-12
    assert list(table) == sorted(table, key=lambda method: means["area_20", method])
    for method in table:
        files = [lc.load(path) for path in (toy.out / "explanations").glob(f"*.{method}.json")]
        assert float(table[method]["calls"]) == pytest.approx(sum(e.calls for e in files) / 3)
        assert float(table[method]["calls_per_unit"]) == pytest.approx(sum(e.calls / len(e.names) for e in files) / 3)
        assert float(table[method]["seconds"]) > 0  # three samples are timed, these are three
    assert [row.method for row in toy.rows] == list(table)


def test_pairs_by_hand(toy):
    table = {row["method"]: row for row in read(toy.out / "table.csv")}
    pairs = read(toy.out / "pairs.csv")
    assert len(pairs) == 3 * 15 * 14 / 2
    assert len({(p["measure"], frozenset((p["method"], p["other"]))) for p in pairs}) == len(pairs)
    for pair in pairs:
        one, two = (float(table[pair[side]][pair["measure"]]) for side in ("method", "other"))
        assert float(pair["difference"]) == pytest.approx(one - two, abs=1e-12)
        assert float(pair["low"]) <= one - two + 1e-12
        assert float(pair["high"]) >= one - two - 1e-12
    curves = read(toy.out / "samples.csv")
    one, two = ({}, {})
    for name, side in (("lime", one), ("deletion-path", two)):
        for sample in {row["sample"] for row in curves}:
            drops = [float(r["drop"]) for r in curves if (r["method"], r["sample"]) == (name, sample)]
            side[sample] = area(drops, 20)
    (pair,) = (p for p in pairs if (p["measure"], p["method"], p["other"]) == ("area_20", "lime", "deletion-path"))
    each = [one[sample] - two[sample] for sample in one]
    assert min(each) <= float(pair["low"]) <= float(pair["high"]) <= max(each)  # means of resampled differences


def test_scores_are_those_of_the_explainer(toy):
    seen = 0
    for path in sorted((toy.out / "explanations").glob("*.json")):
        e, name = lc.load(path), path.name.split(".")[1]
        text = TEXTS[e.provenance["experiment"]["sample"]]
        budget = 4 * len(text.split())
        method = Lineup(0).method(name, lc.Graph.chain(len(text.split())), budget)
        alone = lc.Explainer(chances, lc.maskers.Text(), method, kind="probabilities")(text)
        np.testing.assert_allclose(e.scores, alone.scores, atol=1e-12)
        assert e.calls == alone.calls
        assert e.calls <= budget or (name.startswith(("l-", "c-")) and method.order == 1)
        seen += 1
    assert seen == 45


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
    assert str(toy).count("\n| ") == 16
    assert not list(toy.out.rglob("*.part"))


def test_interrupted_and_resumed(tmp_path):
    """After the second sample comes Ctrl-C; then only the third is asked about, and the files come out the same."""
    model, told, names = Recorded(), [], ["l-shapley", "kernel-shap", "deletion-path"]
    through = reproduce(text_study(), samples=3, out=tmp_path / "through", methods=names)
    tmp_path = tmp_path / "interrupted"

    def stop(done, total, left):
        told.append((done, total, left >= 0))
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce(text_study(model), samples=3, out=tmp_path, methods=names, progress=stop)
    assert told == [(1, 3, True), (2, 3, True)]
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


def test_each_coalition_is_asked_about_once(tmp_path):
    model = Recorded()
    study = text_study(model)
    Runner(study, "4d", 0, tmp_path).work(0, study.methods)
    assert len(set(TEXTS[0].split())) == len(TEXTS[0].split())  # so that every coalition is a text of its own
    assert len(model.asked) == len(set(model.asked))
    assert len(model.asked) < sum(lc.load(path).calls for path in tmp_path.iterdir()) / 2


def test_inputs_of_a_word_or_two(tmp_path):
    model = CallableModel(chances, "probabilities")
    study = Study("short", model, lc.maskers.Text(), ["good", "not good"], [1, 0], ["negative", "positive"])
    result = reproduce(study, out=tmp_path)
    assert {row.method for row in result.rows} == set(LINEUP) - {"saliency"}
    assert {row.samples for row in result.rows} == {2}
    exact = np.log(chances(["good"])[0, 1] / chances([""])[0, 1])
    for path in (tmp_path / "explanations").glob("000000.*.json"):
        if "lime" not in path.name and "paper" not in lc.load(path).provenance["method"]:  # shrunk, or scaled
            assert lc.load(path).scores[0] == pytest.approx(exact)


def test_orders_come_near_the_budget():
    for d in (1, 2, 3, 9, 40):
        graph = lc.Graph.chain(d)
        for name in LINEUP:
            method = Lineup(1).method(name, graph, 4 * d)
            if not method.has_plan:
                continue
            calls = method.plan(graph).calls
            key = "order" if hasattr(method, "order") else "max_size" if hasattr(method, "max_size") else None
            assert calls <= 4 * d or getattr(method, key) == 1
            if key is not None and 1 < getattr(method, key) < min(d, 6):
                larger = type(method)(**{**method.parameters, key: getattr(method, key) + 1})
                assert larger.plan(graph).calls > 4 * d
    assert Lineup(0).method("regression-c-shapley", lc.Graph.grid((28, 28)), 3136).max_size == 4  # the paper's
    assert Lineup(0).method("l-shapley", lc.Graph.chain(100), 400).order == 1


# -- images -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def image_study():
    data = load_digits()
    x = data.images.astype(np.float32) / 16
    torch.manual_seed(0)
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 10))
    optimiser = torch.optim.Adam(net.parameters(), 0.02)
    for _ in range(40):
        loss = nn.functional.cross_entropy(net(torch.tensor(x[:800])), torch.tensor(data.target[:800]))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return Study(
        "digits",
        TorchModel(net.eval(), "logits"),
        lc.maskers.Image(),
        x[800:],
        data.target[800:].tolist(),
        list("0123456789"),
        patches=lc.maskers.Image(patch=2),
    )


def test_images(image_study, tmp_path):
    result = reproduce(image_study, samples=2, out=tmp_path, seed=3)
    assert {row.method for row in result.rows} == set(LINEUP)
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


def test_wrong_images_are_in_the_figure(image_study, tmp_path):
    reproduce(image_study, samples=1, out=tmp_path, methods=["feature-ablation", "saliency"])
    with torch.no_grad():
        predicted = image_study.model.module(torch.tensor(image_study.inputs)).argmax(1).tolist()
    shown = {int(p.name.split(".")[0]) for p in (tmp_path / "explanations/wrong").iterdir()}
    labels = image_study.labels
    assert len(shown) == 2
    assert all(predicted[n] != labels[n] for n in shown)
    assert len({labels[n] for n in shown}) == 2


def test_masks_are_red_and_blue(tmp_path):
    """Of 25 pixels the 20 % ranked first are coloured: red where the image is bright, blue where it is not."""
    image = np.zeros((5, 5, 1))
    image[:, :2] = 1.0
    scores = np.zeros(25)
    scores[[0, 1, 2, 3, 4]] = 1.0  # the first row, two of them bright
    view = ImageView(image=image, reference=image * 0, labels=np.arange(25).reshape(5, 5))
    e = lc.Explanation(scores, 0.0, 5.0, lc.Graph.grid((5, 5)), 2, view=view)
    path = figures.masks_figure([{"saliency": e}, {"saliency": e}], tmp_path / "masks.png", 20, ["a", "b"])
    picture = imread(path)[..., :3]
    red, blue = ((picture == colour).all(axis=2).sum() for colour in ([1, 0, 0], [0, 0, 1]))
    assert red > 0
    assert blue / red == pytest.approx(3 / 2, rel=0.1)
    with pytest.raises(lc.MethodError, match="by the same methods"):
        figures.masks_figure([{"saliency": e}, {"lime": e}], tmp_path / "masks.png")


# -- the paper's studies, on generated data and networks that have learnt nothing --------------------------------------

NEGATIVE, POSITIVE = "It was dull and I left. Bad film!", "A good film, and a warm one."


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    for split in ("train", "test"):
        for side, text in (("neg", NEGATIVE), ("pos", POSITIVE)):
            place = folder / "aclImdb" / split / side
            place.mkdir(parents=True)
            for number in range(3):
                (place / f"{number}_5.txt").write_text(f"{text} {number}")
        for group in ("sci.med", "sci.space"):
            place = folder / f"20news-bydate-{split}" / group
            place.mkdir(parents=True)
            (place / "1").write_text(f"Subject: hello\n\nA post about {group.split('.')[1]}\n")
        for name, classes in (("ag_news_csv", 4), ("yahoo_answers_csv", 10)):
            (folder / name).mkdir(exist_ok=True)
            rows = [
                [c + 1, f"Title {c}", "what is it", "an answer"][: 4 if classes == 10 else 3] for c in range(classes)
            ]
            with (folder / name / f"{split}.csv").open("w", newline="") as file:
                csv.writer(file, quoting=csv.QUOTE_ALL).writerows(rows)
    rng = np.random.default_rng(0)
    for name, shape, labels in (("mnist", (28, 28), [3, 8]), ("cifar10", (32, 32, 3), [4, 7])):
        x, y = rng.integers(0, 256, (6, *shape), dtype=np.uint8), np.array(labels * 3)
        np.savez(folder / f"{name}.npz", allow_pickle=False, x_train=x, y_train=y, x_test=x, y_test=y)
    return folder


@pytest.fixture(scope="module")
def trained(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    texts = [NEGATIVE, POSITIVE]
    for name, own, inputs, classes in (
        ("word-cnn", "word-cnn", texts, ("negative", "positive")),
        ("char-cnn", "char-cnn", texts, tuple("abcd")),
        ("lstm", "lstm", texts, tuple("abcdefghij")),
        ("lstm", "lstm-20newsgroups", texts, ("sci.med", "sci.space")),
        ("cifar-cnn", "cifar-cnn", np.zeros((1, 32, 32, 3), np.uint8), ("deer", "horse")),
    ):
        models.make(name, inputs, classes).save(folder / own)
    return folder


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
    assert set(rows[0]) == {"word", "shapley", *LINEUP} - {"saliency"}
    assert (tmp_path / "sentence.png").read_bytes()[1:4] == b"PNG"
    assert "heartwarming" in str(result)


def test_all_has_table_one(data, trained, tmp_path):
    part = tmp_path / "data"
    part.mkdir()
    (part / "ag_news_csv").symlink_to(data / "ag_news_csv")
    result = reproduce("all", 1, methods=["feature-ablation"], data=part, models=trained, out=tmp_path / "out")
    assert [one.name for one in result.parts] == ["agnews", "sentence", "theorems"]
    rows = read(tmp_path / "out/models.csv")
    assert [(row["study"], row["source"], row["model"]) for row in rows] == [
        ("agnews", "paper", "CharCNN"),
        ("agnews", "here", ""),  # no card: these weights were not trained
    ]


def test_theorems_and_all(tmp_path):
    """Without data, nothing of "all" can be run but the theorems; the rest is noted."""
    (tmp_path / "data").mkdir()
    result = reproduce("all", data=tmp_path / "data", out=tmp_path / "out")
    assert [part.name for part in result.parts] == ["theorems"]
    assert len(result.notes) == len(NAMES) - 2
    assert all("was left out" in note for note in result.notes)
    rows = read(tmp_path / "out/theorems/table.csv")
    assert len(rows) == 29
    for row in rows:
        assert float(row["l_error"]) <= float(row["l_bound"]) + 1e-12
        assert float(row["c_error_myerson"]) <= float(row["c_bound"]) + 1e-12
    assert (tmp_path / "out/theorems/theorems.png").read_bytes()[1:4] == b"PNG"


# -- the command, and what goes wrong ---------------------------------------------------------------------------------


def test_main(tmp_path, capsys, monkeypatch):
    assert main(["theorems", "--out", str(tmp_path)]) == 0
    assert "| coupling |" in capsys.readouterr().out
    assert main(["imdb", "--data", str(tmp_path / "nowhere"), "--out", str(tmp_path)]) == 1
    assert "lcshap: there is no folder" in capsys.readouterr().err

    def interrupt(**options):
        assert options["budget"] == 400
        raise KeyboardInterrupt

    monkeypatch.setattr("lcshap.paper.experiments.reproduce.reproduce", interrupt)
    assert main(["imdb", "--budget", "400"]) == 130
    assert "the same command goes on" in capsys.readouterr().err


def test_progress_is_printed_with_the_time_left(tmp_path, capsys):
    reproduce(text_study(), samples=2, out=tmp_path, methods=["feature-ablation"], progress=True)
    assert "toy: 2 of 2 samples, 0 s left" in capsys.readouterr().err


def test_without_matplotlib_there_are_tables_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    result = reproduce(text_study(), samples=1, out=tmp_path, methods=["feature-ablation"])
    assert (tmp_path / "table.md").is_file()
    assert not (tmp_path / "curves.png").exists()
    assert "curves.png was left out" in result.notes[0]
    assert 'pip install "lcshap[plot]"' in str(result)


def test_bad_input(tmp_path):
    with pytest.raises(lc.MethodError, match=r"no experiment 'imbd': choose one of imdb"):
        reproduce("imbd")
    with pytest.raises(lc.MethodError, match="samples must be"):
        reproduce(text_study(), samples=0)
    with pytest.raises(lc.MethodError, match="methods must be different ones of l-shapley"):
        reproduce(text_study(), methods=["saliency"], out=tmp_path)  # no gradient
    with pytest.raises(lc.MethodError, match="for toy, not lime, lime"):
        reproduce(text_study(), methods=["lime", "lime"], out=tmp_path)
    with pytest.raises(lc.MethodError, match="a label for each input, not 1 for 2"):
        Study("x", CallableModel(chances, "probabilities"), lc.maskers.Text(), ["a", "b"], [0], ["n", "p"])
    empty = Study("x", CallableModel(chances, "probabilities"), lc.maskers.Text(), [""], [0], ["n", "p"])
    with pytest.raises(lc.MethodError, match="no input of x can be cut"):
        reproduce(empty, out=tmp_path / "empty")
    reproduce(text_study(), samples=1, methods=["feature-ablation"], out=tmp_path)
    with pytest.raises(lc.MethodError, match=r"has a run with seed 0, not 1: give another --out"):
        reproduce(text_study(), samples=1, methods=["feature-ablation"], out=tmp_path, seed=1)
    with pytest.raises(DataError, match="yahoo"):
        reproduce("yahoo", data=tmp_path, out=Path(tmp_path) / "yahoo")
