"""The class of data sets, and functions that the readers of files share."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError as DataError

HELD_OUT = 5  # one of so many items is in the test set, if the package has none


@dataclass(frozen=True, eq=False)
class Dataset:
    """Inputs with their labels.

    Attributes
    ----------
    inputs : a list of texts, or an array of images `(n, height, width)` or `(n, height, width, 3)` of uint8.
    labels : for each input the number of its class, from 0.
    classes : the names of the classes.
    name : the name of the data set.
    source : the files or the package that it was read from.

    Examples
    --------
    >>> few = Dataset(["good", "bad", "fine"], np.array([1, 0, 1]), ("negative", "positive"), "toy", "here")
    >>> len(few), few.take([2, 1]).inputs
    (3, ['fine', 'bad'])
    """

    inputs: Any
    labels: NDArray[np.int64]
    classes: tuple[str, ...]
    name: str
    source: str

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, which: Sequence[int] | NDArray[np.integer]) -> Dataset:
        """The inputs whose numbers are in `which`, in this order."""
        numbers = np.asarray(which, np.int64)
        texts = isinstance(self.inputs, list)
        inputs = [self.inputs[i] for i in numbers.tolist()] if texts else self.inputs[numbers]
        return replace(self, inputs=inputs, labels=self.labels[numbers])

    def shuffled(self, seed: int = 0) -> Dataset:
        """The same in another order, which depends on the seed alone."""
        return self.take(np.random.default_rng(seed).permutation(len(self)))


RawDataset = tuple[Any, NDArray[np.int64], str]  # inputs, the number of each one's class in the full list, the source


def held_out(items: Iterable[bytes]) -> NDArray[np.bool_]:
    """Return which items are for testing: one in five, chosen by their content, so that equal items stay together."""
    return np.array([zlib.crc32(item) % HELD_OUT == 0 for item in items])


def first_file(folder: Path, *names: str) -> Path | None:
    """The first of these files that the folder has, as it is or compressed by gzip. Names may have wildcards."""
    candidates = (path for name in names for suffix in ("", ".gz") for path in sorted(folder.glob(name + suffix)))
    return next((path for path in candidates if path.is_file()), None)


def first_folder(folder: Path, *names: str) -> Path | None:
    """The first of these folders that the folder has."""
    return next((folder / name for name in names if (folder / name).is_dir()), None)


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file, compressed by gzip or not."""
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def package_file(package: str, name: str) -> Path | None:
    """A file of an installed package, which is not imported; None without the package."""
    spec = find_spec(package)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent / name
