"""Which words, pixels or atoms made a black-box model say what it said, using the structure of the data.

>>> import lcshap as lc
>>> g = lc.Graph.chain(3, names=["not", "very", "good"])
>>> v = lc.Game(lambda kept: 1.0 * (kept[:, 2] & ~kept[:, 0]), 3)
>>> lc.LShapley(order=2).explain(v, g).scores
array([-0.5,  0. ,  0.5])
"""

import typing as _typing

from . import _lazy
from ._version import __version__ as __version__
from .core.presenter import install_presenter as _install

_install(_lazy.load_presenter)

if _typing.TYPE_CHECKING:
    from ._public import *
else:  # a type checker that sees `__getattr__` accepts every name

    def __getattr__(name: str) -> object:
        value = globals()[name] = _lazy.load_public_name(name)
        return value

    def __dir__() -> list[str]:
        return _lazy.load_public_name("__all__")
