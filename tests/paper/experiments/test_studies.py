"""The paper's studies, from data and networks that were made for the tests."""

import json

import numpy as np
import pytest

import lcshap as lc
from lcshap.paper.experiments.studies import SOURCES, find_study
from lcshap.paper.networks import MODELS


@pytest.mark.parametrize("name", [name for name in SOURCES if name != "mnist"])
def test_what_a_study_has(name, data, trained):
    study = find_study(name, data, trained)
    assert study.name == name
    assert len(study.inputs) == len(study.labels) == study.description["test"]
    assert len(study.classes) == study.description["classes"]
    assert len(study.description["weights"]) == 16
    answers = study.model.predict(np.stack(study.inputs) if name == "cifar10" else list(study.inputs))
    assert answers.shape == (len(study.inputs), len(study.classes))
    assert (study.patches is not None) == (name == "cifar10")
    words = {"imdb": 8.5, "newsgroups": 4.0, "agnews": 5.0, "yahoo": 7.0, "cifar10": None}
    assert study.description["words"] == words[name]


def test_patches_are_of_two_by_two_pixels(data, trained):
    study = find_study("cifar10", data, trained)
    assert study.masker.mask(study.inputs[0]).graph.d == 32 * 32
    assert study.patches.mask(study.inputs[0]).graph.d == 16 * 16


def test_the_sentence_is_that_of_the_paper(data, trained):
    study = find_study("sentence", data, trained)
    assert list(study.inputs) == ["It is not heartwarming or entertaining. It just sucks."]
    assert study.classes == ("negative", "positive")


def test_a_card_is_summarized(data, trained, tmp_path):
    folder = tmp_path / "word-cnn"
    folder.mkdir()
    for file in (trained / "word-cnn").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    card = {"model": "word-cnn", "accuracy": 0.75, "train": {"inputs": 6}, "loss": [1.0]}
    (folder / "card.json").write_text(json.dumps(card))
    about = find_study("imdb", data, tmp_path).description
    assert (about["model"], about["accuracy"], about["train"]) == ("word-cnn", 0.75, 6)
    assert "loss" not in about
    assert about["weights"] == find_study("imdb", data, trained).description["weights"]


def test_every_study_has_a_network_of_the_paper():
    assert {source.model for source in SOURCES.values()} == set(MODELS)


def test_data_that_is_not_there(trained, tmp_path):
    with pytest.raises(lc.errors.DataError, match=r"Expected the data set yahoo, got nothing\."):
        find_study("yahoo", tmp_path, trained)
