"""From options to what the library takes: an input with its masker, and a model."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ..adapters.base import Model
from ..adapters.image import ImageModel
from ..bulk.images import ImageOptions, read_image
from ..core.graphs import Graph
from ..errors import MaskerError
from ..maskers import Bytes, Image, Masker, Molecule, Series, Text, Tokens
from ..paper.networks.demo import demo_digits, demo_text
from .declare import UsageError
from .files import named, read, read_text
from .methods import guess, read_graph
from .models import import_object, load_model
from .options import Input, Task
from .options_alone import Shape
from .tables import as_number, read_numbers, read_row

DEMOS: dict[str, Callable[[], tuple[Model, Masker, Any]]] = {"demo-text": demo_text, "demo-digits": demo_digits}
SOURCES = ("text", "file", "lines", "image", "csv", "series", "bytes", "tokens", "smiles")
_WINDOWS = 32  # about how many windows a series or file gets where nobody says how long they are


class Case(NamedTuple):
    """Everything an `Explainer` needs but the method."""

    model: Any
    masker: Masker
    x: Any
    kind: Any
    classes: list[str] | None


def read_case(source: Input, task: Task, load: Callable[[str], Any] = load_model) -> Case:
    """The model, as `load` gives it for the name that --model has, and the input that the options name."""
    if task.model is None:
        raise UsageError(
            "Expected a model, got none. Give one with --model: an .onnx file, package.module:object, demo-text or "
            "demo-digits."
        )
    given = [name for name in SOURCES if getattr(source, name) is not None]
    if len(given) > 1:
        raise UsageError(
            f"Expected one input, got {' and '.join(f'--{name}' for name in given)}. Leave one of them out."
        )
    if task.model.startswith("demo-") and task.model not in DEMOS:
        raise UsageError(f"Expected a model, got {task.model!r}{guess(task.model, DEMOS)}.")
    if not given and task.model not in DEMOS:
        raise UsageError(f"Expected an input, got none. Give one with {', '.join(f'--{name}' for name in SOURCES)}.")
    if task.model in DEMOS:
        model, masker, x = DEMOS[task.model]()
        masker, x = _demo_input(masker, x, source, given)
    else:
        model = load(task.model)
        masker, x = _READERS[given[0]](source)
    if source.masker is not None:
        masker = import_object(source.masker, "--masker")
    classes = None if task.classes is None else [name.strip() for name in task.classes.split(",")]
    kind = None if task.kind is None else task.kind.value
    return Case(image_model(model, source, kind), masker, x, kind, classes)


def read_target(task: Task, case: Case) -> Any:
    """The target as `Explainer` takes it: a number is that of a class, unless a class has it for its name."""
    names = case.classes or getattr(case.model, "classes", None) or ()
    given = [*(task.target or []), *([] if task.against is None else [task.against])]
    targets = [t if t in names or not re.fullmatch(r"\d+", t) else int(t) for t in given]
    if task.against is not None:
        if len(targets) != 2:
            raise UsageError(
                f"Expected one --target with --against, got {len(targets) - 1}. Give the class to explain."
            )
        return tuple(targets)
    return None if not targets else targets[0] if len(targets) == 1 else targets


# -- inputs -----------------------------------------------------------------------------------------------------------


def _demo_input(masker: Masker, x: Any, source: Input, given: list[str]) -> tuple[Masker, Any]:
    """The input of a demo, unless there is another; cut as the model saw it in training, unless the user says how."""
    if given:
        own, x = _READERS[given[0]](source)
    else:
        own = text_masker(source) if isinstance(masker, Text) else image_masker(source)
    as_trained = source.units is None and source.absent is None and type(own) is type(masker)
    return masker if as_trained else own, x


def read_shape(shape: Shape) -> Graph:
    """The graph of `lcshap plan`: one that is named, or that of a text."""
    given = [name for name in ("graph", "text", "file") if getattr(shape, name) is not None]
    if len(given) != 1:
        got = " and ".join(f"--{name}" for name in given) or "none"
        raise UsageError(f"Expected one of --graph, --text and --file, got {got}.")
    if shape.graph is not None:
        if shape.units is not None:
            raise UsageError("Expected --units with --text or --file, got --graph. Leave --units out.")
        return read_graph(shape.graph)
    masker, x = _READERS[given[0]](Input(text=shape.text, file=shape.file, units=shape.units))
    return masker.mask(x).graph


def _text(source: Input) -> tuple[Masker, Any]:
    return text_masker(source), _decode(Path("-")) if source.text == "-" else source.text


def _file(source: Input) -> tuple[Masker, Any]:
    assert source.file is not None
    return text_masker(source), _decode(source.file)


def _text_lines(source: Input) -> tuple[Masker, Any]:
    """The texts of the lines that are not blank, by the numbers of the lines, from 1."""
    assert source.lines is not None
    lines = _decode(source.lines).split("\n")
    texts = {number: line.strip("\r") for number, line in enumerate(lines, 1) if line.strip()}
    if not texts:
        raise MaskerError(f"Expected at least one text in {named(source.lines)}, got none.")
    return text_masker(source), texts


def _decode(path: Path) -> str:
    return read_text(path, "Use --bytes for other files.")


def text_masker(source: Input) -> Masker:
    """How --units and --absent cut a text."""
    units: Any = _choose_units(source, "word", ("word", "sentence", "character"))[0]
    return Text(units, "delete" if source.absent is None else source.absent)


def _image(source: Input) -> tuple[Masker, Any]:
    assert source.image is not None
    options = ImageOptions(source.grey, source.scale, source.channels_first, source.max_pixels)
    return image_masker(source), read_image(read(source.image), named(source.image), options)


def image_masker(source: Input) -> Masker:
    """How --units and --absent cut an image."""
    units, number = _choose_units(source, "auto", ("pixel", "patch=N", "superpixel", "superpixel=N"))
    reference = "mean" if source.absent is None else as_number(source.absent)
    channels: Any = "first" if source.channels_first else None
    if units == "superpixel":
        return Image("superpixel", reference=reference, channels=channels, segments=number or Image.segments)
    return Image("auto" if units == "auto" else "pixel", number, reference=reference, channels=channels)


def image_model(model: Any, source: Input, kind: Any) -> Any:
    """The model behind what --size, --mean and --std do to each image."""
    options = {name: getattr(source, name) for name in ("size", "mean", "std") if getattr(source, name) is not None}
    if not options:
        return model
    if source.image is None:
        raise UsageError(
            f"Expected an image for --{next(iter(options))}, got another input. Give one with --image, or leave it out."
        )
    numbers = {name: _numbers(name, text) for name, text in options.items()}
    sides = tuple(map(int, (numbers["size"] * 2)[:2])) if "size" in numbers else None
    mean, std = (given if given is None or len(given) > 1 else given[0] for given in map(numbers.get, ("mean", "std")))
    return ImageModel(model, kind, size=sides, mean=mean, std=std)  # type: ignore[arg-type]


def _numbers(name: str, text: str) -> list[float]:
    """Numbers with commas between, or of a size with an x."""
    pattern = r"[1-9]\d*(x[1-9]\d*)?" if name == "size" else r"[-+.\deE]+(,[-+.\deE]+)*"
    example = "224 or 224x320" if name == "size" else "0.5 or 0.485,0.456,0.406"
    try:
        if not re.fullmatch(pattern, text):
            raise ValueError
        return [float(part) for part in re.split("[x,]", text)]
    except ValueError:
        raise UsageError(f"Expected a --{name} such as {example}, got {text!r}.") from None


def _row(source: Input) -> tuple[Masker, Any]:
    _choose_units(source, "", ())
    return read_row(source)


def _series(source: Input) -> tuple[Masker, Any]:
    assert source.series is not None
    table, names = read_numbers(source.series)
    window = _choose_units(source, "", ("window=N",))[1] or -(-len(table) // _WINDOWS)
    reference = "mean" if source.absent is None else as_number(source.absent)
    if table.shape[1] == 1:
        return Series(window, reference=reference), table[:, 0]
    return Series(window, reference=reference, channels="last", names=names), table


def _bytes(source: Input) -> tuple[Masker, Any]:
    assert source.bytes is not None
    data = read(source.bytes)
    window = _choose_units(source, "", ("window=N",))[1] or max(1, -(-len(data) // _WINDOWS))
    return Bytes(window, padding=_whole(source.absent, 0)), data


def _tokens(source: Input) -> tuple[Masker, Any]:
    _choose_units(source, "", ())
    assert source.tokens is not None
    try:
        ids = [int(token) for token in re.split(r"[\s,]+", source.tokens.strip())]
    except ValueError:
        raise UsageError(f"Expected integers with spaces between for --tokens, got {source.tokens!r}.") from None
    return Tokens(padding=_whole(source.absent, 0)), ids


def _smiles(source: Input) -> tuple[Masker, Any]:
    _choose_units(source, "", ())
    return Molecule(), source.smiles


_READERS: dict[str, Callable[[Input], tuple[Masker, Any]]] = {
    "text": _text,
    "file": _file,
    "lines": _text_lines,
    "image": _image,
    "csv": _row,
    "series": _series,
    "bytes": _bytes,
    "tokens": _tokens,
    "smiles": _smiles,
}


def _choose_units(source: Input, usual: str, known: tuple[str, ...]) -> tuple[str, int | None]:
    """The name in --units and the number after its =, refused where this kind of input has no such units."""
    if source.units is None:
        return usual, None
    name, equals, number = source.units.partition("=")
    if (f"{name}=N" if equals else name) not in known:
        instead = f"Choose one of {', '.join(known)}." if known else "Leave --units out."
        raise UsageError(f"Expected units that this input has, got --units {source.units}. {instead}")
    if equals and not (number.isdigit() and int(number) > 0):
        raise UsageError(f"Expected a number of at least 1 for --units {name}=N, got {number!r}.")
    return name, int(number) if equals else None


def _whole(text: str | None, usual: int) -> int:
    if text is None:
        return usual
    if not re.fullmatch(r"-?\d+", text):
        raise UsageError(f"Expected an integer for --absent with this input, got {text!r}.")
    return int(text)
