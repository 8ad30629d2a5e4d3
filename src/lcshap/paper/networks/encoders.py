"""Encoders of raw inputs as the numbers that a network takes: words, characters, pixels. They need only NumPy."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError
from ...maskers.base import Masker, Rows
from ...maskers.image import Image
from ...maskers.text import Text
from .blanks import Blanks

PADDING = "<pad>"  # the word for padding, whose id is 0
WORD = r"(?<![<\w])\w+(?:'\w+)*"  # words, except for tags such as <br />
# Zhang et al. list 70 characters, with the line break and with the hyphen twice: 69 different ones.
ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789-,;.!?:'\"/\\|_@#$%^&*~`+=<>()[]{}\n"

_WORD_OR_PADDING = re.compile(f"{PADDING}|{WORD}")
_MAX_CACHED_TEXTS, _MAX_CACHED_LENGTH = 100_000, 100  # texts between white spaces in the cache, and their letters
_CODES = np.zeros(128, np.uint8)
_CODES[[ord(c) for c in ALPHABET]] = np.arange(1, len(ALPHABET) + 1)


class Encoder(ABC):
    """Converts raw inputs to arrays. Its name and parameters are saved with the weights as JSON."""

    @abstractmethod
    def encode(self, rows: Rows) -> NDArray[Any]:
        """An array with one row for each input."""

    @abstractmethod
    def masker(self) -> Masker:
        """Absent units as in the paper: zero padding for words, the average pixel for images."""

    def clip(self, x: Any) -> Any:
        """The part of an input that the network reads, because units outside it would have scores of zero."""
        return x

    def trim(self, array: NDArray[Any]) -> NDArray[Any]:
        """Remove columns of padding that change nothing for any of these rows."""
        return array

    def lengths(self, array: NDArray[Any]) -> NDArray[np.int64]:
        """The length of each row, because rows of similar length are trained in one batch."""
        return np.zeros(len(array), np.int64)

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary from which `encoder_from` creates the encoder again."""
        return {"kind": type(self).__name__.lower(), **asdict(self)}  # type: ignore[call-overload]


class _Padded(Encoder):
    """Rows of ids, padded with 0 on the right."""

    def lengths(self, array: NDArray[Any]) -> NDArray[np.int64]:
        """The length up to the last id that is not padding."""
        return np.asarray(((array != 0) * np.arange(1, array.shape[1] + 1)).max(axis=1, initial=0), np.int64)

    def trim(self, array: NDArray[Any]) -> NDArray[Any]:
        """As many columns as the longest row needs."""
        return array[:, : self.width(int(self.lengths(array).max(initial=0)))]

    @abstractmethod
    def width(self, longest: int) -> int:
        """The number of columns that gives the same answers as any larger number."""


