"""The state of a model: a digest that changes if the model is fitted again or its weights are changed in place.

A store in memory knows a model by its object, and an object can change. Reading all of its content, as `fingerprint`
does, takes about a second for a gigabyte, which is too long before every explanation. So the state is read instead,
which takes less than a hundredth of the time of an explanation:

- Tensors of PyTorch: their version, which PyTorch increases with every change in place, their address, and some of
  their numbers (only of tensors in main memory).
- Arrays: all numbers of small ones, up to a megabyte, and 256 evenly spaced numbers of every other one.
- Estimators of scikit-learn, LightGBM, XGBoost and CatBoost: their attributes; of long lists the identity of all
  members, and the content of some.
- Functions: what their closures, defaults and the global names in their code refer to, if it is one of these.

These changes are **not** noticed: of a few numbers in an array of more than 128 kB, or in a tensor through
``.data`` or an array of NumPy that shares its memory; in objects of other packages; in files, services and other things
that the code of a function reads. Give every such change another explainer, or a new store.
"""

from __future__ import annotations

import functools
import sys
import types
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy import sparse

from ..core.digest import digest, identity_token
from ..core.store_keys import KEY_BYTES
from .fingerprint import OpaqueFunction

_MAX_OBJECTS = 4000  # objects that are visited; the others are not read
_MAX_DEPTH = 12
_MAX_MEMBERS = 16  # members of a longer list are compared by identity, and some of them are read
_READ_MEMBERS = 2
_FULL_BYTES = 1 << 17  # smaller arrays are read in full, as long as all of them together
_TOTAL_BYTES = 1 << 20  # are not larger than this
_SAMPLE = 256  # numbers of a larger array
_PLAIN = (type(None), bool, int, float, complex, np.generic)
_MAX_TEXT = 10_000  # characters of a text that is read
_ESTIMATOR_PACKAGES = {"sklearn", "lightgbm", "xgboost", "catboost", "imblearn"}
_PROCESS_ATTRIBUTES = {"_stop_words_id", "random_state", "_random_state"}


def model_state(model: Any) -> tuple[bytes, str | None]:
    """Return 16 bytes that change with the model, and the name of code whose content is not read; None if all is read.

    >>> from sklearn.linear_model import LinearRegression
    >>> line = LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])
    >>> before, unread = model_state(line)
    >>> line.coef_ *= 2
    >>> before == model_state(line)[0], unread, model_state(len)[1]
    (False, None, 'an object of builtin_function_or_method')
    """
    reader = _StateReader()
    reader.read(model, 0, True)
    return reader.hasher.digest(), reader.unread


