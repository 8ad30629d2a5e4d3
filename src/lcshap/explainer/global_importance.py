"""Global importance by SAGE: how much each column lowers the expected loss of a model over a data set."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..adapters.base import Kind
from ..core.explanation import Explanation
from ..core.method import Method, check_integer
from ..core.store import MemoryStore, Store
from ..errors import MaskerError, OptionError
from ..maskers.base import Masked, Masker
from ..maskers.input_lists import is_frame, is_pandas
from ..maskers.tabular import Tabular
from ..values.loss import SMOOTH_LOSSES, Loss, list_truths
from .default_values import adapt_model
from .execution import Execution
from .explainer import Explainer
from .job import Job
from .loss_game import LossGame
from .row_sampling import Floats, RowBlocks

_BACKGROUND_ROWS, _BACKGROUND_ROWS_ROUGH = 16, 64  # by default for each data row; more for losses without correction
_TABLE_BATCH_ROWS = 512
_MAX_BLOCKS = 8  # of `max_rows` data rows
_MAX_BACKGROUND = 4096  # rows of X that are the background by default


def global_importance(
    model: Any,
    X: Any,
    y: Any,
    *,
    loss: str | Callable[..., Any] | Loss | None = None,
    masker: Masker | None = None,
    method: Method | str = "auto",
    budget: int | str | None = None,
    max_rows: int = 1024,
    background_rows: int | None = None,
    seed: int = 0,
    kind: Kind | None = None,
    classes: Sequence[str] | None = None,
    store: Store | None = None,
    execution: Execution = Execution(),  # noqa: B008 -- it is frozen
) -> Explanation:
    r"""How much each column lowers the expected loss of a model: SAGE (Covert, Lundberg and Lee, 2020).

    .. math:: v(S) = E[\ell(f_\emptyset, y)] - E[\ell(f_S(x), y)]

    The scores are the Shapley value of v: the expected loss falls by their sum when the model is told all columns.
    :math:`f_S(x)` is the mean prediction over background rows for the absent columns, taken before the loss.

    Parameters
    ----------
    model : any model that `Explainer` takes.
    X, y : the data: rows with the true class or number of each. Use rows that the model was not trained on, to see what
        helps it to generalise.
    loss : "cross_entropy", "brier", "zero_one", "squared" (or "mse"), "absolute", a function from predictions and y to
        losses, or a `lcshap.values.Loss`. By default "cross_entropy" for models of probabilities, "zero_one" for
        margins and "squared" for numbers.
    masker : what the units are and what takes the place of absent ones. By default ``Tabular(X)``, with at most 4,096
        rows of X as background. ``Tabular(X, groups=...)`` makes several columns one unit.
    method : a method, its name or "auto", as for `Explainer`: all coalitions where they fit the budget, and
        `GraphKernelSHAP` elsewhere.
    budget : calls: the number of coalitions, or a text such as "8d"; "8d" by default, which is eight for each unit.
    max_rows : how many data rows each coalition is evaluated on, at most. If there are more, coalitions take turns, so
        that all rows are used equally often; of more than eight times as many, a random sample is used.
    background_rows : how many background rows are drawn for each data row and coalition, at most: 16 by default, and 64
        for "zero_one" and for functions. They represent all of them: two are drawn from each of some equal parts, in
        the order of the model's predictions. The bias that is left is corrected, except for "zero_one" and functions.
    seed : of the choice of data rows, background rows and coalitions.
    kind, classes : what the model returns, and the names of its classes, as for `Explainer`.
    store : what the model has answered before: ``error.store`` of an `lcshap.Unfinished` error resumes the work.
    execution : how the model is called: batch size (512 rows by default for tables), progress bar and limit of calls;
        see `lcshap.Execution`.

    Returns
    -------
    Explanation : its base value is 0 and its full value the reduction of the expected loss by all columns. The
        provenance has the expected losses with and without all columns, and the number of rows.

    Raises
    ------
    OptionError : for a loss that does not fit the model, and a y that is missing, of another length or no class of it.
    MaskerError : if the inputs have different units, such as the words of texts.
    Unfinished : if the model fails or Ctrl-C is pressed.

    Notes
    -----
    The model is asked about calls x data rows x background rows, at most; equal rows of a data row are asked once.

    The standard errors cover the choice of coalitions, the draws of background rows, and the data rows as a sample of
    all data of their kind: they get smaller with more data, even if all rows of X are used. They do not cover the
    choice of the background itself, or of the model. ``provenance["stderr_rows"]`` and ``["stderr_coalitions"]`` have
    both parts. If all rows and the whole background are used, the second one is the error for this data set.

    References
    ----------
    Covert, Lundberg and Lee: Understanding Global Feature Contributions With Additive Importance Measures (2020).

    Examples
    --------
    >>> import numpy as np, lcshap as lc
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> model = lambda rows: 2 * rows[:, 0] + rows[:, 1]  # the third column is not used
    >>> e = lc.global_importance(model, X, y=model(X), loss="squared", background_rows=100)
    >>> e.scores.round(1) + 0.0, round(e.full_value, 1)
    (array([4.8, 1.1, 0. ]), 5.8)
    """
    masker = _default_masker(X, seed) if masker is None else masker
    explainer = Explainer(
        model,
        masker,
        method,
        value=_find_loss(loss, model, kind),
        budget="8d" if budget is None and method == "auto" else budget,
        seed=seed if method == "auto" else None,
        kind=kind,
        classes=classes,
        execution=execution,
    )
    if execution.batch_size is None and explainer.adapter.batch_size is None and isinstance(masker, Tabular):
        # Rows of tables are small and many, so that large batches are best. A search would find that out too late.
        explainer = replace(explainer, execution=replace(execution, batch_size=_TABLE_BATCH_ROWS))
    if explainer.selector.seconds is not None:
        raise OptionError(f"Expected a budget in calls, such as 200 or '8d', got {budget!r}.")
    rows = _DataRows(masker, X)
    truths = list_truths(explainer.value_function, y, len(rows))
    size = check_integer("max_rows", max_rows, minimum=2)
    order = np.random.default_rng(seed).permutation(len(rows))[: _MAX_BLOCKS * size]
    blocks = RowBlocks(order, min(size, len(rows)))
    job = Job(explainer.setup, MemoryStore() if store is None else store, [None])
    with job.running():
        game = LossGame(job, rows.mask, truths or [], blocks, _count_background(background_rows, explainer), seed)
        return _explain(explainer, job, game)


def _explain(explainer: Explainer, job: Job, game: LossGame) -> Explanation:
    """The explanation of the game, with how it was made."""
    graph, limit = game.first.graph, explainer.setup.max_calls
    selection = explainer.selector.select(graph, game.rows_per_call)
    if job.progress_bar is not None:
        job.progress_bar.total = selection.method.cost(graph, limit).calls * game.blocks.size
    e = selection.method.explain(game, graph, limit)
    if game.loss.name == "cross_entropy" and game.hard_labels.detected:
        warnings.warn(game.hard_labels.warning(game.loss.floor), stacklevel=3)
    rows, empty, full = game.row_stderr(), game.empty_losses[game.used].mean(), game.full_losses[game.used].mean()
    coalitions = np.zeros_like(rows) if e.stderr is None else e.stderr
    stderr, dof = _combine_errors(rows, len(game.used) - 1, coalitions, e.dof or 0)
    record = {
        **explainer.setup.record,
        "value": f"reduction of the expected {game.loss.label} loss",
        "loss": game.loss.label,
        "average": game.loss.average,
        "targets": [],
        "loss_without_units": float(empty),
        "loss_with_units": float(full),
        "data_rows": len(game.used),
        "data_rows_per_call": game.blocks.size,
        "background": game.total_background,
        "background_rows_per_call": game.sampled_background,
        "seed": game.seed,
        "stderr_rows": rows.tolist(),
        "stderr_coalitions": coalitions.tolist(),
        **selection.record,
    }
    return replace(e, stderr=stderr, dof=dof, provenance={**e.provenance, **record})


def _combine_errors(rows: Floats, row_dof: int, coalitions: Floats, dof: int) -> tuple[Floats, int]:
    """The standard errors of both kinds together, with the degrees of freedom of Welch and Satterthwaite."""
    stderr = np.hypot(rows, coalitions)
    row_variance, variance = float((rows**2).sum()), float((coalitions**2).sum())
    if not 0 < variance < np.inf or dof < 1:
        return stderr, row_dof if variance == 0 else dof
    total = (row_variance + variance) ** 2 / (row_variance**2 / row_dof + variance**2 / dof)
    return stderr, int(total)


class _DataRows:
    """The rows of a data set, masked one by one."""

    def __init__(self, masker: Masker, X: Any) -> None:
        self.masker = masker
        self.X: Any = X if hasattr(X, "__len__") and hasattr(X, "__getitem__") else list(X)
        if len(self) < 2:
            raise MaskerError(f"Expected at least two data rows as X, got {len(self)}. Give all rows of a data set.")

    def __len__(self) -> int:
        return len(self.X)

    def mask(self, number: int) -> Masked:
        """Cut the data row of this number into units."""
        if is_frame(self.X):
            return self.masker.mask(self.X.iloc[number : number + 1] if is_pandas(self.X) else self.X[number])
        return self.masker.mask(self.X[number])


def _default_masker(X: Any, seed: int) -> Masker:
    """A masker for a table whose background is the table itself, or some of its rows."""
    if not is_frame(X) and np.ndim(X) != 2:
        raise MaskerError(
            f"Expected a table as X, which is an array with two axes or a DataFrame, or a masker for other inputs, got "
            f"{type(X).__name__} and no masker."
        )
    if len(X) <= _MAX_BACKGROUND:
        return Tabular(X)
    rows = np.sort(np.random.default_rng(seed).choice(len(X), _MAX_BACKGROUND, replace=False))
    return Tabular(X.iloc[rows] if is_pandas(X) else np.asarray(X)[rows] if not is_frame(X) else X[rows])


def _find_loss(loss: Any, model: Any, kind: Kind | None) -> Loss:
    """The loss that a user means, or the usual one of the kind of model."""
    if loss is None:
        usual = {"output": "squared", "margin": "zero_one"}
        loss = usual.get(adapt_model(model, kind, None).kind, "cross_entropy")
    return loss if isinstance(loss, Loss) else Loss(loss)


def _count_background(background_rows: int | None, explainer: Explainer) -> int:
    """How many background rows are drawn for each data row."""
    if background_rows is not None:
        return check_integer("background_rows", background_rows, minimum=2)
    return _BACKGROUND_ROWS if explainer.value_function.name in SMOOTH_LOSSES else _BACKGROUND_ROWS_ROUGH
