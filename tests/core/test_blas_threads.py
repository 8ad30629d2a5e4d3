"""The linear algebra of the package runs on one thread, and models keep the number of threads that the user set."""

import os
import threading
import time

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

import lcshap as lc
from lcshap.core.blas_threads import one_blas_thread

CONTROLLER = ThreadpoolController().select(user_api="blas")


def thread_counts():
    return {library.get_num_threads() for library in CONTROLLER.lib_controllers}


@pytest.fixture(autouse=True)
def three_threads():
    """Set the number of threads as an environment variable would: no Python thread holds a limit of its own."""
    before = [library.get_num_threads() for library in CONTROLLER.lib_controllers]
    set_thread_counts([3] * len(before))
    assert thread_counts() == {3}, "the setting of three threads had no effect"
    yield
    set_thread_counts(before)


def set_thread_counts(counts):
    for library, count in zip(CONTROLLER.lib_controllers, counts, strict=True):
        library.set_num_threads(count)
        if hasattr(library, "clear_controlling_thread"):  # threadpoolctl 3.7 and later
            library.clear_controlling_thread()


def test_the_limit_ends_with_the_block():
    with one_blas_thread():
        assert thread_counts() == {1}
        with one_blas_thread():
            assert thread_counts() == {1}
        assert thread_counts() == {1}
    assert thread_counts() == {3}


def test_an_error_ends_the_limit():
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        _ = 1 / 0
    assert thread_counts() == {3}


def test_blocks_of_two_threads_that_overlap():
    """The block that began second ends last. It must not keep the limit that it found when it began."""
    first_entered, second_entered, first_left = threading.Event(), threading.Event(), threading.Event()
    counts = []

    def first():
        with one_blas_thread():
            first_entered.set()
            second_entered.wait(10)
            counts.append(thread_counts())
        first_left.set()

    def second():
        first_entered.wait(10)
        with one_blas_thread():
            second_entered.set()
            first_left.wait(10)

    threads = [threading.Thread(target=work) for work in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert counts == [{1}]
    assert thread_counts() == {3}
    with one_blas_thread():  # the next block sets the limit again
        assert thread_counts() == {1}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks on this system")
def test_a_child_that_was_forked_during_a_block_of_another_thread_has_no_limit():
    exit_codes = []

    def fork():
        child = os.fork()
        if child == 0:
            os._exit(0 if thread_counts() == {3} else 1)
        exit_codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    with one_blas_thread():
        thread = threading.Thread(target=fork)
        thread.start()
        thread.join(20)
        assert thread_counts() == {1}
    assert exit_codes == [0]


METHODS = [lc.GraphKernelSHAP(96), lc.KernelSHAP(96), lc.SampleShapley(96), lc.DeletionPath(48), lc.Shapley()]


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_the_model_keeps_its_threads(method):
    """Also between two steps of a generator, and when the model fails."""
    counts = []

    def model(rows):
        counts.append(thread_counts())
        if len(counts) > 4:
            raise RuntimeError("the model is down")
        return rows @ np.arange(12.0)

    explainer = lc.Explainer(model, lc.maskers.Tabular(np.zeros((1, 12))), method, kind="output", batch_size=16)
    estimates = explainer.stream(np.ones(12))
    with pytest.raises(lc.LcshapError):
        counts.extend(thread_counts() for _ in estimates)
    assert len(counts) == 5
    assert all(count == {3} for count in counts)
    assert thread_counts() == {3}


def test_plans_and_estimates_are_computed_on_one_thread(monkeypatch):
    """What uses BLAS most: the choice of pairs and the fit of the process."""
    from lcshap.core.method import PLAN_CACHE
    from lcshap.estimators.graph_kernel.estimator import GraphKernelEstimator
    from lcshap.estimators.graph_kernel_shap import GraphKernelSHAP

    counts = []

    def watch(owner, name):
        function = getattr(owner, name)

        def watched(*arguments):
            counts.append((name, thread_counts()))
            return function(*arguments)

        monkeypatch.setattr(owner, name, watched)

    watch(GraphKernelSHAP, "_plan")
    watch(GraphKernelEstimator, "estimate")
    PLAN_CACHE.clear()
    game = lc.Game(lambda kept: kept @ np.arange(20.0), 20)
    lc.GraphKernelSHAP(160).explain(game, lc.Graph.chain(20))
    assert counts == [("_plan", {1}), ("estimate", {1})]


def test_default_threads_take_no_more_processor_time():
    """Threads that wait in busy loops take processor time, so that the load of the machine does not matter much.

    The bound is generous: `benchmarks/threads.py` prints the ratios. Without the limit the ratio is above ten.
    """
    d, graph = 30, lc.Graph.chain(30)
    game = lc.Game(lambda kept: (kept[:, :-1] & kept[:, 1:]).sum(axis=1) ** 1.5, d)

    def seconds(threads):
        set_thread_counts([threads] * len(CONTROLLER.lib_controllers))
        start = time.process_time()
        lc.GraphKernelSHAP(240).explain(game, graph)
        return time.process_time() - start

    seconds(1)  # chooses the pairs, which are remembered
    times = {threads: min(seconds(threads) for _ in range(5)) for threads in (1, 4)}
    assert times[4] < 3 * times[1]
