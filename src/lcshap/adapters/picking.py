"""The array to explain, where a model returns several: in a dictionary, a dataclass or a tuple."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from ..errors import ModelError

Output = str | int | Callable[[Any], Any] | None
_USUAL = "logits"  # what models of transformers, and many after them, call their answer


def check_output(output: Any, model: str) -> Output:
    """Return what says which part to explain, or raise."""
    if output is None or (isinstance(output, str | int) and not isinstance(output, bool)) or callable(output):
        return output  # type: ignore[no-any-return]
    raise ModelError(
        f"Expected a name, a number or a function of what it returns as output of {model}, got {output!r}."
    )


def pick(answers: Any, output: Output = None) -> Any:
    """The part of a model's answer that is explained.

    Parameters
    ----------
    output : the name of an entry or attribute, the number of an entry, or a function from the answer to the part. None:
        what is named `logits`, or else the first entry of a tuple, or else the answer itself.

    >>> pick({"loss": 0.1, "scores": [1, 2]}, "scores"), pick(([1, 2], "hidden")), pick((3, 4), lambda a: a[1] - a[0])
    ([1, 2], [1, 2], 1)
    """
    if callable(output):
        return output(answers)
    if output is None:
        found = answers.get(_USUAL, answers) if isinstance(answers, Mapping) else getattr(answers, _USUAL, answers)
        return found[0] if isinstance(found, tuple | list) and found else found
    if isinstance(output, int):
        if isinstance(answers, tuple | list) and output < len(answers):
            return answers[output]
    elif isinstance(answers, Mapping):
        if output in answers:
            return answers[output]
    elif hasattr(answers, output):
        return getattr(answers, output)
    raise ModelError(f"Expected output={output!r} in the answer, got {described(answers)}. Name one of these.")


def described(answers: Any) -> str:
    """What a model returned, with the names or the number of its parts."""
    name = type(answers).__name__
    if isinstance(answers, Mapping):
        return f"{name} with {', '.join(map(str, answers)) or 'nothing'}"
    if is_dataclass(answers):
        return f"{name} with {', '.join(field.name for field in fields(answers))}"
    return f"{name} of {len(answers)}" if isinstance(answers, tuple | list) else name
