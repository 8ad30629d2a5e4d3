"""Whole data sets: resumable, on all cores or on a Ray cluster, losing nothing that is finished."""

from .images import ImageOptions
from .load import load
from .preview import Preview, preview
from .run import explain_dataset
from .status import Status, status
from .summary import summary

__all__ = ["ImageOptions", "Preview", "Status", "explain_dataset", "load", "preview", "status", "summary"]
