"""A small study of texts, what its model says of them, and its curves worked out by hand."""

import csv
from itertools import pairwise

import numpy as np

import lcshap as lc
from lcshap.adapters import CallableModel
from lcshap.paper.experiments.study import Study

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
