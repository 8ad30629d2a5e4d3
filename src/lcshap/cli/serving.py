"""Prepare `lcshap serve`: an explainer, examples, and Python code that makes the model."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..adapters.base import Model
from ..adapters.isolated import IsolatedModel
from ..errors import MaskerError
from ..explainer import Explainer
from ..explainer.default_values import adapt_model
from ..maskers import Masker, Tabular
from ..maskers.image_files import decode_image
from .explaining import checked_method_options, make_explainer
from .input_files import display_name, read_input_file
from .input_reading import DEMOS, SOURCES, load_here, read_case
from .models import load_model
from .named_methods import make_methods
from .option_groups import UsageError
from .options_shared import Input, MethodOption, MethodSettings, ModelOptions

_PLACEHOLDER_TEXT = "Type a text here."
_MAX_EXAMPLES = 1000  # further lines are not read


class PlaygroundSetup(NamedTuple):
    """The arguments of the playground."""

    explainer: Explainer
    examples: list[Any]
    source: str | None


def prepare_serving(
    source: Input,
    task: ModelOptions,
    option: MethodOption,
    settings: MethodSettings,
    examples: Path | None,
    same_process: bool = False,
) -> PlaygroundSetup:
    """The explainer that the options describe, and the inputs that the page offers first.

    The model runs in a separate process, unless `same_process` is set, or it is a demo or a remote model.
    """
    has_input = any(getattr(source, name) is not None for name in SOURCES)
    needs_placeholder = not has_input and task.model not in DEMOS
    load = load_here if same_process else partial(load_isolated, task=task)
    case = read_case(replace(source, text=_PLACEHOLDER_TEXT) if needs_placeholder else source, task, load)
    inputs = list(case.x.values()) if source.lines is not None else [case.x]
    if examples is not None:
        inputs = read_examples(examples, case.masker, source.max_pixels) + ([] if needs_placeholder else inputs)
    elif needs_placeholder and source.masker is not None:
        inputs = []
    explainer = make_explainer(case, task, settings, **_method_options(case.masker, inputs, option, settings))
    return PlaygroundSetup(explainer, inputs, model_source(task.model or ""))


def load_isolated(name: str, masker: Masker, task: ModelOptions) -> Any:
    """Load a model in a separate process, so that the server survives its death; remote models stay in this process."""
    kind, is_table = None if task.kind is None else task.kind.value, isinstance(masker, Tabular)
    model = IsolatedModel(partial(_make_model, name, kind, task.value, is_table))
    if not model.remote:
        return model
    model.close()
    return load_model(name)


def _make_model(name: str, kind: Any, value: str | None, is_table: bool) -> Model:
    return adapt_model(load_model(name), kind, value, is_table)


def _method_options(
    masker: Masker, examples: list[Any], option: MethodOption, settings: MethodSettings
) -> dict[str, Any]:
    has_parameters = any(getattr(settings, name) is not None for name in ("order", "context", "weights"))
    if ":" not in option.method and not has_parameters:
        return checked_method_options(option, settings)
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
    inputs: list[Any] = []
    for number, line in enumerate(read_input_file(path).decode("utf-8-sig", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            content = json.loads(line)
            x = _parse_example(content, path, max_pixels)
            masker.mask(x)
        except (ValueError, RecursionError, MaskerError, OSError) as error:
            raise MaskerError(
                f"Expected an input in line {number} of {display_name(path)}, got something else: {error}"
            ) from None
        inputs.append(x)
        if len(inputs) == _MAX_EXAMPLES:
            break
    if not inputs:
        raise MaskerError(f"Expected at least one example in {display_name(path)}, got none.")
    return inputs


def _parse_example(example: Any, path: Path, max_pixels: int) -> Any:
    if isinstance(example, dict) and len(example) == 1:
        ((name, content),) = example.items()
        if name in ("text", "smiles", "row"):
            return content
        if name == "image":
            file = path.parent / str(content)
            return decode_image(read_input_file(file), display_name(file), max_pixels)
    return example


def model_source(model: str) -> str | None:
    """Lines of Python that make the model that --model names.

    >>> model_source("my_module:nets.small")
    'from my_module import nets\\nmodel = nets.small'
    """
    if model in DEMOS:
        maker = model.replace("-", "_")
        return f"from lcshap.paper.networks.demo import {maker}\n\nmodel, _, _ = {maker}()"
    if model.endswith(".onnx"):
        return f"model = {model!r}"
    module, _, path = model.partition(":")
    first, _, attributes = path.partition(".")
    if not all(identifier.isidentifier() for identifier in (*module.split("."), first)):
        return None
    return f"from {module} import {first}\nmodel = {path}" if attributes else f"from {module} import {first} as model"
