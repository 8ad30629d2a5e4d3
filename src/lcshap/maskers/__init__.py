"""Maskers divide inputs into units: texts, token sequences, images, tables, series, bytes, molecules, graphs."""

from .base import Masked, Masker
from .bytes import Bytes
from .distinct import DistinctRows
from .graph_nodes import GraphNodes
from .image import Image
from .molecule import Molecule
from .one_hot import one_hot_groups
from .prompt import Prompt
from .representatives import representatives
from .series import Series
from .subwords import Subwords
from .table_graphs import learn_graph
from .tabular import Tabular
from .text import Text
from .tokens import Tokens

__all__ = [
    "Bytes",
    "DistinctRows",
    "GraphNodes",
    "Image",
    "Masked",
    "Masker",
    "Molecule",
    "Prompt",
    "Series",
    "Subwords",
    "Tabular",
    "Text",
    "Tokens",
    "learn_graph",
    "one_hot_groups",
    "representatives",
]
