"""Rows of tables: bars, with the values of the columns on the page."""

from __future__ import annotations

from typing import Any

from ...core.views import TableView
from ..pack import ContentPool, json_number, pack_labels
from .base import Drawing


def pack_table(view: TableView, pool: ContentPool) -> dict[str, Any]:
    """The columns and their values."""
    texts = view.texts or [""] * len(view.columns)
    values = [text or json_number(value) for text, value in zip(texts, view.values.tolist(), strict=True)]
    return {"kind": "table", "columns": pool.add(list(view.columns)), "values": values, **pack_labels(view, pool)}


TABLE = Drawing(pack=pack_table)
