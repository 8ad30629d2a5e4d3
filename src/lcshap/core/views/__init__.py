"""Views: the data that is needed to draw an input. Each kind of input has a class, in a file of its own.

A masker creates the view of its input, an explanation contains it, files store it, and `lcshap.show` draws it. All
views have `labels`, the unit of each part of the input, -1 for none. `KINDS` has all classes, by their names in files.
"""

from .base import View, values_per_unit
from .bytes_view import BytesView
from .image_view import LARGE_IMAGE, ImageView
from .molecule_view import MoleculeView
from .prompt_view import PromptView
from .series_view import SeriesView
from .table_view import TableView, one_hot_category, one_hot_feature
from .text_view import TextView

KINDS: dict[str, type[View]] = {
    view.kind: view for view in (TextView, BytesView, ImageView, SeriesView, TableView, MoleculeView, PromptView)
}

__all__ = [
    "KINDS",
    "LARGE_IMAGE",
    "BytesView",
    "ImageView",
    "MoleculeView",
    "PromptView",
    "SeriesView",
    "TableView",
    "TextView",
    "View",
    "one_hot_category",
    "one_hot_feature",
    "values_per_unit",
]
