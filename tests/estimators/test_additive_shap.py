"""AdditiveSHAP on tables of terms, against the enumeration of all coalitions."""

import numpy as np
import pytest

import lcshap as lc
import oracles
from lcshap.core.additive_terms import AdditiveTerms
from lcshap.core.row_encoding import DROPPED, PINNED
from lcshap.core.structures import StructureGame
from support import every

RNG = np.random.default_rng(0)
SIZES = (3, 4, 2, 3, 5, 2)
NUMBERS = ((0,), (1,), (4,), (0, 1), (2, 1), (5, 3), (0, 2, 4), (3, 1, 0, 5))
TABLES = tuple(RNG.normal(size=(*(SIZES[number] for number in numbers), 2)) for numbers in NUMBERS)
ROWS, BACKGROUND = (np.stack([RNG.integers(size, size=n) for size in SIZES], axis=1) for n in (4, 7))
UNITS = {
    "columns": (np.arange(6), 6),
    "groups": (np.array([1, 0, 1, 2, 0, 2]), 3),
    "pinned and dropped": (np.array([0, PINNED, 1, DROPPED, 2, 3]), 4),
    "groups, pinned and dropped": (np.array([1, PINNED, 1, 0, DROPPED, 0]), 2),
    "in another order": (np.array([5, 4, 3, 2, 1, 0]), 6),
    "a unit without terms": (np.array([0, 1, 2, 4, 5, 6]), 7),
}


def sum_of_terms(row):
    return sum(table[tuple(int(row[number]) for number in numbers)] for table, numbers in zip(TABLES, NUMBERS))  # noqa: B905


def values_by_coalition(game, row):
    values = {}
    for kept in every(game.d):
        present = [unit == PINNED or (unit >= 0 and kept[unit]) for unit in game.units.tolist()]
        masked = [np.where(present, game.rows[row], other) for other in game.background]
        output = sum(sum_of_terms(other) for other in masked) / len(masked)
        values[frozenset(np.flatnonzero(kept).tolist())] = [float(w @ output) for w in game.weights]
    return values


def interaction_index(d, values, first, second):
    """The Shapley interaction index by its definition."""
    total = 0.0
    others = [unit for unit in range(d) if unit not in (first, second)]
    for kept in every(len(others)):
        s = frozenset(unit for unit, inside in zip(others, kept, strict=True) if inside)
        weight = oracles.factorial(len(s)) * oracles.factorial(d - len(s) - 2) / oracles.factorial(d - 1)
        corners = [values[s | {first, second}], values[s | {first}], values[s | {second}], values[s]]
        both, one, other, none = map(np.array, corners)
        total = total + weight * (both - one - other + none)
    return total


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("weights", [np.eye(2), np.array([[1.0, -1.0]])], ids=["outputs", "contrast"])
def test_it_is_the_shapley_value(name, weights):
    units, d = UNITS[name]
    game = StructureGame(AdditiveTerms(TABLES, NUMBERS), ROWS, BACKGROUND, units, d, weights, True)
    estimates = lc.AdditiveSHAP(interactions="all").estimate_rows(game)
    for row in range(len(ROWS)):
        values = values_by_coalition(game, row)
        scores = np.array(oracles.shapley(d, values))
        np.testing.assert_allclose(estimates.scores[row], scores, rtol=0, atol=1e-12)
        np.testing.assert_allclose(estimates.base_values[row], values[frozenset()], rtol=0, atol=1e-12)
        for first in range(d):
            assert not estimates.interactions[row, first, first].any()
            for second in set(range(d)) - {first}:
                expected = interaction_index(d, values, first, second)
                np.testing.assert_allclose(estimates.interactions[row, first, second], expected, rtol=0, atol=1e-12)


def additive_game(error=0.0):
    terms = AdditiveTerms(TABLES, NUMBERS)
    game = StructureGame(terms, ROWS[:1], BACKGROUND[:1], np.arange(6), 6, np.array([[1.0, 0.0]]))

    def values(kept):
        outputs = np.array([sum_of_terms(row)[0] for row in np.where(kept, ROWS[0], BACKGROUND[0])])
        return outputs + 7 + error * np.exp(kept.sum(axis=1))

    return lc.Game(values, 6, structures={"terms": lambda: game})


def test_as_a_method():
    graph = lc.Graph.complete(6)
    e = lc.AdditiveSHAP(interactions=True).explain(additive_game(), graph)
    exact = lc.GraphKernelSHAP(64, interactions="all").explain(additive_game(), graph)
    np.testing.assert_allclose(e.scores, exact.scores, rtol=0, atol=1e-12)
    np.testing.assert_allclose(e.interactions.toarray(), exact.interactions.toarray(), rtol=0, atol=1e-9)
    np.testing.assert_allclose(e.residual, 0, atol=1e-12)
    assert e.stderr is None
    assert e.calls == 16
    assert lc.AdditiveSHAP().explain(additive_game(), graph).interactions is None


def test_terms_that_do_not_agree_with_the_model_are_refused():
    with pytest.raises(lc.errors.MethodError, match="outputs are those of its terms plus a constant, got one that"):
        lc.AdditiveSHAP().explain(additive_game(error=1e-3), lc.Graph.complete(6))


def test_a_game_without_terms():
    v = lc.Game(lambda kept: kept.sum(axis=1), 3)
    with pytest.raises(lc.errors.MethodError, match="with terms that can be read, got a game without terms"):
        lc.AdditiveSHAP().explain(v, lc.Graph.chain(3))
