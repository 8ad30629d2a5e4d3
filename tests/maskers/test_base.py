"""What every masker and every masked input has, on one of our own."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from distinct_keys import coalition_keys

import lcshap as lc
from lcshap.maskers.base import Blend, Masked, Masker, blend, check_units, is_count


@dataclass(frozen=True)
class Letters(Masker):
    """Each letter is a unit; absent ones are left out."""

    upper: bool = False

    def mask(self, x: Any) -> Masked:
        if not x:
            raise lc.errors.MaskerError("no letters")
        return MaskedLetters(lc.Graph.chain(len(x), names=list(x)), x, self.upper)


@dataclass(frozen=True, eq=False)
class MaskedLetters(Masked):
    x: str
    upper: bool

    def rows(self, coalitions):
        rows = ["".join(self.x[i] for i in kept) for kept in coalitions]
        return [row.upper() for row in rows] if self.upper else rows


def test_a_custom_masker_is_enough_for_an_explanation():
    explainer = lc.Explainer(lambda texts: [2.0 * t.count("a") for t in texts], Letters(), "shapley", kind="output")
    assert explainer("abca").scores.tolist() == pytest.approx([2, 0, 0, 2])
    assert [e.names for e in explainer(["ab", "c"])] == [("a", "b"), ("c",)]
    assert explainer("ab").provenance["masker"] == {"name": "Letters", "parameters": {"upper": False}}


def test_keys_distinguish_inputs_and_settings():
    keys = {Letters(upper).mask(x).key for upper in (False, True) for x in ("ab", "ba")}
    assert len(keys) == 4
    assert Letters().mask("ab").key == Letters().mask("ab").key
    sets = lc.Coalitions.from_sets(2, [[0], [1], [0]])
    first, second, third = coalition_keys(Letters().mask("ab"), sets)
    assert first == third != second


def test_defaults():
    masked = Letters().mask("ab")
    assert masked.rows_per_call == 1
    assert masked.view is None
    assert masked.owners is None
    distinct = masked.distinct(lc.Coalitions.from_sets(2, [[0], [1], [0, 1]]))
    assert (len(distinct), distinct.rows_per_key, distinct.copies) == (3, 1, 1)
    assert distinct.index is distinct.make is distinct.lengths is None


def test_coalitions_of_another_input_are_refused():
    with pytest.raises(
        lc.errors.PlanError, match="Expected coalitions over the 2 units of the input, got coalitions over 3 units"
    ):
        check_units(lc.Coalitions.from_sets(3, [[0]]), lc.Graph.chain(2))


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.uint8, bool, np.complex128])
def test_blends_are_where_to_the_bit(kind):
    rng = np.random.default_rng(0)
    x, reference = (rng.integers(0, 2, 7).astype(kind) for _ in range(2))
    kept = rng.random((5, 7)) < 0.5
    assert blend(kept, x, reference).tobytes() == np.where(kept, x, reference).tobytes()
    assert Blend(kept, x, reference).rows.tolist() == np.where(kept, x, reference).tolist()


def test_counts():
    assert [is_count(n) for n in (1, np.int32(2), 0, -1, True, 1.0, "1")] == [True, True, *[False] * 5]
