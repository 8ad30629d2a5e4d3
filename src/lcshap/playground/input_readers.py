"""Inputs as the page sends them, and examples as the page shows them: a reader for each kind of masker."""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.views import SeriesView
from ..errors import MaskerError, MissingExtraError
from ..extras import import_optional
from ..maskers import Bytes, Image, Masker, Molecule, Series, Subwords, Tabular, Text, Tokens
from ..maskers.image_arrays import channels_back, channels_last, read_image_array
from ..maskers.image_files import decode_image
from ..maskers.masked_table import MaskedFrame, MaskedTabular
from ..show.kinds.image_drawing import to_uint8_levels
from .playground_limits import Limits
from .requests import describe_type
from .rows import cell_kinds, column_cells, make_row, read_cell, row_cells, write_cell

_IMAGE_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")  # Pillow decodes these itself; other formats may call programs.
_MAX_CHOICES = 40  # The page offers this many values of a column.
_MAX_THUMBNAILS = 24  # The page shows this many example images before they are explained.
_MAX_EDITABLE_NUMBERS = 50_000  # A longer series cannot be edited on the page.


class InputReader:
    """Turns what the page sends into an input. This one knows nothing of the input: it offers the examples alone.

    Parameters
    ----------
    masker : of the explainer.
    examples : inputs that the page offers.
    limits : of the playground.

    Attributes
    ----------
    kind : how the page edits an input: "text", "smiles", "tokens", "series", "image", "bytes", "table", or
        "examples".
    """

    kind = "examples"

    def __init__(self, masker: Masker, examples: Sequence[Any], limits: Limits) -> None:
        self.masker, self.examples, self.limits = masker, list(examples), limits

    def read(self, sent: Any) -> Any:
        """The input that the page sends: the number of an example, or a content. Raises `MaskerError`."""
        if not isinstance(sent, dict) or len(sent) != 1:
            raise MaskerError(
                f'Expected an input as an object with one field, such as {{"text": "..."}}, got {describe_type(sent)}.'
            )
        ((kind, content),) = sent.items()
        if kind == "example":
            if isinstance(content, bool) or not isinstance(content, int) or not 0 <= content < len(self.examples):
                raise MaskerError(f"Expected the number of one of {len(self.examples)} examples, got {content!r:.40}.")
            return self.examples[content]
        if kind != self.kind or kind == "examples":
            raise MaskerError(f"Expected an input of kind {self.kind!r}, got {kind!r:.40}.")
        return self.parse(content)

    def parse(self, content: Any) -> Any:
        """The input from its content."""
        raise MaskerError(
            "Expected the number of an example, got an input. This playground has only examples to choose from."
        )

    def content(self, x: Any) -> Any:
        """The content of an example, for the editor of the page; None where it is shown by its number alone."""
        return None

    def describe(self) -> dict[str, Any]:
        """What the editor of the page needs."""
        titles = [self.title(number, x) for number, x in enumerate(self.examples)]
        contents = [self.content(x) for x in self.examples]
        listed = [{"title": t, "content": c} for t, c in zip(titles, contents, strict=True)]
        return {"kind": self.kind, "examples": listed}

    def title(self, number: int, x: Any) -> str:
        """What an example is called in the list: of a prompt by its question."""
        texts = [value for value in x.values() if isinstance(value, str)] if isinstance(x, Mapping) else []
        return _short_title(texts[0]) if texts else f"example {number + 1}"

    def check_text(self, content: Any, label: str) -> str:
        """Return the content if it is a text that is not too long. `label` names it in error messages."""
        if not isinstance(content, str):
            raise MaskerError(f"Expected {label}, got {type(content).__name__}.")
        if len(content) > self.limits.text:
            raise MaskerError(
                f"Expected {label} of at most {self.limits.text:,} characters, got {len(content):,}. "
                "Give a shorter one."
            )
        return content

    def _decode_base64(self, content: Any, label: str) -> bytes:
        try:
            return base64.b64decode(content, validate=True)
        except (TypeError, ValueError, binascii.Error):
            raise MaskerError(f"Expected {label} in base64, got something else.") from None


class TextReader(InputReader):
    """A text."""

    kind = "text"

    def parse(self, content: Any) -> Any:
        """The text itself."""
        return self.check_text(content, "a text")

    def content(self, x: Any) -> Any:
        """The text itself."""
        return x if isinstance(x, str) else None

    def title(self, number: int, x: Any) -> str:
        """The beginning of the text."""
        return _short_title(str(x))


