"""Jobs run in processes of their own, are counted at the game, end in time, and are not done twice."""

import sys

import numpy as np
import pytest
from benchmarks.harness.game import Bench
from benchmarks.harness.masking import AREAS, areas
from benchmarks.harness.results import Results
from benchmarks.harness.runner import Job, Runner, covered
from benchmarks.harness.tables import Table
from benchmarks.harness.truth import Truth, exact
from benchmarks.harness.versions import code_version

D = 6
GAME = Bench("toy-0", "toy", D, Table(np.random.default_rng(1).normal(size=2**D)))


@pytest.fixture
def runner(tmp_path):
    runner = Runner(tmp_path, [sys.executable], limit=60)
    yield runner
    runner.close()


def test_ours_and_a_peer_on_one_game(runner):
    jobs = [Job("auto", GAME, 5 * D, 0), Job("shapiq KernelSHAP", GAME, 5 * D, 0), Job("auto", GAME, 2**D, 0)]
    runner.run(jobs, progress=False)
    ours, peer, exact = list(runner.results)
    assert ours["calls"] <= 5 * D
    assert ours["version"] == code_version()
    assert 0 <= ours["covered"] <= 1
    assert peer["error"] == ""
    assert peer["rows"] >= peer["calls"] > 2
    assert peer["mse"] > 0
    assert exact["mse"] < 1e-20
    assert exact["calls"] == 2**D


def test_what_is_done_is_not_done_again(runner, tmp_path):
    jobs = [Job("SampleShapley", GAME, 30, seed) for seed in range(3)]
    runner.run(jobs[:2], progress=False)
    again = Runner(tmp_path, [], limit=60)
    assert list(again.missing(jobs)) == jobs[2:]
    changed = Bench("toy-0", "toy", D, Table(np.ones(2**D)))
    assert list(again.missing([Job("SampleShapley", changed, 30, 0)]))


def test_late_and_broken_processes_are_results_too(runner):
    runner.limit = 2.0
    late = Job("lc.Shapley() if sum(range(10**11)) else 0", GAME, 64, 0)
    dead = Job("lc.Shapley() if __import__('os')._exit(3) else 0", GAME, 64, 0)
    wrong = Job("lc.NoSuchMethod({budget})", GAME, 64, 0)
    records = [runner.do(job) for job in (late, dead)]
    runner.limit = 60.0
    records += [runner.do(job) for job in (wrong, Job("lc.Shapley()", GAME, 64, 0), late)]
    told = [record["error"] for record in records]
    assert told[0] == "time limit of 2 s"
    assert told[1] == "the process ended"
    assert told[2].startswith("AttributeError")
    assert records[3]["mse"] < 1e-20  # a new process took over
    assert told[4].startswith("not run: too late")


def test_memory_and_processor_time_are_those_of_the_job(runner):
    large = "lc.Shapley() if __import__('numpy').ones(2**25).sum() else 0"  # 256 MB, for a moment
    for _ in range(2):  # the second job starts from nothing, too
        record = runner.do(Job(large, GAME, 64, 0))
        assert 250 < record["peak_mb"] < 330
        assert runner.do(Job("SampleShapley", GAME, 30, 0))["peak_mb"] < 30
    idle = runner.do(Job("lc.Shapley() if not __import__('time').sleep(1.5) else 0", GAME, 64, 0))
    assert idle["own_seconds"] < 1


def test_masking_areas_belong_to_the_answer(runner):
    record, known = runner.do(Job("auto", GAME, 2**D, 0)), exact(GAME.fn.values).scores
    wanted = areas(GAME, known, np.abs(known).sum())
    assert {name: record[name] for name in AREAS} == pytest.approx(wanted)


def test_pairs_are_judged(runner):
    record = runner.do(Job("lc.LShapley(6, interactions=True)", GAME, 64, 0))
    assert record["pair_mse"] < 1e-20


def test_an_incomplete_line_is_dropped_and_the_next_is_kept(tmp_path):
    results = Results(tmp_path)
    record = dict.fromkeys(("game", "digest", "contestant", "version"), "a") | {"budget": 1, "seed": 0}
    results.add(record, "peers")
    with (tmp_path / "peers.jsonl").open("a") as file:
        file.write('\n{"game": "b", "di')
    Results(tmp_path).add({**record, "seed": 1}, "peers")
    assert [r["seed"] for r in Results(tmp_path)] == [0, 1]


def test_coverage_of_intervals_with_an_uncertain_truth():
    rng, many = np.random.default_rng(3), 40_000
    for noise in (0.0, 0.5, 2.0):  # of the truth, where an estimate has an error of 1
        scores, known = rng.normal(size=many), Truth(noise * rng.normal(size=many), np.full(many, noise))
        assert covered(scores, scores - 1.96, scores + 1.96, known) == pytest.approx(0.95, abs=0.005)
    sure = Truth(np.zeros(2), np.zeros(2))
    assert covered(np.zeros(2), np.zeros(2), np.zeros(2), sure) == 1.0
    assert covered(np.array([1.0, -3.0]), np.array([0.5, -4.0]), np.array([9.0, 0.0]), sure) == 0.5  # sides may differ
