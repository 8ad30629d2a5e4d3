"""How many rows to send at once."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from lcshap.evaluation import batch_size
from lcshap.evaluation.batch_size import BatchSize


class HashableModel:
    pass


def costs(name):
    """What a row takes at a size; at those below 16 that are not measured, more."""
    return lambda size: MEASURED[name].get(size, 1.3 * MEASURED[name][16])


def search(cost, size=None, disturbed=()):
    """The sizes that are used until one is settled; some of the batches take five times as long."""
    size = size or BatchSize(HashableModel())
    used = []
    while not size.search_finished:
        now = size.next
        used.append(now)
        size.learn(now, now, now * cost(now) * (5.0 if len(used) - 1 in disturbed else 1.0))
    return used, size.best


# What a row took at each size over the best one, measured by benchmarks/batch_size.py.
MEASURED = {
    "mnist-cnn": {16: 1.93, 32: 1.48, 64: 1.23, 128: 1.10, 256: 1.03, 512: 1.00, 1024: 1.0},
    "word-cnn": {16: 1.09, 32: 1.00, 64: 1.02, 128: 1.50, 256: 1.78, 512: 1.97, 1024: 2.0},
    "lstm": {16: 1.12, 32: 1.11, 64: 1.00, 128: 1.12, 256: 1.25, 512: 1.27, 1024: 1.3},
    "fastest at 16": {16: 1.0, 32: 1.1, 64: 1.5, 128: 1.5, 256: 1.5, 512: 1.5, 1024: 1.5},
    "224x224 CNN": {1: 1.2, 2: 1.06, 4: 1.0, 8: 1.02, 16: 1.25, 32: 1.8, 64: 2.2},
    "flat": dict.fromkeys((16, 32, 64, 128, 256, 512, 1024), 1.0),
}


@pytest.mark.parametrize("name", MEASURED)
def test_within_five_percent_of_the_best(name):
    cost = MEASURED[name]
    used, best = search(costs(name))
    assert cost[best] <= 1.05
    assert cost[best] <= 1.05 * cost[16]
    assert sum(used) <= 10 * max(used) + 9 * 16


@pytest.mark.parametrize("name", MEASURED)
def test_a_disturbed_batch_makes_it_no_worse_than_sixteen_rows(name):
    cost = MEASURED[name]
    for batch in range(len(search(costs(name))[0])):
        _, best = search(costs(name), disturbed=(batch,))
        assert costs(name)(best) <= 1.05 * cost[16]
        assert costs(name)(best) <= 1.3


def test_the_sizes_in_turn():
    used, best = search(costs("word-cnn"))
    assert used == [16, 32, 16, 32, 16, 32, 32, 64, 32, 64, 32, 64, 32, 128, 128, *[32, 16] * 3]  # close ones thrice
    assert best == 32
    assert search(costs("fastest at 16")) == ([16, 32, 16, 32, 16, 64, 64, 16, 8, 8], 16)


def test_the_batch_size_is_remembered():
    model = HashableModel()
    _, best = search(costs("lstm"), BatchSize(model))
    assert BatchSize(model).next == best == 64
    assert BatchSize(model, fixed=7).next == 7
    assert BatchSize(HashableModel()).next == 16


def test_a_large_size_is_not_tried_with_too_few_rows():
    size = BatchSize(HashableModel())
    size.learn(16, 16, 1.0)
    assert (size.next, size.next_for(64), size.next_for(63)) == (32, 32, 16)


def test_threads_may_learn_the_size_at_once():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(100):
            size = BatchSize(object())

            def learn(_, size=size):
                for _ in range(30):
                    rows = size.next
                    size.learn(rows, rows, 1.0 + rows / 1000)

            with ThreadPoolExecutor(8) as pool:
                list(pool.map(learn, range(8)))
            assert size.search_finished
            assert size.next >= 1
    finally:
        sys.setswitchinterval(before)


def test_the_clock_leaves_out_what_other_programs_took(tmp_path, monkeypatch):
    schedstat = tmp_path / "schedstat"
    monkeypatch.setattr(batch_size, "_SCHEDSTAT_PATH", str(schedstat))
    schedstat.write_text("5000000000 0 7\n")
    begin, plain = batch_size.clock(), time.perf_counter()
    schedstat.write_text("5000000000 3000000000 9\n")  # three seconds without a processor since
    apart = batch_size.clock() - begin - (time.perf_counter() - plain)
    assert apart == pytest.approx(-3.0, abs=0.5)


@pytest.mark.parametrize("text", [None, "", "nothing"])
def test_without_the_waiting_time_it_is_the_wall_clock(tmp_path, monkeypatch, text):
    if text is not None:
        (tmp_path / "schedstat").write_text(text)
    monkeypatch.setattr(batch_size, "_SCHEDSTAT_PATH", str(tmp_path / "schedstat"))
    before = time.perf_counter()
    assert before <= batch_size.clock() <= time.perf_counter()


def test_an_unfinished_search_continues_in_the_next_run():
    model, cost = HashableModel(), costs("lstm")
    uninterrupted, best = search(cost)
    used = []
    while not (size := BatchSize(model)).search_finished:  # runs of three batches each
        for _ in range(3):
            if not size.search_finished:
                used.append(size.next)
                size.learn(size.next, size.next, size.next * cost(size.next))
    assert (used, size.best) == (uninterrupted, best)
    assert BatchSize(model, fixed=7).next == 7
