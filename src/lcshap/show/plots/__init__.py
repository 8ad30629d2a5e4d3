"""Figures, drawn with matplotlib: ``pip install "lcshap[plot]"``.

All take matplotlib axes, or make a figure of their own, and return the axes. A notebook shows such a figure at the end
of the cell; in a script, ``bars(e).show()`` opens a window and ``bars(e).savefig("words.png")`` writes a file. Where a
script has imported pyplot, ``pyplot.show()`` and ``pyplot.savefig`` work as well. Nothing has to be closed: pyplot
keeps the last ten figures only. On axes that you give, everything is as always with matplotlib.
"""

from .bars import bars, waterfall
from .base import save
from .choose import plot
from .compare import compare
from .curves import curves
from .figure1 import neighbourhood
from .heatmap import heatmap
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
    "heatmap",
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
