"""The explanations of many inputs as one object, whose numbers are in arrays.

`explanation_set` has the class `Explanations`. Its storages hold the explanations: `row_columns.Columns` in arrays,
others in files that are read when they are needed.
"""

from .explanation_set import Explanations

__all__ = ["Explanations"]
