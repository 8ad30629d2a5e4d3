"""Select the array to explain if a model returns several, in a dictionary, a dataclass or a tuple."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from ..errors import ModelError

Output = str | int | Callable[[Any], Any] | None
_DEFAULT_NAME = "logits"  # the usual name, as in transformers


def check_output(output: Any, model: str) -> Output:
    """Return the option `output`, or raise `ModelError` if it is not valid."""
    if output is None or (isinstance(output, str | int) and not isinstance(output, bool)) or callable(output):
        return output  # type: ignore[no-any-return]
    raise ModelError(
        f"Expected a name, a number or a function of what it returns as output of {model}, got {output!r}."
    )


def select_output(answers: Any, output: Output = None) -> Any:
    """Return the part of the outputs of a model that is explained.

    Parameters
    ----------
    output : the name of an entry or attribute, the number of an entry, or a function from the answer to the part. None
        for the entry `logits`, or else the first entry of a tuple, or else the answer itself.

    >>> select_output({"loss": 0.1, "scores": [1, 2]}, "scores"), select_output(([1, 2], "hidden"))
    ([1, 2], [1, 2])
    >>> select_output((3, 4), lambda a: a[1] - a[0])
    1
    """
    if callable(output):
        return output(answers)
    if output is None:
        outputs = (
            answers.get(_DEFAULT_NAME, answers)
            if isinstance(answers, Mapping)
            else getattr(answers, _DEFAULT_NAME, answers)
        )
        return outputs[0] if isinstance(outputs, tuple | list) and outputs else outputs
    if isinstance(output, int):
        if isinstance(answers, tuple | list) and output < len(answers):
            return answers[output]
    elif isinstance(answers, Mapping):
        if output in answers:
            return answers[output]
    elif hasattr(answers, output):
        return getattr(answers, output)
    raise ModelError(
        f"Expected output={output!r} in the answer, got {describe_model_output(answers)}. Name one of these."
    )


def describe_model_output(answers: Any) -> str:
    """Describe the outputs of a model, with the names or the number of its parts."""
    name = type(answers).__name__
    if isinstance(answers, Mapping):
        return f"{name} with {', '.join(map(str, answers)) or 'nothing'}"
    if is_dataclass(answers):
        return f"{name} with {', '.join(field.name for field in fields(answers))}"
    return f"{name} of {len(answers)}" if isinstance(answers, tuple | list) else name
