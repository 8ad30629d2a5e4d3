"""Explainers and engines for tests of runs over data sets; workers import this module by its name."""

import os
import signal
import time
import zlib
from pathlib import Path

import numpy as np

import lcshap as lc
from lcshap.bulk.shard_tasks import ShardTask
from lcshap.bulk.worker import Worker

TEXTS = [f"id{k} " + " ".join(f"w{(7 * k + 3 * j) % 11}" for j in range(2 + k % 6)) for k in range(40)]


def harsh(texts):
    """A model whose answers depend on all rows of the batch, so that any other make-up of batches is noticed.

    What it is asked about is noted in the file LCSHAP_TEST_LOG (with LCSHAP_TEST_PIDS, also by which process). It takes
    LCSHAP_TEST_SLEEP seconds a batch. A text with
    the word "killer" kills the process, as often as LCSHAP_TEST_DEATHS, the name of a file, has letters left. A text
    with the word "stopper" stops the process likewise, and one with "deadly" always kills it.
    """
    if log := os.environ.get("LCSHAP_TEST_LOG"):
        marks = {word for text in texts for word in text.split() if word.startswith("id")}
        with open(log, "a", encoding="utf-8") as file:
            pid = [str(os.getpid())] if "LCSHAP_TEST_PIDS" in os.environ else []
            file.write(" ".join([*pid, *sorted(marks)]) + "\n")
    time.sleep(float(os.environ.get("LCSHAP_TEST_SLEEP", 0)))
    for word, name in (("killer", "SIGKILL"), ("stopper", "SIGSTOP")):
        if (deaths := os.environ.get("LCSHAP_TEST_DEATHS")) and any(word in text for text in texts):
            left = Path(deaths).read_text()
            if left:
                Path(deaths).write_text(left[1:])
                os.kill(os.getpid(), getattr(signal, name))
    if any("deadly" in text for text in texts):
        os.kill(os.getpid(), signal.SIGKILL)
    if any("broken" in text for text in texts):
        raise ConnectionError("the service is gone")
    batch = zlib.crc32("\n".join(texts).encode()) / 2**32
    return [sum(zlib.crc32(word.encode()) % 97 for word in text.split()) / 7 + batch * 1e-6 for text in texts]


def explainer(**options):
    """Words by KernelSHAP, in batches of 16."""
    given = {"method": lc.KernelSHAP(24), "kind": "output", "model_name": "harsh", "batch_size": 16, **options}
    return lc.Explainer(harsh, lc.maskers.Text(), **given)


def another():
    """The same under another name."""
    return explainer(model_name="another")


def more_calls():
    """The same with more calls."""
    return explainer(method=lc.KernelSHAP(32))


def stored():
    """The same with a store, in the file LCSHAP_TEST_STORE."""
    return explainer(store=os.environ["LCSHAP_TEST_STORE"])


def nameless():
    """A function without a name."""
    return explainer(model_name=None)


def no_explainer():
    """What is no factory."""
    return 3


class TrapError(Exception):
    """An exception with attributes of the names that errors of lcshap have, which are of any type or raise errors."""

    def __init__(self, row):
        super().__init__("the service is gone")
        self.given = row

    @property
    def row(self):
        if self.given == "raise":
            raise RuntimeError("a trap")
        return self.given

    answers = "nothing"


def trapped(texts):
    """A model that is down, and says so by the exception that the text names."""
    raise TrapError({"number": 10**6, "text": "x", "list": [1]}.get(texts[-1].split()[0], texts[-1].split()[0]))


def traps():
    """Words by a model that is down."""
    return lc.Explainer(trapped, lc.maskers.Text(), "shapley", kind="output", model_name="trap", batch_size=16)


def several():
    """A table whose model has two outputs, both of which are explained."""
    return lc.Explainer(two, lc.maskers.Tabular(np.zeros(3)), "shapley", kind="output", target="all", model_name="two")


def opinion(texts):
    """Two classes, by the words good and bad."""
    scores = np.array([text.count("good") - text.count("bad") for text in texts], float)
    return np.stack([-scores, scores], axis=1)


def opinions():
    """Words, for and against."""
    options = {"kind": "logits", "classes": ["no", "yes"], "model_name": "opinion"}
    return lc.Explainer(opinion, lc.maskers.Text(), "shapley", **options)


def opinion_losses():
    """Words, by how far the opinion is from the true one."""
    options = {"kind": "logits", "classes": ["no", "yes"], "model_name": "opinion", "value": lc.values.Loss()}
    return lc.Explainer(opinion, lc.maskers.Text(), "shapley", **options)


def costly():
    """A model that knows its price."""

    class Priced(lc.adapters.CallableModel):
        def cost(self, calls):
            return f"about {calls * 0.01:.2f} for {calls:,} rows"

    model = Priced(harsh, "output")
    return lc.Explainer(model, lc.maskers.Text(), lc.KernelSHAP(24), model_name="priced", batch_size=16)


def two(rows):
    """Two numbers a row."""
    return np.stack([rows.sum(axis=1), rows[:, 0] * rows[:, 1]], axis=1)


class InProcess:
    """An engine without processes, for tests of everything else."""

    def __init__(self, work):
        self.worker = Worker(work)

    def describe(self):
        return self.worker.describe()

    def run(self, tasks):
        for task in tasks:
            assert isinstance(task, ShardTask)
            yield self.worker.explain(*task.arguments)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass


def parts(folder):
    """The bytes of all parts, by their names."""
    return {path.name: path.read_bytes() for path in sorted((Path(folder) / "parts").iterdir())}


def nearly_complete():
    """A sum that is five times as strong while at most two of twelve columns are missing."""

    def predict(rows):
        rows = np.asarray(rows)
        return np.where((rows != 0).sum(axis=1) >= 10, 5.0, 1.0) * (rows @ np.linspace(-1.0, 2.0, 12))

    method = lc.GraphKernelSHAP(16 * 12)
    return lc.Explainer(predict, lc.maskers.Tabular(np.zeros((1, 12))), method, kind="output", model_name="complete")
