"""Explain whole data sets, on all cores or on a Ray cluster. A run can be interrupted and resumed."""

from .dataset_run import explain_dataset
from .frames import explain_batch, spark_schema
from .image_options import ImageOptions
from .loading import load
from .read_limits import ReadLimits
from .run_preview import Preview, preview
from .status import Status, status
from .summary import summary

__all__ = [
    "ImageOptions",
    "Preview",
    "ReadLimits",
    "Status",
    "explain_batch",
    "explain_dataset",
    "load",
    "preview",
    "spark_schema",
    "status",
    "summary",
]