def _short_title(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:59]}…"


class SmilesReader(TextReader):
    """A molecule in SMILES notation."""

    kind = "smiles"

    def parse(self, content: Any) -> str:
        """The SMILES itself."""
        return self.check_text(content, "a SMILES").strip()


class TokensReader(TextReader):
    """Token ids."""

    kind = "tokens"

    def parse(self, content: Any) -> list[int]:
        """Integers with spaces or commas between."""
        text = self.check_text(content, "token ids")
        try:
            return [int(token) for token in text.replace(",", " ").split()]
        except ValueError:
            raise MaskerError("Expected integers with spaces between as token ids, got something else.") from None

    def content(self, x: Any) -> Any:
        """Integers with spaces between."""
        return " ".join(str(int(i)) for i in x)


class SeriesReader(InputReader):
    """A time series as numbers: a line for each step, with a number for each channel."""

    kind = "series"

    def parse(self, content: Any) -> NDArray[Any]:
        """The series, with the channels and the type of numbers of the first example, where there is one."""
        if not isinstance(content, str):
            raise MaskerError(f"Expected a series as a text, got {type(content).__name__}.")
        lines = [line.replace(",", " ").replace(";", " ").split() for line in content.splitlines() if line.strip()]
        if sum(map(len, lines)) > self.limits.pixels:
            raise MaskerError(
                f"Expected a series of at most {self.limits.pixels:,} numbers, got {sum(map(len, lines)):,}. Give a "
                "shorter one."
            )
        if len(lines) == 1:
            lines = [[token] for token in lines[0]]  # All steps of one channel are in one line.
        widths = {len(line) for line in lines}
        if len(widths) != 1:
            raise MaskerError(
                "Expected a line for each step, with the same number of values in all lines, got lines with "
                f"{' and '.join(map(str, sorted(widths)[:5])) or 'no'} values."
            )
        try:
            table = np.array(lines, np.float64)
        except ValueError:
            raise MaskerError(
                "Expected numbers, with spaces or commas between, and a line for each step, got other words."
            ) from None
        example = np.asarray(self.examples[0]) if self.examples else table
        if example.dtype.kind in "iu":
            table = np.rint(table)
        channels = self.masker.channels  # type: ignore[attr-defined]
        if table.shape[1] == 1 and (example.ndim == 1 or channels in (None, "none")):
            table = table[:, 0]
        elif channels == "first":
            table = np.ascontiguousarray(table.T)
        return table.astype(example.dtype if example.dtype.kind in "iuf" else np.float64)

    def content(self, x: Any) -> str | None:
        """A line for each step, in as many digits as give the same numbers back."""
        view = self.masker.mask(x).view
        assert isinstance(view, SeriesView)
        return (
            None
            if view.series.size > _MAX_EDITABLE_NUMBERS
            else "\n".join(" ".join(map(str, step)) for step in view.series)
        )


class BytesReader(InputReader):
    """A file of any kind."""

    kind = "bytes"

    def parse(self, content: Any) -> bytes:
        """The bytes of the file."""
        return self._decode_base64(content, "a file")


