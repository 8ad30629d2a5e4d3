import _thread
import asyncio
import gc
import json
import logging
import math
import selectors
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from email.utils import formatdate
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import lcshap as lc
from lcshap.adapters.remote import RemoteModel, is_async
from lcshap.adapters.sklearn import SklearnModel
from lcshap.errors import ModelError

TEXT = "not a bad film, but the end was dull and far too long"
PRAISE = ["a good film", "great fun", "not bad, a fine end", "a joy from start to end", "fun for all"]
BLAME = ["a bad film", "dull", "far too long", "the end was bad", "not good, not fun"]


@pytest.fixture(autouse=True)
def no_thread_is_left():
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) == before


@pytest.fixture(scope="module", autouse=True)
def no_socket_is_left():
    yield
    gc.collect()  # warns of what was not closed


@pytest.fixture(scope="module")
def pipeline():
    return make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(PRAISE + BLAME, [1] * 5 + [0] * 5)


def catch_failure(ask, rows, message, **options):
    """The model and the error of a call that fails."""
    with RemoteModel(ask, "output", **options) as model, pytest.raises(ModelError, match=message) as info:
        model.predict(rows)
    return model, info.value


# -- a real server ------------------------------------------------------------------------------------------------


class Server(ThreadingHTTPServer):
    """Answers lists of texts with their probabilities; `trouble` may spoil a request, by its number."""

    daemon_threads = False  # so that closing the server waits for the requests in it
    request_queue_size = 100

    def __init__(self, pipeline, trouble=lambda server, number: False):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pipeline, self.trouble = pipeline, trouble
        self.lock, self.free = threading.Lock(), threading.Event()
        self.number = self.active = self.most = 0
        self.answered = []
        self.arrived = []


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server = self.server
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.number += 1
            number = server.number
            server.active += 1
            server.most = max(server.most, server.active)
            server.arrived.append((time.monotonic(), texts))
        time.sleep(0.003)
        spoilt = server.trouble(server, number)
        with server.lock:
            server.active -= 1
            if not spoilt:
                server.answered += texts
        if spoilt:
            status, headers = spoilt
            self.reply(status, b"sorry", headers)
        else:
            self.reply(200, json.dumps(server.pipeline.predict_proba(texts).tolist()).encode(), {})

    def reply(self, status, body, headers):
        self.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@contextmanager
def serving(pipeline, trouble=lambda server, number: False):
    with Server(pipeline, trouble) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.free.set()
            server.shutdown()
            thread.join()


class HttpError(Exception):
    def __init__(self, status, retry_after=None):
        super().__init__(status)
        self.status, self.retry_after = status, retry_after


class RefusedError(HttpError):
    pass


