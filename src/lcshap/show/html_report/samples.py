"""Explanations sorted into samples: one input each, with an entry for every method and output."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from scipy import special

from ...core.explanation import Explanation
from ...core.explanations import Explanations
from ...core.rounding import round_to_zero
from ...core.views import ImageView, TextView
from ...errors import ShowError
from .. import flips, words
from .. import provenance_text as recorded
from ..faded_scores import FADED_STRENGTH
from ..interaction_pairs import pairs_of
from ..kinds import drawing_of
from ..pack import ContentPool, json_number, pack_array, pack_bfloat16, pack_order, to_float32
from ..palette import clip_limit, colour_limit
from ..probability_of_value import value_name
from ..sentences import doubt_note, lead_pieces, residual_note
from .answer_spans import pack_answer_span
from .dataset import LeadingUnits, describe_sample
from .method_titles import budget_in_range, name_methods
from .python_snippet import python_snippet

_SORTED_BY = ("full", "residual", "largest", "calls")
_LOG_ODDS_PREFIX = "log-odds of"  # how the values of a curve are called
_MAX_NAME_LENGTH = 120  # the longest name of a sample, in characters


@dataclass
class Sample:
    """Explanations of one input: by method and output, the explanation and which of its columns."""

    first_explanation: Explanation
    entries: dict[tuple[str, str], tuple[Explanation, int | None]] = field(default_factory=dict)


def name_explanations(explanations: Any) -> list[tuple[str, bytes, Explanation]]:
    """All explanations, each with the name of its method and the key of its input."""
    lists = explanations if isinstance(explanations, Mapping) else {"": explanations}
    named = [(str(name), e) for name, members in lists.items() for e in _as_list(members)]
    if not named:
        raise ShowError("Expected at least one explanation to report, got none.")
    for _, e in named:
        if not isinstance(e, Explanation):
            raise ShowError(f"Expected explanations, as an Explainer returns them, got {type(e).__name__}.")
    keys = [_input_key(e) for _, e in named]
    titles = name_methods([e for _, e in named], keys)
    return [(name or title, key, e) for (name, e), title, key in zip(named, titles, keys, strict=True)]


def _as_list(members: Any) -> list[Any]:
    if isinstance(members, Explanations):
        return list(members.explained)
    return list(members) if isinstance(members, Iterable) and not isinstance(members, str) else [members]


def collect_samples(explanations: Any) -> list[Sample]:
    """One sample for each input, and one more each time a method comes again for the same input and output."""
    samples: dict[tuple[bytes, int], Sample] = {}
    for method, key, e in name_explanations(explanations):
        repetition = 0
        entries = {(method, output): (e, column) for output, column in _iterate_outputs(e)}
        while entries.keys() & samples.setdefault((key, repetition), Sample(e)).entries.keys():
            repetition += 1
        samples[key, repetition].entries.update(entries)
    return list(samples.values())


def pack_sample(
    sample: Sample,
    place: int,
    methods: dict[str, int],
    pool: ContentPool,
    label: str | None = None,
    name: str | None = None,
    leading: LeadingUnits | None = None,
) -> tuple[dict[str, Any], Any]:
    """What the list of samples needs, and what is read when the sample is shown.

    Parameters
    ----------
    methods : the numbers of all methods so far, to which those of this sample are added.
    label, name : the true class of the input, and its name; None if they are not known.
    leading : counts the scores of the sample, for what leads in the whole data set.
    """
    view, names = sample.first_explanation.view, words.unit_names(sample.first_explanation)
    picture = drawing_of(view).pack(view, pool)
    listed: dict[str, Any] = {"name": name or _default_name(sample, picture, place), "kind": picture["kind"]}
    listed |= describe_sample(sample.first_explanation, label)
    if isinstance(view, TextView):
        listed["text"] = view.text
    if not (isinstance(view, TextView) and "labels" not in picture and words.number_duplicates(view.parts) == names):
        listed["names"] = pool.add(names)
    entries = [_pack_entry(e, column, pool) for e, column in sample.entries.values()]
    for entry, ((method, _), (e, _)) in zip(entries, sample.entries.items(), strict=True):
        if (budget := budget_in_range(method, e)) is not None:
            entry["budget"] = budget
    listed["entries"] = [
        [methods.setdefault(method, len(methods)), output, *(entry[key] for key in _SORTED_BY)]
        for (method, output), entry in zip(sample.entries, entries, strict=True)
    ]
    if (place := first_shown_entry(sample)) > 0:
        listed["open"] = place
    if leading is not None:
        for (method, output), (e, column) in sample.entries.items():
            leading.add(methods[method], output, e if column is None else e.output(column))
    return listed, {"picture": picture, "entries": entries}


def first_shown_entry(sample: Sample) -> int:
    """The place of the entry that is shown first: of several classes or labels by one method, the most probable."""
    (method, _), (first, _) = next(iter(sample.entries.items()))
    same_method = [pair for (name, _), pair in sample.entries.items() if name == method]
    if "kind" not in first.provenance or not all(_is_comparable(e, first) for e, _ in same_method):
        return 0
    return int(np.argmax([float(np.atleast_1d(e.full_value)[column or 0]) for e, column in same_method]))


def _is_comparable(e: Explanation, other: Explanation) -> bool:
    """Whether the values of two explanations tell which of their classes is the more probable one."""
    return words.is_class(e) and value_name(e) == value_name(other)


def _pack_entry(e: Explanation, column: int | None, pool: ContentPool) -> dict[str, Any]:
    """One method, one output.

    "ranking" is the order in which units are masked, "leading" that in which they are named. They travel where they
    are not the order of the scores, or of their sizes, as the page has them: rounded scores can tie.
    """
    single = e if column is None else e.output(column)
    ranking = e.ranking if column is None else e.ranking[:, column]
    scores = round_to_zero(single.scores, single.scores, single.base_value, single.full_value)
    leading = e.by_magnitude(output=column)
    entry: dict[str, Any] = {
        "scores": pack_array(scores),
        "base": json_number(single.base_value),
        "full": json_number(single.full_value),
        "residual": json_number(words.rounded_residual(single)),
        "largest": json_number(colour_limit([single.scores]) if np.any(single.scores) else 0.0),
        "calls": int(e.calls),
        "lead": [piece.replace("-", "−") if k % 2 == 0 else piece for k, piece in enumerate(lead_pieces(single))],
        "sides": words.sign_labels(single),
        "facts": _facts(single),
        "made": pool.add(
            [recorded.settings(_without_prediction(e.provenance)), python_snippet(e.provenance, e.curve is not None)]
        ),
    }
    rounded = to_float32(scores)
    if (order := pack_order(ranking, np.argsort(-rounded, kind="stable"))) is not None:
        entry["ranking"] = order
    if (order := pack_order(leading, np.argsort(-np.abs(rounded), kind="stable"))) is not None:
        entry["leading"] = order
    if note := " ".join(filter(None, [residual_note(single), doubt_note(single)])):
        entry["note"] = note.replace("-", "−")
    if isinstance(e.view, ImageView) and (clip := clip_limit(scores))[1]:
        entry["clip"] = json_number(clip[0])
    if flip := flips.flip_pieces(e):
        entry["flip"] = flip
    if single.stderr is not None:
        entry["stderr"] = pack_bfloat16(single.stderr)
    if single.insignificant.any():
        entry["faint"] = [FADED_STRENGTH, pack_array(np.packbits(single.insignificant))]
    if (pairs := pairs_of(single)) is not None:
        entry["pairs"] = pack_array(pairs.units.ravel())
        entry["interactions"] = pack_array(pairs.values)
        if pairs.stderr is not None:
            entry["pair_stderr"] = pack_bfloat16(pairs.stderr)
        if pairs.insignificant.any():
            entry["pair_faint"] = [FADED_STRENGTH, pack_array(np.packbits(pairs.insignificant))]
    if e.curve is not None:
        entry["curve"] = _pack_curve(e, pool)
    return entry | pack_answer_span(e, column)


def _without_prediction(provenance: dict[str, Any]) -> dict[str, Any]:
    """What explanations made in the same way have in common, so that the page stores it once."""
    return {key: value for key, value in provenance.items() if key != "prediction"}


def _pack_curve(e: Explanation, pool: ContentPool) -> dict[str, Any]:
    """The masking curve; of a class as probabilities, the one scale that all values of a page share."""
    assert e.curve is not None
    quantity, values = str(e.curve["what"]), np.asarray(e.curve["values"], np.float64)
    axis: dict[str, Any] = {}
    if quantity.startswith(_LOG_ODDS_PREFIX):
        quantity, values = quantity.replace(_LOG_ODDS_PREFIX, "probability of", 1), special.expit(values)
        axis["chances"] = True
    axis |= {"counts": np.asarray(e.curve["counts"]).tolist(), "what": quantity, "note": words.curve_note(quantity)}
    return {"values": [json_number(x) for x in values.tolist()], "said": pool.add(axis)}


def _facts(e: Explanation) -> list[tuple[str, str]]:
    """The table beside the picture, with the minus sign (−) that all numbers of the page have."""
    totals = words.totals(e, digits=6)
    return [("explains", words.describe_subject(e)), *((name, text.replace("-", "−")) for name, text in totals.items())]


def _iterate_outputs(e: Explanation) -> Iterator[tuple[str, int | None]]:
    """The name of each output, and its column; None where there is only one."""
    names = words.output_names(e)
    yield from [(names[0], None)] if e.scores.ndim == 1 else zip(names, range(len(names)), strict=True)


def _input_key(e: Explanation) -> bytes:
    """A key that is equal for explanations of the same input in the same units.

    Without a view, inputs are told apart by the names of their units, the base value and the full value.
    """
    digest = hashlib.sha256(repr((e.graph.d, e.names)).encode("utf-8", "surrogatepass"))
    content = {"base": np.asarray(e.base_value), "full": np.asarray(e.full_value)}
    if e.view is not None:
        content = {"kind": e.view.kind} | {f.name: getattr(e.view, f.name) for f in fields(e.view)}
    for name, entry in sorted(content.items()):
        if isinstance(entry, np.ndarray):
            digest.update(repr((name, entry.dtype.str, entry.shape)).encode())
            digest.update(np.ascontiguousarray(entry).tobytes())
        else:
            digest.update(repr((name, entry)).encode("utf-8", "surrogatepass"))
    return digest.digest()


def _default_name(sample: Sample, picture: dict[str, Any], place: int) -> str:
    """A text by its beginning, a molecule by its formula, other inputs by their kind and place in the report."""
    view, kind = sample.first_explanation.view, picture["kind"]
    if isinstance(view, TextView):
        return words.shorten(view.text, _MAX_NAME_LENGTH)
    if kind == "molecule":
        return str(picture["formula"])
    return f"{'units' if kind == 'bars' else kind} {place + 1}"
