import subprocess
import sys

import pytest

import lcshap as lc
from lcshap.bulk.lock import is_locked, locked


def test_one_holder_at_a_time(tmp_path):
    path = tmp_path / ".lock"
    assert not is_locked(path)
    with locked(path):
        assert is_locked(path)
        with pytest.raises(lc.errors.BulkError, match=r"no other process at work"), locked(path):
            pass
    assert not is_locked(path)


def test_a_killed_process_releases_the_lock(tmp_path):
    path = tmp_path / ".lock"
    code = "import sys, time; from pathlib import Path; from lcshap.bulk.lock import locked\n"
    code += "with locked(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"held\n"
    assert is_locked(path)
    process.kill()
    process.communicate()
    assert not is_locked(path)
