"""The Explainer, and the work of one of its calls."""

from .execution import Execution
from .explainer import Explainer
from .one_line import explain

__all__ = ["Execution", "Explainer", "explain"]
