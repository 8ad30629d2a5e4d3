"""The exact Shapley value of the units that a model uses, if these are few."""

from __future__ import annotations

from dataclasses import replace

from ..core.default_limits import MAX_CALLS
from ..estimators.shapley import Shapley
from .budget import all_coalitions_fit, exact_by_default
from .selection import Selection


def leave_out_units(
    selection: Selection, units: list[int] | None, calls: int, rows_per_call: int, has_default_budget: bool
) -> Selection:
    """The exact value if all coalitions of some units fit, otherwise the selected estimate and why it is taken.

    Parameters
    ----------
    selection : the method that is selected if all units count.
    units : the units that v depends on; None if they are not known.
    calls : the budget.

    Examples
    --------
    >>> import lcshap as lc
    >>> selection = lc.choose(lc.Graph.complete(30))
    >>> leave_out_units(selection, [3, 5], 240, 100, True).method
    Shapley(units=(3, 5))
    """
    d = selection.graph.d
    if units is None or len(units) == d:
        return selection
    count = len(units)
    fits = all_coalitions_fit(count, min(calls, MAX_CALLS))
    if fits if not has_default_budget else exact_by_default(count, rows_per_call):
        reason = (
            f"the model uses {count} of the {d} units, and all 2^{count} = {2**count:,} coalitions of these fit: the "
            "result is exact"
        )
        return replace(selection, method=Shapley(units=units), reason=reason)
    return replace(
        selection,
        reason=f"the model uses {count} of the {d} units, of which all 2^{count} coalitions are too many; "
        f"{selection.reason}",
    )
