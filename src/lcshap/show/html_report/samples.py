"""Explanations sorted into samples: one input each, with an entry for every method and output."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from ...core.explanation import Explanation
from ...errors import MethodError
from ..palette import limit_of
from .pack import Pool, number, pack
from .pictures import draw, slices
from .settings import python, rows

_SORTED_BY = ("full", "residual", "largest", "calls")
_NAME = 120  # the longest name of a sample, in characters


@dataclass
class Sample:
    """Explanations of one input: by method and output, the explanation and which of its columns."""

    first: Explanation
    entries: dict[tuple[str, str], tuple[Explanation, int | None]] = field(default_factory=dict)


def labelled(explanations: Any) -> list[tuple[str, Explanation]]:
    """All explanations, each with the name of its method."""
    lists = explanations if isinstance(explanations, Mapping) else {"": explanations}
    found = [(str(name), e) for name, members in lists.items() for e in _listed(members)]
    if not found:
        raise MethodError("there is nothing to report: give at least one explanation")
    for _, e in found:
        if not isinstance(e, Explanation):
            raise MethodError(f"a report shows explanations, not {type(e).__name__}: give what an Explainer returns")
    return [(name or str(e.provenance.get("method", "scores")), e) for name, e in found]


def _listed(members: Any) -> list[Any]:
    return list(members) if isinstance(members, Iterable) and not isinstance(members, str) else [members]


def collect(explanations: Any) -> list[Sample]:
    """One sample for each input, and one more each time a method comes again for the same input and output."""
    samples: dict[tuple[bytes, int], Sample] = {}
    for method, e in labelled(explanations):
        key, turn = _input_key(e), 0
        entries = {(method, output): (e, column) for output, column in _outputs(e)}
        while entries.keys() & samples.setdefault((key, turn), Sample(e)).entries.keys():
            turn += 1
        samples[key, turn].entries.update(entries)
    return list(samples.values())


def pack_sample(sample: Sample, place: int, methods: dict[str, int], pool: Pool) -> tuple[dict[str, Any], Any]:
    """What the list of samples needs, and what is read when the sample is shown."""
    picture, view, names = draw(sample.first.view, pool), sample.first.view, sample.first.names
    listed: dict[str, Any] = {"name": _name(sample, picture, place), "kind": picture["kind"]}
    if view and picture["kind"] == "text":
        listed["text"] = view["text"]
    if not (view and picture["kind"] == "text" and "labels" not in picture and slices(view) == names):
        listed["names"] = pool.add(list(names))
    entries = [_pack_entry(e, column) for e, column in sample.entries.values()]
    listed["entries"] = [
        [methods.setdefault(method, len(methods)), output, *(entry[key] for key in _SORTED_BY)]
        for (method, output), entry in zip(sample.entries, entries, strict=True)
    ]
    return listed, {"picture": picture, "entries": entries}


def _pack_entry(e: Explanation, column: int | None) -> dict[str, Any]:
    """One method, one output. Rankings travel too: rounded scores can tie."""
    scores, ranking, base, full, residual, stderr = (
        part if column is None or part is None else np.asarray(part)[..., column]
        for part in (e.scores, e.ranking, e.base_value, e.full_value, e.residual, e.stderr)
    )
    assert scores is not None
    entry: dict[str, Any] = {
        "scores": pack(np.asarray(scores, np.float32)),
        "ranking": pack(np.asarray(ranking)),
        "base": number(base),
        "full": number(full),
        "residual": number(residual),
        "largest": number(limit_of([scores]) if np.any(scores) else 0.0),
        "calls": int(e.calls),
        "settings": rows(e.provenance),
        "python": python(e.provenance, e.curve is not None),
    }
    if stderr is not None:
        entry["stderr"] = pack(np.asarray(stderr, np.float32))
    matrix = e.interactions[column or 0] if isinstance(e.interactions, tuple) else e.interactions
    if matrix is not None:
        upper = sparse.coo_array(sparse.triu(matrix, k=1))
        entry["pairs"] = pack(np.stack([upper.row, upper.col], axis=1).ravel())
        entry["interactions"] = pack(upper.data.astype(np.float32))
    if e.curve is not None:
        parts = {key: [number(x) for x in np.asarray(e.curve[key]).tolist()] for key in ("percents", "values")}
        entry["curve"] = {**parts, "counts": np.asarray(e.curve["counts"]).tolist(), "what": str(e.curve["what"])}
    return entry


def _outputs(e: Explanation) -> Iterator[tuple[str, int | None]]:
    """The name of each output, and its column; None where there is only one."""
    targets = [str(target) for target in e.provenance.get("targets", ())]
    if e.scores.ndim == 1:
        index = e.provenance.get("output", 0)
        yield (targets[index] if index < len(targets) else ""), None
        return
    count = e.scores.shape[1]
    names = targets if len(set(targets)) == count else [f"output {column}" for column in range(count)]
    yield from zip(names, range(count), strict=True)


def _input_key(e: Explanation) -> bytes:
    """Equal for explanations of the same input in the same units; without a view, by names, v(∅) and v(V)."""
    digest = hashlib.sha256(repr((e.graph.d, e.names)).encode("utf-8", "surrogatepass"))
    content = e.view or {"base": np.asarray(e.base_value), "full": np.asarray(e.full_value)}
    for name, part in sorted(content.items()):
        if isinstance(part, np.ndarray):
            digest.update(repr((name, part.dtype.str, part.shape)).encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(repr((name, part)).encode("utf-8", "surrogatepass"))
    return digest.digest()


def _name(sample: Sample, picture: dict[str, Any], place: int) -> str:
    """A text by its beginning, a molecule by its formula, other inputs by their kind and place in the report."""
    e, kind = sample.first, picture["kind"]
    if e.view and kind == "text":
        name = " ".join(e.view["text"].split())
        return name if len(name) <= _NAME else f"{name[:_NAME]}…"
    if kind == "molecule":
        return str(picture["formula"])
    return f"{'units' if kind == 'bars' else kind} {place + 1}"
