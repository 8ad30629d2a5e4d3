"""The Explainer: a model, a masker and a method, wired together."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, is_dataclass, replace
from typing import Any, Literal, cast, overload

from ..adapters.base import Kind, Model
from ..adapters.find import find_model
from ..adapters.trees import gives_log_odds
from ..advice.chooser import Pairs
from ..advice.locality import Locality, locality
from ..advice.picker import Picker
from ..asking.engine import Engine
from ..asking.model_game import ModelGame
from ..asking.targets import check_names
from ..asking.values import Value, find_value, says_output
from ..core.explanation import Explanation
from ..core.limits import MAX_CALLS
from ..core.method import Method, Stop, check_count
from ..core.sqlite_store import SQLiteStore
from ..core.store import MemoryStore, Store
from ..errors import LcshapError, MaskerError, OptionError, RunFailedError
from ..estimators.registry import get_method
from ..maskers.base import Masked, Masker
from .job import Found, Job, Setup
from .options import clear_options
from .preview import preview

Goal = Literal["fair", "necessary", "sufficient"]
Errors = Literal["raise", "keep"]


@clear_options
@dataclass(frozen=True, eq=False, repr=False)
class Explainer:
    """Explains what a model said about inputs.

    Parameters
    ----------
    model : a function (async ones too), a scikit-learn estimator or pipeline, a PyTorch module, a Keras model, an ONNX
        file or session; or an adapter.
    masker : how an input is cut into units and what takes the place of absent ones, see `lcshap.maskers`.
    method : a method, its name, or "auto": `goal` and `budget` decide.
    goal : for "auto": "fair" (the default), "necessary" or "sufficient", see `lcshap.choose`.
    value : which number is explained: "log_prob" (of the predicted class), "expected_log_prob", "prob", "log_odds",
        "output", a function of the outputs, or a `lcshap.values.Value`. By default "log_prob" for classes, "output"
        for other numbers.
    target : a class or output, a list of them, "all", or a pair (a, b) for a contrast. By default the predicted class.
    budget : calls: a number, or a text such as "8d" (calls per unit), or "30s" for seconds an input (the model is timed
        on a few rows first). By default all coalitions where there are at most 1,024 (up to ten units) or where all of
        them take less than a second, so that the result is exact; else "8d". A method that has a budget of its own
        takes none here; for one that always takes the same calls, it is the most that is allowed.
    tolerance, top, confidence : for methods that sample: stop before the budget is used, when all intervals are as
        narrow as the tolerance, or when the first `top` units and their order are sure; see `lcshap.Stop`.
    interactions : for "auto", and names of methods that have them: also estimate pair interactions from the calls made
        for the scores, of the graph's edges (True) or of all pairs ("all"); see `Explanation.interactions`.
    kind : what the model's numbers are, where the model does not say it: "logits", "probabilities", "multilabel",
        "multilabel-logits", "margin" or "output", see `lcshap.adapters.Model`. Not needed with ``value="output"``.
    classes : names of the classes, for `target` and the record; by default those that the model knows.
    batch_size : rows sent to the model at once; by default what turns out fastest.
    seed : for methods that sample; 0 by default.
    progress : show a progress bar; by default on a terminal, for work of over a second.
    curve : evaluate the masking curve too (see `lcshap.metrics.masking_curve`), up to 12 more calls: reports show it.
    check : ask about a few rows of each input a second time, in other batches, and raise if the answers differ.
    max_calls : refuse methods that take more calls an input.
    store : remembers what the model has answered, from one call of the explainer to the next, see
        `lcshap.MemoryStore`; or the path of a file, for all runs to come, see `lcshap.SQLiteStore`. By default nothing
        is remembered after a call.
    model_name : tells a function or a remote model from others in such a file. Change it whenever the model changes.

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
    masker: Masker
    method: Method | str = "auto"
    _: KW_ONLY
    goal: Goal | None = None
    value: Any = None
    target: Any = None
    budget: int | str | None = None
    interactions: Pairs = False
    tolerance: float | None = None
    top: int | None = None
    confidence: float = 0.95
    kind: Kind | None = None
    classes: Sequence[str] | None = None
    batch_size: int | None = None
    seed: int | None = None
    progress: bool | None = None
    curve: bool = False
    check: bool = False
    max_calls: int | None = MAX_CALLS
    store: Store | str | os.PathLike[str] | None = None
    model_name: str | None = None

    adapter: Model = field(init=False)
    setup: Setup = field(init=False)
    picker: Picker = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.masker, Masker):
            raise MaskerError(
                f"Expected a masker, got {_named(self.masker)}. Give one of lcshap.maskers, such as Text() or Image()."
            )
        for name in ("batch_size", "max_calls"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name), least=1)
        if self.model_name is not None and not (isinstance(self.model_name, str) and self.model_name):
            raise OptionError(f"Expected model_name as a text that is not empty, got {self.model_name!r}.")
        adapter = adapt(self.model, self.kind, self.value)
        stop = Stop(self.tolerance, self.top, self.confidence)
        target = adapter.target if self.target is None and self.value in (None, "output") else self.target
        value = find_value(self.value, adapter.kind, target)
        check_names(value.target, self.classes or adapter.classes)
        setup = Setup(
            Engine(adapter, self.batch_size, self.model, self.model_name),
            value,
            self.classes or adapter.classes,
            self.max_calls,
            stop if stop.early else None,
            self.curve,
            self.check,
            self.progress,
            {
                "masker": {"name": self.masker.name, "parameters": self.masker.parameters},
                "model": type(adapter).__name__,
                "kind": adapter.kind,
                "value": value.name if isinstance(value.name, str) else getattr(value.name, "__name__", "a function"),
                **adapter.record,
            },
        )
        wanted = self.method, self.goal, self.budget, self.seed, self.max_calls, stop.early
        picker = Picker(*wanted, interactions=self.interactions)
        for name, derived in (("adapter", adapter), ("setup", setup), ("picker", picker)):
            object.__setattr__(self, name, derived)
        object.__setattr__(self, "store", self._known(self.store))

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
        method = repr(self.method) if isinstance(self.method, str) else _brief(self.method)
        options = [part for part in _changed(self) if not part.startswith(("model=", "masker=", "method="))]
        return f"Explainer({', '.join([model, _brief(self.masker), method, *options])})"

    # -- explaining -----------------------------------------------------------------------------------------------

    @overload
    def __call__(self, x: str | bytes | os.PathLike[str], *, store: Store | None = None) -> Explanation: ...
    @overload
    def __call__(
        self,
        x: list[Any] | tuple[Any, ...] | Iterator[Any],
        *,
        store: Store | None = None,
        errors: Literal["raise"] = "raise",
    ) -> list[Explanation]: ...
    @overload
    def __call__(
        self, x: list[Any] | tuple[Any, ...] | Iterator[Any], *, store: Store | None = None, errors: Errors
    ) -> list[Explanation | LcshapError]: ...
    @overload
    def __call__(self, x: Any, *, store: Store | None = None, errors: Errors = "raise") -> Any: ...
    def __call__(self, x: Any, *, store: Store | None = None, errors: Errors = "raise") -> Any:
        """Explain one input, or many: an `Explanation`, or a list of them.

        Which of the two an array or a table is depends on the masker; `one` and `many` say it themselves.

        Parameters
        ----------
        x : an input; or a list, a tuple, a generator, an array or a table of inputs. Inputs of a list share plans and
            batches: rows of different inputs travel in one model call.
        store : what the model has answered before. If the model fails half-way, or on Ctrl-C, `lcshap.Unfinished` is
            raised: call again with ``store=error.store`` to go on from there. Nothing is asked twice.
        errors : for many inputs, what to do about one that cannot be explained. "raise": raise, after the others are
            done, an error that says which one it is and has the others as `explanations`. "keep": its place holds the
            error. If the model itself fails, "raise" stops at once, and "keep" goes on with the other inputs.
        """
        if self.masker.is_many(x):
            return self.many(x, store=store, errors=errors)
        return self.one(x, store=store)

    def one(self, x: Any, *, store: Store | None = None) -> Explanation:
        """Explain the single input `x`, also where it looks like a list of inputs. `store`: as in ``__call__``."""
        (e,) = self._explain({0: self.masker.mask(x)}, self._job([None], store))
        return cast(Explanation, e)

    @overload
    def many(
        self, inputs: Any, *, store: Store | None = None, errors: Literal["raise"] = "raise"
    ) -> list[Explanation]: ...
    @overload
    def many(self, inputs: Any, *, store: Store | None = None, errors: Errors) -> list[Explanation | LcshapError]: ...
    def many(
        self, inputs: Any, *, store: Store | None = None, errors: Errors = "raise"
    ) -> list[Explanation] | list[Explanation | LcshapError]:
        """Explain each of `inputs`, also where they look like one input. `store` and `errors`: as in ``__call__``."""
        if errors not in ("raise", "keep"):
            raise OptionError(f"Expected errors='raise' or errors='keep', got {errors!r}.")
        listed = self.masker.inputs(inputs)
        job = self._job([None] * len(listed), store, errors == "keep")
        masked: dict[int, Masked] = {}
        for number, x in enumerate(listed):
            try:
                masked[number] = self.masker.mask(x)
            except LcshapError as error:
                job.found[number] = error
        return self._explain(masked, job)  # type: ignore[return-value]

    def _explain(self, masked: dict[int, Masked], job: Job) -> Found:
        job.explain(masked, self.picker)
        failed = [number for number, e in enumerate(job.found) if isinstance(e, Exception)]
        if failed and not job.keep:
            error = cast(Exception, job.found[failed[0]])
            if len(failed) == len(job.found):  # none could be explained: most likely it is not about the input
                raise error
            raise RunFailedError(
                f"Input {failed[0]} cannot be explained: {str(error).rstrip('.')}. The explanations of the "
                "other inputs are in error.explanations. With errors='keep', the errors of such inputs are "
                "returned in their places.",
                list(job.found),
                job.store,
            ) from error
        return job.found

    def compare(self, x: Any, methods: Sequence[Method | str], *, store: Store | None = None) -> list[Explanation]:
        """Several methods on one input, each as it would be alone; the model is asked about every row once.

        Parameters
        ----------
        x : the input.
        methods : methods; or names of methods or "auto", which take the budget and the seed of this explainer where
            they have them.
        store : answers of the model that are already known.

        Returns
        -------
        list of Explanation : one for each method. ``e.provenance["together"]`` is the number of calls that all of them
            took together.

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
        pickers = [self._picker(method) for method in methods]
        masked = self.masker.mask(x)
        job = self._job([None] * len(pickers), store)
        with job.running():
            (game,) = self._job([None], job.store).games({0: masked}).values()
            game = replace(game, seen=set())
            for number, picker in enumerate(pickers):
                start = time.monotonic()
                picks = {number: job.pick(game, picker, start)}
                job.run({number: game}, picks, job.stop(picker, start, picks))
        found = cast("list[Explanation]", job.found)
        return [replace(e, provenance={**e.provenance, "together": game.calls}) for e in found]

    def stream(self, x: Any, *, store: Store | None = None, every: float = 0.0) -> Iterator[Explanation]:
        """Yield explanations of the input `x` that get better as calls are made, until the budget is used.

        Stop whenever it is good enough. A method that estimates nothing yields one explanation.

        Parameters
        ----------
        store : as in ``__call__``.
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
        masked, start = self.masker.mask(x), time.monotonic()
        job = self._job([None], store)
        with job.running():
            (game,) = job.games({0: masked}).values()
            picked = job.pick(game, self.picker, start)
            for e in picked.method.stream(game, masked.graph, self.max_calls, every):
                yield job.recorded(e, game, picked)

    # -- asking without explaining --------------------------------------------------------------------------------

    def game(self, x: Any, *, store: Store | None = None) -> ModelGame:
        """The input `x` as a game, for ``method.explain`` with ``game.graph``. `store`: as in ``__call__``.

        >>> import lcshap as lc
        >>> game = lc.Explainer(lambda texts: [len(t) for t in texts], lc.maskers.Text(), kind="output").game("to be")
        >>> game.evaluate(lc.Coalitions.from_sets(2, [[], [0], [0, 1]]))
        array([0., 2., 5.])
        """
        return self.games([x], store=store)[0]

    def games(self, inputs: Sequence[Any], *, store: Store | None = None) -> list[ModelGame]:
        """Each of `inputs` as a game; the full inputs are asked for in shared batches. `store`: as in ``__call__``."""
        job = self._job([None] * len(inputs), store)
        with job.running():
            return list(job.games({n: self.masker.mask(x) for n, x in enumerate(inputs)}).values())

    def locality(self, x: Any, methods: Sequence[Method] | None = None, **options: Any) -> Locality:
        """How far L- and C-Shapley are from the Shapley value on the input `x`.

        Parameters
        ----------
        methods, options : see `lcshap.locality`.
        """
        game = self.game(x)
        return locality(game, game.graph, methods, max_calls=self.max_calls, **options)

    def preview(self, x: Any) -> str:
        """What an explanation of the input `x` would cost, in words, without asking the model."""
        return preview(self.setup, self.picker, self.masker.mask(x))

    def _job(self, found: Found, store: Store | None, keep: bool = False) -> Job:
        known = self._known(self.store if store is None else store)
        return Job(self.setup, MemoryStore() if known is None else known, found, keep)

    def _known(self, given: Any) -> Store | None:
        """A store that is given as such or by its path. One that outlives the process must know the model as it is."""
        if given is not None and not isinstance(given, Store | str | os.PathLike):
            raise OptionError(
                "Expected a store, such as error.store, lcshap.MemoryStore() or the path of a file, got "
                f"{type(given).__name__}."
            )
        store = SQLiteStore(given) if isinstance(given, str | os.PathLike) else given
        if store is not None and store.lasting:
            self.engine.identify()
        return store

    def _picker(self, method: Method | str) -> Picker:
        """A method to compare with: a name takes this explainer's budget and seed if the method has them."""
        if not isinstance(method, str):
            return Picker(method, max_calls=self.max_calls)
        if method == "auto":
            return replace(self.picker, method=method)
        has = {f.name for f in fields(get_method(method))}
        budget, seed = (getattr(self, name) if name in has else None for name in ("budget", "seed"))
        pairs = self.interactions if "interactions" in has else False
        return Picker(method, None, budget, seed, self.max_calls, interactions=pairs)


def adapt(model: Any, kind: Kind | None, value: Any) -> Model:
    """The adapter that an explainer with these options puts its model behind."""
    name = value.name if isinstance(value, Value) else value
    if kind is None and name == "log_odds" and gives_log_odds(model):  # and nobody has said what else it gives
        kind = "logits"
    return find_model(model, kind, fallback="output" if says_output(value) else None)


def _changed(thing: Any) -> list[str]:
    """The fields of a dataclass that are not as they are by default."""
    shown = [f for f in fields(thing) if f.init and f.repr]
    return [f"{f.name}={getattr(thing, f.name)!r}" for f in shown if getattr(thing, f.name) is not f.default]


def _named(thing: Any) -> str:
    """A thing that is no masker; a class as one."""
    return f"the class {thing.__name__}" if isinstance(thing, type) else repr(thing)


def _brief(thing: Any) -> str:
    """A method or a masker in short."""
    return f"{type(thing).__name__}({', '.join(_changed(thing))})" if is_dataclass(thing) else repr(thing)
