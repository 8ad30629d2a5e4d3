"""The paper: its data sets, networks and experiments, and the scores of its authors' code.

`datasets` reads the data of the experiments, `networks` has the paper's five models and two trained ones for demos, and
`compat` computes what the authors' released code does. ``lcshap reproduce`` runs the experiments.
"""

from . import compat, datasets, networks

__all__ = ["compat", "datasets", "networks"]
