import asyncio
import logging
import pickle
import time

import numpy as np
import pytest
from openai_server import serving

import lcshap as lc
from lcshap.adapters.causal_lm import CausalLMModel
from lcshap.adapters.openai_compatible import OpenAICompatible
from lcshap.adapters.scalarisers import TokenF1
from lcshap.errors import ModelError

KEY = "zq-Geheim-0815-nobody-may-see-this"
ANSWER = " Paris is the capital."
PROMPT = lc.maskers.Prompt("{sources} is", separator=" ")
X = {"sources": ["The capital", "of Spain and", "of France"]}
CHAT = lc.maskers.Prompt([{"role": "user", "content": "{sources} is"}], separator=" ")


def create_model(served, answer=ANSWER, **options):
    return OpenAICompatible(served.url, "tiny", answer, **{"backoff": 0.01, "timeout": 20.0, **options})


@pytest.mark.parametrize("style", ["echo", "prompt_logprobs"])
def test_the_same_scores_as_the_model_itself(style):
    with serving(style=style) as served, create_model(served, parts="sentence") as model:
        e = lc.Explainer(model, PROMPT, lc.Shapley())(X)
        local = CausalLMModel(served.lm, served.tokenizer, ANSWER, parts="sentence")
        np.testing.assert_allclose(e.scores, lc.Explainer(local, PROMPT, lc.Shapley())(X).scores, atol=1e-5)
        assert e.view.answer == ANSWER
        assert served.requests == 8 + (1 if style == "echo" else 2)  # the probe, and each coalition once
        assert model.usage["prompt_tokens"] > 0
        assert e.provenance["served"] == "tiny"


def test_chat_with_log_probabilities_of_prompts():
    with serving(style="prompt_logprobs") as served, create_model(served) as model:
        e = lc.Explainer(model, CHAT, lc.Shapley())(X)
        local = CausalLMModel(served.lm, served.tokenizer, ANSWER)
        np.testing.assert_allclose(e.scores, lc.Explainer(local, PROMPT, lc.Shapley())(X).scores, atol=1e-5)
        assert served.bodies[-1]["messages"][-1] == {"role": "assistant", "content": ANSWER}


@pytest.mark.parametrize("masker", [PROMPT, CHAT])
def test_a_server_that_leaves_log_probabilities_out_in_silence(masker):
    with serving(style="none") as served, create_model(served) as model:
        with pytest.raises(ModelError, match=r"got one that does not\. Give a scalariser") as caught:
            lc.Explainer(model, masker, lc.Shapley())(X)
        assert "\n" not in str(caught.value)
        assert model.retried == 0


def test_texts_become_numbers_by_a_scalariser():
    with serving(style="none") as served:
        with create_model(served, None, scalariser=TokenF1("The capital of France"), max_tokens=9) as model:
            e = lc.Explainer(model, PROMPT, lc.Shapley())(X)
        assert served.bodies[-1]["max_tokens"] == 9
        assert e.full_value == pytest.approx(TokenF1("The capital of France")("said The capital of Spain"))
        assert e.scores[0] > 0
        with create_model(served, None, scalariser=lambda text: len(text), samples=3, temperature=1.0) as model:
            several = lc.Explainer(model, CHAT, lc.Shapley())(X)
        assert several.scores.shape == (3, 3)
        assert sorted({body["seed"] for body in served.bodies[-24:]}) == [0, 1, 2]
        assert several.average_outputs().stderr.tolist() == [0, 0, 0]  # this server answers all seeds alike


def test_samples_are_counted_paced_and_never_paid_twice():
    faults = [None, 500, None, None, 429, None, None, "truncated"]
    options = {"scalariser": len, "samples": 3, "temperature": 1.0, "price": 0.01, "per_second": 60.0}
    with serving(style="none", faults=faults) as served, create_model(served, None, in_flight=1, **options) as model:
        assert model.cost(8) == "8 calls, 24 requests, about 0.24 (price 0.01 a sample), at least 0 s at 60 a second"
        start = time.monotonic()
        e = lc.Explainer(model, PROMPT, lc.Shapley())(X)
        assert time.monotonic() - start > 20 / 60
    assert e.scores.shape == (3, 3)
    assert served.requests == 8 * 3 + 3  # a request more for each fault


def test_how_probable_a_yes_is():
    question = "Is that so? Say yes or no."
    with serving(style="first") as served, create_model(served, follow_up=question) as model:
        value = model.predict([[{"role": "user", "content": "The capital"}]])
        assert value[0, 0] == pytest.approx(np.exp(-0.5) / (np.exp(-0.5) + np.exp(-1.5)))
        assert served.bodies[-1]["messages"][-1]["content"] == question
    with serving(style="none") as served, create_model(served, follow_up=question) as model:
        assert model.predict(["The capital"]) == 1.0


def test_every_call_is_counted_after_failures(tmp_path):
    faults = [None, 429, 500, "truncated", None, "hang", 503, None, 429, "cut"]
    with serving(faults=faults) as served, create_model(served, timeout=2.0, retries=15, in_flight=3) as model:
        store = tmp_path / "answers.db"
        e = lc.Explainer(model, PROMPT, lc.Shapley(), store=store)(X)
        local = CausalLMModel(served.lm, served.tokenizer, ANSWER)
        np.testing.assert_allclose(e.scores, lc.Explainer(local, PROMPT, lc.Shapley())(X).scores, atol=1e-5)
        assert model.requests == 8 + model.retried
        assert model.retried >= 7  # one for each fault
        assert model.failed == 0
        count = served.requests
        again = lc.Explainer(create_model(served), PROMPT, lc.Shapley(), store=store)(
            X
        )  # another object, the same file
        np.testing.assert_array_equal(again.scores, e.scores)
        assert served.requests == count


