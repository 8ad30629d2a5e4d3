"""What is explained by default: the adapter, the value and the target that the options of a user leave open.

Inputs that are not rows of a table are explained as in the paper: the log-probability of the predicted class. Rows of a
table are explained for the same class, so that signs have the same meaning in all of them: the second of two classes,
otherwise all classes. The value is the one that an exact method can explain, if there is one.

==========================================  =============================================================
model of classes, on a table                default value
==========================================  =============================================================
boosted trees, linear models, two classes   log-odds, averaged over the background rows
boosted trees, linear models, more classes  the logit of each class
forests and trees                           the probability
margins, such as those of an SVM            the margin
all others                                  the log-odds of the probability, averaged over background rows
==========================================  =============================================================
"""

from __future__ import annotations

from typing import Any, Literal, cast

from ..adapters.base import Kind, Model
from ..adapters.find import find_model
from ..adapters.readable_outputs import readable_kind
from ..adapters.tree_models import has_log_odds_margin
from ..core.method import Method
from ..estimators.paths import DeletionPath, InsertionPath
from ..estimators.registry import get_method
from ..maskers.base import Masker
from ..maskers.tabular import Tabular
from ..values import Value, explains_output, find_value
from ..values.loss import LOSSES
from ..values.probabilities import KINDS_WITHOUT_PROBABILITIES
from ..values.value import SAME_CLASSES

TABLE_FLOOR = 1e-4  # the lower bound of probabilities whose log-odds are explained by default: log-odds of 9.2
_WITHOUT_TARGET = (*LOSSES, "mse", "expected_log_prob")


def adapt_model(model: Any, kind: Kind | Literal["regression"] | None, value: Any, is_table: bool = False) -> Model:
    """The adapter that an explainer with these options puts its model behind.

    Parameters
    ----------
    is_table : whether the inputs are rows of a table, for which another kind may be the default.
    """
    name = value.name if isinstance(value, Value) else value
    if kind is None and not isinstance(model, Model):  # The user did not set another kind.
        if is_table and value in (None, "log_odds"):
            readable = readable_kind(model)
            kind = readable if readable == "logits" or (readable == "margin" and value is None) else None
        elif name == "log_odds" and has_log_odds_margin(model):
            kind = "logits"
    return find_model(model, cast("Kind | None", kind), fallback="output" if explains_output(value) else None)


def choose_value(adapter: Model, masker: Masker, value: Any, target: Any, follows_prediction: bool) -> Value:
    """The number that is explained, from the options of a user.

    Parameters
    ----------
    value, target : the options; None where the user left them out.
    follows_prediction : whether one decision is explained, as by paths and masking curves, so that the target is the
        predicted class of each input.
    """
    if target is None and value in (None, "output"):
        target = adapter.target
    if not isinstance(masker, Tabular) or isinstance(value, Value):
        return find_value(value, adapter.kind, target)
    if target is None and not (follows_prediction or callable(value) or value in _WITHOUT_TARGET):
        target = None if adapter.kind == "output" else SAME_CLASSES
    if adapter.kind in KINDS_WITHOUT_PROBABILITIES or value not in (None, "log_odds"):
        return find_value(value, adapter.kind, target)
    if adapter.readable_outputs == "margin":
        is_binary = adapter.classes is None or len(adapter.classes) == 2
        if is_binary:
            return Value("log_odds", target, average="after")
        return Value("output" if value is None else value, target)
    if value is None and adapter.readable_outputs == "probabilities":
        return Value("prob", target)
    return Value("log_odds", target, TABLE_FLOOR)


def explains_decision(method: Method | str, goal: str | None, curve: bool) -> bool:
    """Whether the decision of the model about one class is explained."""
    if isinstance(method, str) and method != "auto":
        is_path = issubclass(get_method(method), DeletionPath | InsertionPath)
    else:
        is_path = isinstance(method, DeletionPath | InsertionPath)
    return curve or is_path or goal in ("necessary", "sufficient")
