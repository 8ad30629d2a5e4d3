"""What `lcshap serve` starts from: an explainer, examples, and how to make the model in Python."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..adapters.base import Kind, Model
from ..adapters.isolated import IsolatedModel
from ..errors import MaskerError
from ..explainer import Explainer
from ..explainer.explainer import adapt
from ..maskers import Masker
from ..maskers.image_files import decode_image
from .declare import UsageError
from .files import named, read
from .inputs import DEMOS, SOURCES, read_case
from .methods import make_methods
from .models import load_model
from .options import Input, MethodOption, MethodSettings, Task
from .work import by_name, make_explainer

_TEXT = "Type a text here."
_MOST = 1000  # examples that are read


class Served(NamedTuple):
    """What the playground gets."""

    explainer: Explainer
    examples: list[Any]
    source: str | None


def prepare_serving(
    source: Input,
    task: Task,
    option: MethodOption,
    settings: MethodSettings,
    examples: Path | None,
    same_process: bool = False,
) -> Served:
    """The explainer that the options describe, and the inputs that the page offers first.

    The model gets a process of its own, unless `same_process` is set, or it is a demo or a remote model.
    """
    given = any(getattr(source, name) is not None for name in SOURCES)
    blank = not given and task.model not in DEMOS
    load = load_model if same_process else partial(load_isolated, task=task)
    case = read_case(replace(source, text=_TEXT) if blank else source, task, load)
    found = list(case.x.values()) if source.lines is not None else [case.x]
    if examples is not None:
        found = read_examples(examples, case.masker, source.max_pixels) + ([] if blank else found)
    elif blank and source.masker is not None:
        found = []
    explainer = make_explainer(case, task, settings, **_method(case.masker, found, option, settings))
    return Served(explainer, found, source_of(task.model or ""))


def load_isolated(name: str, task: Task) -> Any:
    """The model in a process of its own, so that the server goes on when it dies; remote models stay here."""
    made = IsolatedModel(partial(_make_model, name, None if task.kind is None else task.kind.value, task.value))
    if not made.remote:
        return made
    made.close()
    return load_model(name)


def _make_model(name: str, kind: Kind | None, value: str | None) -> Model:
    return adapt(load_model(name), kind, value)


def _method(masker: Masker, examples: list[Any], option: MethodOption, settings: MethodSettings) -> dict[str, Any]:
    own = any(getattr(settings, name) is not None for name in ("order", "context", "weights"))
    if ":" not in option.method and not own:
        return by_name(option, settings)
    if not examples:
        raise UsageError(
            "Expected an input to start with, which a method with parameters needs, got none. Give one with --examples."
        )
    (method,) = make_methods([option.method], masker.mask(examples[0]).graph, settings)
    return {"method": method}


def read_examples(path: Path, masker: Masker, max_pixels: int) -> list[Any]:
    """The inputs in a file with one JSON value a line: a text, a list of values, or an object.

    An object has one field, "text", "smiles", "row" or "image" (the path of an image file, beside the examples); any
    other object is a row of a table, by the names of its columns.
    """
    found: list[Any] = []
    for number, line in enumerate(read(path).decode("utf-8-sig", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            x = _example(value, path, max_pixels)
            masker.mask(x)
        except (ValueError, RecursionError, MaskerError, OSError) as error:
            raise MaskerError(
                f"Expected an input in line {number} of {named(path)}, got something else: {error}"
            ) from None
        found.append(x)
        if len(found) == _MOST:
            break
    if not found:
        raise MaskerError(f"Expected at least one example in {named(path)}, got none.")
    return found


def _example(value: Any, path: Path, max_pixels: int) -> Any:
    if isinstance(value, dict) and len(value) == 1:
        ((name, content),) = value.items()
        if name in ("text", "smiles", "row"):
            return content
        if name == "image":
            file = path.parent / str(content)
            return decode_image(read(file), named(file), max_pixels)
    return value


def source_of(model: str) -> str | None:
    """Lines of Python that make the model that --model names.

    >>> source_of("my_module:nets.small")
    'from my_module import nets\\nmodel = nets.small'
    """
    if model in DEMOS:
        maker = model.replace("-", "_")
        return f"from lcshap.paper.networks.demo import {maker}\n\nmodel, _, _ = {maker}()"
    if model.endswith(".onnx"):
        return f"model = {model!r}"
    module, _, path = model.partition(":")
    first, _, rest = path.partition(".")
    if not all(part.isidentifier() for part in (*module.split("."), first)):
        return None
    return f"from {module} import {first}\nmodel = {path}" if rest else f"from {module} import {first} as model"
