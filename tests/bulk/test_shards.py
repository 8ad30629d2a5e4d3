import numpy as np
import pytest

import lcshap as lc
from lcshap.bulk.shards import Shard, cut_all_shards, cut_shards
from lcshap.bulk.sources import InputRow, open_source


def numbers(size, finished=(), count=10):
    source = open_source(list(range(count)))
    return [
        (s.number, s.start, [row.x for row in s.rows]) for s in cut_shards(source, size, set(finished).__contains__)
    ]


def test_every_row_is_in_one_shard():
    assert numbers(4) == [(0, 0, [0, 1, 2, 3]), (1, 4, [4, 5, 6, 7]), (2, 8, [8, 9])]
    assert numbers(4, {1}) == [(0, 0, [0, 1, 2, 3]), (2, 8, [8, 9])]
    assert numbers(4, {0, 1, 2}) == []
    assert numbers(5, {0}) == [(1, 5, [5, 6, 7, 8, 9])]
    assert numbers(3, count=0) == []


def test_a_source_with_a_digest_begins_at_the_first_shard_that_is_missing(tmp_path):
    (tmp_path / "a.csv").write_text("x\n" + "\n".join("abcdefghij") + "\n")
    source, asked = open_source(tmp_path / "a.csv"), []
    rows = source.rows
    source.rows = lambda start=0: asked.append(start) or rows(start)
    assert [s.number for s in cut_shards(source, 2, {0, 1, 3}.__contains__)] == [2, 4]
    assert asked == [4]


def test_shards_are_taken_one_by_one():
    taken = []
    source = open_source(taken.append(k) or k for k in range(100))
    shards = cut_all_shards(source, 10)
    next(shards)
    assert len(taken) <= 11


def test_digests_are_those_of_the_content():
    def digest(*items):
        return Shard(0, 0, tuple(InputRow(str(k), x) for k, x in enumerate(items))).digest()

    assert digest("a", np.zeros(3)) == digest("a", np.zeros(3)) != digest("a", np.ones(3))
    with pytest.raises(lc.errors.OptionError, match=r"known by their content.* got object"):
        digest(object())
