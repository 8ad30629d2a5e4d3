"""Everybody who estimates: one function each, from a value function, a budget and a seed to an `Answer`."""

from .base import CONTESTANTS, Answer, Contestant, Value, available, find

__all__ = ["CONTESTANTS", "Answer", "Contestant", "Value", "available", "find"]
