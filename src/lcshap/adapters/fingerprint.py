"""Fingerprints of models: a digest of the content of a model, which is the same in every process.

Objects are read in the same way as by pickle (`__reduce_ex__`), but nothing is written or loaded. Classes and functions
of installed packages enter the digest by their name and the version of the package, classes of the user by their code,
and weights by their numbers. A function of the user may read anything, so that its content is not known. It is replaced
by a name that the user gives.
"""

from __future__ import annotations

import enum
import functools
import os
import sys
import sysconfig
import types
from collections import OrderedDict
from collections.abc import Callable, Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from ..core.digest import digest, stored_name
from ..core.graphs import Graph
from ..core.store_keys import KEY_BYTES
from ..errors import OptionError
from ..maskers.tokenizer_content import tokenizer_content
from .onnx_files import data_files
from .tensor_digests import tensor_digest

_PLAIN_TYPES = (type(None), bool, int, float, complex, str, bytes, bytearray, range, np.generic, Graph)
_IGNORED_MEMBERS = {"__doc__", "__module__", "__dict__", "__weakref__", "__annotations__", "__qualname__", "_abc_impl"}
_IGNORED_MEMBERS |= {
    "__firstlineno__",
    "__static_attributes__",
    "__abstractmethods__",
    "__annotate_func__",
    "__parameters__",
}
_HOOK_SUFFIX = "_hooks"  # the suffix of the attributes in which a PyTorch module stores its hooks
_MODULE_DICTS = ("_parameters", "_buffers", "_modules")
_PROCESS_ATTRIBUTES = {"_stop_words_id"}  # attributes of scikit-learn that differ between processes
_IGNORED_STATE = ("training", "_is_full_backward_hook", "_non_persistent_buffers_set", "_backward_pre_hooks")


def fingerprint(model: Any, name: str | None = None) -> bytes:
    """16 bytes, equal for models with the same content, in all processes.

    Parameters
    ----------
    model : an adapter.
    name : replaces the parts whose content cannot be read. Without a name, such a part raises `OptionError`.

    Examples
    --------
    >>> from lcshap.adapters import CallableModel, SklearnModel
    >>> class Line:
    ...     def __init__(self, slope):
    ...         self.slope = slope
    ...     def predict(self, rows):
    ...         return [self.slope * float(row[0]) for row in rows]
    >>> one, same, other = (SklearnModel(Line(slope), "output").fingerprint() for slope in (1.0, 1.0, 2.0))
    >>> one == same, one == other
    (True, False)
    >>> model = CallableModel(lambda texts: [len(text) for text in texts], "output")
    >>> model.fingerprint("length v1") == model.fingerprint("length v2")
    False
    """
    return FingerprintReader(name).read(model)


class OpaqueFunction:
    """A function or a callable object. Its content is not known, because it may read anything; a name replaces it."""

    def __init__(self, obj: Any) -> None:
        self.obj = obj

    @property
    def description(self) -> str:
        """A description of the function for error messages."""
        name = getattr(self.obj, "__name__", None)
        return f"the function {name}" if name else f"a function, an object of {type(self.obj).__name__}"


