"""What a picture of an input needs: one class for each kind of input.

A masker makes the view of its input, an explanation carries it, files keep it, and `lcshap.show` draws it. All views
have `labels`, the unit of each part of the input, -1 for none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import OptionError

LARGE_IMAGE = 4096  # pixels: an image of more is a photograph, cut into superpixels where nobody says how

SEPARATORS = "_=.:-/ []"  # between the name of a feature and that of its category, in the names of one-hot columns


@dataclass(frozen=True, eq=False, kw_only=True)
class View:
    """An input, and the unit of each of its parts.

    Views are equal if all their fields are, arrays to the last bit.

    Attributes
    ----------
    labels : the unit of each part, -1 for none. What a part is, each kind of view says.
    kind : the name of the kind in files.

    Examples
    --------
    >>> view = TextView(text="so good", spans=[[0, 2], [3, 7]], labels=[0, 1])
    >>> view.grouped([0, 0]).labels
    array([0, 0])
    >>> view == TextView(text="so good", spans=[[0, 2], [3, 7]], labels=[0, 1])
    True
    """

    kind: ClassVar[str] = ""

    labels: NDArray[np.intp]

    def __post_init__(self) -> None:
        labels = np.asarray(self.labels)
        if labels.dtype.kind not in "iu" and labels.size:
            raise OptionError(f"Expected integers as labels of a view, got {labels.dtype}.")
        object.__setattr__(self, "labels", labels.astype(np.intp, copy=False))

    def grouped(self, groups: ArrayLike) -> Self:
        """The view of an explanation by groups of units; ``groups[i]`` is the group of unit i."""
        return replace(self, labels=np.where(self.labels < 0, -1, np.asarray(groups)[self.labels]))

    def of_output(self, output: int) -> Self:
        """The view of an explanation of one output of several."""
        return self

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return all(_same(one, two) for one, two in pairs)

    __hash__ = None  # type: ignore[assignment]

    def _expect(self, shape: tuple[int, ...], what: str) -> None:
        if self.labels.shape != shape:
            raise OptionError(f"Expected a label for each {what}, shape {shape}, got {self.labels.shape}.")

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True, eq=False, kw_only=True)
class TextView(View):
    """A text. Its parts are `spans`.

    Attributes
    ----------
    text : all of it.
    spans : `(n, 2)`, where each part starts and ends, in characters.
    sentences : `(m, 2)`, where sentences start and end; empty where nobody looked for them.
    """

    kind: ClassVar[str] = "text"

    text: str
    spans: NDArray[np.int64]
    sentences: NDArray[np.int64] = ()  # type: ignore[assignment]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(spans=_spans(self.spans), sentences=_spans(self.sentences))
        self._expect((len(self.spans),), "span")

    @property
    def parts(self) -> tuple[str, ...]:
        """The text of each span."""
        return tuple(self.text[start:end] for start, end in self.spans.tolist())


@dataclass(frozen=True, eq=False, kw_only=True)
class PromptView(TextView):
    """A prompt and the answer that a language model gave to it. The parts are spans of the prompt.

    Attributes
    ----------
    sources : `(n, 2)`, where the sources (documents) start and end in the prompt.
    answer : the text of the answer; empty where it is not known.
    answer_spans : `(outputs, 2)`, which part of the answer each output of the explanation is about.
    """

    kind: ClassVar[str] = "prompt"

    sources: NDArray[np.int64] = ()  # type: ignore[assignment]
    answer: str = ""
    answer_spans: NDArray[np.int64] = ()  # type: ignore[assignment]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(sources=_spans(self.sources), answer_spans=_spans(self.answer_spans))

    def of_output(self, output: int) -> Self:
        """The same prompt, with the part of the answer that this output is about."""
        return replace(self, answer_spans=self.answer_spans[output : output + 1])

    @property
    def answer_parts(self) -> tuple[str, ...]:
        """The part of the answer that each output is about."""
        return tuple(self.answer[start:end] for start, end in self.answer_spans.tolist())


@dataclass(frozen=True, eq=False, kw_only=True)
class BytesView(View):
    """The bytes of a file. Its parts are `spans`.

    Attributes
    ----------
    bytes : all of them.
    spans : `(n, 2)`, where each part starts and ends.
    """

    kind: ClassVar[str] = "bytes"

    bytes: NDArray[np.uint8]
    spans: NDArray[np.int64]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(bytes=np.asarray(self.bytes, np.uint8), spans=_spans(self.spans))
        self._expect((len(self.spans),), "span")


@dataclass(frozen=True, eq=False, kw_only=True)
class ImageView(View):
    """An image. Its parts are pixels, `labels` is `(height, width)`.

    Attributes
    ----------
    image, reference : `(height, width, channels)`; the reference is what stands where units are absent.
    """

    kind: ClassVar[str] = "image"

    image: NDArray[Any]
    reference: NDArray[Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(image=np.asarray(self.image), reference=np.asarray(self.reference))
        if self.image.ndim != 3 or self.reference.shape != self.image.shape:
            raise OptionError(
                "Expected an image of shape (height, width, channels) and a reference of the same shape, got "
                f"{self.image.shape} and {self.reference.shape}."
            )
        self._expect(self.image.shape[:2], "pixel")

    @property
    def photograph(self) -> bool:
        """Whether the image is so large that people look for things in it: pictures keep it visible under colours."""
        return self.labels.size > LARGE_IMAGE


@dataclass(frozen=True, eq=False, kw_only=True)
class SeriesView(View):
    """A time series. Its parts are numbers, `labels` is `(steps, channels)`.

    Attributes
    ----------
    series : `(steps, channels)`.
    channels : their names.
    """

    kind: ClassVar[str] = "series"

    series: NDArray[Any]
    channels: tuple[str, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(series=np.asarray(self.series), channels=tuple(map(str, self.channels)))
        if self.series.ndim != 2 or self.series.shape[1] != len(self.channels):
            raise OptionError(
                f"Expected a series of shape (steps, channels) and {len(self.channels)} channels, got "
                f"{self.series.shape}."
            )
        self._expect(self.series.shape, "number")


@dataclass(frozen=True, eq=False, kw_only=True)
class TableView(View):
    """A row of a table. Its parts are columns.

    Attributes
    ----------
    columns : their names.
    values : the number in each; NaN where there is none.
    texts : how each value reads where it is no number, such as "Paris" or "missing"; an empty text where it is one.
        Empty for a table of numbers.
    """

    kind: ClassVar[str] = "table"

    columns: tuple[str, ...]
    values: NDArray[Any]
    texts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        columns, texts = tuple(map(str, self.columns)), tuple(map(str, self.texts))
        self._set(columns=columns, values=np.asarray(self.values), texts=texts if any(texts) else ())
        if texts and len(texts) != len(columns):
            raise OptionError(f"Expected {len(columns)} texts, one a column, got {len(texts)}.")
        if self.values.shape != (len(self.columns),):
            raise OptionError(f"Expected {len(self.columns)} values, one a column, got shape {self.values.shape}.")
        self._expect(self.values.shape, "column")

    @property
    def unit_values(self) -> dict[int, float]:
        """The number of each unit that is one column; NaN where it is none.

        >>> TableView(columns=["age", "x", "y"], values=[70.0, 1.0, 2.0], labels=[0, 1, 1]).unit_values
        {0: 70.0}
        """
        return {unit: float(self.values[columns[0]]) for unit, columns in self._units.items() if len(columns) == 1}

    @property
    def unit_texts(self) -> dict[int, str]:
        """How the value of each unit reads that is no number: of a column its text, of a one-hot block its category.

        >>> view = TableView(columns=["sex", "city_Oslo", "city_Rome"], values=[np.nan, 0, 1], labels=[0, 1, 1],
        ...                  texts=["female", "", ""])
        >>> view.unit_texts
        {0: 'female', 1: 'Rome'}
        """
        found = {}
        for unit, columns in self._units.items():
            text = self.texts[columns[0]] if len(columns) == 1 and self.texts else ""
            if len(columns) > 1:
                text = hot_name([self.columns[c] for c in columns], self.values[columns])
            if text:
                found[unit] = text
        return found

    @property
    def _units(self) -> dict[int, NDArray[np.intp]]:
        """The columns of each unit."""
        order = np.argsort(self.labels, kind="stable")
        units, starts = np.unique(self.labels[order], return_index=True)
        parts = np.split(order, starts[1:])
        return {int(unit): part for unit, part in zip(units, parts, strict=True) if unit >= 0}


@dataclass(frozen=True, eq=False, kw_only=True)
class MoleculeView(View):
    """A molecule. Its parts are atoms.

    Attributes
    ----------
    block : a mol block, which keeps the order of the atoms.
    """

    kind: ClassVar[str] = "molecule"

    block: str


KINDS: dict[str, type[View]] = {
    view.kind: view for view in (TextView, BytesView, ImageView, SeriesView, TableView, MoleculeView, PromptView)
}


def hot_name(names: Sequence[str], values: NDArray[Any]) -> str:
    """The category that a one-hot block says: what the name of the column that is 1 has of its own.

    >>> hot_name(["city_Oslo", "city_Rome"], np.array([0.0, 1.0])), hot_name(["age", "dose"], np.array([70.0, 2.0]))
    ('Rome', '')
    """
    if not set(values.tolist()) <= {0, 1} or values.sum() != 1:
        return ""
    stem = block_name(names)
    return names[int(values.argmax())][len(stem) :].lstrip(SEPARATORS) if stem else ""


def block_name(names: Sequence[str]) -> str:
    """What the names of the columns of a one-hot block have in common, up to a separator; empty if nothing.

    >>> block_name(["city_New_York", "city_Oslo"]), block_name(["x0", "x1"]), block_name(["city=Oslo", "city=Ostia"])
    ('city', '', 'city')
    """
    first, last = min(names), max(names)
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[: max(first.rfind(mark, 0, same) for mark in SEPARATORS) + 1].rstrip(SEPARATORS)


def owners(view: TextView | BytesView) -> NDArray[np.intp]:
    """The unit of each character of a text or of each byte of a file, -1 for none.

    >>> owners(TextView(text="so good", spans=[[0, 2], [3, 7]], labels=[0, 1])).tolist()
    [0, 0, -1, 1, 1, 1, 1]
    """
    found = np.full(len(view.text if isinstance(view, TextView) else view.bytes), -1, np.intp)
    for (start, end), unit in zip(view.spans.tolist(), view.labels.tolist(), strict=True):
        found[start:end] = unit
    return found


def _spans(given: Any) -> NDArray[np.int64]:
    return np.asarray(given, np.int64).reshape(-1, 2)


def _same(one: Any, two: Any) -> bool:
    if isinstance(one, np.ndarray):
        if one.dtype != two.dtype or one.shape != two.shape:
            return False
        return np.ascontiguousarray(one).tobytes() == np.ascontiguousarray(two).tobytes()
    return bool(one == two)
