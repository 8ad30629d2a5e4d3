"""Explanations as rows of a Parquet file, one row for each input.

======================  ==========================================================================================
``row``                 the number of the input in the data set, from 0
``id``                  the name of the input in its source
``names``               the names of its units
``scores``, ``stderr``  one number per unit; with several outputs, a list of one number per output for each unit
``base_value``          the value without any unit: one number, or one number per output
``full_value``          the value of the whole input
``prediction``          the class that the model predicts, with its ``probability``, if the model has classes. If
                        labels do not exclude each other: the most probable label that is explained, if its
                        probability is above one half
``calls``               the number of model calls that the scores are computed from
``label``               the true class, if the source has one
``error``               why the input could not be explained; then only ``row``, ``id`` and ``label`` are set
``record``              all other fields of the explanation as JSON
======================  ==========================================================================================

The parts of bulk runs have these columns. Files of `Explanations` have more, see `parquet_set`.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ...errors import LcshapError
from ...extras import import_optional
from ..explanation import Explanation
from ..json_reader import parse_json
from ..printable import escape_surrogates
from ..read_explanation import from_dict
from ..serialize import to_dict

SEAL_KEY = "lcshap-seal"  # of the metadata of a Parquet file that has a digest, see `file_seal`
_SEPARATE_FIELDS = (
    "scores",
    "stderr",
    "base_value",
    "full_value",
    "calls",
    "rows",
)  # in other columns, or in the notes of the run


def part_schema(multi_output: bool) -> Any:
    """The columns of a part. `multi_output` says whether there are several outputs."""
    pa = import_optional("pyarrow", "bulk")
    dtype = pa.list_(pa.float64()) if multi_output else pa.float64()
    return pa.schema(
        [
            ("row", pa.int64()),
            ("id", pa.string()),
            ("names", pa.list_(pa.string())),
            ("scores", pa.list_(dtype)),
            ("stderr", pa.list_(dtype)),
            ("base_value", dtype),
            ("full_value", dtype),
            ("prediction", pa.string()),
            ("probability", pa.float64()),
            ("calls", pa.int64()),
            ("label", pa.string()),
            ("error", pa.string()),
            ("record", pa.string()),
        ]
    )


def encode_table(table: Any, notes: dict[str, str]) -> bytes:
    """Encode a table as a Parquet file, with notes in the metadata of its schema."""
    pa, pq = import_optional("pyarrow", "bulk"), import_optional("pyarrow.parquet", "bulk")
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata(notes), sink, compression="zstd")
    return bytes(sink.getvalue())


def explanation_cells(e: Explanation) -> dict[str, Any]:
    """The cells of an explanation, without those about its place in a data set and about the prediction."""
    content = to_dict(e)
    content["graph"] = {**content["graph"], "names": None}
    return {
        "names": [escape_surrogates(unit) for unit in e.names],
        "scores": e.scores.tolist(),
        "stderr": None if e.stderr is None else e.stderr.tolist(),
        "base_value": np.asarray(e.base_value).tolist(),
        "full_value": np.asarray(e.full_value).tolist(),
        "calls": e.calls,
        "record": json.dumps(
            {name: field for name, field in content.items() if name not in _SEPARATE_FIELDS}, allow_nan=False
        ),
    }


def format_error(error: Exception) -> str:
    """The message of an error in one line, with the type of the error if it is not an `LcshapError`."""
    message = escape_surrogates(" ".join(str(error).split()))
    return message if isinstance(error, LcshapError) else f"{type(error).__name__}: {message}"


def decode_row(row: dict[str, Any], source: str) -> Explanation:
    """The explanation in a row of a part: equal to the one that was encoded.

    Raises
    ------
    FileFormatError : if a field is not valid. Every field is checked, as in `lcshap.load`.
    """
    content = parse_json(str(row["record"]).encode("utf-8", "surrogatepass"), source)
    if isinstance(content, dict) and isinstance(content.get("graph"), dict):
        content["graph"]["names"] = row["names"]
    if isinstance(content, dict):
        content |= {"calls": row["calls"], "rows": row.get("rows")}
        content |= {name: _array_record(row[name]) for name in ("scores", "stderr")}
        content |= {
            name: _array_record(row[name]) if isinstance(row[name], list) else row[name]
            for name in ("base_value", "full_value")
        }
    return from_dict(content, source)


def _array_record(numbers: Any) -> Any:
    """Numbers in the form that files of explanations have."""
    if numbers is None:
        return None
    array = np.asarray(numbers, np.float64)
    return {
        "array": [n if np.isfinite(n) else str(n) for n in array.ravel().tolist()],
        "shape": list(array.shape),
        "type": "float64",
    }
