"""A worker, which makes the explainer once and turns shards into parts."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ..adapters.onnx import THREADS
from ..core.explanation import Explanation
from ..core.imports import MalformedNameError, import_object
from ..core.redact import describe_error
from ..errors import BulkError, DataError, LcshapError, MaskerError, ModelError, OptionError, StoreError
from ..explainer import Explainer
from ..explainer.deterministic import make_deterministic
from ..values import Loss
from .columns import InputRow
from .manifest import describe_explainer
from .part_files import encode_part, format_error
from .shards import Shard
from .sources import FileInput

MIN_BATCH_ROWS, MAX_BATCH_ROWS = 64, 512  # rows of a batch, if neither the user nor the model sets the batch size
MAX_BATCH_CHARACTERS = 64_000  # about the maximum of a batch that has more rows than the minimum
Factory = Callable[[], Explainer] | str
_THREAD_VARIABLES = (
    THREADS,
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


@dataclass(frozen=True)
class WorkerOptions:
    """The options that all workers of a run have.

    Attributes
    ----------
    factory : makes the explainer: a function, or its name as ``package.module:function``.
    batch_size : the number of rows of a batch, if the explainer does not set it. None chooses it by the size of the
        inputs of a shard, see `choose_batch_size`.
    threads : the number of threads of the model in each worker.
    """

    factory: Factory
    batch_size: int | None
    threads: int

    @property
    def environment(self) -> dict[str, str]:
        """Variables that limit the threads of OpenMP, BLAS and onnxruntime, if they are set before these are loaded."""
        return dict.fromkeys(_THREAD_VARIABLES, str(self.threads))


@dataclass(frozen=True)
class FinishedShard:
    """A finished shard.

    Attributes
    ----------
    part_bytes : the bytes of the part.
    seconds : the seconds that the worker took, by the clock.
    processor : the seconds of the processor that the worker took.
    sent_rows : for each row of the shard, the number of model rows that were sent for it; None if it is not known.
    calls : for each row, the number of model calls that its scores are computed from; None for an error.
    failed : the number of rows that have an error, the first of which is `error`.
    stopped : the reason why the run cannot go on, if it cannot; then there is no part.
    """

    number: int
    part_bytes: bytes
    seconds: float
    processor: float
    sent_rows: list[int | None]
    calls: list[int | None]
    failed: int = 0
    error: str | None = None
    stopped: str | None = None


class Worker:
    """Explains shards. Each engine makes its workers in separate processes."""

    def __init__(self, worker_options: WorkerOptions) -> None:
        os.environ.update(worker_options.environment)
        self.worker_options = worker_options
        self.base_explainer = call_factory(worker_options.factory)
        self.batch_size = (
            self.base_explainer.execution.batch_size
            or self.base_explainer.adapter.batch_size
            or worker_options.batch_size
        )
        self.explainer = make_deterministic(self.base_explainer, self.batch_size or MIN_BATCH_ROWS)
        _limit_loaded_threads(worker_options.threads)
        self.description = {
            **describe_explainer(self.explainer),
            "batch_size": self.batch_size or [MIN_BATCH_ROWS, MAX_BATCH_ROWS, MAX_BATCH_CHARACTERS],
        }

    def describe(self) -> dict[str, Any]:
        """The properties that the results depend on, for the manifest."""
        return self.description

    def cost(self, rows: int) -> str:
        """The cost of this number of model rows as text; empty if the model does not know it."""
        return self.explainer.adapter.cost(rows) or ""

    def explain(self, shard: Shard, expected: dict[str, Any], digest: str, alone: bool = False) -> FinishedShard:
        """Explain a shard.

        Parameters
        ----------
        expected : the description of the explainer in the manifest.
        digest : the digest of the rows, for the notes of the part; empty if the source has a digest itself.
        alone : whether each row has batches of its own, because the worker died when rows shared batches.

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
        start, processor_start = time.perf_counter(), time.process_time()
        inputs = [_load_input(row) for row in shard.rows]
        # A new explainer for each shard, so that a batch size that was halved for lack of memory ends with its shard.
        self.explainer = make_deterministic(self.base_explainer, self.batch_size or choose_batch_size(inputs))
        outcomes = self._explain(inputs, [row.label for row in shard.rows], alone)
        errors = [e for e in outcomes if isinstance(e, Exception)]
        stopped = _describe_outage(outcomes)
        part_bytes = b"" if stopped else encode_part(shard, outcomes, bool(expected["several"]), {"inputs": digest})
        explanations = [e if isinstance(e, Explanation) else None for e in outcomes]
        return FinishedShard(
            shard.number,
            part_bytes,
            time.perf_counter() - start,
            time.process_time() - processor_start,
            [None if e is None else e.rows for e in explanations],
            [None if e is None else e.calls for e in explanations],
            len(errors),
            format_error(errors[0]) if errors else None,
            stopped,
        )

    def _explain(
        self, inputs: list[Any], labels: list[str | None], alone: bool = False
    ) -> list[Explanation | Exception]:
        """Explain all rows together, so that they share batches. Rows that could not be read keep their error."""
        outcomes: list[Explanation | Exception] = [x for x in inputs]
        indices = [k for k, x in enumerate(inputs) if not isinstance(x, Exception)]
        y = [labels[k] for k in indices] if isinstance(self.explainer.value_function, Loss) else None
        explain = self._explain_each_alone if alone else self._explain_together
        explained = explain([inputs[k] for k in indices], y) if indices else []
        for index, e in zip(indices, explained, strict=True):
            outcomes[index] = e
        return outcomes

    def _explain_together(self, inputs: list[Any], y: list[str | None] | None) -> list[Explanation | Exception]:
        """The explanations of inputs, or their errors. If explaining them together fails, each is explained alone."""
        try:
            explanations = self.explainer.many(inputs, y=y, errors="keep")
            if len(explanations) == len(inputs):
                return list(explanations)
        except StoreError:
            raise
        except Exception:
            pass  # The inputs are explained one by one to find those that failed.
        return self._explain_each_alone(inputs, y)

    def _explain_each_alone(self, inputs: list[Any], y: list[str | None] | None) -> list[Explanation | Exception]:
        return [self._explain_alone(x, None if y is None else y[k]) for k, x in enumerate(inputs)]

    def _explain_alone(self, x: Any, y: str | None) -> Explanation | Exception:
        try:
            return self.explainer.one(x, y=y)
        except StoreError:
            raise
        except Exception as error:
            return error if isinstance(error, LcshapError) else BulkError(describe_error(error))


