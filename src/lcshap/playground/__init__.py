"""The playground: one page on which a model answers live."""

from .playground_limits import Limits
from .server import Playground, serve

__all__ = ["Limits", "Playground", "serve"]