class _StateReader:
    """Visits the objects of a model, each once, and writes what can change into a hasher."""

    def __init__(self) -> None:
        self.hasher = blake2b(digest_size=KEY_BYTES)
        self.unread: str | None = None
        self.visited: dict[int, Any] = {}  # The objects are kept, so that their ids are not used for others.
        self.full_bytes = 0

    def read(self, obj: Any, depth: int, of_estimator: bool) -> None:
        """Write the state of an object. Plain attributes count only in estimators: others may be counters or caches."""
        if isinstance(obj, _PLAIN) or (isinstance(obj, str | bytes) and len(obj) <= _MAX_TEXT):
            if of_estimator:
                self.write(digest(obj))
            return
        if id(obj) in self.visited or len(self.visited) >= _MAX_OBJECTS or depth > _MAX_DEPTH:
            return
        self.visited[id(obj)] = obj
        self._read_object(obj, depth + 1, of_estimator)

    def write(self, *content: Any) -> None:
        self.hasher.update(repr(content).encode("utf-8", "backslashreplace"))

    def _read_object(self, obj: Any, depth: int, of_estimator: bool) -> None:
        package = type(obj).__module__.partition(".")[0]
        if isinstance(obj, np.ndarray):
            self._read_array(obj)
        elif sparse.issparse(obj):
            self.read(vars(obj), depth, True)
        elif package == "torch" and hasattr(obj, "detach"):
            self._read_tensor(obj)
        elif _is_module(obj):
            for tensor in (*obj.parameters(), *obj.buffers()):
                self._read_tensor(tensor)
        elif isinstance(obj, list | tuple | dict | set | frozenset):
            self._read_members(obj, depth, of_estimator)
        elif isinstance(obj, OpaqueFunction):
            self.read(obj.obj, depth, of_estimator)
        elif callable(obj) and isinstance(obj, functools.partial | types.MethodType | types.FunctionType):
            self._read_function(obj, depth)
        elif not isinstance(obj, type | types.ModuleType | types.CodeType):
            self._read_attributes(obj, package, depth)

    def _read_array(self, array: np.ndarray[Any, Any]) -> None:
        self.write("array", array.shape, array.dtype.str)
        if array.dtype.hasobject or not array.size:
            return
        is_full = array.nbytes <= _FULL_BYTES and self.full_bytes + array.nbytes <= _TOTAL_BYTES
        if is_full or array.size <= _SAMPLE:
            self.full_bytes += array.nbytes
            self.hasher.update(np.ascontiguousarray(array).tobytes())
        else:
            places = np.unravel_index(np.linspace(0, array.size - 1, _SAMPLE).astype(np.intp), array.shape)
            self.hasher.update(array[places].tobytes())

    def _read_tensor(self, tensor: Any) -> None:
        plain = tensor.detach()
        version = -1 if plain.is_inference() else plain._version
        is_dense = str(plain.layout) == "torch.strided"
        self.write("tensor", version, plain.data_ptr() if is_dense else None, str(plain.device))
        try:
            array = plain.numpy() if is_dense and plain.device.type == "cpu" else None
        except (TypeError, RuntimeError):  # NumPy has no such type.
            return
        if array is not None:
            self._read_array(array)

    def _read_members(self, members: Any, depth: int, of_estimator: bool) -> None:
        listed = list(members.values()) if isinstance(members, dict) else list(members)
        if of_estimator:
            names = [key for key in members if isinstance(key, str)] if isinstance(members, dict) else []
            self.write("members", len(listed), names[:_MAX_MEMBERS])
        if len(listed) > _MAX_MEMBERS:
            if of_estimator and isinstance(members, list | tuple | dict):
                self.write(hash(tuple(map(id, listed))))
            listed = [listed[k] for k in np.linspace(0, len(listed) - 1, _READ_MEMBERS).astype(int)]
        for member in listed:
            self.read(member, depth, of_estimator)

    def _read_function(self, function: Any, depth: int) -> None:
        """Read what the code of a function refers to. The function itself may read anything else."""
        if isinstance(function, functools.partial):
            for part in (function.func, function.args, function.keywords):
                self.read(part, depth, False)
            return
        if isinstance(function, types.MethodType):
            self.read(function.__self__, depth, False)
            if _is_estimator(function.__self__) or _is_module(function.__self__):
                return
            function = function.__func__
        self.unread = self.unread or f"the function {getattr(function, '__name__', 'without a name')}"
        if not isinstance(function, types.FunctionType):
            return
        for cell in function.__closure__ or ():
            try:
                self.read(cell.cell_contents, depth, False)
            except ValueError:  # The cell is empty.
                continue
        self.read((function.__defaults__, function.__kwdefaults__), depth, False)
        for name in function.__code__.co_names:
            if name in function.__globals__:
                self.read(function.__globals__[name], depth, False)

    def _read_attributes(self, obj: Any, package: str, depth: int) -> None:
        if package == "lcshap" and hasattr(type(obj), "content") and hasattr(type(obj), "fingerprint"):
            self.read(obj.content, depth, True)  # An adapter.
            return
        if package == "keras" and hasattr(obj, "weights"):
            for weight in obj.weights:
                self._read_array(np.asarray(weight))
            return
        if package == "sklearn" and hasattr(obj, "node_count"):  # The arrays of a tree are in compiled code.
            self.read([obj.threshold, obj.value], depth, True)
            return
        is_estimator = _is_estimator(obj)
        if package in ("lightgbm", "xgboost") and type(obj).__name__ == "Booster":
            count = obj.num_trees() if package == "lightgbm" else obj.num_boosted_rounds()
            self.write(identity_token(obj), count)
            return
        if package == "catboost" and getattr(obj, "tree_count_", None):
            self.write(obj.tree_count_, obj.get_scale_and_bias())
            self._read_array(np.asarray(obj.get_leaf_values()))
            return
        if not is_estimator:
            self.unread = self.unread or f"an object of {type(obj).__name__}"
            call = next((vars(base)["__call__"] for base in type(obj).__mro__ if "__call__" in vars(base)), None)
            if isinstance(call, types.FunctionType):
                self._read_function(call, depth)
        attributes = getattr(obj, "__dict__", {})
        lasting = {name: attributes[name] for name in attributes if name not in _PROCESS_ATTRIBUTES}
        self.read(lasting, depth, is_estimator)


def _is_estimator(obj: Any) -> bool:
    """Whether plain attributes are part of the model; those of a user's adapter may be counters."""
    return type(obj).__module__.partition(".")[0] == "lcshap" or any(
        base.__module__.partition(".")[0] in _ESTIMATOR_PACKAGES for base in type(obj).__mro__
    )


def _is_module(obj: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(obj, torch.nn.Module)
