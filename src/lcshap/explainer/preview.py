"""What an explanation would cost, in words, before the model is asked."""

from __future__ import annotations

from ..advice.budget import prepared
from ..advice.picker import Picked, Picker
from ..asking.masking import count_more
from ..asking.trees import may_read
from ..estimators.tree_shap import TreeSHAP
from ..maskers.base import Masked
from .job import Setup

_NOTICED = 0.1  # seconds of own time that a preview tells: it is measured, so shorter ones would only flicker
_READ = 4096  # rows that are made for a preview, at the most


def preview(setup: Setup, picker: Picker, masked: Masked) -> str:
    """What an explanation of this input would cost, without asking the model."""
    if picker.seconds is not None:
        return f"{picker.seconds:g} s, in which a few rows are timed first"
    model, graph = setup.engine.model, masked.graph
    picked = picker.pick(graph)
    trees = picker.may_read_trees(graph, picked)
    if trees and may_read(model, masked, setup.value, setup.classes):
        picked = Picked(TreeSHAP(), {})
    cost = picked.method.cost(graph, setup.max_calls)
    text, rows = cost.text, masked.rows_per_call
    if masked.choice is not None:
        text += f"\n  units   {masked.choice.note}"
    if picker.may_be_exact(graph, picked):
        text += f"\n  exact   instead, if all {2**graph.d:,} coalitions take less than a second"
    own = prepared(picked.method, graph)[0]
    if own >= _NOTICED:
        text += f"\n  own     about {own:.1g} s of lcshap's own time besides the model, for one output"
    if setup.curve:
        more = count_more(graph.d)
        text += f"\n  curve   up to {more:,} more call{'s' * (more != 1)}, for the masking curve"
    if rows > 1:
        text += f"\n  rows    up to {cost.calls * rows:,} model rows: {rows} background rows a call"
    if masked.advice:
        text += f"\n  advice  {masked.advice}"
    reading = _reading(setup, picked, masked) if cost.calls * rows <= _READ else None
    text += f"\n  tokens  {reading}" if reading is not None else ""
    price = model.cost(cost.calls * rows)
    return text if price is None else f"{text}\n  cost    {price}"


def _reading(setup: Setup, picked: Picked, masked: Masked) -> str | None:
    """How much a model that counts its tokens reads, where the rows are known in advance."""
    if not (setup.engine.model.reads and picked.method.has_plan):
        return None
    return setup.engine.model.reading(masked.rows(picked.method.plan(masked.graph, setup.max_calls).coalitions))
