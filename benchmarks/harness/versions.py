"""The state of the code that is measured: results of ours are made anew when it changes."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

ROOMS = ("core", "estimators", "advice")  # what an estimate is computed by


@cache
def code_version() -> str:
    """The version of lcshap and a digest of the files that estimates are computed by."""
    import lcshap

    home = Path(lcshap.__file__).parent
    digest = hashlib.sha256()
    for room in ROOMS:
        for path in sorted((home / room).rglob("*.py")):
            digest.update(path.read_bytes())
    return f"{lcshap.__version__}+{digest.hexdigest()[:10]}"
