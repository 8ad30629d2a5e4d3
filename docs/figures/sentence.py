"""Draw the picture of the README: the paper's sentence under every method, as in the paper's Table 2."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from lcshap.cli.demo_output import explain_sentence
from lcshap.plots import compare
from lcshap.show.plots.base import save

if __name__ == "__main__":
    found = explain_sentence()
    save(compare(list(found.values()), list(found)), Path(__file__).with_suffix(".png"))
