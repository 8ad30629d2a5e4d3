"""Whole data sets: resumable, on all cores or on a Ray cluster, losing nothing that is finished."""

from .frames import explain_batch, spark_schema
from .images import ImageOptions
from .load import load
from .preview import Preview, preview
from .run import explain_dataset
from .status import Status, status
from .summary import summary

__all__ = [
    "ImageOptions",
    "Preview",
    "Status",
    "explain_batch",
    "explain_dataset",
    "load",
    "preview",
    "spark_schema",
    "status",
    "summary",
]
