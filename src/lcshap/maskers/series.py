"""Time series: windows of all channels or of each. Absent ones get a mean, a line or background rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.coalitions import Coalitions
from ..core.graphs import Graph
from ..core.graphs.build import complete_edges
from ..core.views import SeriesView
from ..errors import MaskerError
from .base import Blend, Masked, Masker, blend, check_units
from .input_lists import count_axes, holds_rows, is_frame, list_rows, shape_of
from .text import GraphLayout, check_layout, make_graph

Channels = Literal["last", "first"]


@dataclass(frozen=True, eq=False)
class Series(Masker):
    """Windows of a time series as units; absent units are replaced by a reference.

    Takes an array `(time,)`, `(time, channels)` or `(channels, time)`, or an object that NumPy can convert to one. Rows
    keep the shape and the dtype.

    Parameters
    ----------
    window : the number of steps of a unit. If it does not divide the series, the last window is shorter.
    by_channel : whether each channel has separate units: all windows of the first channel, then those of the second, so
        that ``scores.reshape(channels, -1)`` is a table. Otherwise a window contains all channels.
    reference : the values of absent units. "mean": that of the series, per channel. "interpolate": the straight line
        between the nearest steps of the channel that are present, a constant beyond the first and the last, and the
        mean if no step is present; so it depends on the coalition. A number, or one per channel. An array of the
        series' shape. Rows `(M, *shape)`: each coalition takes M model rows, with row m where units are absent, and
        answers are averaged.
    channels : the position of the channels of a 2-D array, "last" or "first". An array `(time,)` has none. "none": no
        series has channels, so that a 2-D array is a list of series.
    names : the names of the channels; "channel 0", ... by default.
    graph : "chain", "ring" or "complete" over the windows in their order, or a function from their number to a `Graph`.

    Notes
    -----
    With `by_channel` each channel has this graph over its windows, and all channels of one window are neighbours of
    each other: sensors have no order, so that the first is not nearer to the second than to the last.

    Choose a window of about the length of the events to be found, some 10 to 50 units in all. A mean makes a step at
    both ends of each gap, to which models that use slopes may react: compare with "interpolate", which makes no step,
    or with rows of other series. Gradients need a reference that is the same for all coalitions. In series of integers,
    means and interpolated values are rounded.

    Examples
    --------
    >>> import lcshap as lc
    >>> masked = Series(window=2, reference="interpolate").mask([0.0, 1.0, 9.0, 5.0, 4.0])
    >>> masked.graph, masked.graph.names
    (Graph.chain(3): 3 units, 2 edges, ('t 0-1', 't 2-3', 't 4'))
    >>> masked.rows(lc.Coalitions.from_sets(3, [[0, 2], [0]])).tolist()
    [[0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 1.0, 1.0, 1.0]]
    """

    window: int = 1
    by_channel: bool = False
    reference: str | float | Sequence[float] | NDArray[Any] = "mean"
    channels: Channels | Literal["none"] | None = None
    names: Sequence[str] | None = None
    graph: GraphLayout = "chain"

    def __post_init__(self) -> None:
        if not isinstance(self.window, int | np.integer) or isinstance(self.window, bool) or self.window < 1:
            raise MaskerError(f"Expected window as a number of steps of at least 1, got {self.window!r}.")
        if isinstance(self.reference, str) and self.reference not in ("mean", "interpolate"):
            raise MaskerError(
                f'Expected "mean", "interpolate", a number or an array of numbers as reference, got {self.reference!r}.'
            )
        if self.channels not in ("last", "first", "none", None):
            raise MaskerError(f'Expected "last", "first", "none" or None as channels, got {self.channels!r}.')
        if isinstance(self.names, str):
            raise MaskerError(f"Expected names as a list of strings, one for each channel, got {self.names!r}.")
        check_layout(self.graph)

    def is_many(self, x: Any) -> bool:
        """A list of numbers is one series; a list of sequences is many.

        An array with three axes is many series with channels. One with two is a series with channels if `channels` says
        so, and many series if that is "none" or the reference has as many steps as each row.
        """
        if count_axes(x) != 2 or self.channels == "none":
            return holds_rows(x, 1 if self.channels == "none" else 2)
        if self.channels is None and shape_of(self.reference) != x.shape[1:]:
            raise MaskerError(
                f"Expected one series or many, got an array of shape {x.shape}, which may be either. Give "
                'channels="last" or "first" for one series, channels="none" for one series in each row.'
            )
        return self.channels is None

    def inputs(self, x: Any) -> list[Any]:
        """The series in a list of series, or one series as a list."""
        return (list(x.to_numpy()) if is_frame(x) else list_rows(x)) if self.is_many(x) else [x]

    def mask(self, x: Any) -> MaskedSeries:
        """Cut a series into windows."""
        series = self._read(x)
        channels = self.channels if series.ndim == 2 and self.channels != "none" else None
        table = _channels_first(series, channels)
        names = self._channel_names(len(table))
        _check_finite(table, names)
        steps = table.shape[1]
        if steps < self.window:
            raise MaskerError(
                f"Expected a series of at least {self.window} steps, the size of a window, got {steps}. Give "
                "a smaller window."
            )
        starts = range(0, steps, self.window)
        ends = [min(start + self.window, steps) - 1 for start in starts]
        windows = [f"t {s}" if s == e else f"t {s}-{e}" for s, e in zip(starts, ends, strict=True)]
        graph = make_graph(self.graph, windows)
        labels = np.broadcast_to(np.arange(steps) // self.window, table.shape)
        if self.by_channel:
            labels = labels + len(windows) * np.arange(len(names))[:, None]
            graph = _repeat_graph(names, graph)
        labels = labels[0] if channels is None else labels.T if channels == "last" else labels
        background = self._background(series, channels)
        interpolate = isinstance(self.reference, str) and self.reference == "interpolate"
        return MaskedSeries(
            graph, series, background, np.ascontiguousarray(labels), channels, interpolate, tuple(names)
        )

    def _read(self, x: Any) -> NDArray[Any]:
        """A copy of a series; raises if its shape is not supported."""
        try:
            series = np.array(np.asarray(x), order="C")
        except ValueError as error:
            raise MaskerError(f"Expected a series as an array of numbers, got something else: {error}.") from error
        if series.dtype.kind not in "iuf":
            raise MaskerError(f"Expected a series as an array of real numbers, got {series.dtype}.")
        if self.channels == "none" and series.ndim != 1:
            raise MaskerError(f'Expected a series of shape (time,) for channels="none", got {series.shape}.')
        if series.ndim not in (1, 2):
            raise MaskerError(
                "Expected one series of shape (time,), (time, channels) or (channels, time), got "
                f"{series.shape}. Give several series as a list."
            )
        if not series.size:
            raise MaskerError(
                f"Expected a series with at least one number, got shape {series.shape}. There is nothing to explain."
            )
        if series.ndim == 2 and self.channels is None:
            raise MaskerError(
                f"Expected to find the channels by the shape, got {series.shape}, which can be read in "
                'several ways. Give channels="last" or "first".'
            )
        return series

    def _channel_names(self, count: int) -> list[str]:
        if self.names is None:
            return [f"channel {c}" for c in range(count)]
        if len(self.names) != count:
            raise MaskerError(f"Expected {count} names, one for each channel of the series, got {len(self.names)}.")
        return [str(name) for name in self.names]

    def _background(self, series: NDArray[Any], channels: Channels | None) -> NDArray[Any]:
        """The values of absent units, `(M, *shape)`. M is 1 except for background rows."""
        # The shape of an array with one number per channel.
        channel_shape = {None: (-1,), "last": (1, -1), "first": (-1, 1)}[channels]
        if isinstance(self.reference, str):
            mean = _channels_first(series, channels).mean(axis=1, dtype=np.float64).reshape(channel_shape)
            mean = np.rint(mean) if series.dtype.kind in "iu" else mean
            return np.broadcast_to(mean, series.shape)[None].astype(series.dtype)
        reference = _cast_reference(self.reference, series.dtype)
        if reference.ndim == 0 or reference.shape == series.shape:
            return np.broadcast_to(reference, series.shape)[None]
        if reference.shape[1:] == series.shape and len(reference):
            return reference
        if reference.shape == (len(_channels_first(series, channels)),):
            return np.broadcast_to(reference.reshape(channel_shape), series.shape)[None]
        raise MaskerError(
            f"Expected a number, one number per channel, an array or rows of shape {series.shape} as "
            f"reference, got shape {reference.shape}."
        )


@dataclass(frozen=True, eq=False)
class MaskedSeries(Masked):
    """A series cut into windows.

    Attributes
    ----------
    x : the series.
    background : `(M, *x.shape)`, the values of absent units in each of the M rows of a coalition.
    labels : the unit of each number of `x`: ``scores[masked.labels]`` is a series of the scores.
    channels : "last", "first", or None for `(time,)`.
    interpolate : whether absent units lie on lines between present steps; then `background` is used if no unit is
        present.
    names : the names of the channels.
    """

    x: NDArray[Any]
    background: NDArray[Any]
    labels: NDArray[np.intp]
    channels: Channels | None
    interpolate: bool
    names: tuple[str, ...]

    @property
    def content(self) -> tuple[Any, ...]:
        """The series, the background and the windows, without graph and names."""
        return self.x, self.background, self.labels, self.channels, self.interpolate

    @property
    def rows_per_call(self) -> int:
        """M, the number of background rows."""
        return len(self.background)

    @property
    def owners(self) -> NDArray[np.intp] | None:
        """The unit of each number of the series; None if there is no fixed reference."""
        return None if self.interpolate else self.labels

    @property
    def view(self) -> SeriesView:
        """The series and the unit of each of its numbers, `(time, channels)`."""
        series, labels = (_channels_first(a, self.channels).T for a in (self.x, self.labels))
        return SeriesView(series=series, channels=tuple(self.names), labels=labels)

    def rows(self, coalitions: Coalitions) -> NDArray[Any]:
        """An array `(n * M, *x.shape)` of the dtype of `x`: for each coalition, all background rows in their order."""
        mixture = self.blend(coalitions)
        if mixture is not None:
            return mixture.rows
        kept = coalitions.dense()[:, self.labels]
        return blend(kept, self.x, self._interpolated(kept))

    def blend(self, coalitions: Coalitions) -> Blend | None:
        """Which numbers are those of the series, and which those of the background; None for lines across gaps."""
        check_units(coalitions, self.graph)
        return None if self.interpolate else Blend(coalitions.dense()[:, self.labels][:, None], self.x, self.background)

    def _interpolated(self, kept: NDArray[np.bool_]) -> NDArray[Any]:
        """The lines between kept steps, `(n, *x.shape)`, found from the nearest kept step on either side of each."""
        time_axis = 2 if self.channels == "first" else 1
        length = kept.shape[time_axis]
        step = np.arange(length).reshape((-1, 1) if self.channels == "last" else -1)
        before = np.maximum.accumulate(np.where(kept, step, -1), axis=time_axis)
        after = np.flip(
            np.minimum.accumulate(np.flip(np.where(kept, step, length), time_axis), axis=time_axis), time_axis
        )
        none_kept = (before < 0) & (after == length)
        before, after = np.where(before < 0, after, before), np.where(after == length, before, after)
        before, after = (np.where(none_kept, 0, nearest) for nearest in (before, after))
        left_values, right_values = (
            np.take_along_axis(self.x[None].astype(np.float64), steps, time_axis) for steps in (before, after)
        )
        line = left_values + (right_values - left_values) * ((step - before) / np.maximum(after - before, 1))
        line = np.rint(line) if self.x.dtype.kind in "iu" else line
        return np.where(none_kept, self.background, line.astype(self.x.dtype))


def _channels_first(series: NDArray[Any], channels: Channels | None) -> NDArray[Any]:
    """A view `(channels, time)`."""
    return series[None] if channels is None else series.T if channels == "last" else series


def _repeat_graph(names: Sequence[str], graph: Graph) -> Graph:
    """A copy of a graph for each name, with all copies of a unit next to each other."""
    units = np.arange(len(names) * graph.d).reshape(len(names), graph.d)
    within = units[:, graph.edges].reshape(-1, 2)
    between = units[complete_edges(len(names))].transpose(0, 2, 1).reshape(-1, 2)
    pairs = np.concatenate([within, between])
    return Graph.from_edges(units.size, pairs, [f"{name}, {unit}" for name in names for unit in graph.names])


def _check_finite(table: NDArray[Any], names: Sequence[str]) -> None:
    nonfinite = np.argwhere(~np.isfinite(table.T))
    if len(nonfinite):
        step, channel = nonfinite[0].tolist()
        where = f"t {step}" if len(names) == 1 else f"t {step} of {names[channel]}"
        raise MaskerError(
            f"Expected a series of finite numbers, got {table[channel, step]} at {where}. Fill it in first."
        )


def _cast_reference(reference: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The reference in the dtype of the series; raises if the conversion would change its values."""
    try:
        array = np.asarray(reference)
    except ValueError as error:
        raise MaskerError(
            f"Expected a number or an array of numbers as reference, got something else: {error}."
        ) from error
    if array.dtype.kind not in "biuf":
        raise MaskerError(f"Expected a reference of numbers, got {array.dtype}.")
    with np.errstate(over="ignore", invalid="ignore"):
        cast = array.astype(dtype)
    unrepresentable = array[~np.isfinite(cast) if dtype.kind == "f" else cast != array]
    if unrepresentable.size:
        raise MaskerError(
            f"Expected a reference of finite numbers that {dtype}, the type of the series, can hold, got "
            f"{unrepresentable.flat[0]}."
        )
    return cast
