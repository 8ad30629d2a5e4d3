"""The manifest of a run: data, model, settings and versions, written before anything is computed."""

from __future__ import annotations

import json
import platform
import warnings
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from ..adapters.fingerprint import FingerprintReader
from ..core.atomic_files import write_file
from ..core.blas_threads import describe_processor
from ..core.digest import digest
from ..core.explanation import package_versions
from ..core.method import Method, Stop
from ..errors import BulkError
from ..estimators.graph_kernel_shap import GraphKernelSHAP
from ..estimators.registry import get_method
from ..explainer import Explainer
from ..extras import import_optional
from ..maskers.base import Masker
from ..maskers.tabular import Tabular
from ..selection.budget import DEFAULT_BUDGET
from ..values import Loss, Value
from ..values.probabilities import MULTILABEL_KINDS
from ..values.value import SAME_CLASSES
from .sealed_json import encode_sealed_json, read_sealed_json

FORMAT, VERSION = "lcshap-bulk", 1
_OPTION_NAMES = (
    "goal",
    "target",
    "interactions",
    "tolerance",
    "top",
    "confidence",
    "seed",
    "curve",
    "check",
    "max_calls",
)
_MAX_NAMED_DIFFERENCES = 3  # in an error message

Manifest = dict[str, Any]


def describe_explainer(explainer: Explainer) -> dict[str, Any]:
    """All properties of an explainer that its results depend on, as values that JSON can represent.

    Raises
    ------
    OptionError : for a function or a remote model without a `model_name`.
    """
    value_function = explainer.value_function
    method = explainer.method
    options = vars(explainer) | vars(explainer.stop or Stop()) | vars(explainer.execution)
    return {
        "model": {
            "adapter": type(explainer.adapter).__name__,
            "kind": explainer.adapter.kind,
            "name": options["model_name"],
            "fingerprint": explainer.engine.identify().hex(),
        },
        "masker": {
            "name": explainer.masker.name,
            "parameters": _as_json(explainer.masker.parameters),
            "fingerprint": _masker_fingerprint(explainer.masker, options["model_name"]),
        },
        "method": method if isinstance(method, str) else repr(method),
        "value": value_function.name
        if isinstance(value_function.name, str)
        else getattr(value_function.name, "__name__", "a function"),
        **_describe_average(value_function),
        "several": explains_several(explainer),
        "classes": None if explainer.setup.classes is None else list(map(str, explainer.setup.classes)),
        "batch_size": options["batch_size"],
        **{name: _as_json(options[name]) for name in _OPTION_NAMES},
        **({"target": SAME_CLASSES} if _is_keyword(value_function.target, SAME_CLASSES) else {}),
        **_describe_algorithm(method),
        # The default is written out, because a run that began with another default is a different run.
        "budget": DEFAULT_BUDGET if explainer.selector.has_default_budget else _as_json(explainer.budget),
    }


def explains_several(explainer: Explainer) -> bool:
    """Whether each row of the data has scores of several outputs. The model may be asked about one background row."""
    value, classes, kind = explainer.value_function, explainer.setup.classes, explainer.adapter.kind
    target = value.target
    if isinstance(target, list) or _is_keyword(target, "all"):
        return True
    if _is_keyword(target, SAME_CLASSES) and classes is not None:
        return len(classes) > (1 if kind in MULTILABEL_KINDS else 2)
    may_be_several = _is_keyword(target, SAME_CLASSES) or (kind == "output" and target is None)
    if not may_be_several or callable(value.name) or isinstance(value, Loss):
        return False
    if not isinstance(explainer.masker, Tabular):
        return False
    outputs = explainer.engine.predict_rows(explainer.masker.first_background_row)
    return value.resolve(outputs, kind, classes).multi_output


def _is_keyword(target: Any, keyword: str) -> bool:
    return isinstance(target, str) and target == keyword


def _describe_average(value: Value) -> dict[str, Any]:
    """How the value is averaged over background rows, and the lower bound of probabilities, if unusual."""
    if isinstance(value, Loss):
        return {"average": value.average}
    average = {"average": value.average} if value.average != Value.average else {}
    return {**average, **({"floor": value.floor} if value.floor != Value.floor else {})}