def test_an_interrupted_run_costs_nothing_twice(tmp_path):
    with serving(faults=[None, None, None, None, 400]) as served, create_model(served, in_flight=1) as model:
        store = tmp_path / "answers.db"
        with pytest.raises(lc.errors.RunFailedError, match="status 400"):
            lc.Explainer(model, PROMPT, lc.Shapley(), store=store)(X)
        before = served.requests
        lc.Explainer(model, PROMPT, lc.Shapley(), store=store)(X)
        assert served.requests - before == 8 - 3


def test_the_key_is_sent_and_seen_nowhere(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("TINY_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    texts = []
    with (
        serving(key=KEY, faults=[429, 500, None, 503]) as served,
        create_model(served, api_key_env="TINY_KEY") as model,
    ):
        store = tmp_path / "answers.db"
        e = lc.Explainer(model, PROMPT, lc.Shapley(), store=store)(X)
        e.save(tmp_path / "e.json")
        e.to_html(tmp_path / "e.html")
        texts += [repr(e), repr(e.provenance), repr(vars(model)), model.cost(8), repr(model)]
        texts.append(pickle.dumps(model).decode("latin1"))
        served.faults = [400] * 99
        with pytest.raises(ModelError) as caught:
            model.predict(["new"])
        texts.append(str(caught.value))
        monkeypatch.setenv("TINY_KEY", KEY[::-1])
        with pytest.raises(ModelError, match="status 401") as caught:
            model.predict(["another"])
        texts += [str(caught.value), repr(caught.value.__cause__), repr(caught.value.__context__)]
    files = [path.read_bytes().decode("latin1") for path in tmp_path.iterdir()]
    assert len(files) >= 3
    for text in (*texts, caplog.text, *files):
        assert KEY not in text
        assert KEY[::-1] not in text


@pytest.mark.parametrize("fault", ["parts", "echo"])
def test_parts_of_the_key_are_seen_nowhere(monkeypatch, caplog, fault):
    monkeypatch.setenv("TINY_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    options = {"api_key_env": "TINY_KEY", "scalariser": len}
    with serving(key=KEY, faults=[fault] * 9) as served, create_model(served, None, **options) as model:
        with pytest.raises(ModelError) as caught:
            model.predict(["The"])
        texts = [str(caught.value), repr(caught.value.__cause__), caplog.text]
    for text in texts:
        assert "***" in text
        assert not any(KEY[start : start + 5] in text for start in range(len(KEY) - 4))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("endless", "Expected an answer of at most 1,000,000 bytes from the server, got more"),
        ("gzip", "Expected an answer that is not compressed"),
    ],
)
def test_answers_that_are_too_large_are_not_read(fault, message):
    with serving(faults=[fault] * 9) as served, create_model(served, max_answer_bytes=1_000_000) as model:
        with pytest.raises(ModelError, match=message):
            model.predict(["The"])
        assert served.requests == 1  # another try would not help


@pytest.mark.parametrize(
    ("address", "part"),
    [
        ("http://user:Pa55word@127.0.0.1:9/v1", "a user or a password"),
        ("https://Pa55word@127.0.0.1:9", "a user or a password"),
        ("http://127.0.0.1:9/v1?key=Pa55word", "a query"),
        ("http://127.0.0.1:9/v1#Pa55word", "a query"),
    ],
)
def test_addresses_have_no_secrets(address, part):
    with pytest.raises(ModelError, match=f"got one with {part}.*api_key_env") as caught:
        OpenAICompatible(address, "tiny", " Paris")
    assert "Pa55word" not in str(caught.value)


def test_inside_a_running_event_loop():
    async def cell():
        with serving() as served, create_model(served) as model:
            return lc.Explainer(model, PROMPT, lc.Shapley())(X)

    assert asyncio.run(cell()).scores.shape == (3,)


def test_another_model_than_the_requested_one():
    with serving(model="huge") as served, create_model(served) as model:
        with pytest.raises(ModelError, match="Expected answers of the model 'tiny', got one of 'huge'") as caught:
            model.predict(["The"])
        assert "\n" not in str(caught.value)
        assert served.requests == 1
    with serving(model="models/tiny-2024.gguf") as served, create_model(served) as model:
        assert np.isfinite(model.predict(["The"])).all()


def test_a_pickled_model_sends_requests():
    with serving() as served, create_model(served) as model, pickle.loads(pickle.dumps(model)) as other:
        np.testing.assert_array_equal(other.predict(["The"]), model.predict(["The"]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base_url": "localhost"}, "starts with http"),
        ({"answer": " "}, "Expected an answer with text in it"),
        ({"answer": None}, "or a scalariser"),
        ({"scalariser": 3}, "Expected a function as scalariser, without follow_up, got 3 and follow_up=None. Give"),
        ({"samples": 0}, "as samples"),
        ({"max_answer_bytes": 0}, "Expected max_answer_bytes as an integer of at least 1"),
        ({"samples": 3}, "Expected a scalariser with several samples, got none and samples=3"),
        ({"parts": "token"}, "as parts"),
        ({"api_key_env": "NO_SUCH_KEY"}, "in the environment variable NO_SUCH_KEY, got none"),
    ],
)
def test_bad_options_have_one_line(options, message):
    with pytest.raises(ModelError, match=message) as caught:
        OpenAICompatible(**{"base_url": "http://127.0.0.1:9/v1", "model": "tiny", "answer": " Paris", **options})
    assert "\n" not in str(caught.value)


def test_the_price_is_in_the_preview():
    model = OpenAICompatible("http://127.0.0.1:9/v1", "tiny", " Paris", price=0.01)
    assert "about 0.08 (price 0.01 a call)" in lc.Explainer(model, PROMPT, lc.Shapley()).preview(X)
