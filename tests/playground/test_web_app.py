"""The requests of the page, against a real server on loopback."""

import io
import json
import threading
import time
import zlib

import httpx
import numpy as np
import pytest
from PIL import Image
from playground_client import wait_until

import lcshap as lc
from lcshap.core.io import from_dict

TEXT = "a good film with a good plot, not bad at all"


def test_a_prediction_with_its_cost(client, model):
    prediction = client.post("/api/predict", {"input": {"text": "a good film"}, "columns": [{}]}).json()
    chance = 1 / (1 + np.exp(-2 * 1.25))
    assert prediction["outputs"][1] == ["yes", pytest.approx(chance)]
    assert prediction["units"] == 3
    assert prediction["cost"]["calls"] == 8  # all coalitions of three words
    assert prediction["cost"]["seconds"] > 0
    assert model.rows == 1


def test_estimates_come_in_while_calls_are_made(client, model):
    model.pause = 0.005
    text = "a good film with " + "nothing much in it but a " * 5 + "bad end"
    events = client.explain({"input": {"text": text}, "columns": [{"method": "graph-kernel-shap", "budget": "8d"}]})
    names = [name for name, _ in events]
    assert names.count("estimate") > 4
    assert names[-1] == "done"
    calls = [content["calls"] for name, content in events if name == "estimate"]
    assert calls == sorted(set(calls))
    assert calls[0] < 30
    last = [content for name, content in events if name == "estimate"][-1]
    assert last["width"] is not None
    assert set(last["blocks"]) >= {"index", "sample-0"}


def test_scores_are_those_of_the_library(client, explainer):
    events = client.explain({"input": {"text": TEXT}, "columns": [{"method": "shapley"}]})
    name = events[-1][1]["result"]
    saved = client.http.get(f"/api/results/{name}/json")
    e = from_dict(saved.json())
    np.testing.assert_allclose(
        e.scores, lc.Explainer(explainer.model, lc.maskers.Text(), "shapley", kind="logits")(TEXT).scores
    )


def test_what_if_is_answered_by_the_model(client, model):
    asked = {"input": {"text": TEXT}, "column": {}, "removed": [1, 5], "replaced": {}}
    answer = client.post("/api/ask", asked).json()
    value = lambda score: -np.log1p(np.exp(-2 * score))  # noqa: E731 - the log-probability of yes
    assert answer["before"]["values"] == [pytest.approx(value(model.score(TEXT)))]
    assert answer["now"]["values"] == [pytest.approx(value(model.score("a film with a plot, not bad at all")))]
    assert answer["before"]["decision_unchanged"] is True
    assert answer["now"]["decision_unchanged"] is False
    answer = client.post("/api/ask", {**asked, "removed": [], "replaced": {"8": "good good"}}).json()
    assert answer["now"]["values"] == [pytest.approx(value(model.score(TEXT.replace("bad", "good good"))))]


@pytest.mark.parametrize(
    "units",
    [
        {"removed": [11]},
        {"removed": [0, -1]},
        {"removed": [10**12]},
        {"replaced": {"11": "x"}},
        {"replaced": {"-2": ""}},
    ],
)
def test_units_that_do_not_exist_are_refused(client, model, units):
    answer = client.post("/api/ask", {"input": {"text": "a good film"}, **units})
    assert answer.status_code == 400
    assert "Expected numbers of units from 0 to 2, got" in answer.json()["error"]
    assert model.rows == 0


def test_nothing_is_paid_twice(client, model):
    sent = {"input": {"text": TEXT}, "columns": [{"method": "shapley"}, {"method": "shapley", "target": "no"}]}
    client.explain(sent)
    before = model.rows
    assert before <= 2**11
    client.explain(sent)
    client.explain({**sent, "columns": [{"method": "l-shapley"}, {"target": ["yes", "no"], "method": "shapley"}]})
    client.post("/api/ask", {"input": {"text": TEXT}, "removed": [0, 3]})
    client.post("/api/predict", {"input": {"text": TEXT}})
    assert model.rows == before


def test_methods_targets_and_references_side_by_side(client):
    columns = [{"method": "shapley"}, {"method": "shapley", "target": "no"}, {"method": "l-shapley", "order": 2}]
    columns += [{"method": "shapley", "reference": "placeholder [MASK]"}, {"method": "deletion-path"}]
    events = client.explain({"input": {"text": TEXT}, "columns": columns})
    index = [content for name, content in events if name == "estimate"][-1]["blocks"]["index"]
    assert len(index["samples"][0]["entries"]) == 5
    assert [entry[1] for entry in index["samples"][0]["entries"]][:2] == ["yes", "no"]


