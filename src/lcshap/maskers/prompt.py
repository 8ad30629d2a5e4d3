"""Prompts for language models: fixed text around sources that may be absent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.store_keys import row_keys
from ..core.views import PromptView
from ..errors import MaskerError
from .base import Masked, Masker, check_units
from .cutting import CUTTERS, RUN
from .distinct import DistinctRows
from .prompt_text import FilledTemplate, Template
from .text import MaskedText, Text, restrict_coalitions
from .text_keys import text_keys

Level = Literal["document", "paragraph", "sentence", "word"]
Message = Mapping[str, str]
PARAGRAPH = re.compile(r"\S.*?(?=\s*\n\s*\n|\s*\Z)", re.DOTALL)
_DOCUMENT = re.compile(r"\S(?:.*\S)?", re.DOTALL)
_MAX_KEPT_LETTERS = 1 << 12  # rows of longer prompts are made again for each batch


@dataclass(frozen=True)
class Prompt(Masker):
    """A prompt of a template and sources, to find the documents, paragraphs, sentences or words that led to an answer.

    The units are cut from the sources. Everything else (system text, instruction, question) is in every row.

    An input is a mapping from the fields of the template to texts, with a list of texts as "sources"; a list of
    mappings is many inputs. If the masker has `sources`, the input may omit them, and may be a string if the template
    has one other field.

    Parameters
    ----------
    template : a text with ``{sources}`` where the sources go, and other fields such as ``{question}``. Or a list of
        chat messages, each a mapping with "role" and "content", of which one content has ``{sources}``.
    sources : the sources of all inputs that have none.
    level : the units: "document" (a whole source), "paragraph", "sentence" or "word".
    item : how a source is written: ``{text}`` is the source and ``{number}`` its number.
    separator : the text between two sources.
    numbers : "mend": the kept sources are numbered from 1, so that no row has a gap. "keep": a source has the same
        number in all rows.
    absent : "delete": an absent unit disappears, and a source without units disappears with its number and separator.
        Any other string replaces each absent unit.
    empty : the text that replaces the sources if all are absent.
    graph : "documents": a chain within each source and no edges between sources. "chain": all units in their order.
        "complete": every pair. Or a function from the number of units to a `Graph`. By default "complete" for the level
        "document" and "documents" for all others.
    tokenizer : a tokenizer of transformers, whose chat template turns chat messages into the text that the model reads.
        Without a tokenizer, the rows are lists of messages, as `adapters.OpenAICompatible` takes them.

    Notes
    -----
    The fields are filled in once: a source that contains ``{question}`` is not filled in again. A source or a question
    may contain the special tokens of a chat template. They are text of the user, and a tokenizer may read them as
    special tokens, as in normal use of the model.

    Examples
    --------
    >>> from lcshap import Coalitions
    >>> from lcshap.maskers import Prompt
    >>> prompt = Prompt("{sources}\\n\\nQ: {question}\\nA:", item="[{number}] {text}", separator="\\n")
    >>> masked = prompt.mask({"sources": ["Rain is wet.", "Snow is cold.", "Sand is dry."], "question": "Is it wet?"})
    >>> print(masked.rows(Coalitions.from_sets(3, [[0, 2]]))[0])
    [1] Rain is wet.
    [2] Sand is dry.
    <BLANKLINE>
    Q: Is it wet?
    A:
    """

    template: str | Sequence[Message]
    sources: Sequence[str] | None = None
    level: Level = "document"
    item: str = "{text}"
    separator: str = "\n\n"
    numbers: Literal["mend", "keep"] = "mend"
    absent: str = "delete"
    empty: str = ""
    graph: Literal["documents", "chain", "complete"] | Callable[[int], Graph] | None = None
    tokenizer: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        Template.read(self.template)
        if self.level not in ("document", "paragraph", "sentence", "word"):
            raise MaskerError(f"Expected document, paragraph, sentence or word as level, got {self.level!r}.")
        if self.numbers not in ("mend", "keep"):
            raise MaskerError(f'Expected "mend" or "keep" as numbers, got {self.numbers!r}.')
        if not (callable(self.graph) or self.graph in (None, "documents", "chain", "complete")):
            raise MaskerError(f'Expected "documents", "chain", "complete" or a function as graph, got {self.graph!r}.')
        for name in ("item", "separator", "absent", "empty"):
            if not isinstance(getattr(self, name), str):
                raise MaskerError(f"Expected a text as {name}, got {type(getattr(self, name)).__name__}.")
        if self.item.count("{text}") != 1:
            raise MaskerError(f"Expected {{text}} once in item, got {self.item!r}.")
        if self.tokenizer is not None and not hasattr(self.tokenizer, "apply_chat_template"):
            raise MaskerError(
                f"Expected a tokenizer of transformers with a chat template, got {type(self.tokenizer).__name__}."
            )
        if (
            self.tokenizer is not None
            and not isinstance(self.template, str)
            and not getattr(self.tokenizer, "chat_template", None)
        ):
            raise MaskerError(
                "Expected a tokenizer with a chat template for messages, got one without. Give a text as template."
            )
        if self.sources is not None:
            check_sources(self.sources)

    def mask(self, x: Any) -> MaskedPrompt:
        """Cut the sources of one prompt into units."""
        fields = self._fields(x)
        sources = check_sources(fields.pop("sources"))
        filled = Template.read(self.template).fill(fields)
        cut = self._cutter
        for number, source in enumerate(sources):
            if not RUN.search(source):
                raise MaskerError(
                    f"Expected sources with text in them, got an empty one (source {number}). Leave it out."
                )
        sides = tuple(cut.mask(source) for source in sources)
        return MaskedPrompt(self._graph(sides), sides, filled, self)

    def full(self, x: Any) -> Any:
        """The prompt with all sources, for which the model generates its answer.

        Parameters
        ----------
        x : an input, as `mask` takes it.

        Returns
        -------
        A string, or a list of messages if the template is one and there is no tokenizer.
        """
        masked = self.mask(x)
        return masked.rows(Coalitions.from_sets(masked.graph.d, [range(masked.graph.d)]))[0]

    def _fields(self, x: Any) -> dict[str, Any]:
        """The fields of the template, and the sources."""
        other_fields = [name for name in Template.read(self.template).fields if name != "sources"]
        if isinstance(x, str) and self.sources is not None and len(other_fields) == 1:
            x = {other_fields[0]: x}
        if not isinstance(x, Mapping):
            raise MaskerError(
                "Expected a mapping with the sources and the fields of the template as the input, got "
                f"{type(x).__name__}. Write {{'sources': "
                f"[...]{''.join(f', {name!r}: ...' for name in other_fields)}}}."
            )
        fields = {"sources": self.sources, **x}
        if fields["sources"] is None:
            raise MaskerError("Expected sources, got none. Give a list of texts as 'sources' of the input.")
        return fields

    @cached_property
    def _cutter(self) -> Text:
        if self.level in CUTTERS:
            return Text(cast(Any, self.level), absent=self.absent)
        return Text(splitter=_DOCUMENT if self.level == "document" else PARAGRAPH, absent=self.absent)

    def _graph(self, sides: Sequence[MaskedText]) -> Graph:
        names = [name for side in sides for name in side.graph.names]
        layout = self.graph or ("complete" if self.level == "document" else "documents")
        if callable(layout):
            graph = layout(len(names))
            if not isinstance(graph, Graph) or graph.d != len(names):
                raise MaskerError(f"Expected a Graph of {len(names)} units from the function graph, got {graph!r}.")
            return Graph.from_edges(graph.d, graph.edges, names)
        if layout != "documents":
            return Graph.complete(len(names), names) if layout == "complete" else Graph.chain(len(names), names)
        offsets = list(accumulate((side.graph.d for side in sides), initial=0))
        edges = [(k, k + 1) for a, b in pairwise(offsets) for k in range(a, b - 1)]
        return Graph.from_edges(len(names), np.array(edges, np.int64).reshape(-1, 2), names)


@dataclass(frozen=True, eq=False)
class MaskedPrompt(Masked):
    """A prompt and the positions of its units.

    Attributes
    ----------
    sides : each source with its spans.
    filled : the template with all fields filled in except the sources.
    recipe : the masker, which determines how sources are written and what replaces absent ones.
    """

    sides: tuple[MaskedText, ...]
    filled: FilledTemplate
    recipe: Prompt

    @property
    def content(self) -> tuple[Any, ...]:
        """The sources with their units, and the text around them."""
        recipe = self.recipe
        sides = [side.content for side in self.sides]
        chat_template = None if recipe.tokenizer is None else getattr(recipe.tokenizer, "chat_template", None)
        return sides, self.filled.parts, recipe.item, recipe.separator, recipe.numbers, recipe.empty, chat_template

    @property
    def documents(self) -> NDArray[np.int64]:
        """The number of the source of each unit."""
        return np.repeat(np.arange(len(self.sides)), [side.graph.d for side in self.sides])

    @property
    def advice(self) -> str:
        """The advice to explain a single source by its paragraphs or sentences."""
        if self.graph.d > 1 or self.recipe.level != "document":
            return ""
        return 'one source has one score: write level="sentence" or level="word" to look into it'

    def rows(self, coalitions: Coalitions) -> list[Any]:
        """One prompt per coalition: a text, or a list of messages."""
        check_units(coalitions, self.graph)
        starts = accumulate((side.graph.d for side in self.sides), initial=0)
        columns = [
            side.rows(restrict_coalitions(coalitions, start, side.graph.d))
            for side, start in zip(self.sides, starts, strict=False)
        ]
        blocks = ("".join(text for text, _ in self._write_sources(texts)) for texts in zip(*columns, strict=True))
        return [self.filled.with_sources(block, self.recipe.tokenizer) for block in blocks]

    def _write_sources(self, texts: Sequence[str]) -> list[tuple[str, int | None]]:
        """The sources of a row in pieces: each source with its number, and the text around it."""
        recipe = self.recipe
        before, after = recipe.item.split("{text}")
        pieces: list[tuple[str, int | None]] = []
        count = 0
        for number, text in enumerate(texts):
            if not text.strip():
                continue
            count += 1
            number_text = str(count if recipe.numbers == "mend" else number + 1)
            start = (recipe.separator if pieces else "") + before.replace("{number}", number_text)
            pieces += [(start, None), (text, number), (after.replace("{number}", number_text), None)]
        return pieces or [(recipe.empty, None)]

    @property
    def view(self) -> PromptView:
        """The prompt with all sources, and the positions of its units and sources."""
        start, text = self.filled.readable(
            "".join(text for text, _ in self._write_sources([side.text for side in self.sides]))
        )
        spans, sources = [], []
        for piece, number in self._write_sources([side.text for side in self.sides]):
            if number is not None:
                sources.append((start, start + len(piece)))
                spans += [(start + s, start + e) for s, e in self.sides[number].spans]
            start += len(piece)
        sentences = [
            (a + s, a + e) for a, b in sources for s, e in CUTTERS["sentence"](text[a:b]) if self.recipe.level == "word"
        ]
        return PromptView(
            text=text,
            spans=np.array(spans, np.int64).reshape(-1, 2),
            sentences=np.array(sentences, np.int64).reshape(-1, 2),
            labels=np.arange(len(spans)),
            sources=np.array(sources, np.int64).reshape(-1, 2),
        )

    def distinct(self, coalitions: Coalitions) -> DistinctRows:
        """Coalitions with equal prompts share a key. The prompts are kept if they are short enough."""
        rows = self.rows(coalitions)
        texts = bool(rows) and isinstance(rows[0], str)
        keys = text_keys(rows) if texts else row_keys(json.dumps(row).encode() for row in rows)
        short = sum(len(side.text) for side in self.sides) + len(str(self.filled.parts)) <= _MAX_KEPT_LETTERS
        lengths = self._lengths if self.recipe.absent == "delete" else None
        return DistinctRows.by_coalition(coalitions, keys, rows=rows if short else None, lengths=lengths)

    def _lengths(self, coalitions: Coalitions) -> NDArray[np.int64]:
        """The number of characters of the sources that are kept if units are deleted."""
        unit_lengths = np.array([e - s for side in self.sides for s, e in side.spans], np.int64)
        stored = np.diff(np.concatenate([[0], np.cumsum(unit_lengths[coalitions.indices])])[coalitions.offsets])
        return np.asarray(np.where(coalitions.removed, unit_lengths.sum() - stored, stored), np.int64)


def check_sources(sources: Any) -> list[str]:
    """The sources as a list of texts; `MaskerError` if they are not texts."""
    if isinstance(sources, str | Mapping) or not hasattr(sources, "__iter__"):
        raise MaskerError(f"Expected a list of texts as sources, got {type(sources).__name__}. Put it in brackets.")
    listed = list(sources)
    if not listed:
        raise MaskerError("Expected at least one source, got none. There is nothing to explain without sources.")
    for number, source in enumerate(listed):
        if not isinstance(source, str):
            raise MaskerError(f"Expected texts as sources, got {type(source).__name__} (source {number}).")
    return listed
