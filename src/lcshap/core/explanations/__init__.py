"""The explanations of many inputs as one object, whose numbers are in arrays.

`explanation_set` has the class `Explanations`. Its storages hold the explanations: `row_columns.Columns` in arrays,
others in files that are read when they are needed.
"""

from .explanation_set import Explanations
from .read_shap import from_shap

__all__ = ["Explanations", "from_shap"]
