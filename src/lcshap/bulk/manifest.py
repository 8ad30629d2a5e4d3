"""What a run over a data set is: data, model, settings and versions, written down before anything is computed."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from ..adapters.fingerprint import Reader
from ..core.digest import digest
from ..core.explanation import versions
from ..core.files import write_file
from ..core.parse import parse
from ..errors import BulkError
from ..explainer import Explainer
from ..extras import need
from ..maskers.base import Masker

FORMAT, VERSION = "lcshap-bulk", 1
_SETTINGS = (
    "goal",
    "target",
    "budget",
    "interactions",
    "tolerance",
    "top",
    "confidence",
    "seed",
    "curve",
    "check",
    "max_calls",
)
_SHOWN = 3  # differences that an error names

Manifest = dict[str, Any]


def describe(explainer: Explainer) -> dict[str, Any]:
    """Everything about an explainer that its results depend on, as JSON can hold it.

    Raises
    ------
    OptionError : for a function or a remote model without a `model_name`.
    """
    value = explainer.value_function
    method = explainer.method
    return {
        "model": {
            "adapter": type(explainer.adapter).__name__,
            "kind": explainer.adapter.kind,
            "name": explainer.model_name,
            "fingerprint": explainer.engine.identify().hex(),
        },
        "masker": {
            "name": explainer.masker.name,
            "parameters": _plain(explainer.masker.parameters),
            "fingerprint": _content(explainer.masker, explainer.model_name),
        },
        "method": method if isinstance(method, str) else repr(method),
        "value": value.name if isinstance(value.name, str) else getattr(value.name, "__name__", "a function"),
        "several": isinstance(value.target, list) or value.target == "all",
        "classes": None if explainer.setup.classes is None else list(map(str, explainer.setup.classes)),
        "batch_size": explainer.batch_size,
        **{name: _plain(getattr(explainer, name)) for name in _SETTINGS},
    }


def _content(masker: Masker, name: str | None) -> str:
    """A digest of the settings of a masker, backgrounds too; the name of the model stands for functions in them."""
    reader = Reader(name or "the masker")
    if not is_dataclass(masker):
        return reader.read(masker).hex()
    settings = {f.name: getattr(masker, f.name) for f in fields(masker) if f.init}
    return digest(reader.kind(type(masker)), reader.read(settings)).hex()


def _plain(thing: Any) -> Any:
    """As JSON gives it back."""
    return json.loads(json.dumps(thing, default=repr))


def make(data: dict[str, Any], explainer: dict[str, Any], shard_rows: int, threads: int) -> Manifest:
    """The manifest of a run."""
    pyarrow = need("pyarrow", "bulk").__version__
    made = {
        "format": FORMAT,
        "version": VERSION,
        "data": data,
        "explainer": explainer,
        "shard_rows": shard_rows,
        "threads": threads,
        "versions": {**versions(), "pyarrow": pyarrow, "machine": platform.machine()},
    }
    return _plain(made)  # type: ignore[no-any-return]


def write(manifest: Manifest, path: Path) -> None:
    """Put a manifest on the disk, all of it or nothing."""
    write_file(path, json.dumps(manifest, indent=1) + "\n")


def read(path: Path) -> Manifest:
    """The manifest in a file.

    Raises
    ------
    BulkError : if there is none, or one of another version.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise BulkError(f"Expected the folder of a run, got {str(path.parent)!r}, which has no {path.name}.") from None
    try:
        found = parse(data, str(path))
    except ValueError as error:
        raise BulkError(f"Expected a manifest, got {str(path)!r}, which is damaged: {error}.") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BulkError(f"Expected a manifest of lcshap, got {str(path)!r}, which is something else.")
    if found.get("version") != VERSION:
        raise BulkError(
            f"Expected a manifest of version {VERSION}, got {str(path)!r} of version {found.get('version')!r}. Use the "
            "version of lcshap that made it, or another folder."
        )
    return found


def check_same(old: Manifest, new: Manifest, folder: Path) -> None:
    """Raise `BulkError` if a run is not the one that was begun, and say in what."""
    found = list(_differences(old, new))
    if found:
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise BulkError(
            f"Expected the run that was begun in {str(folder)!r}, got another one: {'; '.join(found[:_SHOWN])}{more}. "
            "Restore what has changed, or choose another folder. Nothing was changed."
        )


def _differences(old: Any, new: Any, where: str = "") -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in [*old, *(name for name in new if name not in old)]:
            yield from _differences(old.get(name), new.get(name), f"{where}.{name}" if where else name)
    elif old != new:
        yield f"{where} is {_short(new)} instead of {_short(old)}"


def _short(thing: Any) -> str:
    text = json.dumps(thing)
    return text if len(text) <= 80 else f"{text[:77]}..."