class FingerprintReader:
    """Computes digests of objects. Each object is read once. A reference to an object that is being read enters by its
    distance, so that objects may contain themselves.
    """

    def __init__(self, name: str | None = None) -> None:
        self._name = name
        # The object is stored too, so that its id is not used for another one.
        self._digests: dict[int, tuple[Any, bytes]] = {}
        self._ancestors: list[int] = []

    def read(self, obj: Any) -> bytes:
        """Return the digest of the content of an object."""
        if isinstance(obj, _PLAIN_TYPES):
            return digest(obj)
        if id(obj) in self._digests:
            return self._digests[id(obj)][1]
        if id(obj) in self._ancestors:
            return digest("above", len(self._ancestors) - self._ancestors.index(id(obj)))
        self._ancestors.append(id(obj))
        try:
            content_digest = self._read_content(obj)
        finally:
            self._ancestors.pop()
        self._digests[id(obj)] = obj, content_digest
        return content_digest

    def _read_all(self, objects: Iterable[Any]) -> list[bytes]:
        return [self.read(obj) for obj in objects]

    def _read_pairs(self, mapping: Any) -> list[bytes]:
        return [digest(self.read(key), self.read(value)) for key, value in mapping.items()]

    def _read_content(self, obj: Any) -> bytes:
        kind = type(obj)
        if kind in (list, tuple):
            return digest(kind.__name__, *self._read_all(obj))
        if kind in (set, frozenset):
            return digest(kind.__name__, *sorted(self._read_all(obj)))
        if kind in (dict, types.MappingProxyType):
            return digest("dict", *sorted(self._read_pairs(obj)))
        if kind is OrderedDict:
            return digest("ordered", *self._read_pairs(obj))
        if isinstance(obj, np.ndarray) and obj.dtype.hasobject:
            return digest("objects", obj.shape, *self._read_all(obj.ravel().tolist()))
        if isinstance(obj, np.ndarray) and obj.dtype.names:  # the bytes between the fields are not determined
            return digest(
                "fields", obj.shape, *(digest(name, np.ascontiguousarray(obj[name])) for name in obj.dtype.names)
            )
        if isinstance(obj, np.ndarray) or sparse.issparse(obj) or is_from_package(obj, "pandas"):
            return digest(obj)
        if isinstance(obj, np.dtype):
            return digest("dtype", obj.str)
        if is_from_package(obj, "torch") and hasattr(obj, "detach"):
            return tensor_digest(obj)
        if isinstance(obj, OpaqueFunction):
            return self.unknown(obj.obj, obj.description)
        for is_kind, read in _READERS:
            if is_kind(obj):
                return read(self, obj)
        return self._read_object(obj)

    # -- models -----------------------------------------------------------------------------------------------------

    def _read_adapter(self, adapter: Any) -> bytes:
        return digest("adapter", self.kind(type(adapter)), self.read(adapter.content))

    def _read_module(self, module: Any) -> bytes:
        """Read a module of PyTorch: its class, parameters, buffers, submodules, hooks and other attributes."""
        if hasattr(module, "code_with_constants") or hasattr(module, "_c"):
            return self.unknown(module, "a compiled module")
        state = vars(module)
        containers = [digest(name, *self._read_pairs(state.get(name, {}))) for name in _MODULE_DICTS]
        hooks = {
            name: list(content.values()) for name, content in state.items() if name.endswith(_HOOK_SUFFIX) and content
        }
        attributes = {
            name: content
            for name, content in state.items()
            if name not in (*_MODULE_DICTS, *_IGNORED_STATE) and not name.endswith(_HOOK_SUFFIX)
        }
        return digest("module", self.kind(type(module)), *containers, self.read(hooks), self.read(attributes))

    def _read_keras(self, model: Any) -> bytes:
        weights = [np.asarray(weight) for weight in model.get_weights()]
        return digest("keras", self.kind(type(model)), self.read(model.get_config()), *weights)

    def _read_session(self, session: Any) -> bytes:
        """Read a session of onnxruntime: its graph, its weights in other files, and the settings of its computation."""
        path, graph = getattr(session, "_model_path", None), getattr(session, "_model_bytes", None)
        if graph:
            files = [digest(graph)]
        elif path:
            files = [_file_digest(file) for file in (path, *data_files(path))]
        else:
            return self.unknown(session, "a session without a file")
        options = session.get_session_options()
        level = str(options.graph_optimization_level)
        return digest("onnx", files, list(session.get_providers()), level, _version("onnxruntime"))

    def _read_search_tree(self, tree: Any) -> bytes:
        """Read a search tree of scikit-learn without its counters, which change with every query."""
        return digest("search tree", self.kind(type(tree)), *self._read_all(map(np.asarray, tree.get_arrays())))

    def _read_tokenizer(self, tokenizer: Any) -> bytes:
        content = tokenizer_content(tokenizer)
        if content is None:
            return self.unknown(tokenizer, f"{type(tokenizer).__name__}, a tokenizer that is not a fast one")
        return digest("tokenizer", self.kind(type(tokenizer)), content)

    # -- code -------------------------------------------------------------------------------------------------------

    def kind(self, cls: type) -> bytes:
        """Return the digest of a class: its bases in installed packages by name, the others by their code."""
        if id(cls) in self._digests:
            return self._digests[id(cls)][1]
        if id(cls) in self._ancestors:
            return digest("above", cls.__qualname__)
        self._ancestors.append(id(cls))
        try:
            bases = [self._read_base(base) for base in cls.__mro__ if base is not object]
        finally:
            self._ancestors.pop()
        class_digest = digest("class", *bases)
        self._digests[id(cls)] = cls, class_digest
        return class_digest

    def _read_base(self, base: type) -> bytes:
        if is_installed(base.__module__):
            return digest(*stored_name(base), _version(base.__module__))
        members = sorted(
            (name, member)
            for name, member in vars(base).items()
            if name not in _IGNORED_MEMBERS and not _is_slot(member)
        )
        return digest(base.__qualname__, *(digest(name, self._read_member(member)) for name, member in members))

    def _read_member(self, member: Any) -> bytes:
        """Read a member of a class of the user: methods by their code, everything else by its content."""
        if isinstance(member, staticmethod | classmethod):
            return digest(type(member).__name__, self._read_member(member.__func__))
        if isinstance(member, property):
            return digest("property", *(self._read_member(f) for f in (member.fget, member.fset) if f is not None))
        if isinstance(member, functools.cached_property):
            return digest("cached", self._read_member(member.func))
        return self._read_code(member) if isinstance(member, types.FunctionType) else self.read(member)

    def _read_code(self, function: types.FunctionType) -> bytes:
        wrapped = getattr(function, "__wrapped__", None)
        cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
        closure = [self._read_member(c) if isinstance(c, types.FunctionType) else self.read(c) for c in cells]
        wrapped_code = [self._read_member(wrapped)] if isinstance(wrapped, types.FunctionType) else []
        defaults = self.read((function.__defaults__, function.__kwdefaults__))
        return digest("code", _code_digest(function.__code__), defaults, *closure, *wrapped_code)

    def _read_type(self, cls: type) -> bytes:
        return self.kind(cls)

    def _read_function(self, function: Any) -> bytes:
        """Read a function of a package by its name, a partial or bound one with its arguments. Others are unknown."""
        if isinstance(function, functools.partial):
            return digest("partial", *self._read_all((function.func, function.args, function.keywords)))
        if isinstance(function, types.MethodType):
            return digest("method", self.read(function.__self__), function.__func__.__name__)
        owner = getattr(function, "__self__", None)
        if isinstance(function, types.BuiltinMethodType) and not isinstance(owner, types.ModuleType | None):
            return digest("method", self.read(owner), function.__name__)
        module = getattr(function, "__module__", None) or ("numpy" if isinstance(function, np.ufunc) else "")
        name = getattr(function, "__qualname__", function.__name__)
        if is_installed(module) and "<" not in name:
            identity = stored_name(function) if isinstance(function, types.FunctionType) else (module, name)
            return digest("function", *identity, _version(module))
        return self.unknown(function, OpaqueFunction(function).description)

    # -- everything else --------------------------------------------------------------------------------------------

    def _read_object(self, obj: Any) -> bytes:
        """Read any other object in the same way as pickle."""
        try:
            reduced = obj.__reduce_ex__(4)
        except Exception:  # code of other packages may raise any error; then the content is unknown
            return self.unknown(obj, f"an object of {type(obj).__name__}")
        if isinstance(reduced, str):
            return digest("global", type(obj).__module__, reduced)
        iterators = [list(entry) if entry is not None else None for entry in reduced[3:5]]
        state = reduced[2] if len(reduced) > 2 else None
        if isinstance(state, dict):
            state = {name: entry for name, entry in state.items() if name not in _PROCESS_ATTRIBUTES}
        return digest("object", self.kind(type(obj)), *self._read_all((*reduced[:2], state, *iterators)))

    def unknown(self, obj: Any, description: str) -> bytes:
        """Return a digest of the name, for an object whose content is unknown."""
        if self._name is None:
            raise OptionError(
                "Expected a model whose content can be read, because the store is kept after this process "
                f"ends, got {description}. Give the model a name, such as Explainer(..., "
                'execution=lc.Execution(model_name="reviews-v1")), and another one whenever it changes.'
            )
        return digest("named", self._name, type(obj).__name__)


