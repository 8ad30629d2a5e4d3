"""Every method by its name: those of this package, those that were registered, and those of installed plugins."""

from __future__ import annotations

import os
import pkgutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import isabstract
from typing import Any, TypeVar

from ..core.locks import ForkSafeLock
from ..core.method import Method
from ..errors import MethodError

_ENTRY_POINT_GROUP = "lcshap.methods"  # the group of entry points in which other packages name their methods
_TEXT_ATTRIBUTES = ("name", "summary", "choose", "cost_in_words")
M = TypeVar("M", bound=type[Method])


@dataclass(frozen=True)
class MethodEntry:
    """The description of a method, which is read from its class.

    Attributes
    ----------
    name : the name of the method in the registry.
    method : its class.
    summary : what it computes, in a sentence.
    choose : when to choose it.
    cost : how many calls it takes, in words; d is the number of units.
    """

    name: str
    method: type[Method]
    summary: str
    choose: str
    cost: str

    @property
    def signature(self) -> str:
        """The class with the parameters that it needs and those that its cost depends on.

        >>> METHODS.entry("l-shapley").signature, METHODS.entry("kernel-shap").signature
        ('LShapley(order)', 'KernelSHAP(budget)')
        """
        needed = [
            f.name for f in fields(self.method) if f.default is MISSING or any(f.name in w for w in self.cost.split())
        ]
        return f"{self.method.__name__}({', '.join(needed)})"

    @property
    def examples(self) -> tuple[Method, ...]:
        """Methods of this class, the usual one first: the conformance suite runs them."""
        make = getattr(self.method, "examples", tuple)
        return tuple(make())

    @property
    def sampled(self) -> bool:
        """Whether the method draws random numbers, from its parameter `seed`."""
        return any(f.name == "seed" for f in fields(self.method))

    @classmethod
    def from_class(cls, method: Any) -> MethodEntry:
        """Read a method's class; raise `MethodError` if something is missing."""
        if not (isinstance(method, type) and issubclass(method, Method)) or isabstract(method):
            raise MethodError(f"Expected a class that inherits from lcshap.Method, got {method!r}.")
        for attribute in _TEXT_ATTRIBUTES:
            text = getattr(method, attribute, None)
            if not isinstance(text, str) or not text:
                raise MethodError(
                    f"Expected a class with the attribute {attribute}, got {method.__name__}, which has none. Write "
                    f"a line in the class, such as {attribute}: ClassVar[str] = {_example_text(attribute, method)!r}."
                )
        return cls(method.name, method, method.summary, method.choose, method.cost_in_words)


