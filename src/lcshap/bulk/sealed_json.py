"""Small JSON files with a digest of themselves: the manifest of a run, and the number of its rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..core.file_seal import OPEN_SEAL, check_seal, seal
from ..core.json_reader import parse_json
from ..errors import FileFormatError

_KEY = "seal"


def encode_sealed_json(content: dict[str, Any]) -> bytes:
    """An object as the bytes of a JSON file, which begins with its seal; see `core.file_seal`.

    >>> encode_sealed_json({"rows": 3}).startswith(b'{"seal": "lcshap-seal-sha256:')
    True
    """
    text = json.dumps({_KEY: OPEN_SEAL, **content}, indent=1)
    return seal(text.replace("{\n ", "{", 1).encode() + b"\n")


def read_sealed_json(path: Path) -> Any:
    """The content of a JSON file without its seal. A file of an earlier version has no seal and is not verified.

    Raises
    ------
    FileFormatError : if the file is no JSON, or was changed after it was written.
    """
    encoded = path.read_bytes()
    is_sealed = check_seal(encoded, str(path))
    content = parse_json(encoded, str(path))
    if isinstance(content, dict) and content.pop(_KEY, None) is not None and not is_sealed:
        raise FileFormatError(f"Expected the digest of {path}, got none: the file is damaged.")
    return content