def is_from_package(obj: Any, package: str) -> bool:
    """Whether the class of an object is from a package."""
    return type(obj).__module__.partition(".")[0] == package


def _is_a(package: str, *path: str) -> Callable[[Any], bool]:
    """Return a check for instances of a class in a package. It does not import the package."""

    def is_instance(obj: Any) -> bool:
        cls = sys.modules.get(package)
        for name in path:
            cls = getattr(cls, name, None)
        return isinstance(cls, type) and isinstance(obj, cls)

    return is_instance


def _is_function(obj: Any) -> bool:
    if isinstance(obj, functools.partial | types.MethodType | types.FunctionType | types.BuiltinFunctionType):
        return True
    return isinstance(obj, np.ufunc) or "function_or_method" in type(obj).__name__


def _is_random(obj: Any) -> bool:
    """Whether an object draws random numbers. Fitted models store some, but their answers do not depend on them."""
    return isinstance(obj, np.random.RandomState | np.random.Generator | np.random.BitGenerator)


_READERS: tuple[tuple[Callable[[Any], bool], Callable[[FingerprintReader, Any], bytes]], ...] = (
    (lambda obj: hasattr(type(obj), "fingerprint") and hasattr(type(obj), "content"), FingerprintReader._read_adapter),
    (_is_a("keras", "Model"), FingerprintReader._read_keras),
    (_is_a("torch", "nn", "Module"), FingerprintReader._read_module),
    (_is_a("onnxruntime", "InferenceSession"), FingerprintReader._read_session),
    (lambda obj: is_from_package(obj, "sklearn") and hasattr(obj, "get_arrays"), FingerprintReader._read_search_tree),
    (_is_random, lambda reader, obj: digest("random numbers")),
    (_is_a("transformers", "PreTrainedTokenizerBase"), FingerprintReader._read_tokenizer),
    (lambda obj: isinstance(obj, type), FingerprintReader._read_type),
    (_is_function, FingerprintReader._read_function),
    (lambda obj: isinstance(obj, types.ModuleType), lambda reader, obj: digest("package", obj.__name__)),
    (lambda obj: isinstance(obj, enum.Enum), lambda reader, obj: digest(type(obj).__qualname__, obj.name)),
)


