"""The explanations of many inputs as one object, whose numbers are in arrays.

`explanation_set` has the class `Explanations`. Its storages hold the explanations: `row_columns.ExplanationColumns` in
arrays, `stored_rows.StoredRows` in rows of a file that are decoded when they are needed.
"""

from .comparison import Comparison
from .explanation_set import Explanations
from .importance import CohortImportance, Importance
from .read_shap import from_shap

__all__ = ["CohortImportance", "Comparison", "Explanations", "Importance", "from_shap"]
