"""Figures, drawn with matplotlib: ``pip install "lcshap[plot]"``.

All take matplotlib axes, or make a figure of their own, and return the axes. A notebook shows such a figure at the end
of the cell; in a script, ``bars(e).show()`` opens a window and ``bars(e).savefig("words.png")`` writes a file. Where a
script has imported pyplot, ``pyplot.show()`` and ``pyplot.savefig`` work as well. Nothing has to be closed: pyplot
keeps the last ten figures only. On axes that you give, everything is as always with matplotlib.
"""

from .show.plots.bars import bar, bars
from .show.plots.base import save
from .show.plots.beeswarm import beeswarm
from .show.plots.choose import plot
from .show.plots.compare_plot import compare
from .show.plots.curves import curves
from .show.plots.decision import decision
from .show.plots.heatmap import heatmap
from .show.plots.hexdump_plot import hexdump
from .show.plots.image_plot import image, masked_image
from .show.plots.interaction_matrix import interaction_matrix
from .show.plots.molecule_plot import molecule
from .show.plots.neighbourhood_plot import neighbourhood
from .show.plots.network import network
from .show.plots.scatter import scatter
from .show.plots.series_plot import series
from .show.plots.summary_plots import summary, summary_bars
from .show.plots.text_plot import text
from .show.plots.violin import violin
from .show.plots.waterfall import waterfall

__all__ = [
    "bar",
    "bars",
    "beeswarm",
    "compare",
    "curves",
    "decision",
    "heatmap",
    "hexdump",
    "image",
    "interaction_matrix",
    "masked_image",
    "molecule",
    "neighbourhood",
    "network",
    "plot",
    "save",
    "scatter",
    "series",
    "summary",
    "summary_bars",
    "text",
    "violin",
    "waterfall",
]