def _describe_algorithm(method: Method | str) -> dict[str, int]:
    """The version of the algorithm of a method; nothing for the first version, which 0.2 did not write."""
    estimator = GraphKernelSHAP if method == "auto" else get_method(method) if isinstance(method, str) else method
    return {"algorithm": estimator.algorithm} if estimator.algorithm > 1 else {}


def _masker_fingerprint(masker: Masker, name: str | None) -> str:
    """A digest of the settings of a masker, including backgrounds. The name of the model identifies functions."""
    reader = FingerprintReader(name or "the masker")
    if not is_dataclass(masker):
        return reader.read(masker).hex()
    settings = {f.name: getattr(masker, f.name) for f in fields(masker) if f.init}
    return digest(reader.kind(type(masker)), reader.read(settings)).hex()


def _as_json(content: Any) -> Any:
    """The content after a round trip through JSON."""
    return json.loads(json.dumps(content, default=repr))


def make_manifest(source: dict[str, Any], explainer: dict[str, Any], shard_rows: int, threads: int) -> Manifest:
    """The manifest of a run."""
    pyarrow = import_optional("pyarrow", "bulk").__version__
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "data": source,
        "explainer": explainer,
        "shard_rows": shard_rows,
        "threads": threads,
        "versions": {**package_versions(), "pyarrow": pyarrow, "machine": platform.machine()},
        "processor": describe_processor(),
    }
    return _as_json(manifest)  # type: ignore[no-any-return]


def write_manifest(manifest: Manifest, path: Path) -> None:
    """Write a manifest to a file, completely or not at all."""
    write_file(path, encode_sealed_json(manifest))


def read_manifest(path: Path) -> Manifest:
    """The manifest in a file.

    Raises
    ------
    BulkError : if there is no manifest, or it has another version.
    """
    try:
        manifest = read_sealed_json(path)
    except FileNotFoundError:
        raise BulkError(f"Expected the folder of a run, got {str(path.parent)!r}, which has no {path.name}.") from None
    except ValueError as error:
        raise BulkError(f"Expected a manifest, got {str(path)!r}, which is damaged: {error}.") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BulkError(f"Expected a manifest of lcshap, got {str(path)!r}, which is something else.")
    if manifest.get("version") != VERSION:
        raise BulkError(
            f"Expected a manifest of version {VERSION}, got {str(path)!r} of version {manifest.get('version')!r}. "
            "Use the version of lcshap that made it, or another folder."
        )
    return manifest


def check_same_run(old: Manifest, new: Manifest, folder: Path) -> None:
    """Raise `BulkError` with the differences if a run is not the one that was begun in the folder.

    On another kind of processor the coalitions are the same, but sums are rounded differently. This gives a warning.
    """
    old_processor, processor = old.get("processor"), new["processor"]
    differences = list(_differences({**old, "processor": None}, {**new, "processor": None}))
    if differences:
        more = (
            f" and {len(differences) - _MAX_NAMED_DIFFERENCES} more"
            if len(differences) > _MAX_NAMED_DIFFERENCES
            else ""
        )
        raise BulkError(
            f"Expected the run that was begun in {str(folder)!r}, got another one: "
            f"{'; '.join(differences[:_MAX_NAMED_DIFFERENCES])}{more}. "
            "Restore what has changed, or choose another folder. Nothing was changed."
        )
    if old_processor is not None and old_processor != processor:
        warnings.warn(
            f"The run in {str(folder)!r} was begun on another kind of processor: "
            f"{'; '.join(_differences(old_processor, processor))}. The coalitions are the same, but scores of the "
            "remaining parts can differ in the last digits, by about 1e-9 of the largest, from those of the first "
            "processor.",
            UserWarning,
            stacklevel=2,
        )


def _differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in [*old, *(name for name in new if name not in old)]:
            yield from _differences(old.get(name), new.get(name), f"{path}.{name}" if path else name)
    elif old != new:
        yield f"{path} is {_abbreviate(new)} instead of {_abbreviate(old)}"


def _abbreviate(setting: Any) -> str:
    text = json.dumps(setting)
    return text if len(text) <= 80 else f"{text[:77]}..."
