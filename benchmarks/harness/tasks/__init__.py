"""Models on real inputs: texts, images, series, bytes, molecules and tables. Each task is a family of games."""

from .base import TASKS, find_tasks

__all__ = ["TASKS", "find_tasks"]
