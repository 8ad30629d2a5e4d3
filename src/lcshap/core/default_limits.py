"""Limits and sizes that hold unless the user says otherwise. The help of the command names them without NumPy."""

from __future__ import annotations

MAX_CALLS = 1_000_000  # model calls of one explanation: a plan with more is refused
MAX_PIXELS = 50_000_000  # of an image file: a larger one is refused before it is read
SHARD_ROWS = 50  # inputs of a part of a run over a data set
PREVIEW_INPUTS = 32  # of a data set that a preview tries
