import numpy as np
import pytest

from lcshap.adapters import openai_protocol as protocol
from lcshap.errors import ModelError

TOKENS = [("The", float("nan")), (" sky", -1.0), (" is", -2.0), (" blue", -4.0), (".", -8.0), (" And", -16.0)]


def test_tokens_of_the_answer_and_of_its_parts():
    log_probs = protocol.answer_log_probs(TOKENS, " is blue.", np.array([[0, 9], [1, 3], [4, 9]]))
    assert log_probs.tolist() == [-14, -2, -12]


def test_a_token_across_the_border_counts():
    assert protocol.answer_log_probs(TOKENS, "ky is", np.array([[0, 5]])).tolist() == [-3]


@pytest.mark.parametrize("answer", [" red", "The"])
def test_answers_without_numbers_are_refused(answer):
    with pytest.raises(ModelError, match="Expected"):
        protocol.answer_log_probs(TOKENS, answer, np.array([[0, len(answer)]]))


def test_requests():
    chat = protocol.scoring_request("m", [{"role": "user", "content": "q"}], "a", "prompt_logprobs")
    assert chat.path == "/chat/completions"
    assert [m["content"] for m in chat.body["messages"]] == ["q", "a"]
    assert protocol.scoring_request("m", "q", "a", "echo").body["prompt"] == "qa"
    assert protocol.generation_request("m", "q", seed=3).body == {"model": "m", "prompt": "q", "seed": 3}


def test_responses_that_lack_what_is_needed():
    assert protocol.read_prompt_tokens({"choices": [{"text": "x"}]}, "echo") is None
    assert protocol.read_prompt_tokens({"choices": [{"text": "x"}]}, "prompt_logprobs") is None
    assert protocol.read_first_tokens({"choices": [{"text": "x", "logprobs": None}]}) == []
    assert protocol.read_first_tokens({"choices": [{"logprobs": {"top_logprobs": [{"yes": -1}]}}]}) == [("yes", -1)]
    for answer in ({}, [], {"choices": []}, {"choices": [{"message": None}]}):
        with pytest.raises(ModelError, match="Expected a"):
            protocol.read_answer_text(answer)


def test_names_of_models():
    for got in ("gpt-x-2024", "models/gpt-x.gguf", "", None):
        protocol.check_model({"model": got}, "gpt-x")
    with pytest.raises(ModelError, match="got one of 'other'"):
        protocol.check_model({"model": "other"}, "gpt-x")