def test_flips_and_contrasts(client):
    columns = [{"method": "deletion-path"}, {"method": "insertion-path"}, {"target": ["yes", "no"]}]
    events = client.explain({"input": {"text": "a good film"}, "columns": columns})
    entries = [content for name, content in events if name == "estimate"][-1]["blocks"]["sample-0"]["entries"]
    assert "good" in entries[0]["flip"]
    assert "good" in entries[1]["flip"]
    assert events[-1][0] == "done"


def test_locality(client):
    locality = client.post("/api/locality", {"input": {"text": TEXT}, "column": {}}).json()
    assert {"l-shapley", "c-shapley"} <= {d["method"] for d in locality["distances"]}
    assert all(d["low"] <= d["distance"] <= d["high"] for d in locality["distances"])


def test_results_are_saved_as_files(client, tmp_path):
    events = client.explain({"input": {"text": TEXT}, "columns": [{"method": "shapley"}, {"method": "l-shapley"}]})
    name = events[-1][1]["result"]
    report = client.http.get(f"/api/results/{name}/html")
    assert "attachment" in report.headers["content-disposition"]
    assert b'<meta name="generator" content="lcshap' in report.content
    program = client.http.get(f"/api/results/{name}/python").text
    assert f"x = {TEXT!r}" in program
    assert "lc.Shapley()" in program
    assert client.http.get("/api/results/none/html").status_code == 404
    assert client.http.get(f"/api/results/{name}/exe").status_code == 400


# -- cancelling, failing, hanging -----------------------------------------------------------------------------------


def test_cancelling_stops_the_calls(client, model):
    model.pause = 0.002
    words = " ".join(f"w{k}" for k in range(60))
    events = client.events({"input": {"text": words}, "columns": [{"method": "sample-shapley", "budget": 10_000}]})
    next(events)
    assert len(client.playground.session.thread_pool.running) == 1
    events.close()  # the page goes away
    wait_until(lambda: not client.playground.session.thread_pool.running)
    before = model.rows
    time.sleep(0.3)
    assert model.rows == before < 10_000


def test_a_model_that_raises_is_shown_and_the_server_goes_on(client, model):
    model.error = RuntimeError("no more memory for sk-0123456789abcdef")
    name, content = client.explain({"input": {"text": TEXT}, "columns": [{}]})[-1]
    assert name == "failed"
    assert "RuntimeError" in content["error"]
    assert "0123456789" not in content["error"]
    answer = client.post("/api/predict", {"input": {"text": TEXT}})
    assert answer.status_code == 400
    for error in (SystemExit(3), KeyboardInterrupt()):  # a model that wants to end the process
        model.error = error
        assert "error" in client.post("/api/predict", {"input": {"text": TEXT}}).json()
    model.error = None
    assert client.post("/api/predict", {"input": {"text": TEXT}}).status_code == 200


def test_a_model_that_hangs_blocks_others_only_briefly(client, model):
    model.gate.clear()
    events = client.events({"input": {"text": TEXT}, "columns": [{}]})
    assert next(events)[0] == "waiting"
    events.close()
    wait_until(lambda: client.playground.session.thread_pool.model_queue.lost_calls == 1)
    other = threading.Thread(target=model.gate.set)
    model.__class__ = type("Freed", (type(model),), {"__call__": lambda self, texts: [[0.0, 1.0]] * len(texts)})
    assert client.post("/api/predict", {"input": {"text": "another text"}}).status_code == 200
    other.start()
    other.join()


def test_pure_python_that_never_ends_is_interrupted(connect):
    state = {"stuck": True}

    def model(texts):
        while state["stuck"]:
            pass
        return [1.0] * len(texts)

    client = connect(lc.Explainer(model, lc.maskers.Text(), kind="output"))
    events = client.events({"input": {"text": "to be"}, "columns": [{}]})
    assert next(events)[0] == "waiting"
    events.close()
    wait_until(lambda: not client.playground.session.thread_pool.running)
    assert client.playground.session.thread_pool.model_queue.lost_calls == 0
    state["stuck"] = False
    assert client.post("/api/predict", {"input": {"text": "to be"}}).status_code == 200