def client(server):
    """An async function that posts texts to the server, with nothing but asyncio."""
    port = server.server_address[1]

    async def ask(texts):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            body = json.dumps(texts).encode()
            writer.write(b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            head, _, answer = (await reader.read()).partition(b"\r\n\r\n")
        finally:
            writer.close()
        first, *lines = head.decode().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        status = int(first.split()[1])
        if status != 200:
            raise (RefusedError if status == 401 else HttpError)(status, headers.get("Retry-After"))
        return json.loads(answer)

    return ask


def every_third(server, number):
    return (500, {}) if number % 3 == 0 else False


@pytest.mark.parametrize("options", [{}, {"rows_per_request": 5, "in_flight": 3}])
@pytest.mark.parametrize("method", [lc.LShapley(1), lc.DeletionPath(20)], ids=["plan", "path"])
def test_scores_are_those_of_the_local_model_although_every_third_request_fails(pipeline, method, options):
    with serving(pipeline, every_third) as server:
        with RemoteModel(client(server), "probabilities", backoff=0.001, retries=50, **options) as model:
            remote = lc.Explainer(model, lc.maskers.Text(), method)(TEXT)
        local = lc.Explainer(SklearnModel(pipeline), lc.maskers.Text(), method)(TEXT)
        assert remote.scores.tolist() == local.scores.tolist()
        assert len(server.answered) == remote.calls
        assert server.number == model.requests
        assert model.retried == model.requests // 3 > 0
        assert model.failed == 0
        assert server.most <= model.in_flight


def test_the_server_determines_how_long_to_wait(pipeline):
    with serving(pipeline, lambda server, number: number == 1 and (429, {"Retry-After": "0.2"})) as server:
        with RemoteModel(client(server), "probabilities", backoff=0) as model:
            assert model.predict([TEXT]).tolist() == pipeline.predict_proba([TEXT]).tolist()
        (first, _), (second, _) = server.arrived
        assert second - first >= 0.19  # the clocks of the two sides differ by their resolution
        assert (model.requests, model.retried, model.failed) == (2, 1, 0)


def test_a_server_that_never_answers(pipeline):
    with serving(pipeline, lambda server, number: server.free.wait(60) and (500, {})) as server:
        message = r"row 0 \('dull'\) had no answer in 2 tries.*within 0.05 s"
        model, error = catch_failure(client(server), ["dull"], message, timeout=0.05, retries=1, backoff=0)
    assert error.answers is None
    assert error.row == 0
    assert (model.requests, model.retried, model.failed) == (2, 1, 1)


def test_answers_are_kept_when_a_server_fails(pipeline):
    rows = [f"{a} and {b}" for a in PRAISE for b in BLAME]

    def die(server, number):
        if number == 12:
            server.shutdown()
            server.socket.close()
        return False

    with serving(pipeline, die) as server:
        options = {"in_flight": 3, "retries": 2, "backoff": 0.01, "timeout": 5}
        _, error = catch_failure(client(server), rows, "had no answer in 3 tries", **options)
        answered = np.isfinite(error.answers).all(axis=1)
        assert sorted(server.answered) == sorted(t for t, k in zip(rows, answered, strict=True) if k)
        assert 12 <= len(server.answered) <= 15
    expected = pipeline.predict_proba(rows)
    np.testing.assert_array_equal(error.answers[answered], expected[answered])
    assert np.isnan(error.answers[~answered]).all()


def test_resume_requests_only_missing_rows(pipeline):
    down = threading.Event()
    down.set()
    trouble = lambda server, number: number > 20 and down.is_set() and (503, {})  # noqa: E731
    with serving(pipeline, trouble) as server:
        with RemoteModel(client(server), "probabilities", in_flight=4, retries=1, backoff=0) as model:
            explainer = lc.Explainer(model, lc.maskers.Text(), lc.LShapley(1), batch_size=32)
            with pytest.raises(ModelError, match=r"coalition .*HttpError\(503\)") as info:
                explainer(TEXT)
            assert len(server.answered) == 20
            down.clear()
            resumed = explainer(TEXT, store=info.value.store)
        local = lc.Explainer(SklearnModel(pipeline), lc.maskers.Text(), lc.LShapley(1))(TEXT)
        assert resumed.scores.tolist() == local.scores.tolist()
        assert len(server.answered) == local.rows


def test_some_errors_are_not_worth_another_try(pipeline):
    with serving(pipeline, lambda server, number: (401, {})) as server:
        message = r"in 1 try, the last time: RefusedError\(401\)"
        _, error = catch_failure(client(server), ["dull"], message, fatal=(RefusedError,))
        assert server.number == 1
    assert isinstance(error.__cause__, RefusedError)


# -- a clock that jumps -------------------------------------------------------------------------------------------


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop that never waits for a timer: its clock jumps there."""

    def __init__(self):
        self.now = 100.0
        super().__init__(JumpingSelector(self))

    def time(self):
        return self.now


class JumpingSelector(selectors.SelectSelector):
    def __init__(self, loop):
        super().__init__()
        self.loop = loop

    def select(self, timeout=None):
        ready = super().select(0 if timeout else timeout)
        if timeout and not ready:
            self.loop.now += timeout
        return ready


@pytest.fixture
def jumping(monkeypatch):
    monkeypatch.setattr(asyncio, "new_event_loop", JumpingLoop)


class Recorder:
    """Answers after some seconds with the length of the rows, unless told what to raise; notes when each try began."""

    def __init__(self, seconds=0.0, errors=()):
        self.seconds, self.errors = seconds, list(errors)
        self.started, self.rows = [], []
        self.active = self.most = 0

    async def __call__(self, rows):
        self.started.append(asyncio.get_running_loop().time())
        self.rows.append(rows)
        self.active += 1
        self.most = max(self.most, self.active)
        try:
            await asyncio.sleep(self.seconds)
            if self.errors and (error := self.errors.pop(0)):
                raise error
            return [len(row) for row in rows]
        finally:
            self.active -= 1


def texts(n):
    return ["x" * k for k in range(n)]


@pytest.mark.usefixtures("jumping")
class TestTime:
    def test_requests_start_evenly_spaced_also_from_batch_to_batch(self):
        ask = Recorder(seconds=3.0)
        with RemoteModel(ask, "output", per_second=4, in_flight=50) as model:
            model.predict(texts(10))
            assert ask.started == pytest.approx([100 + k / 4 for k in range(10)])
            ask.seconds = 0
            model.predict(texts(3))  # the last batch ended at 105.25
            assert ask.started[10:] == pytest.approx([105.25, 105.5, 105.75])

    def test_further_tries_keep_the_pace_too(self):
        ask = Recorder(errors=[OSError()] * 3)
        with RemoteModel(ask, "output", per_second=0.5, backoff=0) as model:
            model.predict(texts(2))
        assert ask.started == pytest.approx([100, 102, 104, 106, 108])

    def test_without_a_pace_only_the_places_in_flight_count(self):
        ask = Recorder(seconds=2.0)
        with RemoteModel(ask, "output", in_flight=3) as model:
            model.predict(texts(8))
        assert ask.started == pytest.approx([100] * 3 + [102] * 3 + [104] * 2)
        assert ask.most == 3

    def test_places_are_shared_by_threads(self):
        ask = Recorder(seconds=2.0)
        with RemoteModel(ask, "output", in_flight=3) as model:
            threads = [threading.Thread(target=model.predict, args=(texts(8),)) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert ask.most == 3
        assert model.requests == 24

    def test_waits_double_give_or_take_half_and_are_the_same_at_every_run(self):
        runs = []
        for seed in (0, 0, 1):
            ask = Recorder(errors=[OSError()] * 10)
            with RemoteModel(ask, "output", retries=10, backoff=0.5, seed=seed) as model:
                model.predict(texts(1))
            runs.append(np.diff(ask.started))
        assert runs[0].tolist() == runs[1].tolist()
        assert (runs[0] != runs[2]).any()
        limits = 0.5 * 2.0 ** np.arange(10)
        assert (runs[0] >= np.minimum(60, 0.5 * limits) - 1e-9).all()
        assert (runs[0] <= np.minimum(60, 1.5 * limits) + 1e-9).all()

    @pytest.mark.parametrize(
        ("asked", "waited"), [(7, 7), ("7.5", 7.5), (60.0, 60), (100_000_000, 60), ("1e300", 60), (0, None), (-3, None)]
    )
    def test_retry_after_up_to_the_longest_wait(self, asked, waited):
        ask = Recorder(errors=[HttpError(429, asked)])
        with RemoteModel(ask, "output", backoff=0.5) as model:
            model.predict(texts(1))
        (gap,) = np.diff(ask.started)
        assert gap == pytest.approx(waited) if waited else 0.25 <= gap <= 0.75

    @pytest.mark.parametrize("limit", [0, 5, 1000])
    def test_the_longest_wait_is_an_option(self, limit):
        ask = Recorder(errors=[HttpError(429, 100), OSError()])
        with RemoteModel(ask, "output", backoff=300, longest_wait=limit) as model:
            model.predict(texts(1))
        waited = np.diff(ask.started)
        assert (waited <= limit + 1e-9).all()
        assert limit < 1000 or (waited > 100).all()

    @pytest.mark.parametrize("seconds", [20, 3000, -3000])
    @pytest.mark.parametrize("zone", ["GMT", "-0000"])
    def test_retry_after_a_date(self, seconds, zone):
        date = formatdate(time.time() + seconds, usegmt=True).replace("GMT", zone)
        ask = Recorder(errors=[HttpError(503, date)])
        with RemoteModel(ask, "output", backoff=0.5) as model:
            model.predict(texts(1))
        (gap,) = np.diff(ask.started)
        assert 0.25 <= gap <= 0.75 if seconds < 0 else min(seconds, 60) - 3 <= gap <= min(seconds, 60) + 1e-6

    @pytest.mark.parametrize("asked", ["soon", "Wed, 99 Oct 2026", b"no", [7], None, math.nan, math.inf, "inf"])
    def test_a_retry_after_that_is_neither_seconds_nor_a_date_is_none(self, asked):
        ask = Recorder(errors=[HttpError(429, asked)])
        with RemoteModel(ask, "output", backoff=0.5) as model:
            model.predict(texts(1))
        assert 0.25 <= np.diff(ask.started)[0] <= 0.75

    def test_every_try_has_its_own_timeout(self):
        ask = Recorder(seconds=1e6)
        catch_failure(
            ask, texts(1), r"in 3 tries, the last time: .*no answer within 30 s", timeout=30, retries=2, backoff=0
        )
        assert ask.started == pytest.approx([100, 130, 160])
        assert ask.active == 0

    def test_a_timeout_of_the_client_keeps_its_own_words(self):
        catch_failure(Recorder(errors=[TimeoutError("connect")] * 6), texts(1), r"TimeoutError\('connect'\)")

    def test_one_that_gives_up_ends_the_waits_of_the_others(self):
        """Two fail at once: one of them for good, the other is to be tried again in a thousand seconds."""
        ask = Recorder(errors=[HttpError(429, 1000), RefusedError(401)])
        model, _ = catch_failure(ask, texts(5), "row 1", in_flight=2, fatal=(RefusedError,))
        assert len(ask.started) == 2
        assert model.failed == 1

    def test_requests_in_flight_are_awaited_when_another_gives_up(self):
        async def ask(rows):
            await asyncio.sleep(len(rows[0]))
            if len(rows[0]) == 2:
                raise RefusedError(401)
            return [[len(rows[0]), 0.5]]

        _, error = catch_failure(ask, ["x", "xxxxx", "xx", "xxx", "x"], "row 2", in_flight=3, fatal=(RefusedError,))
        expected = [[1, 0.5], [5, 0.5], [np.nan] * 2, [3, 0.5], [np.nan] * 2]  # row 3 began when row 0 was there
        np.testing.assert_array_equal(error.answers, expected)

    def test_long_waits_are_warned_of(self, caplog):
        caplog.set_level(logging.INFO, "lcshap")
        with RemoteModel(Recorder(errors=[HttpError(429, 50), HttpError(500)]), "output", retries=2) as model:
            model.predict(texts(1))
        levels = [record.levelname for record in caplog.records]
        assert levels == ["WARNING", "INFO", "INFO"]
        assert caplog.messages[0] == "row 0, try 1: HttpError(429); again in 50.0 s"
        assert caplog.messages[2] == "1 rows; so far 3 requests, 2 of them again"


# -- answers ------------------------------------------------------------------------------------------------------


def answering(*answers):
    """An async function that gives these answers, one a request, then the length of the rows."""
    remaining = list(answers)

    async def ask(rows):
        return remaining.pop(0) if remaining else [len(row) for row in rows]

    return ask


def test_rows_travel_in_groups_as_they_are():
    ask = Recorder()
    with RemoteModel(ask, "output", rows_per_request=3, in_flight=1) as model:
        assert model.predict(texts(7)).tolist() == [[k] for k in range(7)]
        array = np.arange(12.0).reshape(4, 3)
        assert model.predict(array).tolist() == [[3]] * 4
    assert ask.rows[:3] == [["", "x", "xx"], ["xxx", "xxxx", "xxxxx"], ["xxxxxx"]]
    np.testing.assert_array_equal(ask.rows[3], array[:3])
    np.testing.assert_array_equal(ask.rows[4], array[3:])


def test_no_rows_need_no_request():
    with RemoteModel(Recorder(), "output") as model:
        assert model.predict([]).shape == (0, 1)
        assert model.requests == 0


@pytest.mark.parametrize("wrong", [[1.0, 2.0], [], [math.nan], [math.inf], [[1.0], [2.0]]])
def test_a_wrong_answer_is_tried_again(wrong):
    with RemoteModel(answering(wrong), "output", backoff=0) as model:
        assert model.predict(["abc"]).tolist() == [[3]]
        assert (model.requests, model.retried) == (2, 1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (None, r"Expected real numbers from .* for 1 rows, got None\. Does the function end without return"),
        (["high"], "Expected real numbers from .* for 1 rows"),
        ("abc", "Expected real numbers from .* for 1 rows"),
        ({"score": 1.0}, "Expected real numbers from .* for 1 rows"),
        ([1j], "Expected real numbers from .* for 1 rows, got complex128"),
        (3.0, r"for 1 rows, got \(\)"),
        ([[[1.0]]], r"for 1 rows, got \(1, 1, 1\)"),
        ([[1.0], [1.0, 2.0]], "Expected an array from .*, got list"),
        (np.ma.masked_array([1.0], [True]), r"masked entries, the first in row 0. Return numbers there"),
    ],
)
def test_a_mistake_in_the_function_is_not_tried_again(wrong, message):
    model, error = catch_failure(answering(wrong), ["abc"], rf"row 0 \('abc'\) had no answer in 1 try.*{message}")
    assert (model.requests, model.retried, model.failed) == (1, 0, 1)
    assert error.row == 0


def test_wrong_answers_to_the_end():
    ask, message = (
        answering([1.0], [math.nan], [math.nan]),
        r"row 1 \('xy'\) had no answer in 2 tries.*finite numbers.*nan",
    )
    _, error = catch_failure(ask, ["x", "xy", "xyz"], message, in_flight=1, backoff=0, retries=1)
    np.testing.assert_array_equal(error.answers, [[1.0], [np.nan], [np.nan]])
    assert error.row == 1


def test_all_answers_have_as_many_outputs():
    wide = [[1.0, 2.0]]
    with RemoteModel(answering(wide, [1.0], wide), "output", in_flight=1, backoff=0) as model:
        assert model.predict(["x", "y"]).tolist() == [[1, 2], [1, 2]]
    catch_failure(
        answering(wide), ["x", "y"], r"row 1 .*Expected 2 outputs .* as from others, got 1", in_flight=1, retries=0
    )


def test_an_error_about_a_group_names_the_group_on_one_short_line():
    async def ask(rows):
        raise OSError("<html>\n" + "very long " * 1000)

    _, error = catch_failure(ask, np.zeros((2, 2, 50)), r"rows 0 to 1 \(array", rows_per_request=2, retries=0)
    assert error.row is None
    assert "\n" not in str(error)
    assert len(str(error)) < 500


@pytest.mark.parametrize("error", [SystemExit(1), asyncio.CancelledError()])
def test_a_function_that_tries_to_leave_is_an_error_like_any_other(error):
    with RemoteModel(Recorder(errors=[error]), "output", backoff=0) as model:
        assert model.predict(["abc"]).tolist() == [[3]]
    catch_failure(Recorder(errors=[error]), ["abc"], type(error).__name__, retries=0)


# -- the thread ---------------------------------------------------------------------------------------------------


def test_it_works_inside_a_running_loop_and_keeps_its_own():
    loops = set()

    async def ask(rows):
        loops.add(asyncio.get_running_loop())
        return [len(row) for row in rows]

    async def notebook():
        return model.predict(["abc"]).tolist(), asyncio.get_running_loop()

    with RemoteModel(ask, "output") as model:
        answers, outer = asyncio.run(notebook())
        assert answers == [[3]]
        assert model.predict(["ab"]).tolist() == [[2]]
    assert len(loops) == 1
    assert outer not in loops


def test_ctrl_c_stops_the_requests_and_keeps_the_answers():
    stopped = []

    async def ask(rows):
        if rows == ["slow"]:
            _thread.interrupt_main()
            try:
                await asyncio.sleep(60)
            finally:
                stopped.append(rows)
        return [len(rows[0])]

    with RemoteModel(ask, "output", in_flight=1) as model:
        with pytest.raises(KeyboardInterrupt) as info:
            model.predict(["a", "slow", "b"])
        assert stopped == [["slow"]]
        np.testing.assert_array_equal(info.value.answers, [[1], [np.nan], [np.nan]])
        assert model.predict(["ab"]).tolist() == [[2]]


def test_closing_during_a_call():
    asked, caught = threading.Event(), []

    async def ask(rows):
        if rows == ["slow"]:
            asked.set()
            await asyncio.sleep(60)
        return [len(rows[0])]

    def predict():
        with pytest.raises(
            ModelError, match="Expected the remote model to stay open while it was being asked, got closed"
        ) as info:
            model.predict(["a", "slow"])
        caught.append(info.value.answers)

    model = RemoteModel(ask, "output", in_flight=1)
    thread = threading.Thread(target=predict)
    thread.start()
    asked.wait()
    model.close()
    thread.join()
    np.testing.assert_array_equal(caught, [[[1], [np.nan]]])
    model.close()
    with pytest.raises(ModelError, match="Expected an open remote model, got a closed one"):
        model.predict(["a"])


def test_a_lost_model_ends_its_thread():
    model = RemoteModel(Recorder(), "output")
    before = threading.active_count()
    model.predict(["a"])
    assert threading.active_count() == before + 1
    del model
    gc.collect()
    assert threading.active_count() == before


class Session:
    """A client as users write it: it connects when it is first called, and can be closed."""

    def __init__(self, problem=None):
        self.loop, self.closed, self.problem = None, False, problem

    async def __call__(self, rows):
        self.loop = self.loop or asyncio.get_running_loop()
        return await asyncio.to_thread(lambda: [len(row) for row in rows])

    async def aclose(self):
        self.closed = asyncio.get_running_loop() is self.loop
        if self.problem:
            raise self.problem


def test_clients_that_block_have_a_thread_each():
    together = threading.Barrier(40, timeout=30)

    async def ask(rows):
        return [await asyncio.to_thread(together.wait)]

    with RemoteModel(ask, "output", in_flight=40, retries=0) as model:
        assert sorted(model.predict(texts(40)).ravel()) == list(range(40))


def test_a_session_is_closed_in_its_own_loop(caplog):
    session = Session()
    with RemoteModel(session, "output") as model:
        model.predict(texts(20))
        model.predict(texts(20))
        assert not session.closed
    assert session.closed
    with RemoteModel(Session(OSError("gone")), "output") as model:
        model.predict(["a"])
    assert caplog.messages == ["closing the remote model: OSError('gone')"]


def test_a_program_that_forgets_to_close_ends_cleanly():
    program = """
import asyncio
from lcshap.adapters.remote import RemoteModel

class Client:
    async def __call__(self, rows):
        return await asyncio.to_thread(list, map(len, rows))

    async def aclose(self):
        print("closed")

model = RemoteModel(Client(), "output")
print(model.predict(["a", "abc"]).tolist())
"""
    ended = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, timeout=60)
    assert (ended.stdout.split("\n"), ended.stderr) == (["[[1.0], [3.0]]", "closed", ""], "")
    assert ended.returncode == 0


# -- what it costs and what it takes ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "1,200 calls, 1,200 requests"),
        (
            {"price": 0.0003, "per_second": 10},
            "1,200 calls, 1,200 requests, about 0.36 (price 0.0003 a call), at least 120 s at 10 a second",
        ),
        ({"rows_per_request": 7, "price": 2}, "1,200 calls, 172 requests, about 2,400.00 (price 2 a call)"),
        ({"price": 2e-6}, "1,200 calls, 1,200 requests, about 0.002 (price 2e-06 a call)"),
        ({"rows_per_request": 1200, "per_second": 0.5}, "1,200 calls, 1 requests, at least 0 s at 0.5 a second"),
    ],
)
def test_cost(options, text):
    assert RemoteModel(Recorder(), "output", **options).cost(1200) == text


def test_batches_keep_the_requests_in_flight_busy():
    model = RemoteModel(Recorder(), "output", rows_per_request=10, in_flight=4)
    assert model.batch_size % 40 == 0
    assert model.batch_size > 40


def test_async_functions_are_known():
    class Plain:
        def __call__(self, rows):
            return rows

    async def ask(rows, key):
        return rows

    assert all(map(is_async, [ask, partial(ask, key=1), Recorder(), Recorder().__call__, Session().aclose]))
    assert not any(map(is_async, [len, Plain(), 3, None, Recorder, lambda rows: rows]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fn": len}, "Expected an async function of rows, got len"),
        ({"fn": partial(len, "a key")}, "Expected an async function of rows, got partial"),
        ({"longest_wait": -1}, "Expected longest_wait as a number of at least 0, got -1"),
        ({"kind": None}, 'a remote model does not declare what its numbers are: set kind="logits"'),
        ({"kind": "scores"}, "Expected a known kind, got 'scores'"),
        ({"rows_per_request": 0}, "Expected rows_per_request as an integer of at least 1, got 0"),
        ({"in_flight": 2.5}, r"Expected in_flight as an integer of at least 1, got 2\.5"),
        ({"retries": -1}, "Expected retries as an integer of at least 0, got -1"),
        ({"seed": None}, "Expected seed as an integer of at least 0, got None"),
        ({"per_second": 0}, "Expected per_second as a positive number, got 0"),
        ({"timeout": None}, "Expected timeout as a positive number, got None"),
        ({"timeout": math.inf}, "Expected timeout as a positive number, got inf"),
        ({"backoff": -1}, "Expected backoff as a number of at least 0, got -1"),
        ({"price": "1"}, "Expected price as a number of at least 0, got '1'"),
        ({"fatal": OSError}, "Expected fatal as a tuple of exception classes, got <class 'OSError'>"),
        ({"fatal": (OSError(),)}, r"Expected fatal as a tuple of exception classes, got \(OSError\(\),\)"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ModelError, match=message):
        RemoteModel(**{"fn": Recorder(), "kind": "output", **options})


def test_classes_name_the_targets(pipeline):
    names = ["blame", "praise"]
    with serving(pipeline) as server, RemoteModel(client(server), "probabilities", classes=names) as model:
        e = lc.Explainer(model, lc.maskers.Text(), lc.FeatureAblation(), target="praise")(TEXT)
    assert e.provenance["targets"] == ["praise"]
    assert e.provenance["model"] == "RemoteModel"


# -- mistakes in the function, which no try mends ------------------------------------------------------------------


@pytest.mark.parametrize("error", [TypeError("no"), NameError("no"), KeyError("scores"), AttributeError("no")])
def test_an_exception_of_a_mistake_is_raised_at_once_if_nothing_was_ever_answered(error):
    async def ask(rows):
        raise error

    model, raised = catch_failure(ask, ["abc"], rf"had no answer in 1 try.*{type(error).__name__}")
    assert (model.requests, raised.__cause__) == (1, error)


def test_after_an_answer_it_is_the_server_that_is_out_of_order():
    asked = []

    async def ask(rows):
        asked.append(rows)
        return {}["scores"] if len(asked) == 2 else [1.0]

    with RemoteModel(ask, "output", in_flight=1, backoff=0) as model:
        np.testing.assert_array_equal(model.predict(["a", "b"]), [[1], [1]])
    assert (model.requests, model.retried) == (3, 1)


def test_a_wrong_number_of_answers_that_comes_twice_is_a_mistake():
    async def ask(rows):
        return [1.0] * (len(rows) + 1)

    model, _ = catch_failure(ask, ["abc"], r"had no answer in 2 tries.*for 1 rows, got \(2,\)", backoff=0)
    assert model.requests == 2
