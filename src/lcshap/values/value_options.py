"""From what users write to the value that is explained."""

from __future__ import annotations

from typing import Any

from ..adapters.base import Kind
from ..errors import OptionError
from .loss import LOSSES, Loss
from .probabilities import KINDS_WITHOUT_PROBABILITIES, MULTILABEL_KINDS
from .value import Value

_NUMBER_VALUES = ("output", "squared", "mse", "absolute")


def find_value(value: Any, kind: Kind, target: Any = None) -> Value:
    """Make a `Value` from the options of a user.

    Parameters
    ----------
    value : a name, also that of a loss, a function or a `Value`; or None for the default of the kind of model. The
        default is `log_prob` for classes, `log_odds` for labels that do not exclude each other, and `output` otherwise.
    kind : what the outputs of the model are, see `Model`.
    target : the class, label or output to explain; None for the predicted one.

    Returns
    -------
    Value : the value, with the target.

    Raises
    ------
    OptionError : if the target is given twice, in the `Value` and beside it; for a loss with a target, and for a loss
        that does not fit the model.

    Examples
    --------
    >>> find_value(None, "logits").name, find_value("prob", "logits", target=1).target
    ('log_prob', 1)
    """
    if isinstance(value, str) and value in (*LOSSES, "mse"):
        value = Loss(value)
    if isinstance(value, Loss):
        if target is not None:
            raise OptionError(
                f"Expected no target with the loss {value.label!r}, got {target!r}. Leave the target out."
            )
        value.check_model(kind)
    if isinstance(value, Value):
        if target is not None:
            raise OptionError("Expected one target, got one in the Value and one beside it. Set it in the Value.")
        return value
    default = (
        "output" if kind in KINDS_WITHOUT_PROBABILITIES else "log_odds" if kind in MULTILABEL_KINDS else "log_prob"
    )
    return Value(default if value is None else value, target)


def explains_output(value: Any) -> bool:
    """Whether a value is about the outputs of the model as they are. Then the kind of the model is not needed.

    Parameters
    ----------
    value : a name, a function, a `Value` or None.

    Returns
    -------
    bool : True for "output", for the losses of numbers, and for a `Value` of these names.

    Examples
    --------
    >>> explains_output("output"), explains_output("prob")
    (True, False)
    """
    return (value.name if isinstance(value, Value) else value) in _NUMBER_VALUES
