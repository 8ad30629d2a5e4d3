"""From options to what the library takes: an input with its masker, a model, methods, a graph."""

from __future__ import annotations

import csv
import io
import re
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..adapters.base import Model
from ..adapters.image import ImageModel
from ..core.redact import described
from ..errors import MaskerError, ModelError
from ..extras import need
from ..maskers import Bytes, Image, Masker, Molecule, Series, Tabular, Text, Tokens
from ..paper.networks.demo import demo_digits, demo_text
from .methods import guess
from .options import Input, Task, UsageError

_DEMOS: dict[str, Callable[[], tuple[Model, Masker, Any]]] = {"demo-text": demo_text, "demo-digits": demo_digits}
_SOURCES = ("text", "file", "image", "csv", "series", "bytes", "tokens", "smiles")
_WINDOWS = 32  # about how many windows a series or file gets where nobody says how long they are


class Case(NamedTuple):
    """Everything an `Explainer` needs but the method."""

    model: Any
    masker: Masker
    x: Any
    kind: Any
    classes: list[str] | None


def read_case(source: Input, task: Task) -> Case:
    """The model and the input that the options name."""
    if task.model is None:
        raise UsageError("say which model with --model: an .onnx file, package.module:object, demo-text or demo-digits")
    given = [name for name in _SOURCES if getattr(source, name) is not None]
    if len(given) > 1:
        raise UsageError(f"give one input, not {' and '.join(f'--{name}' for name in given)}")
    if task.model.startswith("demo-") and task.model not in _DEMOS:
        raise UsageError(f"there is no model {task.model!r}{guess(task.model, _DEMOS)}")
    if not given and task.model not in _DEMOS:
        raise UsageError(f"say what to explain with one of {', '.join(f'--{name}' for name in _SOURCES)}")
    if task.model in _DEMOS:
        model, masker, x = _DEMOS[task.model]()
        masker, x = _demo_input(masker, x, source, given)
    else:
        model = _load(task.model)
        masker, x = _READERS[given[0]](source)
    if source.masker is not None:
        masker = _import(source.masker, "--masker")
    classes = None if task.classes is None else [name.strip() for name in task.classes.split(",")]
    kind = None if task.kind is None else task.kind.value
    return Case(_image_model(model, source, kind), masker, x, kind, classes)


def read_target(task: Task, case: Case) -> Any:
    """The target as `Explainer` takes it: a number is that of a class, unless a class has it for its name."""
    names = case.classes or getattr(case.model, "classes", None) or ()
    given = [*(task.target or []), *([] if task.against is None else [task.against])]
    targets = [t if t in names or not re.fullmatch(r"\d+", t) else int(t) for t in given]
    if task.against is not None:
        if len(targets) != 2:
            raise UsageError("--against goes with one --target")
        return tuple(targets)
    return None if not targets else targets[0] if len(targets) == 1 else targets


# -- inputs -----------------------------------------------------------------------------------------------------------


def _demo_input(masker: Masker, x: Any, source: Input, given: list[str]) -> tuple[Masker, Any]:
    """The input of a demo, unless there is another; cut as the model saw it in training, unless the user says how."""
    if given:
        own, x = _READERS[given[0]](source)
    else:
        own = _text_masker(source) if isinstance(masker, Text) else _image_masker(source)
    as_trained = source.units is None and source.absent is None and type(own) is type(masker)
    return masker if as_trained else own, x


def _text(source: Input) -> tuple[Masker, Any]:
    return _text_masker(source), source.text


def _file(source: Input) -> tuple[Masker, Any]:
    path = source.file
    assert path is not None
    data = sys.stdin.buffer.read() if str(path) == "-" else _read(path)
    try:
        return _text_masker(source), data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MaskerError(f"{path} is no text in UTF-8 ({error.reason} at byte {error.start}): try --bytes") from None


def _text_masker(source: Input) -> Masker:
    units: Any = _choose_units(source, "word", ("word", "sentence", "character"))[0]
    return Text(units, "delete" if source.absent is None else source.absent)