@pytest.mark.parametrize("path", ["predict", "ask", "locality", "explain"])
def test_every_question_can_be_cancelled(client, model, path):
    """The page goes away, or says that it does not want the answer: the model is not asked any further."""
    model.gate.clear()
    words = " ".join(f"w{k}" for k in range(40))
    sent = {"input": {"text": words}, "columns": [{}], "removed": [3]}
    if path in ("ask", "explain"):
        sent.pop("columns" if path == "ask" else "removed")
    if path == "locality":
        sent = {"input": sent["input"]}
    with pytest.raises(httpx.ReadTimeout):
        client.post(f"/api/{path}", sent, timeout=0.5)
    session = client.playground.session
    wait_until(lambda: all(run.cancelled.is_set() for run in session.thread_pool.running))
    model.gate.set()
    model.pause = 0.002
    wait_until(lambda: not session.thread_pool.running)
    before = model.rows
    time.sleep(0.3)
    assert model.rows == before < 20


def test_a_remote_model_is_not_called_any_more(connect):
    """Requests that are in flight when a run is cancelled are stopped, not awaited."""
    import asyncio

    counts = {"begun": 0, "ended": 0}

    async def ask(texts):
        counts["begun"] += 1
        await asyncio.sleep(0.0 if counts["begun"] < 3 else 30.0)
        counts["ended"] += 1
        return [float(len(text)) for text in texts]

    with lc.adapters.RemoteModel(ask, "output", in_flight=4, price=0.01) as remote:
        client = connect(lc.Explainer(remote, lc.maskers.Text()))
        prediction = client.post("/api/predict", {"input": {"text": "to be or not to be"}, "columns": [{}]}).json()
        assert "about" in prediction["cost"]["price"]
        events = client.events({"input": {"text": "to be or not to be"}, "columns": [{}]})
        assert next(events)[0] in ("waiting", "estimate")
        wait_until(lambda: counts["begun"] > 3)
        events.close()
        wait_until(lambda: not client.playground.session.thread_pool.running)
        begun = counts["begun"]
        time.sleep(0.3)
        assert counts["begun"] == begun
        assert counts["ended"] < 4


def test_two_runs_take_turns(client, model):
    model.pause = 0.0002
    last_events = {}

    def work(name, text):
        last_events[name] = client.explain({"input": {"text": text}, "columns": [{"method": "shapley"}]})[-1][0]

    threads = [threading.Thread(target=work, args=(k, f"{TEXT[:30]} {k}")) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert last_events == dict.fromkeys(range(3), "done")


# -- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "status", "message"),
    [
        ({"input": {"text": "x " * 500_000}}, 400, "at most 20,000 characters"),
        ({"input": {"text": "x " * 8_000}}, 400, "at most 4,096 units"),
        ({"input": {"text": 3}}, 400, "Expected a text"),
        ({"input": {"image": "AAAA"}}, 400, "of kind 'text'"),
        ({"input": {"example": 7}}, 400, "one of 1 examples"),
        ({"input": {"text": "a", "image": "b"}}, 400, "one field"),
        ({}, 400, "one field"),
        ({"input": {"text": "to be"}, "columns": [{"method": "os.system"}]}, 400, "name of a method"),
        ({"input": {"text": "to be"}, "columns": [{"method": "shapley", "evil": 1}]}, 400, "in a column, got 'evil'"),
        ({"input": {"text": "to be"}, "columns": [{"target": "maybe"}]}, 400, "maybe"),
        ({"input": {"text": "to be"}, "columns": [{"reference": "none"}]}, 400, "as reference"),
        ({"input": {"text": "to be " * 60}, "columns": [{"method": "shapley"}]}, 400, "needs"),
    ],
)
def test_wrong_requests_are_answered_with_the_reason(visitor, content, status, message):
    before = visitor.model.rows
    answer = visitor.post("/api/predict", content)
    assert answer.status_code == status
    assert message in answer.json()["error"]
    assert visitor.model.rows <= before + 1


def test_bodies_are_not_read_further_than_the_limit(connect, explainer):
    client = connect(explainer, limits={"body": 1000})
    answer = client.post("/api/predict", {"input": {"text": "x" * 2000}})
    assert answer.status_code == 413
    assert client.post("/api/predict", content=b"[" * 900).json()["error"] == "Expected JSON, got something else."
    assert client.post("/api/predict", {"input": {"text": "x"}}).status_code == 200


