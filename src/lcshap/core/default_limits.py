"""Limits and sizes that hold unless the user says otherwise. The help of the command names them without NumPy."""

from __future__ import annotations

MAX_CALLS = 1_000_000  # The maximum number of model calls of one explanation.
MAX_PIXELS = 50_000_000  # A larger image file is refused before it is read.
SHARD_ROWS = 50  # The number of inputs in a part of a run over a data set.
PREVIEW_INPUTS = 32  # The number of inputs of a data set that a preview tries.
MAX_LINE_CHARACTERS = 1 << 24  # Longer lines, rows and cells of a data set are refused before they are kept.
MAX_CELLS = 100_000  # The maximum number of cells of a row of a data set.
MAX_FILE_BYTES = 1 << 36  # Data files that are larger after decompression are refused.