class WorkerServer:
    """A worker that other processes call.

    The worker is made at the first request, so that its process can receive a large shard before.
    """

    def __init__(self, worker_options: WorkerOptions) -> None:
        self.worker_options = worker_options
        self.worker: Worker | None = None

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a method of the worker. All errors are raised as an `LcshapError` without secrets."""
        try:
            self.worker = self.worker or Worker(self.worker_options)
            return getattr(self.worker, name)(*arguments)
        except LcshapError:
            raise
        except Exception as error:
            raise BulkError(f"A worker failed: {describe_error(error)}") from error


def _describe_outage(outcomes: list[Explanation | Exception]) -> str | None:
    """The error of the model, if it failed for all of several rows; None otherwise.

    Rows that were not sent to the model, such as empty texts, do not count. An exception that is not of lcshap does
    count, because it is about code and not about the data.
    """
    failed = [e for e in outcomes if isinstance(e, ModelError | BulkError)]
    if len(failed) > 1 and not any(isinstance(e, Explanation) for e in outcomes):
        return format_error(failed[0])
    return None


def choose_batch_size(inputs: list[Any]) -> int:
    """The batch size of a shard: larger for short inputs, because each batch has a fixed cost.

    It depends only on the inputs. A number counts as eight characters.

    Examples
    --------
    >>> choose_batch_size(["A short text."]), choose_batch_size(["word " * 100]), choose_batch_size(["word " * 1000])
    (512, 128, 64)
    """
    sizes = [_count_characters(x) for x in inputs if not isinstance(x, Exception)]
    character_counts = [size for size in sizes if size is not None]
    if not character_counts or len(character_counts) < len(sizes):
        return MIN_BATCH_ROWS
    max_rows = MAX_BATCH_CHARACTERS * len(character_counts) // max(sum(character_counts), 1)
    return MIN_BATCH_ROWS << max(0, min(max_rows // MIN_BATCH_ROWS, MAX_BATCH_ROWS // MIN_BATCH_ROWS).bit_length() - 1)


def _count_characters(x: Any) -> int | None:
    """The number of characters of a row; None if it is not known, such as for images."""
    if isinstance(x, str):
        return len(x)
    cells = list(x.values()) if isinstance(x, dict) else x
    if not isinstance(cells, list | tuple | np.ndarray):
        return None
    sizes = [len(cell) if isinstance(cell, str) else 8 if np.isscalar(cell) or cell is None else None for cell in cells]
    return None if None in sizes else sum(filter(None, sizes))


def _load_input(row: InputRow) -> Any:
    """The input of a row, or the error that says why it cannot be read.

    Raises
    ------
    DataError : if the file of the input has changed since the run began.
    """
    if row.error is not None:
        return MaskerError(row.error)
    if not isinstance(row.x, FileInput):
        return row.x
    try:
        return row.x.load()
    except DataError:
        raise
    except (LcshapError, OSError) as error:
        return error if isinstance(error, LcshapError) else MaskerError(describe_error(error))


def call_factory(factory: Factory) -> Explainer:
    """The explainer that a factory makes.

    Raises
    ------
    OptionError : if there is no such factory, or it does not return an `Explainer`.
    BulkError : if the factory fails.
    """
    function = import_factory(factory) if isinstance(factory, str) else factory
    try:
        explainer = function()
    except LcshapError:
        raise
    except Exception as error:
        name = factory if isinstance(factory, str) else getattr(factory, "__qualname__", type(factory).__name__)
        raise BulkError(
            f"Expected the factory {name!r} to make an lcshap.Explainer, got {describe_error(error)}. Call it alone to "
            "see where that comes from."
        ) from error
    if not isinstance(explainer, Explainer):
        raise OptionError(f"Expected a factory that returns an lcshap.Explainer, got {type(explainer).__name__}.")
    return explainer


def import_factory(name: str) -> Callable[[], Any]:
    """The function that ``package.module:function`` (or ``package.module.function``) names."""
    try:
        factory = import_object(name if ":" in name else ":".join(name.rsplit(".", 1)))
    except MalformedNameError:
        raise OptionError(f"Expected a factory as package.module:function, got {name!r}.") from None
    except (ImportError, AttributeError) as error:
        raise OptionError(f"Expected a factory as package.module:function, got {name!r}: {error}.") from error
    if not callable(factory):
        raise OptionError(f"Expected a factory that can be called, got {name!r}, which is {type(factory).__name__}.")
    return factory  # type: ignore[no-any-return]


def _limit_loaded_threads(threads: int) -> None:
    """Limit the threads of libraries that are loaded already, which do not read the environment any more."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(threads)
    threadpool_limits(threads)
