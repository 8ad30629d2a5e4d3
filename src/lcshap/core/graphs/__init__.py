"""Which units are neighbours: graphs, their balls and their connected sets."""

from .connected import Level, connected_sets
from .graph import Graph

__all__ = ["Graph", "Level", "connected_sets"]
