"""Limits and sizes that hold unless the user says otherwise. The help of the command names them without NumPy."""

from __future__ import annotations

MAX_CALLS = 1_000_000  # The maximum number of model calls of one explanation.
MAX_PIXELS = 50_000_000  # A larger image file is refused before it is read.
SHARD_ROWS = 50  # The number of inputs in a part of a run over a data set.
PREVIEW_INPUTS = 32  # The number of inputs of a data set that a preview tries.