def _is_slot(member: Any) -> bool:
    return isinstance(member, types.MemberDescriptorType | types.GetSetDescriptorType)


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _code_digest(code: types.CodeType) -> bytes:
    """Return the digest of what a function does, without its line numbers and its docstring."""
    consts = [_code_digest(const) if isinstance(const, types.CodeType) else const for const in code.co_consts]
    if code.co_flags & 0x3 and consts and isinstance(consts[0], str):
        consts[0] = None  # most likely the docstring
    return digest(code.co_code, consts, code.co_names, code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


@functools.lru_cache(maxsize=4096)
def is_installed(module: str) -> bool:
    """Whether a module is of Python or of an installed package, and not of the user's own files.

    >>> is_installed("numpy.linalg"), is_installed("builtins"), is_installed("__main__")
    (True, True, False)
    """
    top = sys.modules.get(module.partition(".")[0])
    if top is None or module == "__main__":
        return False
    file = getattr(top, "__file__", None)
    if file is None:
        return top.__name__ in sys.builtin_module_names
    path = Path(file).resolve()
    folders = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")]
    folders.append(Path(__file__).resolve().parents[1])  # lcshap itself, also in an editable installation
    return bool({"site-packages", "dist-packages"} & {*path.parts}) or any(map(path.is_relative_to, folders))


def _version(module: str) -> str:
    """Return the version of a package; "" for lcshap, whose versions change often while answers stay the same."""
    top = module.partition(".")[0]
    return "" if top == __name__.partition(".")[0] else str(getattr(sys.modules.get(top), "__version__", ""))


def _file_digest(path: str | os.PathLike[str]) -> bytes:
    hashed = blake2b(digest_size=KEY_BYTES)
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            hashed.update(chunk)
    return hashed.digest()
