"""A report: explanations as one web page, self-contained, to open from disk."""

from .report_page import report

__all__ = ["report"]
