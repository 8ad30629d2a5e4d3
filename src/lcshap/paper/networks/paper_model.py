"""The models of the paper, from raw inputs to logits: made, saved, loaded and exported."""

from __future__ import annotations

import json
import logging
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...adapters.onnx import OnnxModel
from ...adapters.torch import TorchModel
from ...errors import ModelError, OptionError
from ...extras import import_optional
from ...maskers.base import Masker
from .encoders import Characters, Encoder, Pixels, Words, encoder_from


@dataclass(frozen=True)
class TrainingRecipe:
    """How a model of the paper is made and trained.

    Attributes
    ----------
    network : the name of its class in `lcshap.paper.networks.modules`.
    encoder : makes the encoder of the training inputs.
    dataset, classes : the training data of the paper.
    optimiser, options : a class of `torch.optim` and its parameters.
    batch, epochs : rows per step, and passes over the data.
    halve : the step size is halved each time after so many epochs; 0 for never.
    dropout_from : the epoch with which dropout begins. In short trials the char-CNN became better than chance within
        450 steps without it, and not within 250 with it.
    """

    network: str
    encoder: Callable[[Any], Encoder]
    dataset: str
    optimiser: str
    options: dict[str, float]
    batch: int
    epochs: int
    halve: int = 0
    dropout_from: int = 0
    classes: tuple[str, ...] | None = None


_RMSPROP = {"lr": 1e-3, "alpha": 0.9, "eps": 1e-7}
MODELS = {
    "word-cnn": TrainingRecipe(
        network="WordCNN",
        encoder=lambda texts: Words.learn(texts, ids=5000, length=400, margin=3),
        dataset="imdb",
        optimiser="RMSprop",
        options={**_RMSPROP, "lr": 2e-3},
        batch=32,
        epochs=4,
        halve=1,
    ),
    "char-cnn": TrainingRecipe(
        network="CharCNN",
        encoder=lambda texts: Characters(),
        dataset="agnews",
        optimiser="SGD",
        options={"lr": 0.01, "momentum": 0.9},
        batch=32,
        epochs=12,
        halve=4,
        dropout_from=3,
    ),
    "lstm": TrainingRecipe(
        network="BiLSTM",
        encoder=lambda texts: Words.learn(texts, ids=20_001, length=150),
        dataset="yahoo",
        optimiser="RMSprop",
        options=_RMSPROP,
        batch=32,
        epochs=6,
    ),
    "mnist-cnn": TrainingRecipe(
        network="MnistCNN",
        encoder=lambda images: Pixels((28, 28)),
        dataset="mnist",
        classes=("3", "8"),
        optimiser="Adam",
        options={"lr": 2e-3},
        batch=64,
        epochs=12,
    ),
    "cifar-cnn": TrainingRecipe(
        network="CifarCNN",
        encoder=lambda images: Pixels((32, 32, 3)),
        dataset="cifar10",
        classes=("deer", "horse"),
        optimiser="Adam",
        options={"lr": 1e-3},
        batch=32,
        epochs=30,
        halve=6,
    ),
}


