"""How inputs are cut into units: texts, token sequences, images, tables."""

from .base import Masked, Masker
from .image import Image
from .tabular import Tabular, learn_graph
from .text import Text
from .tokens import Tokens

__all__ = ["Image", "Masked", "Masker", "Tabular", "Text", "Tokens", "learn_graph"]
