"""Load models and maskers by the names that users write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..core.imports import MalformedNameError, MissingObjectError, import_object
from ..core.redact import describe_error
from ..errors import ModelError
from .named_methods import suggest_names
from .option_groups import UsageError


def load_model(name: str) -> Any:
    """A model for `find_model`: the path of an ONNX file, or an object imported from a module."""
    if name.endswith(".onnx"):
        if not Path(name).is_file():
            raise UsageError(f"Expected a model file, got {name!r}, which does not exist.")
        return name
    return import_named(name, "--model")


def import_named(name: str, option: str) -> Any:
    """The object that ``package.module:object`` names; errors mention the option."""
    module = name.partition(":")[0]
    try:
        return import_object(name)
    except MalformedNameError:
        raise UsageError(f"Expected package.module:object for {option}, got {name!r}.") from None
    except MissingObjectError as error:
        raise UsageError(
            f"Expected a name that {module} has for {option}, got {error.attribute!r}"
            f"{suggest_names(error.attribute, dir(error.owner))}. Write package.module:object."
        ) from None
    except Exception as error:
        raise ModelError(
            f"Expected a module that can be imported for {option}, got {module}, which cannot: {describe_error(error)}"
        ) from error
