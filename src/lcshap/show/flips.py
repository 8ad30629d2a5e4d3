"""Whether a path changed the decision of the model, in a sentence for the terminal, notebooks, figures and the page."""

from __future__ import annotations

from collections.abc import Callable

from ..core.explanation import Explanation, PathExplanation
from ..core.printable import printable
from .probability_of_value import probability_of
from .words import format_count, others_text, target_names, unit_names

_MAX_NAMED_UNITS = 12  # of a larger flip set, only the first units are named


def flip_sentence(e: Explanation, mark: Callable[[str], str] = "*{}*".format) -> str:
    """Whether a path changed the decision, and which units are needed; empty if the path did not look for a flip.

    Parameters
    ----------
    mark : how the name of a unit is emphasised.

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.chain(4, names="it is not bad".split())
    >>> v = lc.Game(lambda kept: 1.0 * (kept[:, 2] & kept[:, 3]), 4)
    >>> flip_sentence(lc.DeletionPath(12, flip_below=0.5).explain(v, g))
    'Without *not*, the decision changes.'
    >>> flip_sentence(lc.InsertionPath(12, flip_above=0.5).explain(v, g))
    '*not*, *bad* alone are enough for this decision.'
    """
    return "".join(mark(piece) if k % 2 else piece for k, piece in enumerate(flip_pieces(e)))


def path_caption(e: Explanation) -> str:
    """The text below the figure of a path: whether it changed the decision, the caution of the method, and doubts.

    >>> import lcshap as lc
    >>> g, v = lc.Graph.chain(3), lc.Game(lambda kept: kept.sum(axis=1), 3)
    >>> path_caption(lc.DeletionPath(8).explain(v, g)) == lc.DeletionPath.caution
    True
    >>> path_caption(lc.Shapley().explain(v, g))
    ''
    """
    notes = [note for key in ("caution", "doubt") if isinstance(note := e.provenance.get(key), str)]
    return " ".join(filter(None, [flip_sentence(e), *map(printable, notes)]))


def flip_pieces(e: Explanation) -> list[str]:
    """The sentence of `flip_sentence` in pieces: every second one is the name of a unit."""
    if not isinstance(e, PathExplanation) or e.flipped is None:
        return []
    if not e.flipped or not e.flip_set:
        return [_describe_missing_flip_set(e)]
    names = unit_names(e)
    start, end = "", f" alone {'is' if len(e.flip_set) == 1 else 'are'} enough for this decision."
    if e.removed:
        start, end = "Without ", f", {_flip_clause(e)}."
    if len(e.flip_set) > _MAX_NAMED_UNITS:
        end = f" {others_text(len(e.flip_set) - _MAX_NAMED_UNITS)}{end}"
    pieces = [piece for unit in e.flip_set[:_MAX_NAMED_UNITS] for piece in (", ", names[unit])]
    return [start, *pieces[1:], end]


def _flip_clause(e: Explanation) -> str:
    """What a flip changes. If the model does not predict a label of several, then it does so after the flip."""
    probability = probability_of(e.full_value, e) if str(e.provenance.get("kind")).startswith("multilabel") else None
    if probability is None or not target_names(e):
        return "the decision changes"
    return f"the model {'no longer predicts' if probability > 0.5 else 'predicts'} {target_names(e)[0]}"


def _describe_missing_flip_set(e: PathExplanation) -> str:
    subject = f"{format_count(len(e.path), 'unit')} {'was' if len(e.path) == 1 else 'were'}"
    if e.flipped and e.flip_set is None:
        return f"The decision changed after {subject} {'removed' if e.removed else 'inserted'}."
    if e.flipped:
        return "The full input does not lead to this decision." if e.removed else "No unit is needed for this decision."
    if e.removed:
        return f"The decision did not change while {subject} removed."
    return f"The decision was not reached while {subject} inserted."
