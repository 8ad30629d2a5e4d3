"""A study that was run, a study of images, and data and networks of the paper's kind that have learnt nothing."""

import csv

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from torch import nn
from toy_study import text_study

import lcshap as lc
from lcshap.adapters import TorchModel
from lcshap.paper import networks as models
from lcshap.paper.experiments.reproduce import reproduce
from lcshap.paper.experiments.study import Study

NEGATIVE, POSITIVE = "It was dull and I left. Bad film!", "A good film, and a warm one."


@pytest.fixture(scope="session")
def toy(tmp_path_factory):
    return reproduce(text_study(), samples=3, out=tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
def trained(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    texts = [NEGATIVE, POSITIVE]
    for name, folder_name, inputs, classes in (
        ("word-cnn", "word-cnn", texts, ("negative", "positive")),
        ("char-cnn", "char-cnn", texts, tuple("abcd")),
        ("lstm", "lstm", texts, tuple("abcdefghij")),
        ("lstm", "lstm-20newsgroups", texts, ("sci.med", "sci.space")),
        ("cifar-cnn", "cifar-cnn", np.zeros((1, 32, 32, 3), np.uint8), ("deer", "horse")),
    ):
        models.make(name, inputs, classes).save(folder / folder_name)
    return folder