class MethodRegistry(Mapping[str, type[Method]]):
    """The classes of all methods, by name and in alphabetical order.

    The modules of this package are searched at first use, and installed plugins (entry points of the group
    ``lcshap.methods``) when a name is not found or all names are listed.

    Examples
    --------
    >>> import lcshap as lc
    >>> "myerson" in lc.METHODS, lc.METHODS["myerson"]
    (True, <class 'lcshap.estimators.myerson.Myerson'>)
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._entries: dict[str, MethodEntry] = {}
        self._lock = ForkSafeLock()  # other threads wait while a thread searches a source
        self._searched: set[str] = set()  # "package", "plugins": the sources that were searched
        self._searching: set[tuple[int, str]] = set()  # the process and source of searches in progress

    def add(self, method: M) -> M:
        """Add a class; see `register_method`."""
        self._search_package()
        return self._add(method)

    def entry(self, name: str) -> MethodEntry:
        """Everything about the method of this name."""
        self._search_package()
        if name not in self._entries:
            self._search_plugins()
        if name not in self._entries:
            near = get_close_matches(str(name), self._entries, 3, 0.6)
            guess = f"Did you mean {' or '.join(map(repr, near))}? " if near else ""
            raise MethodError(
                f"Expected the name of a method, got {name!r}. {guess}The methods are "
                f"{', '.join(sorted(self._entries))}."
            )
        return self._entries[name]

    def entries(self) -> tuple[MethodEntry, ...]:
        """All entries, in alphabetical order."""
        return tuple(self.entry(name) for name in self)

    def built_in(self) -> tuple[MethodEntry, ...]:
        """The entries of this package alone."""
        return tuple(e for e in self.entries() if e.method.__module__.startswith(f"{__package__}."))

    def __getitem__(self, name: str) -> type[Method]:
        try:
            return self.entry(name).method
        except MethodError:
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        self._search_package()
        self._search_plugins()
        return iter(sorted(self._entries))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<{len(self)} methods: {', '.join(self)}>"

    def _add(self, method: M) -> M:
        entry = MethodEntry.from_class(method)
        registered = self._entries.setdefault(entry.name, entry)
        if not _is_same_class(registered.method, method):
            raise MethodError(
                f"Expected a name that no other method has, got {entry.name!r} of {_full_name(method)}, which "
                f"is the name of {_full_name(registered.method)} too. Change the attribute `name` of one of them."
            )
        self._entries[entry.name] = entry
        return method

    def _search_package(self) -> None:
        with self._search("package") as is_first:
            package = import_module(self._package) if is_first else None
            for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.") if package else ():
                for member in list(vars(import_module(module.name)).values()):
                    is_method = (
                        isinstance(member, type) and issubclass(member, Method) and member.__module__ == module.name
                    )
                    if is_method and "name" in vars(member):  # base classes of methods have no name
                        self._add(member)

    def _search_plugins(self) -> None:
        with self._search("plugins") as is_first:
            for point in entry_points(group=_ENTRY_POINT_GROUP) if is_first else ():
                try:
                    self._add(point.load())
                except Exception as error:  # an error in another package must not stop this one
                    warnings.warn(
                        f"{_describe_plugin(point)} is left out: {type(error).__name__}: {error}", stacklevel=3
                    )

    @contextmanager
    def _search(self, source: str) -> Iterator[bool]:
        """Hold the lock; yields whether the source must be searched. An imported module may call this again.

        A child process that was forked by another thread during the search repeats all of it.
        """
        with self._lock:
            search = (os.getpid(), source)
            is_first = source not in self._searched and search not in self._searching
            if is_first:
                self._searching.add(search)
            try:
                yield is_first
            finally:
                if is_first:
                    self._searched.add(source)
                    self._searching.discard(search)


METHODS = MethodRegistry(__package__)


def get_method(name: str) -> type[Method]:
    """Find a method's class by its name.

    Parameters
    ----------
    name : the name of the method, as in `list_methods` and in the command, such as "l-shapley".

    Returns
    -------
    type of Method : the class, to be called with the parameters of the method.

    Raises
    ------
    MethodError : if no method has this name. The error lists all names.

    Examples
    --------
    >>> get_method("l-shapley")(order=2)
    LShapley(order=2, context='absent', interactions=False)
    """
    return METHODS.entry(name).method


def register_method(method: M) -> M:
    """Make a method known by its name, to `Explainer`, `get_method` and the command. Works as a decorator.

    An installed package does not need this function. It can name the class in its ``pyproject.toml``, under
    ``[project.entry-points."lcshap.methods"]``.

    Parameters
    ----------
    method : the class of the method, with a `name` that no other method has.

    Returns
    -------
    type of Method : the same class.

    Raises
    ------
    MethodError : if the class is not a method, or if its name is taken.

    Examples
    --------
    >>> import lcshap as lc
    >>> lc.register_method(lc.Shapley)  # the same class again is no mistake
    <class 'lcshap.estimators.shapley.Shapley'>
    """
    return METHODS.add(method)


def _is_same_class(registered: type[Method], method: type[Method]) -> bool:
    """Whether both are the same class, perhaps of a module that was loaded again."""
    return _full_name(registered) == _full_name(method)


def _full_name(method: type[Method]) -> str:
    return f"{method.__module__}.{method.__qualname__}"


def _describe_plugin(point: EntryPoint) -> str:
    """The method, package and object of an entry point, for a message."""
    package = f" of the package {point.dist.name}" if point.dist is not None else ""
    return f"The method {point.name!r}{package} ({point.value})"


def _example_text(text: str, method: type[Method]) -> str:
    return {
        "name": method.__name__.lower(),
        "summary": "What it computes, in a sentence.",
        "choose": "Choose it where ...",
        "cost_in_words": "d + 2",
    }[text]
