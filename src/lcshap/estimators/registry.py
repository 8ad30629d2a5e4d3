"""Every method by its name. A new one adds a line here and a row in the conformance suite."""

from __future__ import annotations

from ..errors import MethodError
from .base import Method
from .c_shapley import CShapley
from .l_shapley import LShapley
from .myerson import Myerson
from .shapley import Shapley

METHODS: dict[str, type[Method]] = {method.name: method for method in (Shapley, Myerson, LShapley, CShapley)}


def get_method(name: str) -> type[Method]:
    """Find a method's class by its name.

    >>> get_method("l-shapley")(order=2)
    LShapley(order=2, context='absent', interactions=False)
    """
    try:
        return METHODS[name]
    except KeyError:
        raise MethodError(f"no method {name!r}: there are {', '.join(METHODS)}") from None
