"""Sets of explanations as JSON files: a list of what files of single explanations hold."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ...errors import FileFormatError, OptionError
from ..file_seal import OPEN_SEAL, check_seal, seal
from ..json_reader import JsonNode
from ..printable import printable
from ..read_explanation import from_dict
from ..serialize import to_dict
from .row_columns import Outcome
from .stored_errors import describe_class, restore_error, stored_message

SET_FORMAT, SET_VERSION = "lcshap-explanations", 1


def write_json_set(outcomes: Iterable[Outcome]) -> bytes:
    """The explanations as the bytes of a JSON file, one line for each input."""
    head = {"format": SET_FORMAT, "version": SET_VERSION, "seal": OPEN_SEAL}
    lines = [_to_json(_outcome_record(outcome)) for outcome in outcomes]
    body = ",\n".join(lines)
    text = f'{_to_json(head)[:-1]},"explanations":[\n{body}\n]}}\n'
    return seal(text.encode("utf-8", "backslashreplace"))  # lone surrogates, as JSON escapes them


def _outcome_record(outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, Exception):
        return {"error": {"type": describe_class(outcome), "message": stored_message(outcome)}}
    return to_dict(outcome)


def _to_json(content: Any) -> str:
    try:
        return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise OptionError(
            "Expected explanations with finite numbers and records of plain data, got one that JSON cannot hold: "
            f"{error}. Change its provenance."
        ) from error


def is_set(content: Any) -> bool:
    """Whether the content of a JSON file is a set of explanations."""
    return isinstance(content, dict) and content.get("format") == SET_FORMAT


def read_json_set(encoded: bytes, content: Any, source: str) -> list[Outcome]:
    """The explanations and errors in a JSON file, given as bytes and as the content of these bytes."""
    place = JsonNode(content, source)
    check_version(place["version"].integer(), source)
    if not check_seal(encoded, source):
        place["seal"].fail("the digest of the file", "none")
    return [_read_outcome(entry, source) for entry in place["explanations"].items()]


def check_version(version: int, source: str) -> None:
    """Raise `FileFormatError` for a file that a later version of lcshap wrote."""
    if version > SET_VERSION:
        raise FileFormatError(
            f"Expected a file of version {SET_VERSION} or lower, got {printable(source)}, which has version {version}. "
            "Update lcshap to read it."
        )


def _read_outcome(place: JsonNode, source: str) -> Outcome:
    if isinstance(place.value, dict) and "error" in place.value:
        error = place["error"]
        return restore_error(error["type"].string(), error["message"].string())
    return from_dict(place.value, f"{source}, {place.name}")
