"""Explanations sorted into samples: one input each, with an entry for every method and output."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from scipy import special

from ...core.explanation import Explanation
from ...core.rounding import settled
from ...core.views import ImageView, TextView
from ...errors import ShowError
from .. import flips, recorded, words
from ..chances import value_name
from ..faint import FADED
from ..pairs import pairs_of
from ..palette import clip_limit, limit_of
from ..sentences import lead_parts, residual_note
from .answers import pack_part
from .dataset import Leading, describe_sample
from .methods import name_methods, own_budget
from .pack import Pool, number, pack, pack_order, pack_short, to_float32
from .pictures import draw
from .settings import python

_SORTED_BY = ("full", "residual", "largest", "calls")
_ODDS = "log-odds of"  # how the values of a curve are called
_NAME = 120  # the longest name of a sample, in characters


@dataclass
class Sample:
    """Explanations of one input: by method and output, the explanation and which of its columns."""

    first: Explanation
    entries: dict[tuple[str, str], tuple[Explanation, int | None]] = field(default_factory=dict)


def labelled(explanations: Any) -> list[tuple[str, bytes, Explanation]]:
    """All explanations, each with the name of its method and the key of its input."""
    lists = explanations if isinstance(explanations, Mapping) else {"": explanations}
    found = [(str(name), e) for name, members in lists.items() for e in _listed(members)]
    if not found:
        raise ShowError("Expected at least one explanation to report, got none.")
    for _, e in found:
        if not isinstance(e, Explanation):
            raise ShowError(f"Expected explanations, as an Explainer returns them, got {type(e).__name__}.")
    keys = [_input_key(e) for _, e in found]
    titles = name_methods([e for _, e in found], keys)
    return [(name or title, key, e) for (name, e), title, key in zip(found, titles, keys, strict=True)]


def _listed(members: Any) -> list[Any]:
    return list(members) if isinstance(members, Iterable) and not isinstance(members, str) else [members]


def collect(explanations: Any) -> list[Sample]:
    """One sample for each input, and one more each time a method comes again for the same input and output."""
    samples: dict[tuple[bytes, int], Sample] = {}
    for method, key, e in labelled(explanations):
        turn = 0
        entries = {(method, output): (e, column) for output, column in _outputs(e)}
        while entries.keys() & samples.setdefault((key, turn), Sample(e)).entries.keys():
            turn += 1
        samples[key, turn].entries.update(entries)
    return list(samples.values())


def pack_sample(
    sample: Sample,
    place: int,
    methods: dict[str, int],
    pool: Pool,
    label: str | None = None,
    name: str | None = None,
    leading: Leading | None = None,
) -> tuple[dict[str, Any], Any]:
    """What the list of samples needs, and what is read when the sample is shown.

    Parameters
    ----------
    methods : the numbers of all methods so far, to which those of this sample are added.
    label, name : the true class of the input, and its name; None if they are not known.
    leading : counts the scores of the sample, for what leads in the whole data set.
    """
    picture, view, names = draw(sample.first.view, pool), sample.first.view, words.unit_names(sample.first)
    listed: dict[str, Any] = {"name": name or _name(sample, picture, place), "kind": picture["kind"]}
    listed |= describe_sample(sample.first, label)
    if isinstance(view, TextView):
        listed["text"] = view.text
    if not (isinstance(view, TextView) and "labels" not in picture and words.numbered(view.parts) == names):
        listed["names"] = pool.add(names)
    entries = [_pack_entry(e, column, pool) for e, column in sample.entries.values()]
    for entry, ((method, _), (e, _)) in zip(entries, sample.entries.items(), strict=True):
        if (budget := own_budget(method, e)) is not None:
            entry["budget"] = budget
    listed["entries"] = [
        [methods.setdefault(method, len(methods)), output, *(entry[key] for key in _SORTED_BY)]
        for (method, output), entry in zip(sample.entries, entries, strict=True)
    ]
    if (place := opened(sample)) > 0:
        listed["open"] = place
    if leading is not None:
        for (method, output), (e, column) in sample.entries.items():
            leading.add(methods[method], output, e if column is None else e.output(column))
    return listed, {"picture": picture, "entries": entries}


def opened(sample: Sample) -> int:
    """The place of the entry that is shown first: of several classes or labels by one method, the most probable."""
    (method, _), (first, _) = next(iter(sample.entries.items()))
    own = [pair for (name, _), pair in sample.entries.items() if name == method]
    if "kind" not in first.provenance or not all(_compares(e, first) for e, _ in own):
        return 0
    return int(np.argmax([float(np.atleast_1d(e.full_value)[column or 0]) for e, column in own]))


def _compares(e: Explanation, other: Explanation) -> bool:
    """Whether the values of two explanations tell which of their classes is the more probable one."""
    return words.is_class(e) and value_name(e) == value_name(other)


def _pack_entry(e: Explanation, column: int | None, pool: Pool) -> dict[str, Any]:
    """One method, one output.

    "ranking" is the order in which units are masked, "leading" that in which they are named. They travel where they
    are not the order of the scores, or of their sizes, as the page has them: rounded scores can tie.
    """
    one = e if column is None else e.output(column)
    ranking = e.ranking if column is None else e.ranking[:, column]
    scores, leading = settled(one.scores, one.scores, one.base_value, one.full_value), e.leading(output=column)
    entry: dict[str, Any] = {
        "scores": pack(scores),
        "base": number(one.base_value),
        "full": number(one.full_value),
        "residual": number(words.unexplained(one)),
        "largest": number(limit_of([one.scores]) if np.any(one.scores) else 0.0),
        "calls": int(e.calls),
        "lead": [part.replace("-", "−") if k % 2 == 0 else part for k, part in enumerate(lead_parts(one))],
        "sides": words.sides(one),
        "facts": _facts(one),
        "made": pool.add([recorded.settings(_shared(e.provenance)), python(e.provenance, e.curve is not None)]),
    }
    rounded = to_float32(scores)
    if (order := pack_order(ranking, np.argsort(-rounded, kind="stable"))) is not None:
        entry["ranking"] = order
    if (order := pack_order(leading, np.argsort(-np.abs(rounded), kind="stable"))) is not None:
        entry["leading"] = order
    if note := residual_note(one):
        entry["note"] = note.replace("-", "−")
    if isinstance(e.view, ImageView) and (clip := clip_limit(scores))[1]:
        entry["clip"] = number(clip[0])
    if flip := flips.flip_parts(e):
        entry["flip"] = flip
    if one.stderr is not None:
        entry["stderr"] = pack_short(one.stderr)
    if one.faint.any():
        entry["faint"] = [FADED, pack(np.packbits(one.faint))]
    if (pairs := pairs_of(one)) is not None:
        entry["pairs"] = pack(pairs.units.ravel())
        entry["interactions"] = pack(pairs.values)
        if pairs.stderr is not None:
            entry["pair_stderr"] = pack_short(pairs.stderr)
        if pairs.faint.any():
            entry["pair_faint"] = [FADED, pack(np.packbits(pairs.faint))]
    if e.curve is not None:
        entry["curve"] = _curve(e, pool)
    return entry | pack_part(e, column)


def _shared(provenance: dict[str, Any]) -> dict[str, Any]:
    """What explanations made in the same way have in common, so that the page stores it once."""
    return {key: value for key, value in provenance.items() if key != "prediction"}


def _curve(e: Explanation, pool: Pool) -> dict[str, Any]:
    """The masking curve; of a class as probabilities, the one scale that all values of a page share."""
    assert e.curve is not None
    what, values = str(e.curve["what"]), np.asarray(e.curve["values"], np.float64)
    said: dict[str, Any] = {}
    if what.startswith(_ODDS):
        what, values = what.replace(_ODDS, "probability of", 1), special.expit(values)
        said["chances"] = True
    said |= {"counts": np.asarray(e.curve["counts"]).tolist(), "what": what, "note": words.curve_note(what)}
    return {"values": [number(x) for x in values.tolist()], "said": pool.add(said)}


def _facts(e: Explanation) -> list[tuple[str, str]]:
    """What stands beside the picture, with a proper minus as all numbers of the page."""
    totals = words.totals(e, digits=6)
    return [("explains", words.about(e)), *((name, said.replace("-", "−")) for name, said in totals.items())]


def _outputs(e: Explanation) -> Iterator[tuple[str, int | None]]:
    """The name of each output, and its column; None where there is only one."""
    names = words.outputs(e)
    yield from [(names[0], None)] if e.scores.ndim == 1 else zip(names, range(len(names)), strict=True)


def _input_key(e: Explanation) -> bytes:
    """Equal for explanations of the same input in the same units; without a view, by names, v(∅) and v(V)."""
    digest = hashlib.sha256(repr((e.graph.d, e.names)).encode("utf-8", "surrogatepass"))
    content = {"base": np.asarray(e.base_value), "full": np.asarray(e.full_value)}
    if e.view is not None:
        content = {"kind": e.view.kind} | {f.name: getattr(e.view, f.name) for f in fields(e.view)}
    for name, part in sorted(content.items()):
        if isinstance(part, np.ndarray):
            digest.update(repr((name, part.dtype.str, part.shape)).encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(repr((name, part)).encode("utf-8", "surrogatepass"))
    return digest.digest()


def _name(sample: Sample, picture: dict[str, Any], place: int) -> str:
    """A text by its beginning, a molecule by its formula, other inputs by their kind and place in the report."""
    view, kind = sample.first.view, picture["kind"]
    if isinstance(view, TextView):
        return words.shorten(view.text, _NAME)
    if kind == "molecule":
        return str(picture["formula"])
    return f"{'units' if kind == 'bars' else kind} {place + 1}"
