"""How the calls of the model are made."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from ..core.default_limits import MAX_CALLS
from ..core.method import check_integer
from ..errors import OptionError


@dataclass(frozen=True, repr=False)
class Execution:
    """How an explainer calls the model. None of this changes which number is explained, or by which method.

    Parameters
    ----------
    batch_size : rows sent to the model at once; by default what turns out fastest. Set it to get identical bits in
        every run.
    max_calls : refuse methods that take more calls an input; None lifts the limit.
    progress : show a progress bar; by default on a terminal, for work of over a second.
    check : ask about a few rows of each input a second time, in other batches, and raise if the answers differ.
    model_name : tells a function or a remote model from others in a store that is a file, and in a run over a data set.
        Change it whenever the model changes.

    Raises
    ------
    OptionError : if a number is not an integer of at least 1, or `model_name` is not a text.

    Examples
    --------
    >>> import lcshap as lc
    >>> lc.Execution(batch_size=64, max_calls=None)
    Execution(batch_size=64, max_calls=None)
    """

    batch_size: int | None = None
    max_calls: int | None = MAX_CALLS
    progress: bool | None = None
    check: bool = False
    model_name: str | None = None

    def __post_init__(self) -> None:
        for name in ("batch_size", "max_calls"):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), minimum=1)
        if self.model_name is not None and not (isinstance(self.model_name, str) and self.model_name):
            raise OptionError(f"Expected model_name as a text that is not empty, got {self.model_name!r}.")

    def __repr__(self) -> str:
        return f"Execution({', '.join(changed_fields(self))})"


def changed_fields(options: object) -> list[str]:
    """The fields of a dataclass that differ from their defaults, as they are written in a call.

    >>> changed_fields(Execution(check=True))
    ['check=True']
    """
    init_fields = [f for f in fields(options) if f.init and f.repr]  # type: ignore[arg-type]
    return [f"{f.name}={getattr(options, f.name)!r}" for f in init_fields if getattr(options, f.name) is not f.default]


def short_repr(component: Any) -> str:
    """Write a method or a masker as a call that has only the changed fields.

    >>> short_repr(Execution(batch_size=8)), short_repr("auto")
    ('Execution(batch_size=8)', "'auto'")
    """
    if not is_dataclass(component):
        return repr(component)
    return f"{type(component).__name__}({', '.join(changed_fields(component))})"
