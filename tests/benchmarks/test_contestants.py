"""All installed contestants return scores, and use about as many calls as the budget."""

from importlib.metadata import version

import numpy as np
import pytest
from benchmarks.harness.contestants import Answer
from benchmarks.harness.contestants.base import everybody
from benchmarks.harness.game import Bench, Counter
from benchmarks.harness.tables import Table, families, find_data, sound
from benchmarks.harness.truth import all_coalitions, exact

D = 7
VALUES = all_coalitions(D) @ np.arange(D) + np.random.default_rng(2).normal(size=2**D) / 10
INSTALLED = sorted(name for name, c in everybody().items() if c.version and not c.slow)


class Value(Counter):
    """A counted game, with what contestants look at."""

    d, graph = D, "complete"

    def __call__(self, rows):
        return super().__call__(np.atleast_2d(np.asarray(rows)) > 0.5)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", INSTALLED)
def test_answers(name):
    value = Value(Bench("t", "t", D, Table(VALUES)))
    try:
        found = everybody()[name].estimate(value, 8 * D, 1)
    except (AttributeError, TypeError) as error:
        if "shapiq" not in name or tuple(map(int, version("shapiq").split(".")[:2])) >= (1, 8):
            raise
        pytest.skip(f"the shapiq of this environment is older than the harness's: {error}")
    if found is None or (isinstance(found, Answer) and found.scores is None):
        assert name == "shap Exact"
        return
    answer = found if isinstance(found, Answer) else Answer(found)
    scores = np.asarray(answer.scores, float).ravel()
    assert scores.shape == (D,)
    assert value.calls <= 8 * D + 2
    if not everybody()[name].other and not everybody()[name].pairs:
        assert np.corrcoef(scores, exact(VALUES).scores)[0, 1] > 0.9
    if answer.pairs is not None:
        assert np.shape(answer.pairs) == (D * (D - 1) // 2,)


def test_tables_are_families_of_games(tmp_path):
    tables = np.random.default_rng(0).normal(size=(2, 16))
    tables[1, 3] = 1e39  # a division by nothing
    np.savez(tmp_path / "Some_Kind_Game-4.npz", values=tables, names=["one", "two"])
    found = families(find_data(str(tmp_path)))
    (game,) = found["Some_Kind-4"]
    assert (game.d, game.name) == (4, "Some_Kind-4-0")
    assert game.fn(np.array([[True, False, True, False]]))[0] == tables[0, 0b0101]
    assert not sound(tables[1])


def test_without_data_the_error_gives_advice(tmp_path):
    with pytest.raises(SystemExit, match="--data or LCSHAP_DATA"):
        find_data(str(tmp_path))
