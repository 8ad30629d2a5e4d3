"""The names of methods in a report: those that differ in nothing but a budget that follows the input are one method."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Sequence

from ...core.explanation import Explanation
from .. import words

_OPEN = "budget=…"  # where the budget of a method was


def name_methods(explanations: Sequence[Explanation], inputs: Sequence[Hashable]) -> list[str]:
    """Name the method of each explanation with its parameters; a budget as a range where it depends on the input.

    A budget of "8d", or one that `auto` chooses, is another number for texts of other lengths. Where all inputs were
    explained with equally many budgets of a method, the smallest ones are those of one method, and so on.

    Parameters
    ----------
    inputs : what tells the inputs of the explanations apart.

    Returns
    -------
    A name for each explanation.

    Examples
    --------
    >>> import lcshap as lc
    >>> games = [lc.Game(lambda kept: kept.sum(axis=1), d) for d in (6, 9)]
    >>> found = [lc.SampleShapley(4 * game.d).explain(game, lc.Graph.chain(game.d)) for game in games]
    >>> name_methods(found, ["a", "b"])[1], name_methods(found, ["a", "a"])[1]
    ('SampleShapley(budget=24 to 36, seed=0)', 'SampleShapley(budget=36, seed=0)')
    """
    split = [_split(e) for e in explanations]
    budgets: dict[str, dict[Hashable, set[int]]] = defaultdict(lambda: defaultdict(set))
    for (name, budget), key in zip(split, inputs, strict=True):
        if budget is not None:
            budgets[name][key].add(budget)
    columns = {name: _columns(list(found.values())) for name, found in budgets.items()}
    titles = []
    for (name, budget), key in zip(split, inputs, strict=True):
        if budget is not None:
            place = sorted(budgets[name][key]).index(budget)
            low, high = columns[name][place] if columns[name] else (budget, budget)
            name = name.replace(_OPEN, f"budget={low}" if low == high else f"budget={low} to {high}")
        titles.append(name)
    return titles


def own_budget(title: str, e: Explanation) -> int | None:
    """The budget of one explanation, where the name of its method has a range of them; otherwise None.

    >>> import lcshap as lc
    >>> e = lc.SampleShapley(24).explain(lc.Game(lambda kept: kept.sum(axis=1), 6), lc.Graph.chain(6))
    >>> own_budget("SampleShapley(budget=24 to 36, seed=0)", e), own_budget("mine", e)
    (24, None)
    """
    name, budget = _split(e)
    return budget if re.sub(r"\bbudget=\d+ to \d+", _OPEN, title, count=1) == name else None


def _split(e: Explanation) -> tuple[str, int | None]:
    """The method with its parameters but for its budget, and that; None where it has none."""
    name, parameters = words.method(e), e.provenance.get("parameters")
    budget = parameters.get("budget") if isinstance(parameters, dict) else None
    if not isinstance(budget, int) or isinstance(budget, bool):
        return name, None
    opened, times = re.subn(rf"\bbudget={budget}\b", _OPEN, name, count=1)
    return (opened, budget) if times else (name, None)


def _columns(found: list[set[int]]) -> list[tuple[int, int]]:
    """The smallest and the largest of the first, second ... budgets; none where inputs have not equally many."""
    if len({len(budgets) for budgets in found}) > 1:
        return []
    return [(min(column), max(column)) for column in zip(*map(sorted, found), strict=True)]