@dataclass(frozen=True, eq=False)
class PaperModel:
    """A network and the encoder of its inputs.

    Attributes
    ----------
    name : one of `MODELS`.
    network : the PyTorch module; it returns logits.
    encoder : converts raw texts or images to rows of numbers.
    classes : the names of the classes.

    Examples
    --------
    ``Explainer(model.adapter(), model.masker())(text)`` explains as the paper does, with zeros for absent words;
    ``Explainer(model.adapter(), Text())(text)`` deletes them instead. Texts longer than the network reads are cut by
    ``model.encoder.clip(text)``.
    """

    name: str
    network: Any
    encoder: Encoder
    classes: tuple[str, ...]

    def adapter(self) -> TorchModel:
        """The model as the explainer takes it: raw texts or images to logits."""
        model = TorchModel(self.network, "logits", prepare=self.encoder.encode)
        model.classes = self.classes
        return model

    def masker(self) -> Masker:
        """Absent units as in the paper: zero padding for words, the average pixel for images."""
        return self.encoder.masker()

    def accuracy(self, inputs: Any, labels: NDArray[np.int64], batch: int = 250) -> float:
        """The accuracy of the model on `inputs` with these `labels`, computed in batches of `batch` inputs."""
        model = self.adapter()
        starts = range(0, len(labels), batch)
        correct = [model.predict(inputs[s : s + batch]).argmax(axis=1) == labels[s : s + batch] for s in starts]
        return float(np.concatenate(correct).mean())

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write ``weights.npz`` and ``model.json`` into a folder, which is created if it does not exist."""
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        weights = {name: tensor.detach().cpu().numpy() for name, tensor in self.network.state_dict().items()}
        np.savez(path / "weights.npz", **weights)
        _write_json(path / "model.json", self._description())
        return path

    def export(self, path: str | os.PathLike[str]) -> Path:
        """Write an ONNX graph to `path`, and beside it a JSON file with the encoder and the classes, for
        `read_onnx`.
        """
        torch, path = import_optional("torch", "torch"), Path(path)
        import_optional("onnxscript", "train")
        shape = self.encoder.shape if isinstance(self.encoder, Pixels) else None
        example = np.zeros((2, *shape)) if shape else ["five words for the exporter"] * 2
        with _quiet_exporter():
            program = torch.onnx.export(
                self.network.eval(),
                (torch.from_numpy(self.encoder.encode(example)),),
                input_names=["rows"],
                output_names=["logits"],
                dynamic_shapes=({axis: torch.export.Dim.DYNAMIC for axis in range(1 if shape else 2)},),
                dynamo=True,
                verbose=False,
            )
        for node in program.model.graph.all_nodes():
            node.metadata_props.clear()  # removes the position of each operation in the source code
        program.save(path, external_data=False)
        _write_json(path.with_suffix(".json"), self._description())
        return path

    def _description(self) -> dict[str, Any]:
        return {"name": self.name, "classes": list(self.classes), "encoder": self.encoder.to_dict()}


def make(name: str, inputs: Any, classes: Sequence[str], seed: int = 0) -> PaperModel:
    """A model with random weights and the vocabulary of its training inputs.

    Parameters
    ----------
    name : "word-cnn", "char-cnn", "lstm", "mnist-cnn" or "cifar-cnn".
    inputs : the training inputs, texts or images.
    classes : the names of the classes.
    seed : the seed of the random weights.

    Returns
    -------
    PaperModel : the network with random weights, and the encoder for its inputs.

    Examples
    --------
    >>> from lcshap.paper.networks import make
    >>> make("word-cnn", ["a good film", "a bad film"], ["negative", "positive"]).classes
    ('negative', 'positive')
    """
    torch, encoder = import_optional("torch", "torch"), find_recipe(name).encoder(inputs)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = _create_network(name, len(classes))
    return PaperModel(name, network, encoder, tuple(classes))


def load(folder: str | os.PathLike[str]) -> PaperModel:
    """Read what `PaperModel.save` (or training) wrote. Nothing in the files is executed.

    Parameters
    ----------
    folder : the folder that the model was saved to.

    Returns
    -------
    PaperModel : the network with its weights and its encoder.

    Raises
    ------
    ModelError : if a file is missing, or was not written by `PaperModel.save`.

    Examples
    --------
    >>> import tempfile
    >>> from lcshap.paper.networks import load, make
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load(make("word-cnn", ["a good film"], ["negative", "positive"]).save(folder)).classes
    ('negative', 'positive')
    """
    torch, path = import_optional("torch", "torch"), Path(folder)
    name, classes, encoder = _read_description(path / "model.json")
    network = _create_network(name, len(classes))
    with np.load(_check_file(path / "weights.npz"), allow_pickle=False) as weights:
        try:
            network.load_state_dict({key: torch.from_numpy(weights[key]) for key in weights})
        except RuntimeError as error:
            raise ModelError(
                f"Expected the weights of a {name}, got {path}, which has something else: {error}."
            ) from error
    return PaperModel(name, network.eval(), encoder, classes)


def read_onnx(path: str | os.PathLike[str]) -> tuple[OnnxModel, Encoder]:
    """Read what `PaperModel.export` wrote, as a model of raw inputs, without PyTorch; and its encoder, for the masker.

    Parameters
    ----------
    path : the ``.onnx`` file; a ``.json`` file of the same name is beside it.

    Returns
    -------
    tuple of OnnxModel and Encoder : the model, and the encoder of its inputs.

    Examples
    --------
    >>> from importlib.resources import files
    >>> from lcshap.paper.networks import read_onnx
    >>> model, encoder = read_onnx(str(files("lcshap.paper.networks") / "weights" / "digits.onnx"))
    >>> model.kind
    'logits'
    """
    path = Path(path)
    _, classes, encoder = _read_description(path.with_suffix(".json"))
    model = OnnxModel(_check_file(path), "logits", input=lambda rows: {"rows": encoder.encode(rows)})
    model.classes = classes
    return model, encoder


def find_recipe(name: str) -> TrainingRecipe:
    """Return the recipe of a model of the paper; `OptionError` if there is no model of that name."""
    if name not in MODELS:
        raise OptionError(f"Expected one of the models of the paper, {', '.join(MODELS)}, got {name!r}.")
    return MODELS[name]


@contextmanager
def _quiet_exporter() -> Iterator[None]:
    """Suppress the warnings of the exporter, and its messages about packages that are not needed."""
    log = logging.getLogger("torch.onnx")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)


def _create_network(name: str, classes: int) -> Any:
    from . import modules as networks

    return getattr(networks, find_recipe(name).network)(classes)


def _read_description(path: Path) -> tuple[str, tuple[str, ...], Encoder]:
    text = _check_file(path).read_text(encoding="utf-8")
    try:
        content = json.loads(text)
        find_recipe(content["name"])
        return content["name"], tuple(content["classes"]), encoder_from(content["encoder"])
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"Expected the description of a model of lcshap, got {path}, which is something else: {error!r}."
        ) from error


def _check_file(path: Path) -> Path:
    if not path.is_file():
        raise ModelError(
            f"Expected a file with a model, got {os.fspath(path)!r}, which does not exist. Train the model "
            "with python -m lcshap.paper.networks.train."
        )
    return path


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
