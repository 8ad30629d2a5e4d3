"""The Explainer, and the work of one of its calls."""

from .explainer import Explainer, explain

__all__ = ["Explainer", "explain"]
