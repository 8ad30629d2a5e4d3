"""A report: explanations as one web page, self-contained, to open from disk."""

from .page import report

__all__ = ["report"]
