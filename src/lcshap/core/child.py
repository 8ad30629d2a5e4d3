"""A process that works for this one, with a pipe to it. It ends with this process, however that ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing import connection
from typing import Any

PATIENCE = 5.0  # seconds that a process has to end


class Child:
    """A new Python process that runs one function.

    Parameters
    ----------
    serve : the function, which can be imported from its module. It is called with its end of the pipe and with the
        arguments.
    arguments : what else it is called with; they are pickled.

    Attributes
    ----------
    connection : this process's end of the pipe. Its end is reached when the other process has ended.
    process : the other process.
    """

    def __init__(self, serve: Callable[..., None], *arguments: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_run, args=(serve, theirs, *arguments), daemon=True)
        self.process.start()
        theirs.close()  # so that the end of the process ends the connection

    @property
    def exit_code(self) -> str:
        """How the process ended, in words."""
        self.process.join(PATIENCE)
        code = self.process.exitcode
        if code is not None and code < 0:
            out = " (out of memory?)" if -code == signal.SIGKILL else ""
            return f"signal {signal.Signals(-code).name}{out}"
        return f"exit code {code}"

    def end(self) -> None:
        """End the process, in the middle of what it does."""
        self.process.terminate()
        self.process.join(PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.connection.close()


def _run(serve: Callable[..., None], *arguments: Any) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    serve(*arguments)


def _end_with_parent() -> None:
    """End at once when the main process does, also in the middle of some work."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
