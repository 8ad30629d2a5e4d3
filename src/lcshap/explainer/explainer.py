"""The Explainer: a model, a masker and a method, wired together."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import Any, Literal, cast, overload

from ..adapters.base import Kind, Model
from ..core.explanation import Explanation
from ..core.explanations import Comparison, Explanations
from ..core.method import Method, Stop
from ..core.sqlite_store import SQLiteStore
from ..core.store import MemoryStore, Store
from ..errors import (
    LcshapError,
    MethodError,
    MissingExtraError,
    ModelError,
    OptionError,
    RunFailedError,
    TargetError,
)
from ..estimators.registry import get_method
from ..evaluation.engine import Engine
from ..evaluation.model_game import ModelGame
from ..evaluation.structure_games import can_read
from ..maskers.base import Masked, Masker
from ..maskers.masked_table import MaskedTabular
from ..maskers.table_inputs import TableInputs, table_of_masked
from ..maskers.tabular import Tabular
from ..selection.locality import Locality, locality
from ..selection.selector import InteractionsOption, MethodSelector
from ..values import Value
from ..values.loss import list_truths
from ..values.targets import check_class_names
from .background_columns import read_masker, warn_of_many_rows
from .cost_preview import preview_cost
from .default_values import adapt_model, choose_value, explains_decision
from .exact_rows import ExactRows
from .execution import Execution, changed_fields, short_repr
from .job import Job, Outcomes, Setup
from .option_checks import reject_unknown_options

Goal = Literal["fair", "necessary", "sufficient"]
Errors = Literal["raise", "keep"]


@reject_unknown_options
@dataclass(frozen=True, eq=False, repr=False)
class Explainer:
    """Explains what a model said about inputs.

    Parameters
    ----------
    model : a function (async ones too), a scikit-learn estimator or pipeline, a PyTorch module, a Keras model, an ONNX
        file or session; or an adapter.
    masker : how an input is cut into units and what takes the place of absent ones, see `lcshap.maskers`. A DataFrame
        or an array with two axes, such as the training data, is short for ``lcshap.maskers.Tabular(data)``.
    method : a method, its name, or "auto": `goal` and `budget` decide.
    goal : for "auto": "fair" (the default), "necessary" or "sufficient", see `lcshap.choose`.
    value : which number is explained: "log_prob" (of the predicted class), "expected_log_prob", "prob", "log_odds",
        "output", a function of the outputs, or a `lcshap.values.Value`. By default "log_prob" for classes, "output"
        for other numbers.
    target : a class or output, a list of them, "all", or a pair (a, b) for a contrast. By default the predicted class.
    budget : calls: a number, or a text such as "8d" (calls per unit), or "30s" for seconds an input (the model is timed
        on a few rows first). By default all coalitions, so that the result is exact, where there are at most 1,024 (up
        to ten units) and they take at most 131,072 model rows (coalitions times background rows); else "8d". A method
        that has a budget of its own takes none here; for one that always takes the same calls, it is the most that is
        allowed.
    stop : for methods that sample: when to stop before the budget is used. ``lcshap.Stop(tolerance=0.1)`` stops when
        all intervals are as narrow as the tolerance, ``lcshap.Stop(top=3)`` when the first three units and their order
        are sure. By default the whole budget is used.
    interactions : for "auto", and names of methods that have them: also estimate pair interactions from the calls made
        for the scores, of the graph's edges (True) or of all pairs ("all"); see `Explanation.interactions`.
    curve : evaluate the masking curve too (see `lcshap.metrics.masking_curve`), up to 12 more calls: reports show it.
    kind : what the model's numbers are, where the model does not say it: "logits", "probabilities", "multilabel",
        "multilabel-logits", "margin" or "output" (also "regression"), see `lcshap.adapters.Model`. Not needed with
        ``value="output"``.
    classes : names of the classes, for `target` and the record; by default those that the model knows.
    seed : for methods that sample; 0 by default.
    store : remembers what the model has answered, from one call of the explainer to the next, see
        `lcshap.MemoryStore`; or the path of a file, for all runs to come, see `lcshap.SQLiteStore`. By default nothing
        is remembered after a call.
    execution : how the model is called: the batch size, the largest number of calls, the progress bar, a check of the
        answers, and the name of the model in files; see `lcshap.Execution`.

    Notes
    -----
    The fields of `stop` and `execution` may also be given by themselves, as in version 0.1: ``tolerance=0.1`` is
    ``stop=lcshap.Stop(tolerance=0.1)``.

    Examples
    --------
    >>> import lcshap as lc
    >>> def positive(texts):  # a model: how many good words less how many bad ones
    ...     return [text.count("good") - 2.0 * text.count("bad") for text in texts]
    >>> explainer = lc.Explainer(positive, lc.maskers.Text(), method=lc.Shapley(), kind="output")
    >>> e = explainer("good plot, bad end")
    >>> list(zip(e.names, (e.scores.round(9) + 0.0).tolist()))
    [('good', 1.0), ('plot,', 0.0), ('bad', -2.0), ('end', 0.0)]
    >>> explainer
    Explainer(positive, Text(), Shapley(), kind='output')
    """

    model: Any
    masker: Any
    method: Method | str = "auto"
    _: KW_ONLY
    goal: Goal | None = None
    value: Any = None
    target: Any = None
    budget: int | str | None = None
    stop: Stop | None = None
    interactions: InteractionsOption = False
    curve: bool = False
    kind: Kind | Literal["regression"] | None = None
    classes: Sequence[str] | None = None
    seed: int | None = None
    store: Store | str | os.PathLike[str] | None = None
    execution: Execution = Execution()  # noqa: RUF009 -- it is frozen

    adapter: Model = field(init=False)
    setup: Setup = field(init=False)
    selector: MethodSelector = field(init=False)
    _is_table: bool = field(init=False)  # whether background rows were given instead of a masker

    def __post_init__(self) -> None:
        is_table = not isinstance(self.masker, Masker)
        object.__setattr__(self, "masker", read_masker(self.model, self.masker))
        if self.stop is not None and self.stop.deadline is not None:
            raise OptionError('Expected stop without a deadline, got one. Give the seconds an input as budget="30s".')
        execution, early = self.execution, self.stop is not None and self.stop.early
        adapter = adapt_model(self.model, self.kind, self.value, isinstance(self.masker, Tabular))
        one_decision = explains_decision(self.method, self.goal, self.curve)
        value = choose_value(adapter, self.masker, self.value, self.target, one_decision)
        check_class_names(value.target, self.classes or adapter.classes)
        setup = Setup(
            Engine(adapter, execution.batch_size, self.model, execution.model_name),
            value,
            self.classes or adapter.classes,
            execution.max_calls,
            self.stop if early else None,
            self.curve,
            execution.check,
            execution.progress,
            {
                "masker": {"name": self.masker.name, "parameters": self.masker.parameters},
                "model": type(adapter).__name__,
                "kind": adapter.kind,
                "value": value.name if isinstance(value.name, str) else getattr(value.name, "__name__", "a function"),
                **adapter.record,
            },
        )
        arguments = self.method, self.goal, self.budget, self.seed, execution.max_calls, early
        selector = MethodSelector(*arguments, interactions=self.interactions)
        for name, derived in (("adapter", adapter), ("setup", setup), ("selector", selector), ("_is_table", is_table)):
            object.__setattr__(self, name, derived)
        object.__setattr__(self, "store", self._open_store(self.store))

    @property
    def engine(self) -> Engine:
        """The model with its batch size."""
        return self.setup.engine

    @property
    def value_function(self) -> Value:
        """The number that is explained."""
        return self.setup.value

    def __repr__(self) -> str:
        model = getattr(self.model, "__name__", None) or type(self.model).__name__
        method = repr(self.method) if isinstance(self.method, str) else short_repr(self.method)
        stop = [] if self.stop is None else [f"stop={short_repr(self.stop)}"]
        listed_first = ("model=", "masker=", "method=", "stop=")
        options = [option for option in changed_fields(self) if not option.startswith(listed_first)]
        return f"Explainer({', '.join([model, short_repr(self.masker), method, *stop, *options])})"

    # -- explaining -----------------------------------------------------------------------------------------------

    @overload
    def __call__(
        self, x: str | bytes | os.PathLike[str], *, y: Any = None, store: Store | None = None
    ) -> Explanation: ...
    @overload
    def __call__(
        self,
        x: list[Any] | tuple[Any, ...] | Iterator[Any],
        *,
        y: Any = None,
        store: Store | None = None,
        errors: Literal["raise"] = "raise",
    ) -> Explanations[Explanation]: ...
    @overload
    def __call__(
        self,
        x: list[Any] | tuple[Any, ...] | Iterator[Any],
        *,
        y: Any = None,
        store: Store | None = None,
        errors: Errors,
    ) -> Explanations[Explanation | LcshapError]: ...
    @overload
    def __call__(self, x: Any, *, y: Any = None, store: Store | None = None, errors: Errors = "raise") -> Any: ...
    def __call__(self, x: Any, *, y: Any = None, store: Store | None = None, errors: Errors = "raise") -> Any:
        """Explain one input, or many: an `Explanation`, or `Explanations`, which is a sequence of them.

        Which of the two an array or a table is depends on the masker; `one` and `many` say it themselves.

        Parameters
        ----------
        x : an input; or a list, a tuple, a generator, an array or a table of inputs. Inputs of a list share plans and
            batches: rows of different inputs travel in one model call.
        y : for a `lcshap.values.Loss`, the true class or number of the input; of many inputs a list of them.
        store : what the model has answered before. If the model fails half-way, or on Ctrl-C, `lcshap.Unfinished` is
            raised: call again with ``store=error.store`` to go on from there. Nothing is asked twice.
        errors : for many inputs, what to do about one that cannot be explained. "raise": raise, after the others are
            done, an error that says which one it is and has the others as `explanations`. "keep": its place holds the
            error. If the model itself fails, "raise" stops at once, and "keep" goes on with the other inputs.
        """
        if self.masker.is_many(x):
            return self.many(x, y=y, store=store, errors=errors)
        return self.one(x, y=y, store=store)

    def one(self, x: Any, *, y: Any = None, store: Store | None = None) -> Explanation:
        """Explain the single input `x`, also where it looks like a list of inputs. `y`, `store`: as in ``__call__``."""
        masked = self.masker.mask(x)
        table = table_of_masked(masked) if isinstance(masked, MaskedTabular) else None
        if (exact := self._explain_rows(table, y)) is not None:
            return exact[0]
        job = self._job([None], store, y=None if y is None else [y])
        (e,) = self._explain({0: masked}, job)
        return cast(Explanation, e)

    @overload
    def many(
        self, inputs: Any, *, y: Any = None, store: Store | None = None, errors: Literal["raise"] = "raise"
    ) -> Explanations[Explanation]: ...
    @overload
    def many(
        self, inputs: Any, *, y: Any = None, store: Store | None = None, errors: Errors
    ) -> Explanations[Explanation | LcshapError]: ...
    def many(
        self, inputs: Any, *, y: Any = None, store: Store | None = None, errors: Errors = "raise"
    ) -> Explanations[Explanation] | Explanations[Explanation | LcshapError]:
        """Explain each of `inputs`, also where they look like one. `y`, `store` and `errors`: as in ``__call__``."""
        if errors not in ("raise", "keep"):
            raise OptionError(f"Expected errors='raise' or errors='keep', got {errors!r}.")
        if (exact := self._explain_rows(self.masker.table(inputs), y)) is not None:
            return exact
        listed = self.masker.inputs(inputs)
        job = self._job([None] * len(listed), store, errors == "keep", y)
        masked: dict[int, Masked] = {}
        for number, x in enumerate(listed):
            try:
                masked[number] = self.masker.mask(x)
            except LcshapError as error:
                job.outcomes[number] = error
        return Explanations(cast("list[Explanation | LcshapError]", self._explain(masked, job)))

    def _explain_rows(self, table: TableInputs | None, y: Any) -> Explanations[Explanation] | None:
        """All rows of a table at once, by a method that reads the model; None if there is no such method.

        Where the model or the rows do not permit it, the usual way is taken, which says why if the user named the
        method.
        """
        setup = self.setup
        if table is None or y is not None or setup.curve or setup.check or setup.stop is not None:
            return None
        for selection in self.selector.table_selections(table.graph):
            try:
                return ExactRows(setup, table, selection).explain()
            except (MethodError, MissingExtraError, ModelError, TargetError):
                if not table.has_background and can_read(selection.method, setup.engine.model):
                    raise  # no other method can explain rows without a background
                continue
        return None

    def _explain(self, masked: dict[int, Masked], job: Job) -> Outcomes:
        if self._is_table and masked:
            warn_of_many_rows(next(iter(masked.values())).rows_per_call, stacklevel=5)
        job.explain(masked, self.selector)
        failed = [number for number, e in enumerate(job.outcomes) if isinstance(e, Exception)]
        if failed and not job.isolate_failures:
            error = cast(Exception, job.outcomes[failed[0]])
            if len(failed) == len(job.outcomes):  # All inputs failed, so the cause is probably not one of them.
                raise error
            raise RunFailedError(
                f"Input {failed[0]} cannot be explained: {str(error).rstrip('.')}. The explanations of the "
                "other inputs are in error.explanations. With errors='keep', the errors of such inputs are "
                "returned in their places.",
                list(job.outcomes),
                job.store,
            ) from error
        return job.outcomes

    def compare(
        self, x: Any, methods: Sequence[Method | str], *, y: Any = None, store: Store | None = None
    ) -> Comparison:
        """Several methods on one input, each as it would be alone; the model is asked about every row once.

        Parameters
        ----------
        x : the input.
        methods : methods; or names of methods or "auto", which take the budget and the seed of this explainer where
            they have them.
        y : as in ``__call__``.
        store : answers of the model that are already known.

        Returns
        -------
        Comparison : a sequence with an explanation for each method. ``e.provenance["together"]`` is the number of calls
            that all of them took together.

        Raises
        ------
        OptionError : if `methods` is not a list.

        Examples
        --------
        >>> import lcshap as lc
        >>> explainer = lc.Explainer(lambda texts: [len(t) for t in texts], lc.maskers.Text(), kind="output")
        >>> [e.calls for e in explainer.compare("to be or not", ["shapley", lc.LShapley(1)])]
        [16, 13]
        """
        if isinstance(methods, str | Method):
            raise OptionError(f"Expected a list of methods, got {methods!r}. Put it in brackets.")
        selectors = [self._selector(method) for method in methods]
        masked = self.masker.mask(x)
        truth = None if y is None else [y]
        job = self._job([None] * len(selectors), store, y=truth and truth * len(selectors))
        with job.running():
            (game,) = self._job([None], job.store, y=truth).games({0: masked}).values()
            game = replace(game, evaluated_keys=set())
            for number, selector in enumerate(selectors):
                start = time.monotonic()
                selections = {number: job.select(game, selector, start)}
                job.run({number: game}, selections, job.stop(selector, start, selections))
        explanations = cast("list[Explanation]", job.outcomes)
        return Comparison(replace(e, provenance={**e.provenance, "together": game.calls}) for e in explanations)

    def stream(self, x: Any, *, y: Any = None, store: Store | None = None, every: float = 0.0) -> Iterator[Explanation]:
        """Yield explanations of the input `x` that get better as calls are made, until the budget is used.

        Stop whenever it is good enough. A method that estimates nothing yields one explanation.

        Parameters
        ----------
        y, store : as in ``__call__``.
        every : seconds between two explanations, at least; 0 yields as many as are worth it by the number of calls.

        Examples
        --------
        >>> import lcshap as lc
        >>> model = lambda texts: [float(len(t)) for t in texts]
        >>> explainer = lc.Explainer(model, lc.maskers.Text(), "sample-shapley", budget="40d", kind="output")
        >>> for e in explainer.stream("one two three four five six seven eight nine ten"):
        ...     if e.stderr.max() < 0.01:
        ...         break
        >>> e.calls < 400
        True
        """
        job = self._job([None], store, y=None if y is None else [y])
        yield from job.stream(self.masker.mask(x), self.selector, every)

    # -- asking without explaining --------------------------------------------------------------------------------

    def game(self, x: Any, *, y: Any = None, store: Store | None = None) -> ModelGame:
        """The input `x` as a game, for ``method.explain`` with ``game.graph``. `y`, `store`: as in ``__call__``.

        >>> import lcshap as lc
        >>> game = lc.Explainer(lambda texts: [len(t) for t in texts], lc.maskers.Text(), kind="output").game("to be")
        >>> game.evaluate(lc.Coalitions.from_sets(2, [[], [0], [0, 1]]))
        array([0., 2., 5.])
        """
        return self.games([x], y=None if y is None else [y], store=store)[0]

    def games(self, inputs: Sequence[Any], *, y: Any = None, store: Store | None = None) -> list[ModelGame]:
        """Each of `inputs` as a game; the full inputs are asked in shared batches. `y`, `store`: as in ``__call__``."""
        job = self._job([None] * len(inputs), store, y=y)
        with job.running():
            return list(job.games({n: self.masker.mask(x) for n, x in enumerate(inputs)}).values())

    def locality(self, x: Any, methods: Sequence[Method] | None = None, **options: Any) -> Locality:
        """How far L- and C-Shapley are from the Shapley value on the input `x`.

        Parameters
        ----------
        methods, options : see `lcshap.locality`.
        """
        game = self.game(x)
        return locality(game, game.graph, methods, max_calls=self.execution.max_calls, **options)

    def preview(self, x: Any) -> str:
        """What an explanation of the input `x` would cost, in words, without asking the model."""
        return preview_cost(self.setup, self.selector, self.masker.mask(x))

    def _job(self, outcomes: Outcomes, store: Store | None, keep: bool = False, y: Any = None) -> Job:
        opened = self._open_store(self.store if store is None else store)
        truths = list_truths(self.value_function, y, len(outcomes))
        opened = MemoryStore() if opened is None else opened
        _, unread = self.engine.observe()
        if isinstance(opened, MemoryStore) and unread is not None:
            opened.unread_code.add(unread)
        return Job(self.setup, opened, outcomes, keep, truths)

    def _open_store(self, store_or_path: Any) -> Store | None:
        """Return a store, opened if its path was passed. A store that is a file needs the fingerprint of the model."""
        if store_or_path is not None and not isinstance(store_or_path, Store | str | os.PathLike):
            raise OptionError(
                "Expected a store, such as error.store, lcshap.MemoryStore() or the path of a file, got "
                f"{type(store_or_path).__name__}."
            )
        store = SQLiteStore(store_or_path) if isinstance(store_or_path, str | os.PathLike) else store_or_path
        if store is not None and store.persistent:
            self.engine.identify()
        return store

    def _selector(self, method: Method | str) -> MethodSelector:
        """A method to compare with: a name takes this explainer's budget and seed if the method has them."""
        if not isinstance(method, str):
            return MethodSelector(method, max_calls=self.execution.max_calls)
        if method == "auto":
            return replace(self.selector, method=method)
        parameters = {f.name for f in fields(get_method(method))}
        budget, seed = (getattr(self, name) if name in parameters else None for name in ("budget", "seed"))
        pairs = self.interactions if "interactions" in parameters else False
        return MethodSelector(method, None, budget, seed, self.execution.max_calls, interactions=pairs)