class ImageReader(InputReader):
    """An image file, brought to the size, the channels and the range of the first example, where there is one."""

    kind = "image"

    def parse(self, content: Any) -> NDArray[Any]:
        """The pixels as the model of the examples takes them."""
        encoded = self._decode_base64(content, "an image")
        advice = "Give a smaller image."
        if not self.examples:
            return decode_image(encoded, "the image", self.limits.pixels, formats=_IMAGE_FORMATS, advice=advice)
        example, channels = read_image_array(self.examples[0], self.masker.channels)  # type: ignore[attr-defined]
        height, width, depth = channels_last(example, channels).shape
        decoded = decode_image(
            encoded, "the image", self.limits.pixels, grey=depth == 1, formats=_IMAGE_FORMATS, advice=advice
        )
        if decoded.shape[:2] != (height, width):
            pillow = import_optional("PIL.Image", "image")
            decoded = np.asarray(pillow.fromarray(decoded).resize((width, height)))
        pixels = decoded[..., None] if decoded.ndim == 2 else decoded
        pixels = np.broadcast_to(pixels, (height, width, 3)) if depth >= 3 and pixels.shape[2] == 1 else pixels
        if depth == 4:
            pixels = np.concatenate([pixels, np.full((height, width, 1), 255, np.uint8)], axis=2)
        if example.dtype.kind == "f" and example.max() <= 1:
            pixels = pixels / 255
        return np.ascontiguousarray(channels_back(pixels, channels).astype(example.dtype))

    def describe(self) -> dict[str, Any]:
        """With a small picture of each of the first examples."""
        description = super().describe()
        for x, listed in zip(self.examples[:_MAX_THUMBNAILS], description["examples"], strict=False):
            listed["picture"] = self._thumbnail(x)
        return description

    def _thumbnail(self, x: Any) -> str | None:
        """An example as a small PNG in base64; None without Pillow."""
        try:
            pillow = import_optional("PIL.Image", "image")
        except MissingExtraError:
            return None
        image, channels = read_image_array(x, self.masker.channels)  # type: ignore[attr-defined]
        pixels = channels_last(image, channels)
        levels = to_uint8_levels(pixels, pixels)
        thumbnail = pillow.fromarray(levels[..., 0] if levels.shape[2] == 1 else levels)
        thumbnail.thumbnail((160, 160))
        file = io.BytesIO()
        thumbnail.save(file, "PNG")
        return base64.b64encode(file.getvalue()).decode()


class TableReader(InputReader):
    """A row of a table, one value a column."""

    kind = "table"

    def __init__(self, masker: Masker, examples: Sequence[Any], limits: Limits) -> None:
        assert isinstance(masker, Tabular)
        super().__init__(masker, examples or masker.inputs(masker.background)[:1], limits)
        self._first_row = self._masked(self.examples[0])
        self._kinds = cell_kinds(self._first_row)

    def _masked(self, x: Any) -> MaskedTabular:
        masked = self.masker.mask(x)
        assert isinstance(masked, MaskedTabular)
        return masked

    def parse(self, content: Any) -> list[Any]:
        """The values in the order of the columns: numbers, texts, and None for a missing value."""
        columns = self._first_row.columns
        if not isinstance(content, list) or len(content) != len(columns):
            raise MaskerError(
                f"Expected a list of {len(columns)} values, one for each column, got {describe_type(content)}."
            )
        for value, column in zip(content, columns, strict=True):
            if isinstance(value, str):
                self.check_text(value, f"a text for the column {column!r}")
        cells = [read_cell(v, kind, str(c)) for v, kind, c in zip(content, self._kinds, columns, strict=True)]
        return make_row(cells, self._first_row)

    def content(self, x: Any) -> list[Any]:
        """A number or a text for each column; None where it is missing."""
        return [write_cell(cell, kind) for cell, kind in zip(row_cells(self._masked(x)), self._kinds, strict=True)]

    def describe(self) -> dict[str, Any]:
        """The columns, and values to choose from where they are no numbers."""
        description = super().describe()
        columns = list(map(str, self._first_row.columns))
        rows = [example["content"] for example in description["examples"]]
        offered = [[] if kind == "number" else self._column_choices(c, rows) for c, kind in enumerate(self._kinds)]
        return {
            **description,
            "columns": columns,
            "numeric": [kind == "number" for kind in self._kinds],
            "offered": offered,
        }

    def _column_choices(self, column: int, rows: list[Any]) -> list[str]:
        """Texts that stand in a column of the examples or of the background."""
        assert isinstance(self._first_row, MaskedFrame)
        background_texts = (write_cell(cell, self._kinds[column]) for cell in column_cells(self._first_row, column))
        return sorted({str(text) for text in (*background_texts, *(row[column] for row in rows)) if text is not None})[
            :_MAX_CHOICES
        ]


def find_reader(masker: Masker, examples: Sequence[Any], limits: Limits) -> InputReader:
    """The reader for the inputs of a masker.

    >>> import lcshap as lc
    >>> find_reader(lc.maskers.Text(), ["so good"], Limits()).read({"text": "so bad"})
    'so bad'
    """
    kinds: dict[type[Masker], type[InputReader]] = {
        Text: TextReader,
        Subwords: TextReader,
        Molecule: SmilesReader,
        Tokens: TokensReader,
        Bytes: BytesReader,
        Series: SeriesReader,
        Image: ImageReader,
        Tabular: TableReader,
    }
    reader_class = next((reader for kind, reader in kinds.items() if isinstance(masker, kind)), InputReader)
    return reader_class(masker, examples, limits)
