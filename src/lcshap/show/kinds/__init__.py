"""What is drawn of each kind of input, each in a file of its own: in the terminal, in HTML, and by scripts."""

from ...core.views import BytesView, ImageView, MoleculeView, PromptView, SeriesView, TableView, TextView, View
from .base import Drawing
from .bytes_drawing import BYTES
from .image_drawing import IMAGE
from .molecule_drawing import MOLECULE
from .prompt_drawing import PROMPT
from .series_drawing import SERIES
from .table_drawing import TABLE
from .text_drawing import TEXT

DRAWINGS: dict[type[View], Drawing] = {
    TextView: TEXT,
    PromptView: PROMPT,
    ImageView: IMAGE,
    SeriesView: SERIES,
    BytesView: BYTES,
    MoleculeView: MOLECULE,
    TableView: TABLE,
}


def drawing_of(view: View | None) -> Drawing:
    """How a view is drawn; by the names of its units alone where the table does not have it.

    >>> drawing_of(None).figure_of(None)
    'bars'
    """
    return DRAWINGS.get(type(view), Drawing()) if view is not None else Drawing()


__all__ = ["DRAWINGS", "Drawing", "drawing_of"]
