"""Figures, drawn with matplotlib: ``pip install "lcshap[plot]"``.

All take matplotlib axes (or make a figure of their own), return them, and never show anything by themselves: end the
cell of a notebook with ``lcshap.show.plots.bars(e).figure``, or write a file with `save`.
"""

from .bars import bars, waterfall
from .base import save
from .choose import plot
from .compare import compare
from .curves import curves
from .figure1 import neighbourhood
from .hexdump import hexdump
from .image import image, masked_image
from .many import beeswarm, summary, summary_bars
from .molecule import molecule
from .network import network
from .series import series
from .text import text

__all__ = [
    "bars",
    "beeswarm",
    "compare",
    "curves",
    "hexdump",
    "image",
    "masked_image",
    "molecule",
    "neighbourhood",
    "network",
    "plot",
    "save",
    "series",
    "summary",
    "summary_bars",
    "text",
    "waterfall",
]
