"""The Explainer, and the work of one of its calls."""

from .explainer import Explainer
from .one_line import explain

__all__ = ["Explainer", "explain"]
