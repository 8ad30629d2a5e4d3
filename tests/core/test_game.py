import numpy as np
import pytest

import lcshap as lc

CHAIN = lc.Graph.chain(4)


def explain(fn, d=4, **options):
    return lc.LShapley(order=1).explain(lc.Game(fn, d, **options), CHAIN)


@pytest.mark.parametrize(
    ("fn", "says"),
    [
        (
            lambda kept: 1.0,
            r"Expected values of shape \(13,\) or \(13, outputs\) from the game for 13 coalitions, got \(\)",
        ),
        (
            lambda kept: kept[:-1].sum(axis=1),
            r"Expected values of shape \(13,\) or \(13, outputs\) from the game for 13 coalitions, got \(12,\)",
        ),
        (lambda kept: np.zeros((len(kept), 2, 2)), "shape"),
        (lambda kept: np.zeros((len(kept), 0)), "shape"),
        (lambda kept: ["a"] * len(kept), "real numbers"),
        (lambda kept: kept.sum(axis=1) + 1j, "real numbers"),
        (lambda kept: [None] * len(kept), "real numbers"),
        (lambda kept: np.where(kept[:, 1] & ~kept[:, 0], np.nan, 0), r"Expected a finite value of v\(\{1\}\), got nan"),
        (lambda kept: np.where(kept.all(axis=1), np.inf, 0), r"Expected a finite value of v\(V\), got inf"),
        (lambda kept: np.where(kept.any(axis=1), 0, -np.inf), r"Expected a finite value of v\(∅\), got -inf"),
        (
            lambda kept: np.log(kept[:, [0, 1]] * 1.0 + (kept.sum(axis=1) > 0)[:, None]),
            r"Expected a finite value of v\(∅\), got \[-inf -inf\]",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_bad_answers(fn, says):
    with pytest.raises(lc.errors.GameError, match=says):
        explain(fn)


def test_outputs_that_change_between_batches():
    with pytest.raises(
        lc.errors.GameError, match=r"Expected outputs of shape \(5,\), as the game returned before, got \(3,\)"
    ):
        explain(lambda kept: np.zeros((len(kept), len(kept))), batch_size=5)


def test_a_long_coalition_is_named_in_short():
    g = lc.Graph.chain(100)
    v = lc.Game(lambda kept: np.where(kept.sum(axis=1) == 99, np.nan, 0), 100)
    with pytest.raises(
        lc.errors.GameError,
        match=r"Expected a finite value of v\(\{1, 2, .*, \.\.\. 99 of 100 units\}\), got nan",
    ):
        lc.LShapley(1, "present").explain(v, g)


class TestCheck:
    def test_noise_is_found(self):
        rng = np.random.default_rng(0)
        explain(lambda kept: rng.normal(size=len(kept)))
        with pytest.raises(
            lc.errors.GameError, match=r"Expected the same value for the same coalition, got .* and then .* for"
        ):
            explain(lambda kept: rng.normal(size=len(kept)), check=True)

    def test_rows_that_depend_on_their_batch_are_found(self):
        with pytest.raises(lc.errors.GameError, match="Expected the same value for the same coalition"):
            explain(lambda kept: kept.sum(axis=1) - 1.0 * kept[0].sum(), check=True)
        with pytest.raises(lc.errors.GameError, match="Expected the same value for the same coalition"):
            explain(lambda kept: np.arange(len(kept))[:, None] * np.ones(2), check=True)

    def test_a_deterministic_game_passes(self):
        e = explain(lambda kept: np.sin(kept @ np.arange(4.0)), check=True)
        assert e.scores.tobytes() == explain(lambda kept: np.sin(kept @ np.arange(4.0))).scores.tobytes()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"fn": 3, "d": 4}, "Expected a function"),
        ({"fn": len, "d": 0}, "Expected d as an integer of at least 1, got 0"),
        ({"fn": len, "d": 2.0}, r"Expected d as an integer of at least 1, got 2\.0"),
        ({"fn": len, "d": 4, "batch_size": 0}, "Expected batch_size as an integer of at least 1"),
        ({"fn": len, "d": 4, "batch_size": "many"}, "Expected batch_size as an integer of at least 1, got 'many'"),
    ],
)
def test_bad_games(options, says):
    with pytest.raises(lc.errors.GameError, match=says):
        lc.Game(**options)


def test_a_game_of_another_size_than_the_graph():
    with pytest.raises(lc.errors.GameError, match="Expected a game of 4 units, as the graph has, got 5 units"):
        explain(lambda kept: kept.sum(axis=1), d=5)


def test_batches():
    sizes = []
    explain(lambda kept: sizes.append(kept.shape) or kept.sum(axis=1), batch_size=5)
    assert sizes == [(5, 4), (5, 4), (3, 4)]
    assert lc.Game(len, 10).rows == 1024
    assert lc.Game(len, 10**7).rows == 6
    assert lc.Game(len, 10**9).rows == 1


def test_answers_of_any_real_kind():
    for answer in (
        lambda kept: kept.any(axis=1),
        lambda kept: kept.sum(axis=1).astype(np.float32),
        lambda kept: kept.sum(axis=1).tolist(),
    ):
        assert explain(answer).scores.dtype == np.float64


def test_a_game_may_scribble_on_its_mask():
    def scribbles(kept):
        total = kept.sum(axis=1)
        kept[:] = False
        return total

    np.testing.assert_allclose(explain(scribbles).scores, 1)


def test_an_error_of_the_model_comes_through_as_it_is():
    def breaks(kept):
        raise KeyError("the model's own")

    with pytest.raises(KeyError, match="the model's own"):
        explain(breaks)
