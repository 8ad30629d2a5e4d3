import gc
import tracemalloc

import numpy as np
import pytest

import lcshap as lc
from bulk_models import TEXTS, explainer
from lcshap.bulk import explain_dataset, folder, load


@pytest.fixture
def run(tmp_path, in_process):
    """A run of three parts with an input that failed."""
    explain_dataset([*TEXTS[:4], "", *TEXTS[4:7]], explainer, tmp_path, shard_rows=3)
    return tmp_path


def rows(xs):
    return [e.provenance["row"] for e in xs]


EXPECTED = [0, 1, 2, 3, 5, 6, 7]


def test_it_is_a_set_whose_inputs_are_those_of_a_list(run):
    xs = load(run)
    assert isinstance(xs, lc.Explanations)
    listed = list(xs)
    assert len(xs) == len(listed) == 7
    assert rows(xs) == EXPECTED
    for some in (slice(1, 6, 2), slice(None, None, -1), [5, 0, 5], np.arange(7) % 2 == 0, slice(3, 3)):
        assert rows(xs[some]) == np.array(EXPECTED)[some].tolist()
    assert rows([xs[k] for k in (-1, 0, 4, 3)]) == [7, 0, 5, 3]
    assert xs == listed
    assert xs.errors == {}
    with pytest.raises(IndexError):
        _ = xs[7]


def test_parts_are_read_when_they_are_needed(run, monkeypatch):
    read = []
    original = folder.read_rows
    monkeypatch.setattr(folder, "read_rows", lambda path, *rest: read.append(path[-9]) or original(path, *rest))
    xs = load(run)
    some = xs[2:]
    assert len(xs) == 7
    assert "when they are needed" in repr(xs)
    assert read == []
    _ = xs[6], xs[5]
    assert read == ["2"]
    next(iter(some))
    assert read == ["2", "0"]
    assert some.base_values.shape == (5,)
    count = len(read)
    assert some.predictions.shape == (5,)
    assert len(read) == count
    assert "units" in repr(some)


def test_iterating_keeps_nothing_in_memory(tmp_path, in_process):
    def peak(read):
        gc.collect()
        tracemalloc.start()
        read(load(tmp_path))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    explain_dataset(TEXTS[:2] * 150, explainer, tmp_path, shard_rows=20)
    first = peak(lambda xs: next(iter(xs)))
    assert peak(lambda xs: [None for _ in xs]) - first < 0.2 * (peak(list) - first)


def test_a_failed_input_raises_if_it_is_asked_for(run):
    xs = load(run, errors="raise")
    assert xs[0].provenance["row"] == 0
    with pytest.raises(lc.errors.BulkError, match="Row 4"):
        list(xs)


def test_explanations_spread_evenly(run):
    assert rows(load(run, max_explanations=3)) == [0, 3, 7]
    assert rows(load(run, max_explanations=99)) == EXPECTED
    with pytest.raises(lc.errors.OptionError, match="at least 1"):
        load(run, max_explanations=0)
