"""Declare the options of commands as dataclasses: each field is an option, and its annotation says how it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any, get_type_hints

from typer import Option

from ..errors import OptionError

String = str | None
File = Path | None
Strings = list[str] | None


class UsageError(OptionError):
    """Options of the command that contradict each other, or an unknown name."""


def option(panel: str | None, help_text: str, *names: str, **more: Any) -> Any:
    """An option of a command in a panel of its help; `metavar` is the name of its argument."""
    return Option(*names, help=help_text, rich_help_panel=panel, **more)


def grouped_options(function: Callable[..., None]) -> Callable[..., None]:
    """Turn a function whose parameters are dataclasses into a command with an option for each of their fields."""
    groups = [hint for name, hint in get_type_hints(function).items() if name != "return"]

    def command(**values: Any) -> None:
        function(*(group(**{f.name: values[f.name] for f in fields(group)}) for group in groups))

    hints = {name: hint for group in groups for name, hint in get_type_hints(group, include_extras=True).items()}
    parameters = [
        Parameter(
            f.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if f.default is MISSING else f.default,
            annotation=hints[f.name],
        )
        for group in groups
        for f in fields(group)
    ]
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = hints
    return command
