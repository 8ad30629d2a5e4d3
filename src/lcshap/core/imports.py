"""Import objects by names of the form ``package.module:object``."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


class MalformedNameError(ValueError):
    """A name that is not of the form ``package.module:object``."""


class MissingObjectError(AttributeError):
    """An object that its module does not have: `owner` has no attribute `attribute`."""

    def __init__(self, message: str, attribute: str, owner: Any) -> None:
        super().__init__(message)
        self.attribute, self.owner = attribute, owner


def import_object(name: str) -> Any:
    """Import the object that ``package.module:object`` names; the object may be an attribute of another one.

    Modules in the current folder are found too, after all others.

    Raises
    ------
    MalformedNameError : if the name has not this form.
    MissingObjectError : if the module has no such object.
    Exception : whatever the import of the module raises, unchanged.

    Examples
    --------
    >>> import_object("json:decoder.JSONDecoder").__name__
    'JSONDecoder'
    """
    module, _, path = name.partition(":")
    if not module or not path:
        raise MalformedNameError(f"Expected package.module:object, got {name!r}.")
    if "" not in sys.path:
        sys.path.append("")  # The folder is last, so that its files do not shadow installed packages.
    obj: Any = import_module(module)
    for attribute in path.split("."):
        try:
            obj = getattr(obj, attribute)
        except AttributeError as error:
            raise MissingObjectError(str(error), attribute, obj) from error
    return obj
