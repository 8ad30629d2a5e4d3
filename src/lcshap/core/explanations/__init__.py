"""The explanations of many inputs as one object, whose numbers are in arrays.

`explanation_set` has the class `Explanations`. Its storages hold the explanations: `row_columns.ExplanationColumns` in
arrays, `stored_rows.StoredRows` in rows of a file that are decoded when they are needed.
"""

from .explanation_set import Explanations
from .read_shap import from_shap

__all__ = ["Explanations", "from_shap"]
