"""Whether a path changed what the model decides, said once: for the terminal, notebooks, figures and the page."""

from __future__ import annotations

from collections.abc import Callable

from ..core.explanation import Explanation, PathExplanation
from ..core.printable import printable
from .chances import chance
from .words import count, others, targets, unit_names

_NAMED = 12  # units of a flip set that are all named; of more, the first of them


def flip(e: Explanation, mark: Callable[[str], str] = "*{}*".format) -> str:
    """Whether a path changed the model's decision, and which units that takes; empty where nobody asked.

    Parameters
    ----------
    mark : how the name of a unit stands out.

    Examples
    --------
    >>> import lcshap as lc
    >>> g = lc.Graph.chain(4, names="it is not bad".split())
    >>> v = lc.Game(lambda kept: 1.0 * (kept[:, 2] & kept[:, 3]), 4)
    >>> flip(lc.DeletionPath(12, flip_below=0.5).explain(v, g))
    'Without *not* the model would not say this.'
    >>> flip(lc.InsertionPath(12, flip_above=0.5).explain(v, g))
    '*not*, *bad* alone are enough for this.'
    """
    return "".join(mark(part) if k % 2 else part for k, part in enumerate(flip_parts(e)))


def caption(e: Explanation) -> str:
    """What stands below the figure of a path: whether it changed the decision, and what its order is poor at.

    >>> import lcshap as lc
    >>> g, v = lc.Graph.chain(3), lc.Game(lambda kept: kept.sum(axis=1), 3)
    >>> caption(lc.DeletionPath(8).explain(v, g)) == lc.DeletionPath.caution
    True
    >>> caption(lc.Shapley().explain(v, g))
    ''
    """
    caution = e.provenance.get("caution")
    return " ".join(filter(None, [flip(e), printable(caution) if isinstance(caution, str) else ""]))


def flip_parts(e: Explanation) -> list[str]:
    """The same sentence in pieces: every second one is the name of a unit. Empty where nobody asked."""
    if not isinstance(e, PathExplanation) or e.flipped is None:
        return []
    if not e.flipped or not e.flip_set:
        return [_no_flip_set(e)]
    names = unit_names(e)
    start, end = "", f" alone {'is' if len(e.flip_set) == 1 else 'are'} enough for this."
    if e.removed:
        start, end = "Without ", f" the model would {_flipped(e)}."
    if len(e.flip_set) > _NAMED:
        end = f" {others(len(e.flip_set) - _NAMED)}{end}"
    pieces = [piece for unit in e.flip_set[:_NAMED] for piece in (", ", names[unit])]
    return [start, *pieces[1:], end]


def _flipped(e: Explanation) -> str:
    """What the model would do after a flip: of a label, which it may deny as well, whether it says it."""
    share = chance(e.full_value, e) if str(e.provenance.get("kind")).startswith("multilabel") else None
    if share is None or not targets(e):
        return "not say this"
    return f"{'not ' if share > 0.5 else ''}say {targets(e)[0]}"


def _no_flip_set(e: PathExplanation) -> str:
    moved = f"{count(len(e.path), 'unit')} {'was' if len(e.path) == 1 else 'were'}"
    if e.flipped and e.flip_set is None:
        return f"The decision changed after {moved} {'removed' if e.removed else 'inserted'}."
    if e.flipped:
        return "The model does not say this of the full input." if e.removed else "No unit at all is needed for this."
    if e.removed:
        return f"The decision did not change while {moved} removed."
    return f"The decision was not reached while {moved} inserted."
