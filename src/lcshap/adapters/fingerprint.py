"""What tells a model from all others, in every process: a digest of what it holds.

Objects are taken apart as pickle would do it (`__reduce_ex__`), but nothing is written or loaded. What is of an
installed package is known by its name and the version of the package; classes of the user by their code; weights by
their numbers. A function of the user is none of these: it may read anything. A name that the user gives stands for it.
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

from ..core.digest import digest
from ..core.graphs import Graph
from ..core.keys import SIZE
from ..errors import OptionError
from ..maskers.tokenizer_content import tokenizer_content
from .onnx_files import data_files
from .tensor_digests import tensor_digest

_PLAIN = (type(None), bool, int, float, complex, str, bytes, bytearray, range, np.generic, Graph)
_IGNORED = {"__doc__", "__module__", "__dict__", "__weakref__", "__annotations__", "__qualname__", "_abc_impl"}
_IGNORED |= {"__firstlineno__", "__static_attributes__", "__abstractmethods__", "__annotate_func__", "__parameters__"}
_HOOKS = "_hooks"  # how the attributes end in which a PyTorch module keeps hooks
_NUMBERS = ("_parameters", "_buffers", "_modules")
_PASSING = {"_stop_words_id"}  # attributes of scikit-learn that are of one process alone
_STATE = ("training", "_is_full_backward_hook", "_non_persistent_buffers_set", "_backward_pre_hooks")


def fingerprint(model: Any, name: str | None = None) -> bytes:
    """16 bytes, equal for models with the same content, in all processes.

    Parameters
    ----------
    model : an adapter.
    name : stands for the parts of which the content cannot be known. None: there are none, else `OptionError`.

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
    return Reader(name).read(model)


