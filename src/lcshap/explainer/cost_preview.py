"""What an explanation would cost, in words, before the model is asked."""

from __future__ import annotations

from ..core.method import Method
from ..evaluation.masking_curves import count_curve_calls
from ..evaluation.structure_games import has_structure
from ..evaluation.used_units import read_used_units
from ..maskers.base import Masked
from ..selection.selection import Selection
from ..selection.selector import MethodSelector
from .job import Setup

_MIN_SHOWN_SECONDS = 0.1  # of own time
_SECONDS_PER_CALL, _SECONDS_PER_ROW = 7e-6, 2.5e-7  # of own time, for making rows, keys and batches
_MAX_PREVIEW_ROWS = 4096  # This many rows are made to count their tokens.
_MAX_DESIGN_SECONDS = 0.3  # If choosing the coalitions takes longer than this, no tokens are counted.


def preselect_method(setup: Setup, selector: MethodSelector, masked: Masked) -> Selection:
    """The method that an explanation of this input would use, by a budget in calls, without asking the model."""
    return selector.select(
        masked.graph,
        masked.rows_per_call,
        lambda method: has_structure(method.reads, setup.engine.model, masked, setup.value, setup.classes),
        lambda: read_used_units(setup.engine.model, masked),
    )


def preview_cost(setup: Setup, selector: MethodSelector, masked: Masked) -> str:
    """What an explanation of this input would cost, without asking the model."""
    if selector.seconds is not None:
        return f"{selector.seconds:g} s, in which a few rows are timed first"
    model, graph = setup.engine.model, masked.graph
    selection = preselect_method(setup, selector, masked)
    method = selection.method
    cost = method.cost(graph, setup.max_calls)
    text, rows = cost.text, masked.rows_per_call
    if masked.choice is not None:
        text += f"\n  units   {masked.choice.reason}"
    if selection.reason:
        text += f"\n  chosen  because {selection.reason}"
    own_seconds = expected_own_seconds(method, masked, cost.calls)
    if own_seconds >= _MIN_SHOWN_SECONDS:
        rounded = float(f"{own_seconds:.1g}")
        text += f"\n  own     about {rounded:g} s of lcshap's own time besides the model, for one output"
    if setup.curve:
        more = count_curve_calls(graph.d)
        text += f"\n  curve   up to {more:,} more call{'s' * (more != 1)}, for the masking curve"
    if rows > 1:
        text += f"\n  rows    up to {cost.calls * rows:,} model rows: {rows} background rows a call"
    if masked.advice:
        text += f"\n  advice  {masked.advice}"
    is_short = cost.calls * rows <= _MAX_PREVIEW_ROWS and method.own_seconds(graph) <= _MAX_DESIGN_SECONDS
    reading = _describe_tokens(setup, method, masked) if is_short else None
    text += f"\n  tokens  {reading}" if reading is not None else ""
    price = model.cost(cost.calls * rows)
    return text if price is None else f"{text}\n  cost    {price}"


def expected_own_seconds(method: Method, masked: Masked, calls: int) -> float:
    """About how long lcshap itself takes for an explanation of one output, by formulas, so that nothing is computed."""
    rows = calls * masked.rows_per_call
    return method.own_seconds(masked.graph) + _SECONDS_PER_CALL * calls + _SECONDS_PER_ROW * rows


def _describe_tokens(setup: Setup, method: Method, masked: Masked) -> str | None:
    """How many tokens a model reads, if it counts them and the rows are known in advance."""
    if not (setup.engine.model.counts_tokens and method.has_plan):
        return None
    return setup.engine.model.describe_tokens(masked.rows(method.plan(masked.graph, setup.max_calls).coalitions))
