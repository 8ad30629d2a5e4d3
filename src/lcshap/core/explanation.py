"""Explanations: the scores of an input, what they sum to, what they cost, and how they were computed."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy import sparse, special

from .._version import __version__
from ..errors import OptionError
from .graphs import Graph
from .presenter import get_presenter
from .printable import printable
from .rounding import round_to_zero
from .serialize import save_explanation, to_dict
from .shap_values import explanation_to_shap
from .unit_frame import explanation_frame
from .views import View


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """The scores of one input.

    Attributes
    ----------
    scores : `(d,)`, or `(d, outputs)` for a game with several outputs. Also as `values`, for people coming from shap.
    base_value, full_value : the value with no unit present, and with all of them; a number, or one per output.
        `base_values` is the same as `base_value`.
    graph : the units, with their names.
    calls : the number of distinct coalitions that were evaluated, the empty and the full one included.
    rows : the number of rows that were sent to the model for them: fewer where rows are equal or were stored before,
        more where a coalition takes several background rows or rows were timed or checked; None if not counted.
    interactions : if requested, a symmetric sparse matrix `(d, d)` with an entry for every edge of the graph, or for
        the pairs that the method chooses; for a game with several outputs, a tuple with one matrix for each output.
    interaction_stderr : the standard error of each interaction, in the same form, where interactions are estimates; its
        degrees of freedom are `dof`.
    provenance : what is needed to compute these scores again: the method, its parameters, the graph, versions.
    stderr : the standard error of each score if scores are estimates (inf if there are too few samples), with its
        degrees of freedom in `dof`; None for exact scores.
    view : from an `Explainer`: the data that is needed to draw the input, see `lcshap.core.views`.
    curve : if requested, the masking curve: "percents", "counts", "values" and their description "what", see
        `lcshap.metrics.masking_curve`.

    Examples
    --------
    >>> import lcshap as lc
    >>> e = lc.Shapley().explain(lc.Game(lambda kept: 2.0 * kept[:, 0] + kept[:, 1], 2), lc.Graph.chain(2))
    >>> e.scores, e.base_value, e.full_value, e.calls
    (array([2., 1.]), 0.0, 3.0, 4)
    """

    scores: NDArray[np.float64]
    base_value: float | NDArray[np.float64]
    full_value: float | NDArray[np.float64]
    graph: Graph
    calls: int
    provenance: dict[str, Any] = field(default_factory=dict)
    interactions: sparse.csr_array | tuple[sparse.csr_array, ...] | None = None
    stderr: NDArray[np.float64] | None = None
    dof: int | None = None
    view: View | None = None
    curve: dict[str, Any] | None = None
    rows: int | None = None
    interaction_stderr: sparse.csr_array | tuple[sparse.csr_array, ...] | None = None

    @property
    def values(self) -> NDArray[np.float64]:
        """The scores, under the name that shap uses."""
        return self.scores

    @property
    def base_values(self) -> float | NDArray[np.float64]:
        """The base value, under the name that shap uses."""
        return self.base_value

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the units."""
        return self.graph.names

    @property
    def data(self) -> Any:
        """What the units hold, as far as the view keeps it; None without a view.

        For a row of a table the value of each unit, an array of numbers, or of objects if some values are texts; for a
        text the words, a tuple; for other kinds the input: an image, a series, the bytes of a file.
        """
        return None if self.view is None else self.view.unit_data(self.graph.d)

    @property
    def residual(self) -> float | NDArray[np.float64]:
        """The full value minus the base value minus the sum of the scores: zero for efficient methods."""
        return self.full_value - self.base_value - _as_number(self.scores.sum(axis=0))

    @property
    def ranking(self) -> NDArray[np.intp]:
        """The units by descending score, ties by index; one column an output where there are several.

        Masking curves mask units in this order. `by_magnitude` sorts the units by |score| instead.
        """
        return np.argsort(-self.scores, axis=0, kind="stable")

    def by_magnitude(self, sign: int | None = None, output: int | None = None) -> NDArray[np.intp]:
        """The units by descending |score|, ties by index; scores that are only rounding errors count as zero.

        Parameters
        ----------
        sign : 1 for the units with scores above zero only, -1 for those below.
        output : which output, where there are several.
        """
        if sign not in (None, 1, -1):
            raise OptionError(f"Expected 1 or -1 as sign, for scores above or below zero, got {sign!r}.")
        e = self._select_output(output)
        scores = round_to_zero(e.scores, e.scores, e.base_value, e.full_value)
        order = self._order_by_magnitude(scores, sign)
        return order if sign is None else order[np.sign(scores[order]) == sign]

    def _order_by_magnitude(self, scores: NDArray[np.float64], sign: int | None) -> NDArray[np.intp]:
        return np.argsort(-np.abs(scores), kind="stable")

    def interval(self, confidence: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """A confidence interval for each score, by Student's t; for exact scores both ends are the score."""
        if not 0 < confidence < 1:
            raise OptionError(f"Expected a confidence between 0 and 1, got {confidence!r}.")
        if self.stderr is None:
            return self.scores, self.scores
        width = half_width(self.stderr, self.dof or 0, confidence)
        return self.scores - width, self.scores + width

    @property
    def insignificant(self) -> NDArray[np.bool_]:
        """Which scores do not differ significantly from zero: their 95 % interval contains 0. Figures draw them faint.

        >>> import lcshap as lc
        >>> v = lc.Game(lambda kept: 3.0 * kept[:, 0] + 0.1 * (kept.sum(axis=1) % 3 == 1), 12)
        >>> lc.GraphKernelSHAP(96).explain(v, lc.Graph.chain(12)).insignificant[:3]
        array([False,  True,  True])
        """
        if self.stderr is None:
            return np.zeros(self.scores.shape, bool)
        with np.errstate(invalid="ignore"):  # Files may contain scores that are not finite.
            low, high = self.interval()
        return np.asarray((low <= 0) & (high >= 0))

    # -- views ----------------------------------------------------------------------------------------------------

    def top(self, n: int = 10, output: int | None = None, *, sign: int | None = None) -> list[tuple[str, float]]:
        """The names and scores of the `n` units with the largest |score|; `sign` and `output`: as in `by_magnitude`.

        >>> import lcshap as lc
        >>> e = lc.FeatureAblation().explain(lc.Game(lambda kept: kept @ [0.5, 0, -2], 3), lc.Graph.chain(3))
        >>> e.top(2), e.top(sign=1)
        ([('2', -2.0), ('0', 0.5)], [('0', 0.5)])
        """
        e = self._select_output(output)
        scores = round_to_zero(e.scores, e.scores, e.base_value, e.full_value)
        return [(e.names[i], float(scores[i])) for i in self.by_magnitude(sign, output)[:n]]

    def output(self, index: int) -> Explanation:
        """The explanation of one output of several, which has the number `index`."""
        if self.scores.ndim == 1:
            raise OptionError(
                "Expected an explanation of several outputs, got one output. Leave out the choice of an output."
            )
        column = range(self.scores.shape[1])[index]
        interactions, errors = (
            matrices[column] if isinstance(matrices, tuple) else None
            for matrices in (self.interactions, self.interaction_stderr)
        )
        return Explanation(
            self.scores[:, column],
            float(np.asarray(self.base_value)[column]),
            float(np.asarray(self.full_value)[column]),
            self.graph,
            self.calls,
            {**self.provenance, "output": column},
            interactions,
            None if self.stderr is None else self.stderr[:, column],
            self.dof,
            None if self.view is None else self.view.of_output(column),
            interaction_stderr=errors,
        )

    def rescaled(self) -> Explanation:
        """A copy whose scores sum to the full value minus the base value: the residual is distributed by |score|.

        The share of a unit is proportional to |score|, so that a score of zero stays zero. Rescaling hides how well the
        scores of the method add up, so look at `residual` first.
        """
        size = np.abs(self.scores)
        total = size.sum(axis=0)
        share = np.divide(size, total, out=np.full_like(size, 1 / len(size)), where=total > 0)
        return replace(
            self, scores=self.scores + share * self.residual, provenance={**self.provenance, "rescaled": True}
        )

    def average_outputs(self) -> Explanation:
        """One explanation of several outputs that are samples of the same number: their mean.

        The standard error of a score is that of its mean over the samples and, where the method has one, its own.

        >>> import lcshap as lc
        >>> v = lc.Game(lambda kept: kept @ np.array([[1.0, 3.0], [2.0, 2.0]]), 2)
        >>> e = lc.Shapley().explain(v, lc.Graph.chain(2)).average_outputs()
        >>> e.scores.tolist(), e.stderr.tolist()
        ([2.0, 2.0], [1.0, 0.0])
        """
        if self.scores.ndim == 1 or self.scores.shape[1] < 2:
            raise OptionError("Expected several outputs to average, got one. Ask for more samples.")
        count = self.scores.shape[1]
        error = self.scores.std(axis=1, ddof=1) / np.sqrt(count)
        if self.stderr is not None:
            error = np.sqrt(error**2 + (self.stderr**2).mean(axis=1))
        return replace(
            self,
            scores=self.scores.mean(axis=1),
            base_value=float(np.mean(self.base_value)),
            full_value=float(np.mean(self.full_value)),
            stderr=error,
            dof=count - 1 if self.dof is None else min(count - 1, self.dof),
            interactions=None,
            interaction_stderr=None,
            curve=None,
            view=None if self.view is None else self.view.of_output(0),
            provenance={**self.provenance, "averaged": count, "targets": [f"the mean of {count} samples"]},
        )

    def group(self, labels: Sequence[int] | NDArray[np.integer], names: Sequence[str] | None = None) -> Explanation:
        """Add scores up: words to sentences, pixels to patches. ``labels[i]`` is the group of unit i, from 0 up.

        `names` are those of the groups, which are neighbours where any of their units are. Standard errors are not
        carried over: scores of one sample depend on each other.
        """
        label = np.asarray(labels)
        if label.shape != (self.graph.d,) or label.dtype.kind not in "iu" or label.min() < 0:
            raise OptionError(
                f"Expected {self.graph.d} integers of at least 0 as labels, one for each unit, got {labels!r:.60}."
            )
        count = int(label.max()) + 1
        scores = np.zeros((count, *self.scores.shape[1:]))
        np.add.at(scores, label, self.scores)
        pairs = label[self.graph.edges]
        graph = Graph.from_edges(count, pairs[pairs[:, 0] != pairs[:, 1]], names)
        view = None if self.view is None else self.view.grouped(label)
        return Explanation(
            scores,
            self.base_value,
            self.full_value,
            graph,
            self.calls,
            {**self.provenance, "grouped": True},
            view=view,
        )

    def show(self, top: int = 10) -> None:
        """Print the input with its scores, in colour where the terminal has it. Tables have the `top` units."""
        get_presenter().show(self, top)

    def _repr_html_(self) -> str:
        """The HTML that a notebook shows."""
        return get_presenter().html(self)

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        yield from get_presenter().rich(self, console, options)

    def plot(self, kind: str | None = None, ax: Any = None, **options: Any) -> Any:
        """Draw a figure with matplotlib, on the axes `ax` or on new ones, and return the axes.

        `kind` names the figure, by default one that suits the input; `options` are those of its function in `lc.plots`.
        """
        return get_presenter().plot(self, kind, ax, **options)

    # -- exports --------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write the explanation to `path`, one JSON file, which `lcshap.load` reads back. Returns the path."""
        return save_explanation(self, path)

    def to_html(self, path: str | Path, **options: Any) -> Path:
        """Write a web page that opens from disk to `path`. `options` are those of `lcshap.report`."""
        return get_presenter().report(self, path, **options)

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with a row for each unit: `name`, `value`, `score`, `stderr`, `rank` by |score| from 0.

        `value` and `stderr` are NaN where there is none. For several outputs, scores and standard errors have a column
        for each output, such as `score_0`, and there is no rank.
        """
        return explanation_frame(self)

    def to_shap(self, *, interactions: bool = False) -> Any:
        """A `shap.Explanation`, for shap's plots; its data are the feature values of a table, or the words of a text.

        Parameters
        ----------
        interactions : give the interactions instead of the scores, `(d, d)`, in the convention of shap: half of the
            interaction of a pair on either side of the diagonal, main effects on it, so that rows sum to the scores.
        """
        return explanation_to_shap(self, interactions)

    def _select_output(self, output: int | None) -> Explanation:
        if self.scores.ndim == 1:
            return self
        if output is None:
            raise OptionError(
                f"Expected one output, got {self.scores.shape[1]}. Choose one, such as output=0 for the first."
            )
        return self.output(output)

    def __eq__(self, other: object) -> bool:
        """Whether scores, units and provenance are equal, to the last bit; the number of rows sent does not matter."""
        if type(other) is not type(self):
            return NotImplemented
        content, other_content = ({**to_dict(e), "rows": None} for e in (self, other))
        return bool(content == other_content)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        method = printable(str(self.provenance.get("method", "Explanation")), max_length=200)
        head = f"{method}: {len(self.scores)} units, {self.calls:,} calls"
        if self.scores.ndim == 2:
            return f"<{head}, {self.scores.shape[1]} outputs>"
        top = ", ".join(f"{printable(name, max_length=60)} {score:+.4g}" for name, score in self.top(3))
        values = self.scores, self.base_value, self.full_value
        base, full, residual = (
            round_to_zero(float(x), *values) for x in (self.base_value, self.full_value, self.residual)
        )
        return f"<{head}; base value {base:.4g}, full value {full:.4g}, residual {residual:.2g}; top: {top}>"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PathExplanation(Explanation):
    """Scores along a path.

    Attributes
    ----------
    path : the units that were moved (removed or inserted), first to last.
    path_values : the value before the first and after each of them, `(len(path) + 1,)` or `(len(path) + 1, outputs)`.
    order : all units: those of the path, then the others by their last computed marginal contribution.
    flipped : whether the path crossed the threshold. Without a threshold, whether removing units changed the decision
        of the model, or inserting them led to it; None if there is no decision.
    flip_set : the smallest set found whose removal or insertion alone has this effect; None if none was found.
    rounds : the number of batches of coalitions that were evaluated one after the other.

    Examples
    --------
    >>> import lcshap as lc
    >>> v = lc.Game(lambda kept: 2.0 * kept[:, 0] + kept[:, 1], 2)
    >>> lc.DeletionPath(10).explain(v, lc.Graph.chain(2)).path.tolist()
    [0, 1]
    """

    path: NDArray[np.intp]
    path_values: NDArray[np.float64]
    order: NDArray[np.intp]
    flipped: bool | None = None
    flip_set: tuple[int, ...] | None = None
    rounds: int = 0

    @property
    def removed(self) -> bool:
        """Whether the path removes units from the full input; else it inserts them into the empty one."""
        # A record that was read from a file may contain anything.
        return str(self.provenance.get("name")) != "insertion-path"

    @property
    def ranking(self) -> NDArray[np.intp]:
        """The order of the path (see `order`), into which the scores sort; the same for all outputs."""
        if self.scores.ndim == 1:
            return self.order
        return np.repeat(self.order[:, None], self.scores.shape[1], axis=1)

    def _order_by_magnitude(self, scores: NDArray[np.float64], sign: int | None) -> NDArray[np.intp]:
        return self.order[::-1] if sign == -1 else self.order  # The last unit of the path has the most negative score.


def half_width(stderr: NDArray[np.float64], dof: int, confidence: float) -> NDArray[np.float64]:
    """Half the width of a two-sided t interval; inf where there are no degrees of freedom."""
    if dof < 1:
        return np.full(stderr.shape, np.inf)
    return np.asarray(stderr * special.stdtrit(dof, (1 + confidence) / 2))


def package_versions() -> dict[str, str]:
    """The versions of this library and of everything that the numbers depend on."""
    packages = {"lcshap": __version__, "numpy": np.__version__, "scipy": scipy.__version__}
    return {**packages, "python": platform.python_version()}


def _as_number(x: NDArray[np.float64]) -> float | NDArray[np.float64]:
    return float(x) if np.ndim(x) == 0 else x