class Opaque:
    """A function, or what is called like one: it may read anything and keep anything, so that a name stands for it."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    @property
    def what(self) -> str:
        """In words, for an error."""
        name = getattr(self.thing, "__name__", None)
        return f"the function {name}" if name else f"a function, an object of {type(self.thing).__name__}"


class Reader:
    """Reads objects. Each is read once; one that holds itself is known by how far up it stands."""

    def __init__(self, name: str | None = None) -> None:
        self._name = name
        self._known: dict[int, tuple[Any, bytes]] = {}  # with the object, so that its id stays its own
        self._open: list[int] = []

    def read(self, thing: Any) -> bytes:
        """The digest of what a thing holds."""
        if isinstance(thing, _PLAIN):
            return digest(thing)
        if id(thing) in self._known:
            return self._known[id(thing)][1]
        if id(thing) in self._open:
            return digest("above", len(self._open) - self._open.index(id(thing)))
        self._open.append(id(thing))
        try:
            found = self._content(thing)
        finally:
            self._open.pop()
        self._known[id(thing)] = thing, found
        return found

    def _all(self, things: Iterable[Any]) -> list[bytes]:
        return [self.read(thing) for thing in things]

    def _pairs(self, mapping: Any) -> list[bytes]:
        return [digest(self.read(key), self.read(value)) for key, value in mapping.items()]

    def _content(self, thing: Any) -> bytes:
        kind = type(thing)
        if kind in (list, tuple):
            return digest(kind.__name__, *self._all(thing))
        if kind in (set, frozenset):
            return digest(kind.__name__, *sorted(self._all(thing)))
        if kind in (dict, types.MappingProxyType):
            return digest("dict", *sorted(self._pairs(thing)))
        if kind is OrderedDict:
            return digest("ordered", *self._pairs(thing))
        if isinstance(thing, np.ndarray) and thing.dtype.hasobject:
            return digest("objects", thing.shape, *self._all(thing.ravel().tolist()))
        if isinstance(thing, np.ndarray) and thing.dtype.names:  # bytes between the fields may be anything
            return digest(
                "fields", thing.shape, *(digest(name, np.ascontiguousarray(thing[name])) for name in thing.dtype.names)
            )
        if isinstance(thing, np.ndarray) or sparse.issparse(thing) or is_of(thing, "pandas"):
            return digest(thing)
        if isinstance(thing, np.dtype):
            return digest("dtype", thing.str)
        if is_of(thing, "torch") and hasattr(thing, "detach"):
            return tensor_digest(thing)
        if isinstance(thing, Opaque):
            return self.unknown(thing.thing, thing.what)
        for find, read in _READERS:
            if find(thing):
                return read(self, thing)
        return self._object(thing)

    # -- models -----------------------------------------------------------------------------------------------------

    def _adapter(self, thing: Any) -> bytes:
        return digest("adapter", self.kind(type(thing)), self.read(thing.content))

    def _module(self, thing: Any) -> bytes:
        """A module of PyTorch: its class, its numbers, the modules in it, and what else it has."""
        if hasattr(thing, "code_with_constants") or hasattr(thing, "_c"):
            return self.unknown(thing, "a compiled module")
        state = vars(thing)
        parts = [digest(name, *self._pairs(state.get(name, {}))) for name in _NUMBERS]
        hooks = {name: list(held.values()) for name, held in state.items() if name.endswith(_HOOKS) and held}
        rest = {
            name: held for name, held in state.items() if name not in (*_NUMBERS, *_STATE) and not name.endswith(_HOOKS)
        }
        return digest("module", self.kind(type(thing)), *parts, self.read(hooks), self.read(rest))

    def _keras(self, thing: Any) -> bytes:
        weights = [np.asarray(weight) for weight in thing.get_weights()]
        return digest("keras", self.kind(type(thing)), self.read(thing.get_config()), *weights)

    def _session(self, thing: Any) -> bytes:
        """A session of onnxruntime: the graph that it was made of, its weights in other files, and how it is run."""
        path, graph = getattr(thing, "_model_path", None), getattr(thing, "_model_bytes", None)
        if graph:
            files = [digest(graph)]
        elif path:
            files = [_file_digest(file) for file in (path, *data_files(path))]
        else:
            return self.unknown(thing, "a session without a file")
        options = thing.get_session_options()
        level = str(options.graph_optimization_level)
        return digest("onnx", files, list(thing.get_providers()), level, _version("onnxruntime"))

    def _search_tree(self, thing: Any) -> bytes:
        """Of scikit-learn's neighbours: without its counters of what was looked up."""
        return digest("search tree", self.kind(type(thing)), *self._all(map(np.asarray, thing.get_arrays())))

    def _tokenizer(self, thing: Any) -> bytes:
        content = tokenizer_content(thing)
        if content is None:
            return self.unknown(thing, f"{type(thing).__name__}, a tokenizer that is not a fast one")
        return digest("tokenizer", self.kind(type(thing)), content)

    # -- code -------------------------------------------------------------------------------------------------------

    def kind(self, cls: type) -> bytes:
        """A class: the names of its bases that are of packages, the code of the others."""
        if id(cls) in self._known:
            return self._known[id(cls)][1]
        if id(cls) in self._open:
            return digest("above", cls.__qualname__)
        self._open.append(id(cls))
        try:
            parts = [self._base(base) for base in cls.__mro__ if base is not object]
        finally:
            self._open.pop()
        found = digest("class", *parts)
        self._known[id(cls)] = cls, found
        return found

    def _base(self, base: type) -> bytes:
        if is_installed(base.__module__):
            return digest(base.__module__, base.__qualname__, _version(base.__module__))
        held = sorted((name, part) for name, part in vars(base).items() if name not in _IGNORED and not _is_slot(part))
        return digest(base.__qualname__, *(digest(name, self._member(part)) for name, part in held))

    def _member(self, part: Any) -> bytes:
        """What a class of the user holds: methods by their code, everything else as it is."""
        if isinstance(part, staticmethod | classmethod):
            return digest(type(part).__name__, self._member(part.__func__))
        if isinstance(part, property):
            return digest("property", *(self._member(f) for f in (part.fget, part.fset) if f is not None))
        if isinstance(part, functools.cached_property):
            return digest("cached", self._member(part.func))
        return self._code(part) if isinstance(part, types.FunctionType) else self.read(part)

    def _code(self, function: types.FunctionType) -> bytes:
        wrapped = getattr(function, "__wrapped__", None)
        cells = [cell.cell_contents for cell in function.__closure__ or () if _filled(cell)]
        inner = [self._member(c) if isinstance(c, types.FunctionType) else self.read(c) for c in cells]
        more = [self._member(wrapped)] if isinstance(wrapped, types.FunctionType) else []
        settings = self.read((function.__defaults__, function.__kwdefaults__))
        return digest("code", _code_digest(function.__code__), settings, *inner, *more)

    def _type(self, thing: type) -> bytes:
        return self.kind(thing)

    def _function(self, thing: Any) -> bytes:
        """A function of a package by its name, its arguments where it has some; one of the user's is not known."""
        if isinstance(thing, functools.partial):
            return digest("partial", *self._all((thing.func, thing.args, thing.keywords)))
        if isinstance(thing, types.MethodType):
            return digest("method", self.read(thing.__self__), thing.__func__.__name__)
        owner = getattr(thing, "__self__", None)
        if isinstance(thing, types.BuiltinMethodType) and not isinstance(owner, types.ModuleType | None):
            return digest("method", self.read(owner), thing.__name__)
        module = getattr(thing, "__module__", None) or ("numpy" if isinstance(thing, np.ufunc) else "")
        name = getattr(thing, "__qualname__", thing.__name__)
        if is_installed(module) and "<" not in name:
            return digest("function", module, name, _version(module))
        return self.unknown(thing, Opaque(thing).what)

    # -- everything else --------------------------------------------------------------------------------------------

    def _object(self, thing: Any) -> bytes:
        """Any other object, taken apart as pickle would do it."""
        try:
            made = thing.__reduce_ex__(4)
        except Exception:  # of somebody else's code: whatever it is, the content is not known
            return self.unknown(thing, f"an object of {type(thing).__name__}")
        if isinstance(made, str):
            return digest("global", type(thing).__module__, made)
        items = [list(part) if part is not None else None for part in made[3:5]]
        state = made[2] if len(made) > 2 else None
        if isinstance(state, dict):
            state = {name: part for name, part in state.items() if name not in _PASSING}
        return digest("object", self.kind(type(thing)), *self._all((*made[:2], state, *items)))

    def unknown(self, thing: Any, what: str) -> bytes:
        """A part of which the content is not known: the name stands for it."""
        if self._name is None:
            raise OptionError(
                "Expected a model whose content can be read, because the store is kept after this process "
                f'ends, got {what}. Give the model a name, such as Explainer(..., model_name="reviews-v1"), '
                "and another one whenever it changes."
            )
        return digest("named", self._name, type(thing).__name__)


