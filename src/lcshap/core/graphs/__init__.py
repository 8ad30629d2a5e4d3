"""Which units are neighbours: graphs, their balls and their connected sets."""

from .connected import SetsOfSize, connected_sets
from .graph import Graph

__all__ = ["Graph", "SetsOfSize", "connected_sets"]
