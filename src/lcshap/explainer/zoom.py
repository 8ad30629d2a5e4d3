"""Zoom: documents first, then the paragraphs, sentences and words of those that matter, within one budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.explanation import Explanation
from ..core.graphs import Graph
from ..core.method import Method
from ..core.views import PromptView, View
from ..errors import MaskerError, OptionError
from ..estimators.banzhaf_surrogate import BanzhafSurrogate
from ..estimators.graph_kernel_shap import GraphKernelSHAP
from ..estimators.shapley import Shapley
from ..maskers.base import Masked, Masker, Rows
from ..maskers.prompt import PARAGRAPH, MaskedPrompt, Prompt
from .explainer import Explainer

LEVELS = ("document", "paragraph", "sentence", "word")
_BUDGET_SHARES = (
    0.5,
    0.2,
    0.18,
    0.12,
)  # of the budget for each level; rows that a level does not use go to the next ones
_MIN_CALLS_PER_PART = 15  # the most important parts come first, and the last may get no calls
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Node:
    """A document, a paragraph, a sentence or a word with its score.

    Attributes
    ----------
    level, text, scores : what it is, and its score for each output.
    parent : the number of the node that it is a part of; -1 for a document.
    units : the words of the prompt that it holds, by number.
    residual : the scores of its parts, as they were estimated, sum to its own score less this. The parts are shown with
        this shared out among them, so that they sum to it. None if it was not divided.
    """

    level: str
    text: str
    scores: Floats
    parent: int
    units: NDArray[np.intp]
    residual: Floats | None = None


def zoom(explainer: Explainer, x: Any, budget: int = 200, threshold: float = 0.1, max_parts: int = 4) -> Explanation:
    r"""Score documents, then the paragraphs of those that matter, then their sentences, then their words.

    Parameters
    ----------
    explainer : with a `maskers.Prompt`; its level and its method play no part here.
    x : one prompt.
    budget : how many rows the model is asked about at the most, over all levels.
    threshold : look into what has at least this share of the largest score of its level, in absolute value.
    max_parts : look into so many parts of a level at the most.

    Returns
    -------
    An explanation whose units are the smallest parts that were scored: documents, paragraphs, sentences or words.
    Scores within a part sum to the score of the part. ``e.provenance["zoom"]`` lists all parts with their scores and
    residuals.

    Raises
    ------
    MaskerError : if the masker of the explainer is not `maskers.Prompt`.
    OptionError : if the budget is below 8 rows.

    Notes
    -----
    Documents are scored by the Shapley value, or an estimate of it. Within a part P, the value of some of its units T
    is the mean of v(T), all else absent, and of v(T) with all else there. Its scores sum to

    .. math:: \tfrac12 [v(P) - v(\emptyset)] + \tfrac12 [v(V) - v(V \setminus P)]

    which is the Shapley value of P where units interact in pairs only. The difference from the score of P is its
    residual: it is reported, and shared out in proportion to the size of the scores.

    Examples
    --------
    >>> import lcshap as lc
    >>> from lcshap.explainer.zoom import zoom
    >>> model = lambda rows: [2.0 * ("wet" in row) + 1.0 * ("cold" in row) for row in rows]
    >>> explainer = lc.Explainer(model, lc.maskers.Prompt("{sources}"), kind="output")
    >>> e = zoom(explainer, {"sources": ["Rain is wet. It falls.", "Snow is cold.", "Sand is dry."]}, budget=60)
    >>> e.top(2)
    [('wet.', 2.0), ('cold.', 1.0)]
    """
    if not isinstance(explainer.masker, Prompt):
        raise MaskerError(f"Expected an explainer with maskers.Prompt, got {explainer.masker.name}.")
    if not isinstance(budget, int) or budget < 8:
        raise OptionError(f"Expected a budget of at least 8 rows, got {budget!r}.")
    words = replace(explainer.masker, level="word").mask(x)
    search = _Zoom(explainer, words, budget)
    search.documents()
    for level in LEVELS[1:]:
        search.explain_parts(level, threshold, max_parts)
    return search.explanation()


class _Zoom:
    """The parts that were scored so far, and the rows that were spent."""

    def __init__(self, explainer: Explainer, words: MaskedPrompt, budget: int) -> None:
        self.explainer, self.words, self.budget = explainer, words, budget
        self.used_rows, self.nodes = 0, list[Node]()
        self.document_explanation: Explanation | None = None

    def documents(self) -> None:
        """Score all documents."""
        parts = _split_units(self.words, np.arange(self.words.graph.d), "document")
        e = self._explain(PromptParts(self.words, parts, None), int(_BUDGET_SHARES[0] * self.budget))
        self.document_explanation = e
        self._add_nodes("document", parts, e.scores.reshape(len(parts), -1), -1)

    def explain_parts(self, level: str, threshold: float, max_parts: int) -> None:
        """Score the parts of what matters on the level above."""
        depth = LEVELS.index(level)
        above = LEVELS[depth - 1]
        parents = {node.parent for node in self.nodes}
        leaves = [k for k, node in enumerate(self.nodes) if k not in parents and self._has_level(above, node)]
        sizes = np.array([np.abs(self.nodes[k].scores).max() for k in leaves])
        ranked = [leaves[k] for k in np.argsort(-sizes, kind="stable") if sizes[k] >= threshold * sizes.max()][
            :max_parts
        ]
        split = ((k, _split_units(self.words, self.nodes[k].units, level)) for k in ranked)
        chosen = [(k, parts) for k, parts in split if len(parts) > 1]
        available_rows = int(_BUDGET_SHARES[depth] / sum(_BUDGET_SHARES[depth:]) * (self.budget - self.used_rows))
        needs = [2 * min(2 ** len(parts), _MIN_CALLS_PER_PART) for _, parts in chosen]
        count = max(
            1, int(np.searchsorted(np.cumsum(needs), available_rows, side="right"))
        )  # Few parts get enough calls each, instead of many parts with too few.
        for rank, (number, parts) in enumerate(chosen[:count]):
            rows = min(available_rows, needs[rank] + max(0, available_rows - sum(needs[rank:count])) // (count - rank))
            if rows < 2 * min(8, 2 ** len(parts)):
                continue
            spent_before = self.used_rows
            e = self._explain(PromptParts(self.words, parts, self.nodes[number].units), rows // 2)
            available_rows -= self.used_rows - spent_before
            self._share_residual(number, level, parts, e.scores.reshape(len(parts), -1))

    def _has_level(self, level: str, node: Node) -> bool:
        """Whether a part is of this level: a document of one sentence is a sentence too."""
        return node.level == level or len(_split_units(self.words, node.units, level)) == 1

    def _share_residual(self, number: int, level: str, parts: list[NDArray[np.intp]], scores: Floats) -> None:
        """Distribute the residual over the scores of the parts, so that they sum to the score of the whole."""
        residual = self.nodes[number].scores - scores.sum(axis=0)
        size = np.abs(scores)
        total = size.sum(axis=0)
        share = np.divide(size, total, out=np.full_like(size, 1 / len(size)), where=total > 0)
        self.nodes[number] = replace(self.nodes[number], residual=residual)
        self._add_nodes(level, parts, scores + share * residual, number)

    def _add_nodes(self, level: str, parts: Sequence[NDArray[np.intp]], scores: Floats, parent: int) -> None:
        view = self.words.view
        for units, score in zip(parts, scores, strict=True):
            text = view.text[view.spans[units[0], 0] : view.spans[units[-1], 1]]
            self.nodes.append(Node(level, text, score, parent, units))

    def _explain(self, masked: PromptParts, calls: int) -> Explanation:
        explainer = replace(
            self.explainer, masker=_Given(masked), method=_choose_method(masked.graph, calls), budget=None
        )
        e = explainer.one(None)
        self.used_rows += e.rows if e.rows is not None else e.calls * masked.rows_per_call
        return e

    def explanation(self) -> Explanation:
        """The smallest parts as units."""
        document_explanation, view = self.document_explanation, self.words.view
        assert document_explanation is not None
        parents = {node.parent for node in self.nodes}
        leaves = sorted((k for k in range(len(self.nodes)) if k not in parents), key=lambda k: self.nodes[k].units[0])
        labels = np.full(self.words.graph.d, -1)
        for leaf_number, k in enumerate(leaves):
            labels[self.nodes[k].units] = leaf_number
        scores = np.stack([self.nodes[k].scores for k in leaves]).reshape(
            len(leaves), *document_explanation.scores.shape[1:]
        )
        node_records = [
            {
                "level": node.level,
                "text": node.text,
                "scores": node.scores.tolist(),
                "parent": node.parent,
                "residual": None if node.residual is None else node.residual.tolist(),
            }
            for node in self.nodes
        ]
        spans = [(view.spans[self.nodes[k].units[0], 0], view.spans[self.nodes[k].units[-1], 1]) for k in leaves]
        answer_view = document_explanation.view if isinstance(document_explanation.view, PromptView) else view
        leaf_view = replace(
            view,
            spans=np.array(spans, np.int64),
            labels=np.arange(len(leaves)),
            sentences=np.empty((0, 2), np.int64),
            answer=answer_view.answer,
            answer_spans=answer_view.answer_spans,
        )
        names = [self.nodes[k].text for k in leaves]
        record = {
            **document_explanation.provenance,
            "method": "zoom",
            "name": "zoom",
            "budget": self.budget,
            "zoom": node_records,
        }
        return Explanation(
            scores,
            document_explanation.base_value,
            document_explanation.full_value,
            Graph.chain(len(leaves), names),
            self.used_rows,
            record,
            view=leaf_view,
            rows=self.used_rows,
        )


def _choose_method(graph: Graph, calls: int) -> Method:
    """All coalitions if the calls suffice, else an estimate of the Shapley value, else the method with fewest calls."""
    if 2**graph.d <= calls and graph.d <= 16:
        return Shapley()
    return GraphKernelSHAP(calls) if calls >= 2.5 * graph.d + 2 else BanzhafSurrogate(max(4, calls), presence=0.5)


def _split_units(words: MaskedPrompt, units: NDArray[np.intp], level: str) -> list[NDArray[np.intp]]:
    """Some words, in groups: those of a document, of a paragraph, of a sentence, or each by itself."""
    if level == "word":
        return [units[k : k + 1] for k in range(len(units))]
    view = words.view
    owner = np.searchsorted(_level_starts(view, level), view.spans[units, 0], side="right")
    return [units[owner == number] for number in np.unique(owner)]


def _level_starts(view: PromptView, level: str) -> NDArray[np.int64]:
    """Where documents, paragraphs or sentences start in a prompt."""
    if level == "paragraph":
        starts = (a + match.start() for a, b in view.sources.tolist() for match in PARAGRAPH.finditer(view.text[a:b]))
        return np.fromiter(starts, np.int64)
    return (view.sources if level == "document" else view.sentences)[:, 0]


@dataclass(frozen=True)
class _Given(Masker):
    """A masker for one input that is already divided into units."""

    masked: Masked

    def mask(self, x: Any) -> Masked:
        return self.masked


@dataclass(frozen=True, eq=False, init=False)
class PromptParts(Masked):
    """Groups of the words of a prompt as units.

    Attributes
    ----------
    words : the prompt, word by word.
    parts : the words of each unit.
    inside : the words that the units are parts of; None: all. Else each coalition has two rows: all other words absent,
        and all of them there.
    """

    __stored_name__ = "lcshap.explainer.zoom.Parts"

    words: MaskedPrompt
    parts: list[NDArray[np.intp]]
    inside: NDArray[np.intp] | None

    def __init__(self, words: MaskedPrompt, parts: list[NDArray[np.intp]], inside: NDArray[np.intp] | None) -> None:
        view = words.view
        names = [view.text[view.spans[units[0], 0] : view.spans[units[-1], 1]] for units in parts]
        is_whole_prompt = inside is None
        object.__setattr__(
            self, "graph", Graph.complete(len(parts), names) if is_whole_prompt else Graph.chain(len(parts), names)
        )
        for name, attribute in (("words", words), ("parts", parts), ("inside", inside)):
            object.__setattr__(self, name, attribute)

    @property
    def content(self) -> tuple[Any, ...]:
        """The prompt, and which words the units hold."""
        return self.words.content, [units.tolist() for units in self.parts], self.inside

    @property
    def rows_per_call(self) -> int:
        """Two where the units are a part of the prompt."""
        return 1 if self.inside is None else 2

    @property
    def view(self) -> View:
        """The view of the prompt."""
        return self.words.view

    @cached_property
    def _unit_table(self) -> NDArray[np.bool_]:
        table = np.zeros((len(self.parts), self.words.graph.d), bool)
        for unit, units in enumerate(self.parts):
            table[unit, units] = True
        return table

    def rows(self, coalitions: Coalitions) -> Rows:
        """The prompts of some coalitions; of a part of the prompt without and with everything else."""
        kept = (coalitions.dense().astype(np.float64) @ self._unit_table) > 0
        if self.inside is not None:
            outside = np.ones(self.words.graph.d, bool)
            outside[self.inside] = False
            kept = np.stack([kept, kept | outside], axis=1).reshape(-1, self.words.graph.d)
        return self.words.rows(Coalitions.from_dense(kept))