def is_of(thing: Any, package: str) -> bool:
    """Whether a thing is of a class of a package."""
    return type(thing).__module__.partition(".")[0] == package


def _is_a(package: str, *path: str) -> Callable[[Any], bool]:
    """Whether a thing is an instance of a class in a package, which is not imported to look."""

    def find(thing: Any) -> bool:
        found = sys.modules.get(package)
        for name in path:
            found = getattr(found, name, None)
        return isinstance(found, type) and isinstance(thing, found)

    return find


def _is_function(thing: Any) -> bool:
    if isinstance(thing, functools.partial | types.MethodType | types.FunctionType | types.BuiltinFunctionType):
        return True
    return isinstance(thing, np.ufunc) or "function_or_method" in type(thing).__name__


def _is_random(thing: Any) -> bool:
    """What draws random numbers: fitted models keep it, and what they answer does not depend on it."""
    return isinstance(thing, np.random.RandomState | np.random.Generator | np.random.BitGenerator)


_READERS: tuple[tuple[Callable[[Any], bool], Callable[[Reader, Any], bytes]], ...] = (
    (lambda thing: hasattr(type(thing), "fingerprint") and hasattr(type(thing), "content"), Reader._adapter),
    (_is_a("keras", "Model"), Reader._keras),
    (_is_a("torch", "nn", "Module"), Reader._module),
    (_is_a("onnxruntime", "InferenceSession"), Reader._session),
    (lambda thing: is_of(thing, "sklearn") and hasattr(thing, "get_arrays"), Reader._search_tree),
    (_is_random, lambda reader, thing: digest("random numbers")),
    (_is_a("transformers", "PreTrainedTokenizerBase"), Reader._tokenizer),
    (lambda thing: isinstance(thing, type), Reader._type),
    (_is_function, Reader._function),
    (lambda thing: isinstance(thing, types.ModuleType), lambda reader, thing: digest("package", thing.__name__)),
    (lambda thing: isinstance(thing, enum.Enum), lambda reader, thing: digest(type(thing).__qualname__, thing.name)),
)


def _is_slot(part: Any) -> bool:
    return isinstance(part, types.MemberDescriptorType | types.GetSetDescriptorType)


def _filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _code_digest(code: types.CodeType) -> bytes:
    """What a function does: neither where it stands in its file nor what it says about itself."""
    consts = [_code_digest(const) if isinstance(const, types.CodeType) else const for const in code.co_consts]
    if code.co_flags & 0x3 and consts and isinstance(consts[0], str):
        consts[0] = None  # most likely what it says about itself
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
    folders.append(Path(__file__).resolve().parents[1])  # our own, wherever it is
    return bool({"site-packages", "dist-packages"} & {*path.parts}) or any(map(path.is_relative_to, folders))


def _version(module: str) -> str:
    """The version of a package. Our own changes often, and its adapters promise the same answers."""
    top = module.partition(".")[0]
    return "" if top == __name__.partition(".")[0] else str(getattr(sys.modules.get(top), "__version__", ""))


def _file_digest(path: str | os.PathLike[str]) -> bytes:
    hashed = blake2b(digest_size=SIZE)
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            hashed.update(part)
    return hashed.digest()
