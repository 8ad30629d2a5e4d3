"""Whole data sets: resumable, on all cores or on a Ray cluster, losing nothing that is finished."""

from .images import ImageOptions
from .load import load
from .run import explain_dataset
from .status import Status, status

__all__ = ["ImageOptions", "Status", "explain_dataset", "load", "status"]
