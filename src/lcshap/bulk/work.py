"""What a worker does: it makes the explainer once, and turns shards into parts."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from ..adapters.onnx import THREADS
from ..core.explanation import Explanation
from ..core.redact import described
from ..errors import BulkError, LcshapError, MaskerError, ModelError, OptionError, StoreError
from ..explainer import Explainer
from ..explainer.settled import settled
from .cells import Row
from .manifest import describe
from .parts import encode, one_line
from .shards import Shard
from .sources import FileItem

LEAST, MOST = 64, 512  # rows in a batch, where neither the user nor the model says how many
LETTERS = 64_000  # that a batch of more than the least has at most, about
Factory = Callable[[], Explainer] | str
_THREADS = (
    THREADS,
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


@dataclass(frozen=True)
class Work:
    """What all workers of a run are told.

    Attributes
    ----------
    factory : makes the explainer: a function, or its name as ``package.module:function``.
    batch_size : rows in a batch, where the explainer does not say it. None: as the inputs of a shard are large, see
        `rows_at_once`.
    threads : of the model, in each worker.
    """

    factory: Factory
    batch_size: int | None
    threads: int

    @property
    def environment(self) -> dict[str, str]:
        """Variables that cap the threads of OpenMP, BLAS and onnxruntime; they count before these are loaded."""
        return dict.fromkeys(_THREADS, str(self.threads))


@dataclass(frozen=True)
class Done:
    """A shard that is finished.

    Attributes
    ----------
    part : the bytes of the part.
    seconds : that it took the worker, by the clock.
    processor : seconds of the processor that it took the worker.
    sent : for each row of the shard the model rows that were sent for it; None where nobody counted.
    calls : for each row the model calls that its scores rest on; None for an error.
    failed : how many rows have an error, the first of which is `error`.
    stopped : why the run cannot go on, where it cannot: then there is no part.
    """

    number: int
    part: bytes
    seconds: float
    processor: float
    sent: list[int | None]
    calls: list[int | None]
    failed: int = 0
    error: str | None = None
    stopped: str | None = None


class Worker:
    """Explains shards. It is made in a process of its own, by either engine."""

    def __init__(self, work: Work) -> None:
        os.environ.update(work.environment)
        self.work = work
        self.made = make(work.factory)
        self.batch_size = self.made.batch_size or self.made.adapter.batch_size or work.batch_size
        self.explainer = settled(self.made, self.batch_size or LEAST)
        _cap_loaded(work.threads)
        self.description = {**describe(self.explainer), "batch_size": self.batch_size or [LEAST, MOST, LETTERS]}

    def describe(self) -> dict[str, Any]:
        """What the results depend on, for the manifest."""
        return self.description

    def cost(self, rows: int) -> str:
        """What the answers to so many rows cost, in words; empty where the model does not know it."""
        return self.explainer.adapter.cost(rows) or ""

    def explain(self, shard: Shard, expected: dict[str, Any], digest: str) -> Done:
        """Explain a shard.

        Parameters
        ----------
        expected : the explainer that the manifest describes.
        digest : of the rows, for the notes of the part; empty where the source has one of its own.

        Raises
        ------
        BulkError : if this worker has another model or other settings than the manifest.
        """
        if self.description != expected:
            changed = [name for name in expected if self.description.get(name) != expected[name]]
            raise BulkError(
                f"Expected the explainer of the manifest in every worker, got one with another {', '.join(changed)}. "
                "Are all workers given the same files and the same code?"
            )
        start, busy = time.perf_counter(), time.process_time()
        loaded = [_loaded(row) for row in shard.rows]
        # Made anew for each shard: a batch size that was halved because memory ran out ends with its shard.
        self.explainer = settled(self.made, self.batch_size or rows_at_once(loaded))
        found = self._explain(loaded)
        errors = [e for e in found if isinstance(e, Exception)]
        stopped = _outage(found)
        part = b"" if stopped else encode(shard, found, bool(expected["several"]), {"inputs": digest})
        good = [e if isinstance(e, Explanation) else None for e in found]
        return Done(
            shard.number,
            part,
            time.perf_counter() - start,
            time.process_time() - busy,
            [None if e is None else e.rows for e in good],
            [None if e is None else e.calls for e in good],
            len(errors),
            one_line(errors[0]) if errors else None,
            stopped,
        )

    def _explain(self, loaded: list[Any]) -> list[Explanation | Exception]:
        """All rows together, so that they share batches; those that could not be read keep their error."""
        found: list[Explanation | Exception] = [x for x in loaded]
        places = [k for k, x in enumerate(loaded) if not isinstance(x, Exception)]
        explained = self._many([loaded[k] for k in places]) if places else []
        for place, e in zip(places, explained, strict=True):
            found[place] = e
        return found

    def _many(self, inputs: list[Any]) -> list[Explanation | Exception]:
        """The explanations of some inputs, or their errors; one by one if they are not even a list of inputs."""
        try:
            found = self.explainer.many(inputs, errors="keep")
            if len(found) == len(inputs):
                return list(found)
        except StoreError:
            raise
        except Exception:
            pass  # of one of the inputs: which one, they tell when they are alone
        return [self._one(x) for x in inputs]

    def _one(self, x: Any) -> Explanation | Exception:
        try:
            return self.explainer.one(x)
        except StoreError:
            raise
        except Exception as error:
            return error if isinstance(error, LcshapError) else MaskerError(described(error))


def _outage(found: list[Explanation | Exception]) -> str | None:
    """The error of the model, if it failed for all of several rows that it was asked about; None otherwise.

    Rows that never came to the model, such as empty texts, do not count.
    """
    failed = [e for e in found if isinstance(e, ModelError)]
    if len(failed) > 1 and not any(isinstance(e, Explanation) for e in found):
        return one_line(failed[0])
    return None


def rows_at_once(inputs: list[Any]) -> int:
    """How many rows a batch of a shard has: more where its inputs are short, because a batch takes a time of its own.

    It depends on the inputs alone. A number counts as much as eight letters.

    Examples
    --------
    >>> rows_at_once(["A short text."]), rows_at_once(["word " * 100]), rows_at_once(["word " * 1000])
    (512, 128, 64)
    """
    sizes = [_letters(x) for x in inputs if not isinstance(x, Exception)]
    known = [size for size in sizes if size is not None]
    if not known or len(known) < len(sizes):
        return LEAST
    most = LETTERS * len(known) // max(sum(known), 1)
    return LEAST << max(0, min(most // LEAST, MOST // LEAST).bit_length() - 1)


def _letters(x: Any) -> int | None:
    """How large a row is; None where nobody knows, as for images."""
    if isinstance(x, str):
        return len(x)
    cells = list(x.values()) if isinstance(x, dict) else x
    if not isinstance(cells, list | tuple | np.ndarray):
        return None
    sizes = [len(cell) if isinstance(cell, str) else 8 if np.isscalar(cell) or cell is None else None for cell in cells]
    return None if None in sizes else sum(filter(None, sizes))


def _loaded(row: Row) -> Any:
    """The input of a row, or the error that says why there is none."""
    if row.error is not None:
        return MaskerError(row.error)
    if not isinstance(row.x, FileItem):
        return row.x
    try:
        return row.x.load()
    except (LcshapError, OSError) as error:
        return error if isinstance(error, LcshapError) else MaskerError(described(error))


def make(factory: Factory) -> Explainer:
    """The explainer that a factory makes.

    Raises
    ------
    OptionError : if there is no such factory, or what it makes is no `Explainer`.
    BulkError : if the factory fails.
    """
    function = find(factory) if isinstance(factory, str) else factory
    try:
        made = function()
    except LcshapError:
        raise
    except Exception as error:
        name = factory if isinstance(factory, str) else getattr(factory, "__qualname__", type(factory).__name__)
        raise BulkError(
            f"Expected the factory {name!r} to make an lcshap.Explainer, got {described(error)}. Call it alone to see "
            "where that comes from."
        ) from error
    if not isinstance(made, Explainer):
        raise OptionError(f"Expected a factory that returns an lcshap.Explainer, got {type(made).__name__}.")
    return made


def find(name: str) -> Callable[[], Any]:
    """The function that ``package.module:function`` (or ``package.module.function``) names."""
    module, colon, path = name.partition(":")
    if not colon:
        module, _, path = name.rpartition(".")
    if not module or not path:
        raise OptionError(f"Expected a factory as package.module:function, got {name!r}.")
    if "" not in sys.path:
        sys.path.append("")  # modules in the current folder count, last
    try:
        found: Any = import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise OptionError(f"Expected a factory as package.module:function, got {name!r}: {error}.") from error
    if not callable(found):
        raise OptionError(f"Expected a factory that can be called, got {name!r}, which is {type(found).__name__}.")
    return found  # type: ignore[no-any-return]


def _cap_loaded(threads: int) -> None:
    """Cap the threads of what is loaded already, for which the environment comes too late."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(threads)
    with suppress(ImportError):
        import_module("threadpoolctl").threadpool_limits(threads)
