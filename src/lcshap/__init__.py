"""Which words, pixels or atoms made a black-box model say what it said, using the structure of the data.

>>> import lcshap as lc
>>> g = lc.Graph.chain(3, names=["not", "very", "good"])
>>> v = lc.Game(lambda kept: 1.0 * (kept[:, 2] & ~kept[:, 0]), 3)
>>> lc.LShapley(order=2).explain(v, g).scores
array([-0.5,  0. ,  0.5])
"""

from typing import TYPE_CHECKING, Any

from . import _lazy
from ._version import __version__ as __version__
from .core.presenter import install as _install

_install(_lazy.presenter)

if TYPE_CHECKING:
    from ._public import *
else:  # a type checker that sees `__getattr__` accepts every name

    def __getattr__(name: str) -> Any:
        found = globals()[name] = _lazy.load(name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_lazy.load("__all__")})
