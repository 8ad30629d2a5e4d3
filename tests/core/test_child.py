import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from lcshap.core.child import Child


def echo(channel, word):
    """Answer with a word; on "end" die in the way that is asked for."""
    while True:
        asked = channel.recv()
        if asked == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if isinstance(asked, int):
            os._exit(asked)
        channel.send(f"{word} {asked}")


@pytest.mark.parametrize(("death", "said"), [(3, "exit code 3"), ("kill", "signal SIGKILL (out of memory?)")])
def test_it_answers_and_says_how_it_ended(death, said):
    child = Child(echo, "so")
    child.connection.send("good")
    assert child.connection.recv() == "so good"
    child.connection.send(death)
    with pytest.raises(EOFError):
        child.connection.recv()
    assert child.exit_code == said
    child.end()


PARENT = """
import os, sys
sys.path.insert(0, {folder!r})
from test_child import echo
from lcshap.core.child import Child
if __name__ == "__main__":
    child = Child(echo, "so")
    child.connection.send("good")
    child.connection.recv()
    print(child.process.pid, flush=True)
    os._exit(0)
"""


def test_it_ends_with_the_process_that_started_it(tmp_path):
    program = tmp_path / "parent.py"
    program.write_text(PARENT.format(folder=os.path.dirname(__file__)))
    found = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=60)
    pid = int(found.stdout)
    end = time.monotonic() + 20
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < end, "it is still there"
        time.sleep(0.05)
