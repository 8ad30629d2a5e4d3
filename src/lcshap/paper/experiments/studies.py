"""The studies of the paper: its data sets and models, which are trained first if they are missing."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ...maskers.image import Image
from ..networks.demo import SENTENCE
from .study import Study


class StudySource(NamedTuple):
    """A model of `lcshap.paper.networks` and the data set that it is trained and tested on."""

    model: str
    dataset: str


SOURCES = {
    "imdb": StudySource("word-cnn", "imdb"),
    "agnews": StudySource("char-cnn", "agnews"),
    "yahoo": StudySource("lstm", "yahoo"),
    "newsgroups": StudySource("lstm", "20newsgroups"),
    "mnist": StudySource("mnist-cnn", "mnist"),
    "cifar10": StudySource("cifar-cnn", "cifar10"),
}
PATCH = 2  # in pixels; with it, L- and C-Shapley of order 1 take about 4.8 calls per pixel instead of 21


def find_study(
    name: str,
    data: str | os.PathLike[str] | None,
    models: str | os.PathLike[str],
    seed: int = 0,
    progress: bool | None = None,
) -> Study:
    """A study by its name.

    Parameters
    ----------
    name : one of `SOURCES`, or "sentence": the paper's example, on the model of "imdb".
    data : the folder with the data, see `lcshap.paper.datasets.load`.
    models : the folder of trained models, each in a folder of its name (with the data set, if it is not the paper's:
        "lstm-20newsgroups"). A missing model is trained with the seed.
    """
    from ..datasets import load as load_data
    from ..networks import MODELS
    from ..networks import load as load_model

    source = SOURCES["imdb" if name == "sentence" else name]
    recipe = MODELS[source.model]
    is_papers_dataset = source.dataset == recipe.dataset
    folder = Path(models) / (source.model if is_papers_dataset else f"{source.model}-{source.dataset}")
    if not (folder / "model.json").is_file():
        from ..networks.train import train

        train(source.model, folder, data, source.dataset, seed, progress=progress)
    model = load_model(folder)
    masker = model.masker()
    about = _describe_model(folder)
    if name == "sentence":
        return Study(name, model.adapter(), masker, [SENTENCE], [0], model.classes, description=about)
    test = load_data(source.dataset, data, "test", recipe.classes if is_papers_dataset else None)
    return Study(
        name,
        model.adapter(),
        masker,
        [model.encoder.clip(x) for x in test.inputs],
        test.labels.tolist(),
        model.classes,
        patches=replace(masker, patch=PATCH) if isinstance(masker, Image) else None,
        description={**about, "classes": len(model.classes), "test": len(test), "words": _mean_word_count(test.inputs)},
    )


def _describe_model(folder: Path) -> dict[str, Any]:
    """Return a part of the card of the model, and a hash of its weights that identifies it in later runs."""
    card = folder / "card.json"
    content = json.loads(card.read_text(encoding="utf-8")) if card.is_file() else {}
    entries = {key: content[key] for key in ("model", "parameters", "accuracy", "epochs") if key in content}
    entries |= {"train": content["train"]["inputs"]} if "train" in content else {}
    digest = hashlib.sha256((folder / "weights.npz").read_bytes()).hexdigest()
    return {**entries, "weights": digest[:16]}


def _mean_word_count(inputs: Any) -> float | None:
    """Return the mean number of words of texts, without punctuation."""
    from ..networks.encoders import WORD

    if not isinstance(inputs[0], str):
        return None
    return sum(len(re.findall(WORD, text)) for text in inputs) / len(inputs)