def test_a_run_that_would_take_too_many_calls_is_refused(connect, explainer, model):
    client = connect(explainer, limits={"calls": 100})
    sent = {"input": {"text": TEXT}, "columns": [{"method": "sample-shapley", "budget": 5000}]}
    name, content = client.explain(sent)[-1]
    assert name == "failed"
    assert "100" in content["error"]
    assert model.rows <= 1


def test_runs_at_once_are_counted(connect, explainer, model):
    client = connect(explainer, limits={"concurrent_runs": 1})
    model.gate.clear()
    first = client.events({"input": {"text": TEXT}, "columns": [{}]})
    assert next(first)[0] == "waiting"
    second = connect(client.playground).explain({"input": {"text": "to be"}, "columns": [{}]})
    assert second[0][0] == "refused"
    model.gate.set()
    assert list(first)[-1][0] == "done"
    assert client.explain({"input": {"text": "to be"}, "columns": [{}]})[-1][0] == "done"


# -- other kinds of input ---------------------------------------------------------------------------------------------


def encoded(array, kind="PNG"):
    import base64

    file = io.BytesIO()
    Image.fromarray(array).save(file, kind)
    return base64.b64encode(file.getvalue()).decode()


def test_an_image_is_brought_to_the_size_of_the_example(connect):
    seen = []

    def model(images):
        seen.append(images.shape)
        return images.mean(axis=(1, 2))

    explainer = lc.Explainer(model, lc.maskers.Image(patch=4), kind="output")
    client = connect(explainer, [np.zeros((8, 8), np.float32)])
    sent = {"input": {"image": encoded(np.full((16, 16, 3), 51, np.uint8))}}
    assert client.post("/api/predict", sent).json()["outputs"][0][1] == pytest.approx(0.2, abs=0.01)
    assert seen[0][1:] == (8, 8)
    assert client.explain({**sent, "columns": [{}]})[-1][0] == "done"


BOMB = bytes.fromhex("89504e470d0a1a0a0000000d49484452") + (40_000).to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])


def test_a_bomb_is_not_decoded(connect):
    import base64

    client = connect(lc.Explainer(lambda rows: [0.0] * len(rows), lc.maskers.Image(), kind="output"), [])
    sent = {"input": {"image": base64.b64encode(BOMB + zlib.crc32(BOMB[12:]).to_bytes(4, "big") + bytes(100)).decode()}}
    answer = client.post("/api/predict", sent)
    assert answer.status_code == 400
    assert "image" in answer.json()["error"]


def test_a_row_of_a_table_is_edited(connect):
    lightgbm = pytest.importorskip("lightgbm")
    draw = np.random.default_rng(0)
    table = draw.normal(size=(200, 4))
    forest = lightgbm.LGBMRegressor(n_estimators=10, verbose=-1).fit(table, table[:, 0] + table[:, 1] * table[:, 2])
    masker = lc.maskers.Tabular(table[:20], names=["a", "b", "c", "d"])
    client = connect(lc.Explainer(forest, masker), [table[3]])
    prediction = client.post("/api/predict", {"input": {"table": [0.5, 1, "2", -1]}}).json()
    assert prediction["outputs"][0][1] == pytest.approx(forest.predict([[0.5, 1, 2, -1]])[0])
    changed = {"input": {"table": [0.5, 1, 2, -1]}, "removed": [], "replaced": {"0": "-2"}}
    now = client.post("/api/ask", changed).json()["now"]
    assert now["values"][0] == pytest.approx(forest.predict([[-2, 1, 2, -1]])[0])
    assert client.explain({"input": {"table": [0.5, 1, 2, -1]}, "columns": [{}]})[-1][0] == "done"
    assert "number for the column" in client.post("/api/predict", {"input": {"table": ["x", 1, 2, 3]}}).json()["error"]


def test_a_molecule(connect):
    explainer = lc.Explainer(lambda rows: [float(row.count("O")) for row in rows], lc.maskers.Molecule(), kind="output")
    client = connect(explainer, ["CCO"])
    events = client.explain({"input": {"smiles": "CC(=O)O"}, "columns": [{}]})
    assert events[-1][0] == "done"
    assert "error" in client.post("/api/predict", {"input": {"smiles": "no molecule"}}).json()


def test_the_page_gets_the_kind_of_input(client):
    page = client.opened.text
    about = json.loads(page.partition('id="about">')[2].partition("</script>")[0])
    assert about["input"] == {
        "kind": "text",
        "examples": [{"title": "a good film, not bad", "content": "a good film, not bad"}],
    }
    assert about["classes"] == ["no", "yes"]
