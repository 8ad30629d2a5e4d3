"""How inputs are cut into units: texts, token sequences, images, tables, series, bytes, molecules, graphs."""

from .base import Masked, Masker
from .bytes import Bytes
from .graph_nodes import GraphNodes
from .image import Image
from .molecule import Molecule
from .series import Series
from .subwords import Subwords
from .tabular import Tabular, learn_graph
from .text import Text
from .tokens import Tokens

__all__ = [
    "Bytes",
    "GraphNodes",
    "Image",
    "Masked",
    "Masker",
    "Molecule",
    "Series",
    "Subwords",
    "Tabular",
    "Text",
    "Tokens",
    "learn_graph",
]
