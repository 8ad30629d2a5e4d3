"""The methods, one file each."""

from .base import Method
from .c_shapley import CShapley
from .l_shapley import LShapley
from .myerson import Myerson
from .registry import METHODS, get_method
from .shapley import Shapley

__all__ = ["METHODS", "CShapley", "LShapley", "Method", "Myerson", "Shapley", "get_method"]
