import os
import signal
import subprocess
import sys
import time

import pytest

import lcshap as lc
from bulk_models import TEXTS, explainer, parts
from lcshap.bulk import explain_dataset, shard_timeout
from lcshap.bulk.shard_timeout import ShardTimeout, StoppedProcesses, is_stopped

STOPPER = [*TEXTS[:8], "stopper id8 w1", *TEXTS[9:14]]


@pytest.fixture
def clock(monkeypatch):
    """The time of the machine, which a test sets."""
    seconds = [0.0]
    monkeypatch.setattr(shard_timeout.time, "monotonic", lambda: seconds[0])
    return seconds


def test_the_default_is_ten_times_the_slowest_shard_and_at_least_ten_minutes(clock):
    timeout = ShardTimeout()
    assert timeout.limit is None
    assert timeout.overrun(-1e9) is None
    timeout.record(5.0)
    assert timeout.limit == 600.0
    timeout.record(100.0)
    timeout.record(70.0)
    assert timeout.limit == 1000.0
    for clock[0] in range(0, 1002, 3):
        assert (timeout.overrun(0.0) is None) == (clock[0] <= 1000)
    assert timeout.overrun(0.0) is None
    clock[0] += 2
    assert "longer than 1,000 s" in timeout.overrun(0.0)


def test_time_in_which_this_process_was_stopped_does_not_count(clock):
    timeout = ShardTimeout(50.0)
    started = timeout.now()
    clock[0] = 3600.0
    assert timeout.overrun(started) is None
    assert timeout.now() == 20.0


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan"), True, "60"])
def test_invalid_limits_are_refused(seconds):
    with pytest.raises(lc.errors.OptionError, match="shard_timeout as a number of seconds above 0"):
        ShardTimeout(seconds)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_stopped_processes_are_recognized_after_a_minute(clock):
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
    try:
        stopped = StoppedProcesses(ShardTimeout())
        assert stopped.reason(process.pid) is None
        os.kill(process.pid, signal.SIGSTOP)
        while not is_stopped(process.pid):
            time.sleep(0.01)
        reasons = []
        for clock[0] in range(0, 80, 10):
            reasons.append(stopped.reason(process.pid))
        assert [reason is None for reason in reasons] == [True] * 6 + [False] * 2
        assert reasons[-1] == "it was stopped for 70 s"
        os.kill(process.pid, signal.SIGCONT)
        while is_stopped(process.pid):
            time.sleep(0.01)
        assert stopped.reason(process.pid) is None
    finally:
        process.kill()
        process.wait()
    assert not is_stopped(process.pid)


def test_a_worker_that_is_stopped_is_replaced(tmp_path, monkeypatch):
    """By the limit of the user, twice; the third time the shard is finished. The result is that of a quiet run."""
    deaths = tmp_path / "deaths"
    deaths.write_text("..")
    monkeypatch.setenv("LCSHAP_TEST_DEATHS", str(deaths))
    options = {"workers": 2, "shard_rows": 6}
    done = explain_dataset(STOPPER, explainer, tmp_path / "one", **options, shard_timeout=12.0)
    assert deaths.read_text() == ""
    assert (done.rows, done.failed, done.complete) == (14, 0, True)
    explain_dataset(STOPPER, explainer, tmp_path / "two", **options)
    assert parts(tmp_path / "one") == parts(tmp_path / "two")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_worker_that_is_stopped_in_the_first_shard_is_replaced_without_a_limit(tmp_path, monkeypatch):
    deaths = tmp_path / "deaths"
    deaths.write_text(".")
    monkeypatch.setenv("LCSHAP_TEST_DEATHS", str(deaths))
    monkeypatch.setattr(shard_timeout, "_STOPPED_SECONDS", 2.0)
    assert explain_dataset(STOPPER[8:], explainer, tmp_path / "out", workers=1, shard_rows=6).complete
    assert deaths.read_text() == ""
