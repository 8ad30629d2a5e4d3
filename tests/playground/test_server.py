import signal
import subprocess
import sys
import threading

import httpx
import pytest

import lcshap as lc

PROGRAM = """
import time
import lcshap as lc
def model(texts):
    time.sleep(0.01)
    return [float(len(t)) for t in texts]
lc.serve(lc.Explainer(model, lc.maskers.Text(), kind="output"), ["to be"])
print("after")
"""


def test_it_ends_with_its_block(explainer):
    with lc.serve(explainer, block=False) as playground:
        origin = playground.url.partition("?")[0]
        assert httpx.get(playground.url, follow_redirects=False).status_code == 303
    with pytest.raises(httpx.HTTPError):
        httpx.get(origin)
    assert not any(thread.name == "lcshap server" for thread in threading.enumerate())


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "in the middle of a run"])
def test_ctrl_c_ends_it_cleanly(busy):
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        url = process.stderr.readline().split()[-1]
        with httpx.Client(base_url=url.partition("?")[0], timeout=20) as client:
            client.get(url)
            sent = {"input": {"text": " ".join(map(str, range(100)))}, "columns": [{}]}
            headers = {"Origin": url.partition("/?")[0]}
            if busy:
                with client.stream("POST", "/api/explain", json=sent, headers=headers) as answer:
                    next(answer.iter_lines())
                    process.send_signal(signal.SIGINT)
                    out, err = process.communicate(timeout=20)
            else:
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 0
    assert out == "after\n"
    assert err.strip() == "The playground has ended."


def test_what_cannot_be_served(explainer):
    with pytest.raises(lc.errors.OptionError, match="Expected an Explainer"):
        lc.serve(lambda texts: texts)
    with lc.serve(explainer, block=False) as playground:
        port = playground._socket.getsockname()[1]
        with pytest.raises(lc.errors.OptionError, match="another port"):
            lc.serve(explainer, port=port, block=False)
    with pytest.raises(lc.errors.OptionError, match="another port"):
        lc.serve(explainer, port=99_999, block=False)


def test_playgrounds_are_independent(explainer):
    with lc.serve(explainer, block=False) as one, lc.serve(explainer, block=False) as two:
        wrong = two.url.partition("?")[0] + "?" + one.url.partition("?")[2]
        assert httpx.get(wrong).status_code == 401