class _Ids(dict[str, tuple[int, ...]]):
    """A cache of the ids of the words between two white spaces, because the rows of one text have the same words.

    No word contains white space, and the character before a word matters only if it touches the word.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        super().__init__()
        self._words = {PADDING: 0, **{word: i for i, word in enumerate(vocabulary, start=2)}}

    def __missing__(self, text: str) -> tuple[int, ...]:
        ids = tuple(self._words.get(word.lower(), 1) for word in _WORD_OR_PADDING.findall(text))
        if len(self) >= _MAX_CACHED_TEXTS:
            self.clear()
        if len(text) <= _MAX_CACHED_LENGTH:
            self[text] = ids
        return ids


@dataclass(frozen=True)
class Words(_Padded):
    """Words without case and punctuation, by their rank; 0 is padding and 1 a word outside the vocabulary.

    Parameters
    ----------
    vocabulary : the words with the ids 2, 3, ...
    length : the number of words that the network reads. They are the last of a longer text, because reviews end with
        their verdict.
    margin : the columns of padding that a row needs after its last word. With a convolution of three words and
        max-pooling they are three: then there is a window of padding alone, and more of them change nothing.

    Examples
    --------
    >>> words = Words(("good", "film"), length=4)
    >>> words.encode(["A good<br />film!", "<pad> film"]).tolist()
    [[1, 2, 3], [0, 3, 0]]
    >>> words.clip("One film. Not a good film.")
    'Not a good film.'
    """

    vocabulary: tuple[str, ...]
    length: int = 400
    margin: int = 0

    @classmethod
    def learn(cls, texts: Sequence[str], ids: int, length: int = 400, margin: int = 0) -> Words:
        """The most frequent words of some texts; `ids` includes those of padding and unknown words."""
        counts = Counter(word.lower() for text in _check_texts(texts) for word in re.findall(WORD, text))
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(tuple(ranked[: ids - 2]), length, margin)

    @cached_property
    def _ids(self) -> _Ids:
        return _Ids(self.vocabulary)

    def encode(self, rows: Rows) -> NDArray[np.int64]:
        """One row of ids a text."""
        ids_of = self._ids.__getitem__
        word_ids = [list(chain.from_iterable(map(ids_of, text.split())))[-self.length :] for text in _check_texts(rows)]
        ids = np.zeros((len(word_ids), self.width(max(map(len, word_ids), default=0))), np.int64)
        for row, words in zip(ids, word_ids, strict=True):
            row[: len(words)] = words
        return ids

    def width(self, longest: int) -> int:
        """The longest row and the margin."""
        return min(max(longest + self.margin, 1), self.length)

    def clip(self, x: str) -> str:
        """The text from the first word that the network reads to the end."""
        starts = [match.start() for match in _WORD_OR_PADDING.finditer(x)]
        return x if len(starts) <= self.length else x[starts[-self.length] :]

    def masker(self) -> Text:
        """Words as the network reads them; absent ones are replaced by id 0."""
        return Text(splitter=WORD, absent=PADDING)


@dataclass(frozen=True)
class Characters(_Padded):
    """Characters of `ALPHABET` without case, from the last to the first, as Zhang et al. read them; others are 0.

    >>> Characters(length=150).encode(["Ab c!"])[0, :5].tolist()
    [41, 3, 0, 2, 1]
    """

    length: int = 1014
    window: int = 123  # the number of characters in the receptive field of a frame of the network's last pooling
    step: int = 27  # characters from one frame to the next

    def encode(self, rows: Rows) -> NDArray[np.int64]:
        """One row of ids a text."""
        texts = [text.lower()[: -self.length - 1 : -1] for text in _check_texts(rows)]
        ids = np.zeros((len(texts), self.length), np.int64)
        for row, text in zip(ids, texts, strict=True):
            codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
            row[: len(codes)] = _CODES[np.where(codes < len(_CODES), codes, 0)]
        return self.trim(ids)

    def width(self, longest: int) -> int:
        """As many columns as give a last frame of padding alone, which the network repeats for the missing ones."""
        return min(self.window + self.step * -(-longest // self.step), self.length)

    def clip(self, x: str) -> str:
        """The last characters."""
        return x[-self.length :]

    def masker(self) -> Blanks:
        """Words; each character of an absent word is replaced by a blank, which is padding for the network."""
        return Blanks()


@dataclass(frozen=True)
class Pixels(Encoder):
    """Images of one size, from 0 to 255, as floating-point numbers."""

    shape: tuple[int, ...]

    def encode(self, rows: Rows) -> NDArray[np.float32]:
        """The checked images."""
        images = np.asarray(rows)
        if images.dtype.kind not in "biuf" or images.shape[1:] != tuple(self.shape):
            raise ModelError(f"Expected images of shape {tuple(self.shape)}, got {images.dtype} {images.shape[1:]}.")
        return images.astype(np.float32)

    def masker(self) -> Image:
        """Pixels; absent ones get the average of the image."""
        return Image("pixel")


_KINDS: dict[str, Callable[..., Encoder]] = {"words": Words, "characters": Characters, "pixels": Pixels}


def encoder_from(content: dict[str, Any]) -> Encoder:
    """Create the encoder that `to_dict` has described."""
    fields = {name: tuple(entry) if isinstance(entry, list) else entry for name, entry in content.items()}
    kind = fields.pop("kind", None)
    if kind not in _KINDS:
        raise ModelError(f"Expected one of {', '.join(_KINDS)} as the kind of encoder, got {kind!r}.")
    return _KINDS[kind](**fields)


def _check_texts(rows: Rows) -> Sequence[str]:
    if isinstance(rows, str) or not all(isinstance(text, str) for text in rows):
        raise ModelError("Expected a list of texts, got something else.")
    return rows  # type: ignore[no-any-return]
