"""Samples that are explained one by one, against the explainer alone."""

from dataclasses import replace

import numpy as np
import pytest
from toy_study import TEXTS, Recorded, chances, text_study

import lcshap as lc
from lcshap.paper.experiments.runner import Runner
from lcshap.paper.experiments.study import MethodFactory


def test_scores_are_those_of_the_explainer(toy):
    seen = 0
    for path in sorted((toy.out / "explanations").glob("*.json")):
        e, name = lc.load(path), path.name.split(".")[1]
        text = TEXTS[e.provenance["experiment"]["sample"]]
        budget = 4 * len(text.split())
        method = MethodFactory(0).method(name, lc.Graph.chain(len(text.split())), budget)
        alone = lc.Explainer(chances, lc.maskers.Text(), method, kind="probabilities")(text)
        np.testing.assert_allclose(e.scores, alone.scores, atol=1e-12)
        assert e.calls == alone.calls
        assert e.calls <= budget or (name.startswith(("l-", "c-")) and method.order == 1)
        seen += 1
    assert seen == 48


def test_each_coalition_is_evaluated_once(tmp_path):
    model = Recorded()
    study = text_study(model)
    Runner(study, "4d", 0, tmp_path).work(0, study.methods)
    assert len(set(TEXTS[0].split())) == len(TEXTS[0].split())  # so that every coalition is a text of its own
    assert len(model.asked) == len(set(model.asked))
    assert len(model.asked) < sum(lc.load(path).calls for path in tmp_path.iterdir()) / 2


def test_which_samples_are_drawn(tmp_path):
    runner = Runner(text_study(), "4d", 0, tmp_path)
    order = [number for number in np.random.default_rng(3).permutation(5).tolist() if TEXTS[number]]
    assert [runner.choose(samples, 3) for samples in (1, 2, 9)] == [order[:1], order[:2], order]


def test_an_explanation_that_is_there_is_not_made_again(tmp_path):
    model = Recorded()
    runner = Runner(text_study(model), "4d", 0, tmp_path)
    runner.work(2, ["lime", "l-shapley"])
    assert runner.missing(2, ["lime", "kernel-shap"]) == ["kernel-shap"]
    model.asked.clear()
    runner.work(2, ["lime", "l-shapley"])
    assert not model.asked
    assert runner.load(2, "lime").view is None  # kept only where a picture is made
    runner.work(2, ["feature-ablation"], view=True)
    assert runner.load(2, "feature-ablation").view.text == TEXTS[2]


def test_time_is_taken_on_request(tmp_path):
    runner = Runner(text_study(), "4d", 0, tmp_path)
    timed, other = (runner.explain(0, ["lime"], timed=t)["lime"].provenance["experiment"] for t in (True, False))
    assert timed["seconds"] > 0
    assert other["seconds"] is None
    assert (timed["study"], timed["sample"], timed["label"]) == ("toy", 0, "positive")


def test_predictions(tmp_path):
    runner = Runner(text_study(), "4d", 0, tmp_path)
    assert runner.predicted([3, 0, 1]) == chances([TEXTS[3], TEXTS[0], TEXTS[1]]).argmax(axis=1).tolist()


def test_the_pixels_of_a_patch_share_its_score(image_study, tmp_path):
    explanations = Runner(image_study, "4d", 3, tmp_path).explain(5, ["l-shapley", "feature-ablation"])
    patches = lc.Explainer(image_study.model, lc.maskers.Image(patch=2), lc.LShapley(1))(image_study.inputs[5])
    shared = (patches.scores.reshape(4, 4) / 4).repeat(2, axis=0).repeat(2, axis=1)
    np.testing.assert_allclose(explanations["l-shapley"].scores, shared.ravel(), atol=1e-9)
    assert explanations["l-shapley"].provenance["spread"] is True
    assert "spread" not in explanations["feature-ablation"].provenance
    assert explanations["l-shapley"].graph.d == explanations["feature-ablation"].graph.d == 64


def test_inputs_that_cannot_be_cut(tmp_path):
    study = text_study()
    runner = Runner(replace(study, inputs=["", " "], labels=[0, 1]), "4d", 0, tmp_path)
    with pytest.raises(lc.errors.DataError, match="Expected inputs of toy that can be cut into units, got none"):
        runner.choose(2, 0)
