"""Errors of inputs in files: the name of the class and the message."""

from __future__ import annotations

from ... import errors
from ...errors import LcshapError
from ..printable import escape_surrogates


def describe_class(error: Exception) -> str:
    """The name of the class of an error.

    >>> describe_class(errors.MaskerError("an empty text"))
    'MaskerError'
    """
    return type(error).__name__


def restore_error(kind: str | None, message: str) -> Exception:
    """The error of an input: of the same class if it is one of lcshap that takes only a message, else `LcshapError`.

    >>> restore_error("MaskerError", "an empty text")
    MaskerError('an empty text')
    >>> restore_error("KeyError", "'gone'")
    LcshapError("KeyError: 'gone'")
    """
    named = getattr(errors, kind or "", None)
    if isinstance(named, type) and issubclass(named, LcshapError):
        try:
            return named(message)
        except TypeError:  # its class takes more arguments
            return LcshapError(message)
    return LcshapError(message if kind is None else f"{kind}: {message}")


def stored_message(error: Exception) -> str:
    """The message of an error as a text that UTF-8 can hold."""
    return escape_surrogates(str(error))