def _image(source: Input) -> tuple[Masker, Any]:
    path = source.image
    assert path is not None
    pillow = need("PIL.Image", "image")
    data = _read(path)
    try:
        with warnings.catch_warnings(action="ignore", category=pillow.DecompressionBombWarning):
            picture = pillow.open(io.BytesIO(data))
        with picture:
            width, height = picture.size  # of the header: nothing is decoded yet
            if width * height > source.max_pixels:
                raise MaskerError(
                    f"Expected an image of at most {source.max_pixels:,} pixels, got {path} with {width:,} x "
                    f"{height:,}. Make it smaller, or raise --max-pixels."
                )
            upright = need("PIL.ImageOps", "image").exif_transpose(picture)  # as phones and browsers show it
            x = np.asarray(upright.convert("L" if source.grey or picture.mode in ("1", "L") else "RGB"))
    except pillow.DecompressionBombError as error:
        raise MaskerError(f"{path} is too large: {error}. Make it smaller.") from None
    except (OSError, SyntaxError) as error:
        raise MaskerError(f"{path} is no image that can be read: {error}") from None
    x = x.astype(np.float32) / 255 if source.scale else x
    if source.channels_first:
        x = x[None] if x.ndim == 2 else np.moveaxis(x, 2, 0)
    return _image_masker(source), np.ascontiguousarray(x)


def _image_masker(source: Input) -> Masker:
    units, number = _choose_units(source, "auto", ("pixel", "patch=N", "superpixel", "superpixel=N"))
    reference = "mean" if source.absent is None else _number(source.absent)
    channels: Any = "first" if source.channels_first else None
    if units == "superpixel":
        return Image("superpixel", reference=reference, channels=channels, segments=number or Image.segments)
    return Image("auto" if units == "auto" else "pixel", number, reference=reference, channels=channels)


def _image_model(model: Any, source: Input, kind: Any) -> Any:
    """The model behind what --size, --mean and --std do to each image."""
    options = {name: getattr(source, name) for name in ("size", "mean", "std") if getattr(source, name) is not None}
    if not options:
        return model
    if source.image is None:
        raise UsageError(f"--{next(iter(options))} is about images: give one with --image")
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
        raise UsageError(f"--{name} is written as {example}, not {text!r}") from None


def _csv(source: Input) -> tuple[Masker, Any]:
    _choose_units(source, "", ())
    assert source.csv is not None
    names, lines = _lines(source.csv)
    for column in source.drop or []:
        if column not in names:
            raise UsageError(f"{source.csv} has no column {column!r}{guess(column, names)}: it has {', '.join(names)}")
        lines = [line[: names.index(column)] + line[names.index(column) + 1 :] for line in lines]
        names.remove(column)
    if not 0 <= source.row < len(lines):
        raise UsageError(f"--row {source.row} is not there: {source.csv} has the rows 0 to {len(lines) - 1}")
    if len(lines) < 2:
        raise MaskerError(f"{source.csv} has one row only: other rows are needed to take the place of absent columns")
    if source.background < 0:
        raise UsageError(f"--background is a number of rows, or 0 for their mean, not {source.background}")
    others = np.delete(np.arange(len(lines)), source.row)
    count = min(source.background, len(others)) or None
    if any(isinstance(_number(cell), str) for line in lines for cell in line):
        return _mixed(names, lines, source.row, others, count)
    table = np.array([[float(cell) for cell in line] for line in lines])
    rows = table[others] if count else table[others].mean(axis=0)
    return Tabular(rows, names=names, summary=count), table[source.row]


def _mixed(
    names: list[str], lines: list[list[str]], row: int, others: NDArray[np.intp], count: int | None
) -> tuple[Masker, Any]:
    """A table with texts or gaps, read as pandas reads it: the model gets DataFrames."""
    pandas = need("pandas", "pandas")
    text = io.StringIO(newline="")
    csv.writer(text).writerows([names, *lines])
    text.seek(0)
    frame = pandas.read_csv(text)
    if list(frame.columns) != names:
        raise MaskerError(f"Expected a table with one column of each name, got {', '.join(names)}.")
    rest = frame.iloc[others]
    if count is not None:
        return Tabular(rest, summary=count), frame.iloc[[row]]
    usual = {
        name: [column.mean() if column.dtype.kind in "iuf" else column.mode().get(0)] for name, column in rest.items()
    }
    kinds = {name: dtype for name, dtype in rest.dtypes.items() if dtype.kind not in "iu"}
    return Tabular(pandas.DataFrame(usual).astype(kinds)), frame.iloc[[row]]


