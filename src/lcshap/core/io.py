"""Read saved explanations back. Reading executes nothing, and whatever is read can be shown, saved and reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import FileFormatError
from .explanations import Explanations
from .explanations.json_set import is_set, read_json_set
from .explanations.parquet_set import read_parquet_set
from .file_seal import check_seal
from .json_reader import parse_json
from .printable import printable
from .read_explanation import from_dict
from .serialize import SEAL_FIELD, to_dict

__all__ = ["from_dict", "load", "to_dict"]

MAX_BYTES = 10**9
_PARQUET_MAGIC = b"PAR1"


def load(path: str | Path, max_bytes: int = MAX_BYTES) -> Any:
    """Read an explanation, or a set of explanations, back: equal to what was saved.

    Parameters
    ----------
    path : the file, as `Explanation.save` or `Explanations.save` wrote it, or a part of a bulk run. Its content says
        which of them it is, and whether it is JSON or Parquet.
    max_bytes : larger files are refused, and so are Parquet files whose content takes more memory, however small
        they are.

    Returns
    -------
    Explanation or Explanations : with the same scores, graphs, provenance and views.

    Raises
    ------
    FileFormatError : if the file is no explanation or is damaged.

    Notes
    -----
    The file may come from anybody: everything in it is checked, and the first thing that is not as it should be is
    named in a `FileFormatError`. The fields of inputs that differ in more than numbers, such as texts, are read and
    checked when the explanation is first used.

    Examples
    --------
    >>> import tempfile
    >>> import lcshap as lc
    >>> e = lc.explain(lambda texts: [len(t.split()) for t in texts], "one two", kind="output")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lc.load(e.save(f"{folder}/e.json")).scores
    array([1., 1.])
    """
    if Path(path).is_dir():
        raise FileFormatError(
            f"Expected a file, got the folder {printable(str(path))}. Load the explanations of a run over a data set "
            "with lcshap.bulk.load."
        )
    with Path(path).open("rb") as stream:
        encoded = stream.read(max_bytes + 1)
    source = str(path)
    if len(encoded) > max_bytes:
        raise FileFormatError(
            f"Expected a file of at most {max_bytes:,} bytes, got {printable(source)}, which is larger. If "
            "it is an explanation, load it with load(path, max_bytes=...)."
        )
    if encoded.startswith(_PARQUET_MAGIC):
        return Explanations.from_storage(read_parquet_set(encoded, source, max_bytes))
    content = parse_json(encoded, source)
    if is_set(content):
        return Explanations(read_json_set(encoded, content, source))
    if not check_seal(encoded, source) and isinstance(content, dict) and SEAL_FIELD in content:
        raise FileFormatError(f"Expected a digest in {printable(source)}, got none: the file is damaged.")
    return from_dict(content, source)
