"""Models and maskers by the names that users write."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from ..core.redact import described
from ..errors import ModelError
from .declare import UsageError
from .methods import guess


def load_model(name: str) -> Any:
    """What find_model takes: the path of an ONNX file, or an object imported from a module."""
    if name.endswith(".onnx"):
        if not Path(name).is_file():
            raise UsageError(f"Expected a model file, got {name!r}, which does not exist.")
        return name
    return import_object(name, "--model")


def import_object(name: str, option: str) -> Any:
    """The object that `package.module:object` names; modules in the current directory count, which come last."""
    module, _, path = name.partition(":")
    if not module or not path:
        raise UsageError(f"Expected package.module:object for {option}, got {name!r}.")
    if "" not in sys.path:
        sys.path.append("")  # last, so that no file there takes the place of an installed package
    try:
        found = import_module(module)
    except Exception as error:
        raise ModelError(
            f"Expected a module that can be imported for {option}, got {module}, which cannot: {described(error)}"
        ) from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise UsageError(
                f"Expected a name that {module} has for {option}, got {part!r}{guess(part, dir(found))}. Write "
                "package.module:object."
            )
        found = getattr(found, part)
    return found
