import pandas as pd
import pytest

import lcshap as lc
from lcshap.errors import MaskerError
from lcshap.playground.edits import edited

TEXT = "the film is not so bad, is it"


@pytest.mark.parametrize("kept", [range(8), [0, 1, 3, 5, 7]])
@pytest.mark.parametrize("replaced", [{5: "good"}, {0: "a very"}, {3: ""}, {1: "film film film", 6: "was"}])
def test_the_row_is_what_a_reader_would_write(kept, replaced):
    masker = lc.maskers.Text()
    x, units = edited(TEXT, masker.mask(TEXT), masker, list(kept), replaced)
    masked = masker.mask(x)
    (row,) = masked.rows(lc.Coalitions.from_sets(masked.graph.d, [units]))
    words = [str(replaced.get(k, word)) for k, word in enumerate(TEXT.split()) if k in kept or k in replaced]
    assert row.split() == " ".join(words).split()


def test_a_column_of_a_mixed_table():
    masker = lc.maskers.Tabular(pd.DataFrame({"age": [30.0, 40.0], "city": ["Oslo", "Rome"]}))
    x, units = edited([30.0, "Oslo"], masker.mask([30.0, "Oslo"]), masker, [0], {1: "Rome"})
    assert (x, units) == ([30.0, "Rome"], [0, 1])


def test_what_cannot_be_replaced():
    masker = lc.maskers.Molecule()
    with pytest.raises(MaskerError, match="removed, not replaced"):
        edited("CCO", masker.mask("CCO"), masker, [0], {1: "N"})
    with pytest.raises(MaskerError, match="from 0 to 7"):
        edited(TEXT, lc.maskers.Text().mask(TEXT), lc.maskers.Text(), [0], {9: "N"})
