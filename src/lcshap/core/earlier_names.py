"""Parameters of methods that had other names in earlier versions: files and commands may still use these names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_EARLIER_PARAMETERS: dict[str, dict[str, str]] = {
    "deletion-path": {"share": "path_share"},
    "insertion-path": {"share": "path_share"},
    "graph-kernel-shap": {"reach": "order"},
    "receptive-shapley": {"hops": "order"},
}


def rename_parameters(method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of the method with this name in the registry, by their present names.

    >>> rename_parameters("receptive-shapley", {"hops": 1, "interactions": True})
    {'order': 1, 'interactions': True}
    """
    present_names = _EARLIER_PARAMETERS.get(method, {})
    return {present_names.get(name, name): value for name, value in parameters.items()}


def update_provenance(provenance: dict[str, Any]) -> dict[str, Any]:
    """The provenance of a file, with the present names in the parameters of its method.

    >>> record = {"name": "receptive-shapley", "method": "ReceptiveShapley(hops=1)", "parameters": {"hops": 1}}
    >>> update_provenance(record)
    {'name': 'receptive-shapley', 'method': 'ReceptiveShapley(order=1)', 'parameters': {'order': 1}}
    """
    name, text, parameters = (provenance.get(key) for key in ("name", "method", "parameters"))
    if not (isinstance(name, str) and name in _EARLIER_PARAMETERS and isinstance(parameters, dict)):
        return provenance
    if isinstance(text, str):
        for earlier, present in _EARLIER_PARAMETERS[name].items():
            text = re.sub(rf"\b{earlier}=", f"{present}=", text)
        provenance = {**provenance, "method": text}
    return {**provenance, "parameters": rename_parameters(name, parameters)}
