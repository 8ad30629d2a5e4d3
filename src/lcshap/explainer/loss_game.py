"""The game of SAGE: how much smaller the expected loss is when the units of a coalition are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.game import AbstractGame, RowCounter
from ..errors import MaskerError, TargetError
from ..evaluation.engine import Engine
from ..evaluation.pending_rows import PendingRows, answer_pending
from ..maskers.base import Masked
from ..maskers.drawn_background import DrawnBackground
from ..maskers.masked_table import MaskedTabular
from ..values.hard_labels import HardLabels
from ..values.loss import SMOOTH_LOSSES, Loss
from .job import Job
from .row_sampling import (
    AdjustedMean,
    Floats,
    Numbers,
    RowBlocks,
    regression_operator,
    sort_predictions,
)

_BATCH_ROWS = 64  # of the background, unless larger batches are known to be better
_WINDOW_ROWS, _WINDOW_CELLS = 1 << 16, 1 << 23  # model rows and cells that are asked together, and kept until then


@dataclass(eq=False)
class LossGame(AbstractGame):
    r"""v(S): the mean over data rows of the loss without any units less the loss with the units in S.

    Attributes
    ----------
    job : the model, the loss, the store and the progress bar.
    mask : masks the data row of a number.
    y : the true class or number of each data row.
    blocks : the data rows that each coalition is evaluated on.
    background_rows : how many background rows a coalition takes for each data row; at most all of them. They are drawn
        in the order of the predictions of the model for them, see `DrawnBackground`.
    seed : of these draws.
    """

    job: Job
    mask: Callable[[int], Masked]
    y: list[Any]
    blocks: RowBlocks
    background_rows: int
    seed: int
    row_counter: RowCounter = field(default_factory=RowCounter)
    hard_labels: HardLabels = field(default_factory=HardLabels, repr=False)
    gradient: None = None
    trees: None = None

    def __post_init__(self) -> None:
        self.first = self.mask(0)
        self.d = self.first.graph.d
        self.total_background = self.first.rows_per_call
        is_drawn = isinstance(self.first, MaskedTabular) and self.background_rows < self.total_background
        self.sampled_background = self.background_rows // 2 * 2 if is_drawn else self.total_background
        count = len(self.y)
        self.full_losses, self.empty_losses = np.full(count, np.nan), np.full(count, np.nan)
        self._evaluated: list[tuple[NDArray[np.bool_], Numbers, Floats]] = []
        self._ask_empty()

    @property
    def loss(self) -> Loss:
        """The loss."""
        value = self.job.setup.value
        assert isinstance(value, Loss)
        return value

    @property
    def rows(self) -> int:
        """How many rows a batch has."""
        return self.job.setup.engine.size.best

    @property
    def rows_per_call(self) -> int:
        """How many model rows a coalition takes."""
        return min(self.blocks.size, len(self.y)) * self.sampled_background

    @property
    def used(self) -> Numbers:
        """The data rows that were evaluated so far."""
        return np.flatnonzero(~np.isnan(self.full_losses))

    # -- evaluating ---------------------------------------------------------------------------------------------------

    def evaluate(self, coalitions: Coalitions) -> Floats:
        """The value of each coalition."""
        kept = coalitions.dense()
        sizes = kept.sum(axis=1)
        inner = np.flatnonzero((sizes > 0) & (sizes < self.d))
        rows = self.blocks.rows(kept[inner])
        losses = self._losses(coalitions.take(inner), rows)
        self._ask_full(np.unique(rows) if len(rows) else np.sort(self.blocks.order[: self.blocks.size]))
        self._evaluated.append((kept[inner], rows, losses))
        values = np.zeros(len(kept))
        values[sizes == self.d] = (self.empty_losses - self.full_losses)[self.used].mean()
        values[inner] = [mean.mean for mean in self._means(rows, losses)]
        return values

    def _means(self, rows: Numbers, losses: Floats) -> Iterator[AdjustedMean]:
        """The mean gain of each coalition, adjusted by the losses with no units and with all of them."""
        controls = np.stack([self.empty_losses, self.full_losses], axis=1)
        control_means = controls[self.used].mean(axis=0)
        for numbers, coalition_losses in zip(rows, losses, strict=True):
            yield AdjustedMean.of(self.empty_losses[numbers] - coalition_losses, controls[numbers], control_means)

    def _ask_empty(self) -> None:
        """The loss of each data row without any units, from all background rows.

        Tables have the same prediction for all rows then, unless columns are pinned. Others are asked row by row.
        """
        empty = Coalitions.from_sets(self.d, [[]])
        # The time that these rows take tells nothing about the batch size for the rows of coalitions.
        engine = self.job.setup.engine
        fixed = Engine(engine.model, max(engine.size.best, _BATCH_ROWS), engine.raw, engine.name, engine.gate)
        (outputs,) = self._ask([(self.first, empty)], fixed)
        self.sorted_background = sort_predictions(outputs[0])
        self.truths = self._read_y(outputs.shape[-1])
        if isinstance(self.first, MaskedTabular) and not len(self.first.pinned):
            repeated = np.repeat(outputs, len(self.y), axis=0)
            self.empty_losses = self.loss.losses(repeated, self.job.setup.engine.model.kind, self.truths)

    def _read_y(self, columns: int) -> NDArray[Any]:
        setup = self.job.setup
        truths = []
        for number, y in enumerate(self.y):
            try:
                truths.append(self.loss.read_y([self.loss.at(y).y], setup.engine.model.kind, columns, setup.classes))
            except TargetError as error:
                raise TargetError(f"{error} (row {number} of y)") from None
        return np.concatenate(truths)

    def _ask_full(self, numbers: Numbers) -> None:
        """The loss of some data rows with all units, and without any where that differs from row to row."""
        missing = numbers[np.isnan(self.full_losses[numbers])]
        if not len(missing):
            return
        sets = [("full_losses", range(self.d))]
        if np.isnan(self.empty_losses[missing]).any():
            sets.append(("empty_losses", range(0)))
        for name, units in sets:
            losses = self._losses(Coalitions.from_sets(self.d, [units]), missing[None])
            getattr(self, name)[missing] = losses[0]

    def _losses(self, coalitions: Coalitions, rows: Numbers) -> Floats:
        """The loss of each coalition `(n,)` in each of its data rows, `(n, rows)`."""
        losses = np.empty(rows.size)
        order = np.argsort(rows, axis=None, kind="stable")  # by data row
        for places in self._windows(order, rows.ravel()[order]):
            requests, groups = [], []
            for number, group in groupby(places, lambda place: int(rows.flat[place])):
                groups.append(np.array(list(group)))
                requests.append((self._masked(number), coalitions.take(groups[-1] // rows.shape[1])))
            window = np.concatenate(groups)
            outputs = np.concatenate(self._ask(requests))
            losses[window] = self._corrected_losses(outputs, self.truths[rows.flat[window]])
        return losses.reshape(rows.shape)

    def _windows(self, places: Numbers, numbers: Numbers) -> Iterator[Numbers]:
        """Cut places into windows, so that those of a data row stay together."""
        size = max(1, min(_WINDOW_ROWS, _WINDOW_CELLS // self.d) // self.sampled_background)
        start = 0
        while start < len(places):
            stop = start + size
            if stop < len(places):
                stop = int(np.searchsorted(numbers, numbers[stop - 1], side="right"))
            yield places[start:stop]
            start = stop

    def _ask(self, requests: list[tuple[Masked, Coalitions]], engine: Engine | None = None) -> list[Floats]:
        """The outputs for coalitions of some data rows, `(n, background rows, outputs)` each, in shared batches."""
        engine, store = engine or self.job.setup.engine, self.job.store
        pending = [PendingRows(engine, masked, sets, store, self.row_counter, None) for masked, sets in requests]
        answers = answer_pending(engine, pending, self.job.progress_bar)  # raises errors, since none is isolated
        outputs = [answer for answer in answers if not isinstance(answer, Exception)]
        for answer in outputs if engine.model.kind == "probabilities" else ():
            self.hard_labels.observe(answer)
        return outputs

    def _masked(self, number: int) -> Masked:
        """A data row with the background rows that were drawn for it."""
        masked = self.mask(number)
        if masked.graph.names != self.first.graph.names:
            raise MaskerError(
                "Expected inputs with the same units, because each unit gets one importance for all of them, got other "
                f"units in input {number} than in the first. Explain inputs such as texts one by one, and look at the "
                "mean of their |scores|."
            )
        if self.sampled_background == self.total_background:
            return masked
        assert isinstance(masked, MaskedTabular)
        seed = (self.seed << 32) + number
        return DrawnBackground(masked.graph, masked, self.sorted_background, self.sampled_background, seed)

    def _corrected_losses(self, outputs: Floats, truths: NDArray[Any]) -> Floats:
        r"""The loss of each row of outputs; with some of M background rows, corrected for the bias of their number.

        The loss of a mean over K rows is too large by :math:`\tfrac12 \ell'' \mathrm{Var}`, with the variance of
        the mean. The two rows of a stratum tell how large it is: if one takes the place of the other, and the other way
        round, the loss grows by their part of it on average.
        """
        loss, kind = self.loss, self.job.setup.engine.model.kind
        losses = loss.losses(outputs, kind, truths)
        count, total = self.sampled_background, self.total_background
        if count == total or loss.average == "after" or loss.name not in SMOOTH_LOSSES:
            return losses
        excess = np.zeros_like(losses)
        for first in range(0, count - 1, 2):
            for kept, replaced in ((first, first + 1), (first + 1, first)):
                columns = np.arange(count)
                columns[replaced] = kept
                excess += 0.5 * (loss.losses(outputs[:, columns], kind, truths) - losses)
        return np.asarray(losses - (1 - count / total) * excess)

    # -- standard errors ----------------------------------------------------------------------------------------------

    def row_stderr(self) -> Floats:
        """The standard error of each score that comes from the choice of data rows and of their background rows.

        The score of a unit is a mean over data rows of what each of them adds to it, by the regression of KernelSHAP;
        the standard error is that of this mean.
        """
        kept = np.concatenate([coalitions for coalitions, _, _ in self._evaluated])
        operator = regression_operator(np.concatenate([kept, np.ones((1, self.d), bool)]))
        used = self.used
        controls = np.stack([self.empty_losses, self.full_losses], axis=1)[used]
        deviations = controls - controls.mean(axis=0)
        parts = np.outer(deviations @ [1.0, -1.0], operator[:, -1])
        column = 0
        for _, rows, losses in self._evaluated:
            for numbers, mean in zip(rows, self._means(rows, losses), strict=True):
                weights = operator[:, column]
                parts += np.outer(deviations @ mean.slopes, weights)
                places = np.searchsorted(used, numbers)
                np.add.at(parts, places, np.outer(mean.residuals * (len(used) / len(numbers)), weights))
                column += 1
        return np.asarray(parts.std(axis=0, ddof=1) / np.sqrt(len(used)))