def _series(source: Input) -> tuple[Masker, Any]:
    assert source.series is not None
    table, names = _table(source.series)
    window = _choose_units(source, "", ("window=N",))[1] or -(-len(table) // _WINDOWS)
    reference = "mean" if source.absent is None else _number(source.absent)
    if table.shape[1] == 1:
        return Series(window, reference=reference), table[:, 0]
    return Series(window, reference=reference, channels="last", names=names), table


def _bytes(source: Input) -> tuple[Masker, Any]:
    assert source.bytes is not None
    data = _read(source.bytes)
    window = _choose_units(source, "", ("window=N",))[1] or max(1, -(-len(data) // _WINDOWS))
    return Bytes(window, padding=_whole(source.absent, 0)), data


def _tokens(source: Input) -> tuple[Masker, Any]:
    _choose_units(source, "", ())
    assert source.tokens is not None
    try:
        ids = [int(token) for token in re.split(r"[\s,]+", source.tokens.strip())]
    except ValueError:
        raise UsageError(f"--tokens takes integers with spaces between, not {source.tokens!r}") from None
    return Tokens(padding=_whole(source.absent, 0)), ids


def _smiles(source: Input) -> tuple[Masker, Any]:
    _choose_units(source, "", ())
    return Molecule(), source.smiles


_READERS: dict[str, Callable[[Input], tuple[Masker, Any]]] = {
    "text": _text,
    "file": _file,
    "image": _image,
    "csv": _csv,
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
        instead = f"it takes {', '.join(known)}" if known else "leave it out"
        raise UsageError(f"--units {source.units} is not for this input: {instead}")
    if equals and not (number.isdigit() and int(number) > 0):
        raise UsageError(f"--units {name}=N takes a number of at least 1, not {number!r}")
    return name, int(number) if equals else None


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def _whole(text: str | None, usual: int) -> int:
    if text is None:
        return usual
    if not re.fullmatch(r"-?\d+", text):
        raise UsageError(f"--absent takes an integer for this input, not {text!r}")
    return int(text)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"there is no file {str(path)!r}") from None
    except OSError as error:
        raise UsageError(f"the file {str(path)!r} cannot be read: {error.strerror}") from None


def _table(path: Path) -> tuple[NDArray[np.float64], list[str]]:
    """The numbers of a file with commas, and the names of its columns."""
    names, rows = _lines(path)
    for number, line in enumerate(rows):
        for name, cell in zip(names, line, strict=True):
            if isinstance(_number(cell), str):
                raise MaskerError(f"row {number} of {path} has {cell!r} in column {name!r}: only numbers can be read")
    return np.array([[float(cell) for cell in line] for line in rows]).reshape(len(rows), len(names)), names


def _lines(path: Path) -> tuple[list[str], list[list[str]]]:
    """The names of the columns of a file with commas, and its rows: the first line has names, unless it is numbers."""
    try:
        lines = [line for line in csv.reader(_read(path).decode("utf-8-sig").splitlines()) if line]
    except (UnicodeDecodeError, csv.Error) as error:
        raise MaskerError(f"{path} is no table in UTF-8: {error}") from None
    if not lines:
        raise MaskerError(f"{path} is empty")
    titled = any(isinstance(_number(cell), str) for cell in lines[0])
    names = [cell.strip() for cell in lines[0]] if titled else [str(i) for i in range(len(lines[0]))]
    rows = lines[1:] if titled else lines
    for number, line in enumerate(rows):
        if len(line) != len(names):
            raise MaskerError(f"row {number} of {path} has {len(line)} columns, not {len(names)}")
    return names, rows


# -- models -----------------------------------------------------------------------------------------------------------


def _load(name: str) -> Any:
    """What find_model takes: the path of an ONNX file, or an object imported from a module."""
    if name.endswith(".onnx"):
        if not Path(name).is_file():
            raise UsageError(f"there is no file {name!r}")
        return name
    return _import(name, "--model")


def _import(name: str, option: str) -> Any:
    """The object that `package.module:object` names; modules in the current directory count, which come last."""
    module, _, path = name.partition(":")
    if not module or not path:
        raise UsageError(f"{option} takes package.module:object, not {name!r}")
    if "" not in sys.path:
        sys.path.append("")  # last, so that no file there takes the place of an installed package
    try:
        found = import_module(module)
    except Exception as error:
        raise ModelError(f"{option} {name}: the module {module} cannot be imported: {described(error)}") from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise UsageError(f"{option} {name}: {module} has no {part!r}{guess(part, dir(found))}")
        found = getattr(found, part)
    return found
