"""Sets of explanations as Parquet files: one part of a bulk run, with a digest of the file.

A file has the columns of a part (see `part_rows`) and one of two layouts, which its metadata names:

- "rows": each row has its record, as in a part, with the columns ``rows`` and ``error_type`` besides.
- "shared": inputs differ only in numbers, in feature values and in entries of the provenance, as rows of a table do.
  The metadata has the graph and the provenance once, and no row has a record. More columns hold the rest, see
  `shared_layout`.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

from ...errors import FileFormatError
from ...extras import import_optional
from ..file_seal import OPEN_SEAL, check_seal, seal
from ..json_reader import JsonNode, parse_json
from ..printable import printable
from .bounded_parquet import read_bounded
from .json_set import SET_FORMAT, SET_VERSION, check_version
from .part_rows import SEAL_KEY, encode_table, part_schema
from .read_shared import columns_to_read, decode_shared
from .row_columns import ExplanationColumns
from .shared_layout import encode_shared, is_shared
from .stored_rows import StoredRows, encode_rows

_NOTES_KEY = "lcshap"
_MORE_TYPES = {"rows": "int64", "error_type": "string"}  # of columns that parts of bulk runs do not have


def write_parquet_set(columns: ExplanationColumns) -> bytes:
    """The explanations as the bytes of a Parquet file."""
    notes: dict[str, Any] = {"format": SET_FORMAT, "version": SET_VERSION}
    if is_shared(columns):
        table, shared = encode_shared(columns)
        notes |= {"layout": "shared", **shared}
    else:
        table, notes["layout"] = encode_rows(iter(columns), bool(columns.outputs.any())), "rows"
    text = json.dumps(notes, allow_nan=False, separators=(",", ":"))
    return seal(encode_table(table, {_NOTES_KEY: text, SEAL_KEY: OPEN_SEAL}))


def read_parquet_set(encoded: bytes, source: str, max_bytes: int) -> ExplanationColumns | StoredRows:
    """The explanations in the bytes of a Parquet file, a set or a part of a bulk run.

    Raises
    ------
    FileFormatError : if the file holds something else, is damaged, or has content that takes more than `max_bytes`.
    """
    sealed = check_seal(encoded, source)
    pa, pq = import_optional("pyarrow", "bulk"), import_optional("pyarrow.parquet", "bulk")
    try:
        with pq.ParquetFile(pa.BufferReader(encoded)) as file:
            notes = file.schema_arrow.metadata or {}
            if SEAL_KEY.encode() in notes and not sealed:
                raise FileFormatError(f"Expected a digest in {printable(source)}, got none: the file is damaged.")
            if _NOTES_KEY.encode() not in notes:
                _check_part(file.schema_arrow, source)
                if not sealed:
                    _warn_unverified(source)
                return StoredRows(read_bounded(encoded, file.schema_arrow.names, max_bytes, source), source)
            if not sealed:
                raise FileFormatError(f"Expected a digest in {printable(source)}, got none: the file is damaged.")
            place = JsonNode(parse_json(notes[_NOTES_KEY.encode()], source), source, "the metadata")
            check_version(place["version"].integer(), source)
            if place["layout"].choice(("rows", "shared")) == "rows":
                _check_part(file.schema_arrow, source)
                return StoredRows(read_bounded(encoded, file.schema_arrow.names, max_bytes, source), source)
            names = columns_to_read(file.schema_arrow.names)
            return decode_shared(read_bounded(encoded, names, max_bytes, source), place)
    except (pa.ArrowException, OSError) as error:
        raise FileFormatError(
            f"Expected explanations saved by lcshap, got {printable(source)}, which cannot be read as Parquet: "
            f"{printable(str(error), max_length=200)}"
        ) from None


def _warn_unverified(source: str) -> None:
    warnings.warn(
        f"{printable(source)} was written by an earlier version without a digest. Its content was not verified.",
        UserWarning,
        stacklevel=4,
    )


def _check_part(schema: Any, source: str) -> None:
    """Refuse a table that has not the columns of a part, or has them with other types."""
    missing = [name for name in part_schema(False).names if name not in schema.names]
    if missing:
        raise FileFormatError(
            f"Expected explanations saved by lcshap, got {printable(source)}, a Parquet file without the columns "
            f"{', '.join(missing)}."
        )
    types = {field.name: _type_text(field) for field in schema}
    expected = part_schema(types["base_value"].startswith("list"))
    for name, kind in {**{field.name: _type_text(field) for field in expected}, **_MORE_TYPES}.items():
        if types.get(name, kind) != kind:
            raise FileFormatError(
                f"{printable(source)} is damaged at the column {name}: expected the type {kind}, got {types[name]}."
            )


def _type_text(field: Any) -> str:
    """The type of a column, without the name of the items of lists, which Parquet changes."""
    return str(field.type).replace("element: ", "").replace("item: ", "")
