"""One shard of explanations as the bytes of one Parquet file, and back.

======================  ==========================================================================================
``row``                 the number of the input in the data set, from 0
``id``                  what the source calls it
``names``               the names of its units
``scores``, ``stderr``  one number a unit; with several outputs, a list of one number an output for each unit
``base_value``          what the model says of nothing, one number, or one an output
``full_value``          what it says of the input
``prediction``          the class that the model predicts, with its ``probability``, where it has classes. Of labels
                        that do not exclude each other: the most probable one that is explained, if it is more
                        probable than not
``calls``               model calls that the scores rest on
``label``               the true class, where the source has one
``error``               why the input could not be explained; then there are only ``row``, ``id`` and ``label``
``record``              all the rest of the explanation as JSON: `lcshap.bulk.load` makes it again from the row
======================  ==========================================================================================

What depends on the run and not on the data, such as seconds, stands in a file of its own (see `folder`), so that parts
of two runs can be compared byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..core.explanation import Explanation
from ..core.io import from_dict
from ..core.parse import parse
from ..core.record import to_dict
from ..errors import BulkError, LcshapError
from ..extras import need
from ..show.recorded import predicted
from .shards import Shard

_APART = ("scores", "stderr", "base_value", "full_value", "calls", "rows")  # columns of their own, or of the run


def schema(several: bool) -> Any:
    """The columns of a part; `several`: whether there are several outputs."""
    pa = need("pyarrow", "bulk")
    number = pa.list_(pa.float64()) if several else pa.float64()
    return pa.schema(
        [
            ("row", pa.int64()),
            ("id", pa.string()),
            ("names", pa.list_(pa.string())),
            ("scores", pa.list_(number)),
            ("stderr", pa.list_(number)),
            ("base_value", number),
            ("full_value", number),
            ("prediction", pa.string()),
            ("probability", pa.float64()),
            ("calls", pa.int64()),
            ("label", pa.string()),
            ("error", pa.string()),
            ("record", pa.string()),
        ]
    )


def encode(shard: Shard, found: Sequence[Explanation | Exception], several: bool, notes: dict[str, str]) -> bytes:
    """A part.

    Parameters
    ----------
    found : the explanation of each row, or its error.
    notes : about the whole part, such as the digest of its inputs.

    Returns
    -------
    The bytes of a Parquet file: the same for the same explanations.
    """
    pairs = enumerate(zip(shard.rows, found, strict=True), shard.start)
    rows = [{"row": number, "id": row.id, "label": row.label, **_as_cells(e, several)} for number, (row, e) in pairs]
    return table_bytes(need("pyarrow", "bulk").Table.from_pylist(rows, schema=schema(several)), notes)


def table_bytes(table: Any, notes: dict[str, str]) -> bytes:
    """A table as a Parquet file, with notes in its schema."""
    pa, pq = need("pyarrow", "bulk"), need("pyarrow.parquet", "bulk")
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata(notes), sink, compression="zstd")
    return bytes(sink.getvalue())


def _as_cells(e: Explanation | Exception, several: bool) -> dict[str, Any]:
    if isinstance(e, Exception):
        return {"error": one_line(e)}
    if (e.scores.ndim == 2) != several:
        return {"error": f"Expected one number to explain, got {e.scores.shape[1]} outputs."}
    content = to_dict(e)
    content["graph"] = {**content["graph"], "names": None}
    name, share = next(iter(e.provenance.get("prediction") or predicted(e)), (None, None))  # the most probable class
    return {
        "names": [_readable(unit) for unit in e.names],
        "scores": e.scores.tolist(),
        "stderr": None if e.stderr is None else e.stderr.tolist(),
        "base_value": np.asarray(e.base_value).tolist(),
        "full_value": np.asarray(e.full_value).tolist(),
        "prediction": name,
        "probability": share,
        "calls": e.calls,
        "record": json.dumps({key: part for key, part in content.items() if key not in _APART}, allow_nan=False),
    }


def _readable(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def one_line(error: Exception) -> str:
    """What an error says, in one line, with its kind where it is not ours."""
    said = _readable(" ".join(str(error).split()))
    return said if isinstance(error, LcshapError) else f"{type(error).__name__}: {said}"


def decode(row: dict[str, Any], source: str) -> Explanation:
    """The explanation in a row of a part: equal to the one that was encoded.

    Raises
    ------
    FileFormatError : if something is not as it should be. Everything in the row is checked, as by `lcshap.load`.
    """
    content = parse(str(row["record"]).encode("utf-8", "surrogatepass"), source)
    if isinstance(content, dict) and isinstance(content.get("graph"), dict):
        content["graph"]["names"] = row["names"]
    if isinstance(content, dict):
        content |= {"calls": row["calls"], "rows": None}
        content |= {name: _array(row[name]) for name in ("scores", "stderr")}
        content |= {
            name: _array(row[name]) if isinstance(row[name], list) else row[name]
            for name in ("base_value", "full_value")
        }
    return from_dict(content, source)


def _array(numbers: Any) -> Any:
    """Numbers as files of explanations hold them."""
    if numbers is None:
        return None
    array = np.asarray(numbers, np.float64)
    return {
        "array": [n if np.isfinite(n) else str(n) for n in array.ravel().tolist()],
        "shape": list(array.shape),
        "type": "float64",
    }


def read_rows(path: str, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file that we wrote, in pieces; `BulkError` if the file is damaged."""
    pa, pq = need("pyarrow", "bulk"), need("pyarrow.parquet", "bulk")
    try:
        with pq.ParquetFile(path, pre_buffer=False) as file:
            for batch in file.iter_batches(64, columns=columns, use_threads=False):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise BulkError(
            f"Expected a part as it was written, got {path!r}, which is damaged: {str(error).rstrip('.')}. Move it "
            "away, and run the same again to compute it."
        ) from error
