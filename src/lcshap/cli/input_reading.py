"""Read the input, its masker and the model that the options describe."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ..adapters.base import Model
from ..adapters.image_model import ImageModel
from ..bulk.image_options import ImageOptions, image_from_bytes
from ..core.graphs import Graph
from ..errors import MaskerError
from ..maskers import Bytes, Image, Masker, Molecule, Series, Text, Tokens
from ..paper.networks.demo import demo_digits, demo_text
from .input_files import display_name, read_input_file, read_input_text
from .models import import_named, load_model
from .named_methods import parse_graph, suggest_names
from .option_groups import UsageError
from .options_alone import PlanOptions
from .options_shared import Input, ModelOptions
from .tables import as_number, read_numbers, read_row

DEMOS: dict[str, Callable[[], tuple[Model, Masker, Any]]] = {"demo-text": demo_text, "demo-digits": demo_digits}
SOURCES = ("text", "file", "lines", "image", "csv", "series", "bytes", "tokens", "smiles")
_DEFAULT_WINDOWS = 32  # the approximate number of windows of a series or file if their length is not given


class ExplainInput(NamedTuple):
    """Everything that an `Explainer` needs, except the method."""

    model: Any
    masker: Masker
    x: Any
    kind: Any
    classes: list[str] | None


def load_here(name: str, masker: Masker) -> Any:
    """Load a model in this process. The explainer adapts it to the masker."""
    return load_model(name)


def read_case(source: Input, task: ModelOptions, load: Callable[[str, Masker], Any] = load_here) -> ExplainInput:
    """The model that `load` returns for --model and the masker, and the input that the options name."""
    if task.model is None:
        raise UsageError(
            "Expected a model, got none. Give one with --model: an .onnx file, package.module:object, demo-text or "
            "demo-digits."
        )
    source_names = [name for name in SOURCES if getattr(source, name) is not None]
    if len(source_names) > 1:
        raise UsageError(
            f"Expected one input, got {' and '.join(f'--{name}' for name in source_names)}. Leave one of them out."
        )
    if task.model.startswith("demo-") and task.model not in DEMOS:
        raise UsageError(f"Expected a model, got {task.model!r}{suggest_names(task.model, DEMOS)}.")
    if not source_names and task.model not in DEMOS:
        raise UsageError(f"Expected an input, got none. Give one with {', '.join(f'--{name}' for name in SOURCES)}.")
    model = None
    if task.model in DEMOS:
        model, masker, x = DEMOS[task.model]()
        masker, x = _demo_input(masker, x, source, source_names)
    else:
        masker, x = _READERS[source_names[0]](source)
    if source.masker is not None:
        masker = import_named(source.masker, "--masker")
    if task.model not in DEMOS:
        model = load(task.model, masker)
    classes = None if task.classes is None else [name.strip() for name in task.classes.split(",")]
    kind = None if task.kind is None else task.kind.value
    return ExplainInput(image_model(model, source, kind), masker, x, kind, classes)


def read_target(task: ModelOptions, case: ExplainInput) -> Any:
    """The target for `Explainer`. A number is the index of a class, unless it is the name of a class."""
    names = case.classes or getattr(case.model, "classes", None) or ()
    texts = [*(task.target or []), *([] if task.against is None else [task.against])]
    targets = [t if t in names or not re.fullmatch(r"\d+", t) else int(t) for t in texts]
    if task.against is not None:
        if len(targets) != 2:
            raise UsageError(
                f"Expected one --target with --against, got {len(targets) - 1}. Give the class to explain."
            )
        return tuple(targets)
    return None if not targets else targets[0] if len(targets) == 1 else targets


# -- inputs -----------------------------------------------------------------------------------------------------------


def _demo_input(masker: Masker, x: Any, source: Input, source_names: list[str]) -> tuple[Masker, Any]:
    """The input of a demo if there is no other, with the units of the training unless the user chooses others."""
    if source_names:
        source_masker, x = _READERS[source_names[0]](source)
    else:
        source_masker = text_masker(source) if isinstance(masker, Text) else image_masker(source)
    as_trained = source.units is None and source.absent is None and type(source_masker) is type(masker)
    return masker if as_trained else source_masker, x


def read_plan_graph(shape: PlanOptions) -> Graph:
    """The graph of `lcshap plan`: the named graph, or the graph of a text."""
    source_names = [name for name in ("graph", "text", "file") if getattr(shape, name) is not None]
    if len(source_names) != 1:
        options_text = " and ".join(f"--{name}" for name in source_names) or "none"
        raise UsageError(f"Expected one of --graph, --text and --file, got {options_text}.")
    if shape.graph is not None:
        if shape.units is not None:
            raise UsageError("Expected --units with --text or --file, got --graph. Leave --units out.")
        return parse_graph(shape.graph)
    masker, x = _READERS[source_names[0]](Input(text=shape.text, file=shape.file, units=shape.units))
    return masker.mask(x).graph


def _text_input(source: Input) -> tuple[Masker, Any]:
    return text_masker(source), _read_utf8(Path("-")) if source.text == "-" else source.text


def _file_input(source: Input) -> tuple[Masker, Any]:
    assert source.file is not None
    return text_masker(source), _read_utf8(source.file)


def _lines_input(source: Input) -> tuple[Masker, Any]:
    """The texts of the lines that are not blank, by the numbers of the lines, from 1."""
    assert source.lines is not None
    lines = _read_utf8(source.lines).split("\n")
    texts = {number: line.strip("\r") for number, line in enumerate(lines, 1) if line.strip()}
    if not texts:
        raise MaskerError(f"Expected at least one text in {display_name(source.lines)}, got none.")
    return text_masker(source), texts


def _read_utf8(path: Path) -> str:
    return read_input_text(path, "Use --bytes for other files.")


def text_masker(source: Input) -> Masker:
    """The masker of a text for --units and --absent."""
    units: Any = _parse_units(source, "word", ("word", "sentence", "character"))[0]
    return Text(units, "delete" if source.absent is None else source.absent)


def _image_input(source: Input) -> tuple[Masker, Any]:
    assert source.image is not None
    options = ImageOptions(source.grey, source.scale, source.channels_first, source.max_pixels)
    return image_masker(source), image_from_bytes(read_input_file(source.image), display_name(source.image), options)


def image_masker(source: Input) -> Masker:
    """The masker of an image for --units and --absent."""
    units, number = _parse_units(source, "auto", ("pixel", "patch=N", "superpixel", "superpixel=N"))
    reference = "mean" if source.absent is None else as_number(source.absent)
    channels: Any = "first" if source.channels_first else None
    if units == "superpixel":
        return Image("superpixel", reference=reference, channels=channels, segments=number)
    return Image("auto" if units == "auto" else "pixel", number, reference=reference, channels=channels)


def image_model(model: Any, source: Input, kind: Any) -> Any:
    """The model, wrapped so that --size, --mean and --std are applied to each image."""
    options = {name: getattr(source, name) for name in ("size", "mean", "std") if getattr(source, name) is not None}
    if not options:
        return model
    if source.image is None:
        raise UsageError(
            f"Expected an image for --{next(iter(options))}, got another input. Give one with --image, or leave it out."
        )
    numbers = {name: _parse_numbers(name, text) for name, text in options.items()}
    sides = tuple(map(int, (numbers["size"] * 2)[:2])) if "size" in numbers else None
    channels = (numbers.get("mean"), numbers.get("std"))
    mean, std = (by_channel[0] if by_channel and len(by_channel) == 1 else by_channel for by_channel in channels)
    return ImageModel(model, kind, size=sides, mean=mean, std=std)  # type: ignore[arg-type]


def _parse_numbers(name: str, text: str) -> list[float]:
    """Numbers that are separated by commas, or the sides of a size, which are separated by x."""
    pattern = r"[1-9]\d*(x[1-9]\d*)?" if name == "size" else r"[-+.\deE]+(,[-+.\deE]+)*"
    example = "224 or 224x320" if name == "size" else "0.5 or 0.485,0.456,0.406"
    try:
        if not re.fullmatch(pattern, text):
            raise ValueError
        return [float(number) for number in re.split("[x,]", text)]
    except ValueError:
        raise UsageError(f"Expected a --{name} such as {example}, got {text!r}.") from None


def _row_input(source: Input) -> tuple[Masker, Any]:
    _parse_units(source, "", ())
    return read_row(source)


def _series_input(source: Input) -> tuple[Masker, Any]:
    assert source.series is not None
    table, names = read_numbers(source.series)
    window = _parse_units(source, "", ("window=N",))[1] or -(-len(table) // _DEFAULT_WINDOWS)
    reference = "mean" if source.absent is None else as_number(source.absent)
    if table.shape[1] == 1:
        return Series(window, reference=reference), table[:, 0]
    return Series(window, reference=reference, channels="last", names=names), table


def _bytes_input(source: Input) -> tuple[Masker, Any]:
    assert source.bytes is not None
    content = read_input_file(source.bytes)
    window = _parse_units(source, "", ("window=N",))[1] or max(1, -(-len(content) // _DEFAULT_WINDOWS))
    return Bytes(window, padding=_parse_integer(source.absent, 0)), content


def _tokens_input(source: Input) -> tuple[Masker, Any]:
    _parse_units(source, "", ())
    assert source.tokens is not None
    try:
        ids = [int(token) for token in re.split(r"[\s,]+", source.tokens.strip())]
    except ValueError:
        raise UsageError(f"Expected integers with spaces between for --tokens, got {source.tokens!r}.") from None
    return Tokens(padding=_parse_integer(source.absent, 0)), ids


def _smiles_input(source: Input) -> tuple[Masker, Any]:
    _parse_units(source, "", ())
    return Molecule(), source.smiles


_READERS: dict[str, Callable[[Input], tuple[Masker, Any]]] = {
    "text": _text_input,
    "file": _file_input,
    "lines": _lines_input,
    "image": _image_input,
    "csv": _row_input,
    "series": _series_input,
    "bytes": _bytes_input,
    "tokens": _tokens_input,
    "smiles": _smiles_input,
}


def _parse_units(source: Input, default: str, choices: tuple[str, ...]) -> tuple[str, int | None]:
    """The name in --units and the number after =. Units that this kind of input does not have are refused."""
    if source.units is None:
        return default, None
    name, equals, number = source.units.partition("=")
    if (f"{name}=N" if equals else name) not in choices:
        advice = f"Choose one of {', '.join(choices)}." if choices else "Leave --units out."
        raise UsageError(f"Expected units that this input has, got --units {source.units}. {advice}")
    if equals and not (number.isdigit() and int(number) > 0):
        raise UsageError(f"Expected a number of at least 1 for --units {name}=N, got {number!r}.")
    return name, int(number) if equals else None


def _parse_integer(text: str | None, default: int) -> int:
    if text is None:
        return default
    if not re.fullmatch(r"-?\d+", text):
        raise UsageError(f"Expected an integer for --absent with this input, got {text!r}.")
    return int(text)
