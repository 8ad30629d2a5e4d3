"""The prior of `GraphKernelSHAP` by what was seen of this input: shares and reaches of greatest evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy import linalg

from .pair_prior import Array
from .pair_shape import Shape
from .pair_space import SPREAD, Point, Space, inverse_of
from .pair_units import shares

_STEPS = 10  # at most so many steps
_MANY_UNITS = 40  # with more units than this a step takes long:
_FEWER_STEPS, _TURNS = 4, 3  # so many are enough if how much units differ is learnt so often before the first one
_COMMON_STEPS, _APART_STEPS = 5, {False: 6, True: 3}  # where there are two priors; of the second, by many units or not
_ENOUGH, _ROUGHLY = 0.3, 2.0  # a step that gains less evidence (a logarithm) is the last; and before units are fitted
_FURTHEST = 2.0  # no logarithm moves further than that in a step
_SURE = 4.0  # how much units differ is assumed to be SPREAD, as surely as if so many units had shown it
_PAYS = 1.0  # the evidence (a logarithm) that units with reaches of their own have to add before they are fitted
_MANY = 64  # with fewer pairs all units are taken to be alike at first: too little is known of each
_SPREADS = (0.25, 0.5, 1.0, 2.0)  # how much units may differ, when it is asked whether that pays
_LEAST = 1e-4  # of the largest effect: units that do less in the smallest and largest coalitions start as equals

Look = Callable[[Array, float], Point | None]


def fit(space: Space, odd: Array, units: bool = True, effects: Array | None = None) -> list[Shape]:
    """The shape of greatest evidence, given f at the coalitions of the space, the first of which is V.

    First it is taken as given how units differ (see `shares`; with few pairs they are alike), which leaves a handful
    of numbers to find. Whether reaches of single units are fitted is asked only then, by the evidence that it would
    add: where calls are few they are mostly noise. Where `effects` tell how units differ, there is nothing to ask:
    there are two shapes then, one without such reaches and one with reaches that are fitted from these effects on.

    Parameters
    ----------
    space : the logarithms to find, and the coalitions.
    odd : f at the coalitions, at least as many as the space has rows.
    units : whether units may have reaches of their own.
    effects : how much each unit does in the smallest and the largest coalitions, where that is known (see
        `pair_posterior.single_effects`).

    Returns
    -------
    list of Shape
        One or two priors, in the units of f.
    """
    scale = float(np.sqrt(np.mean(odd**2))) or 1.0
    y, coarse = odd / scale, space.coarse
    pattern = coarse.alike
    if units and len(y) >= _MANY:
        pattern = coarse.pattern(np.log(shares(space.all, y)))

    def common(at: Array, spread: float) -> Point | None:
        return coarse.look(at, spread, y[coarse.rows], pattern)

    def each(at: Array, spread: float) -> Point | None:
        return space.look(at, spread, y[space.rows])

    free, many = units and space.free, space.d > _MANY_UNITS
    effects = effects if free else None
    at = climb(common, space.mean, space.first, _ROUGHLY, steps=_STEPS if effects is None else _COMMON_STEPS)
    found = [space.shape(at, pattern)]
    if effects is not None:
        start = _apart(space, at, np.log(effects / effects.max() + _LEAST) / 2)
        found.append(space.shape(climb(each, start, space.first, steps=_APART_STEPS[many], turns=_TURNS)))
    elif free:
        begun = each(_apart(space, at, pattern.units), SPREAD)
        if begun is not None and _gain(begun, space.first) > _PAYS:
            pace = {"steps": _FEWER_STEPS, "turns": _TURNS} if many else {}
            found = [space.shape(climb(each, begun.at, space.first, begun=begun, **pace))]
    return [_scaled(shape, scale**2) for shape in found]


def _apart(space: Space, at: Array, logarithms: Array) -> Array:
    """Common logarithms with those of the units: how far each reaches, and by as much how much it does by itself."""
    middle = logarithms.mean()
    found = np.asarray(np.concatenate([at, logarithms - middle]))
    found[[0, 3]] += middle  # the common logarithms of reach and own worth
    found[space.first - 1] = 1.0  # the tie: own worths differ as reaches do
    return found


def _scaled(found: Shape, square: float) -> Shape:
    """The same prior for values whose square is larger by a factor."""
    return replace(
        found,
        own=square * found.own,
        product=square * found.product,
        shares=square * found.shares,
        white=square * found.white,
    )


def climb(
    look: Look,
    start: Array,
    first: int,
    enough: float = _ENOUGH,
    begun: Point | None = None,
    steps: int = _STEPS,
    turns: int = 0,
) -> Array:
    """The logarithms of greatest evidence, near some; those of the units begin at `first`, and may be none.

    Gauss-Newton steps (the average of observed and expected information, as for variance components), each logarithm
    with a normal prior; how much units differ is learnt along with them. `look` gives the point at some logarithms,
    with this spread of the units; None where K cannot be factored. `begun` is the point at the start, if it is known.
    There are at most so many `steps`, and how much units differ is learnt so often (`turns`) before the first of them.
    """
    now, damping, refused = begun or look(start, SPREAD), 0.0, False
    if now is None:  # not even at the start
        return start
    for _ in range(turns):
        now = _respread(now, first)
    for left in reversed(range(steps)):
        matrix = now.curvature + damping * np.diag(np.diag(now.curvature))
        _, solved, bad = linalg.lapack.dposv(matrix, now.gradient)
        if bad:  # rounding: there is no way down from here
            return now.at
        move = np.clip(-solved, -_FURTHEST, _FURTHEST)
        if refused and -float(move @ (now.gradient + now.curvature @ move / 2)) < enough:
            return now.at  # a shorter step is not expected to gain enough either
        new = look(now.at + move, now.spread)
        if new is None or new.value > now.value:
            damping, refused = max(4 * damping, 0.5), True
            continue
        if now.value - new.value < enough or not left:
            return new.at
        now, damping, refused = _respread(new, first), damping / 3, False
    return now.at


def _gain(point: Point, first: int) -> float:
    """What units that differ would add to the logarithm of the evidence, by its slope and curvature where they do not.

    With independent normal deviations of the units' logarithms this is a quadratic form less half the logarithm of a
    determinant, here for the best of a few spreads.
    """
    curvature = point.curvature[first:, first:] - np.eye(len(point.at) - first) / point.spread**2
    bend, basis = linalg.eigh(curvature, check_finite=False)
    bend, slope = np.maximum(bend, 0), (basis.T @ point.gradient[first:]) ** 2
    return max(float(np.sum(slope / (bend + s**-2) - np.log1p(s**2 * bend))) / 2 for s in _SPREADS)


def _respread(point: Point, first: int) -> Point:
    """Learn how much units differ: the expected mean square of their logarithms, as EM has it."""
    units = np.arange(first, len(point.at))
    inverse = inverse_of(point.curvature.copy())[0] if len(units) else None
    if inverse is None:
        return point
    unsure = np.diag(inverse)[units]
    squares = float(np.sum(point.at[units] ** 2))
    new = (squares + float(unsure.sum()) + _SURE * SPREAD**2) / (len(units) + _SURE)
    new = min(max(new, 0.1**2), 3.0**2)
    change = 1 / new - 1 / point.spread**2
    gradient, curvature = point.gradient.copy(), point.curvature.copy()
    gradient[units] += change * point.at[units]
    curvature[units, units] += change
    return Point(point.at, float(np.sqrt(new)), point.value + change * squares / 2, lambda: (gradient, curvature))
