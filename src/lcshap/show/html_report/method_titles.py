"""The names of methods in a report: those that differ in nothing but a budget that follows the input are one method."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Sequence

from ...core.explanation import Explanation
from .. import words

_BUDGET_PLACEHOLDER = "budget=…"  # where the budget of a method was


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
    >>> explanations = [lc.SampleShapley(4 * game.d).explain(game, lc.Graph.chain(game.d)) for game in games]
    >>> name_methods(explanations, ["a", "b"])[1], name_methods(explanations, ["a", "a"])[1]
    ('SampleShapley(budget=24 to 36, seed=0)', 'SampleShapley(budget=36, seed=0)')
    """
    names_and_budgets = [_split_budget(e) for e in explanations]
    budgets: dict[str, dict[Hashable, set[int]]] = defaultdict(lambda: defaultdict(set))
    for (name, budget), key in zip(names_and_budgets, inputs, strict=True):
        if budget is not None:
            budgets[name][key].add(budget)
    columns = {name: _budget_ranges(list(by_input.values())) for name, by_input in budgets.items()}
    titles = []
    for (name, budget), key in zip(names_and_budgets, inputs, strict=True):
        if budget is not None:
            place = sorted(budgets[name][key]).index(budget)
            low, high = columns[name][place] if columns[name] else (budget, budget)
            name = name.replace(_BUDGET_PLACEHOLDER, f"budget={low}" if low == high else f"budget={low} to {high}")
        titles.append(name)
    return titles


def budget_in_range(title: str, e: Explanation) -> int | None:
    """The budget of one explanation, where the name of its method has a range of them; otherwise None.

    >>> import lcshap as lc
    >>> e = lc.SampleShapley(24).explain(lc.Game(lambda kept: kept.sum(axis=1), 6), lc.Graph.chain(6))
    >>> budget_in_range("SampleShapley(budget=24 to 36, seed=0)", e), budget_in_range("mine", e)
    (24, None)
    """
    name, budget = _split_budget(e)
    return budget if re.sub(r"\bbudget=\d+ to \d+", _BUDGET_PLACEHOLDER, title, count=1) == name else None


def _split_budget(e: Explanation) -> tuple[str, int | None]:
    """The method with its parameters but for its budget, and that; None where it has none."""
    name, parameters = words.method_text(e), e.provenance.get("parameters")
    budget = parameters.get("budget") if isinstance(parameters, dict) else None
    if not isinstance(budget, int) or isinstance(budget, bool):
        return name, None
    opened, times = re.subn(rf"\bbudget={budget}\b", _BUDGET_PLACEHOLDER, name, count=1)
    return (opened, budget) if times else (name, None)


def _budget_ranges(budgets_by_input: list[set[int]]) -> list[tuple[int, int]]:
    """The smallest and the largest of the first, second ... budgets; none where inputs have not equally many."""
    if len({len(budgets) for budgets in budgets_by_input}) > 1:
        return []
    return [(min(column), max(column)) for column in zip(*map(sorted, budgets_by_input), strict=True)]
