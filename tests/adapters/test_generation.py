import pytest
import torch
from tiny_lm import bpe, gpt2, llama

from lcshap.adapters.generation import generate
from lcshap.errors import ModelError


def greedy_by_hand(model, prompt, count):
    tokens = []
    for _ in range(count):
        with torch.no_grad():
            tokens.append(int(model.eval()(torch.tensor([prompt + tokens])).logits[0, -1].argmax()))
    return tokens


@pytest.mark.parametrize("make", [gpt2, llama])
def test_greedy_answers_are_those_of_a_model_without_a_cache(make):
    model = make()
    assert generate(model, bpe(), [5, 6, 7], 6) == greedy_by_hand(model, [5, 6, 7], 6)


def test_samples_come_from_their_seed_alone():
    model = gpt2()
    torch.manual_seed(1)
    one = generate(model, bpe(), [5], 8, temperature=1.5, seed=3)
    torch.manual_seed(2)
    assert one == generate(model, bpe(), [5], 8, temperature=1.5, seed=3)
    assert one != generate(model, bpe(), [5], 8, temperature=1.5, seed=4)


def test_an_answer_ends_where_the_model_ends_it():
    model = gpt2()
    first, second = generate(model, bpe(), [5, 6], 2)
    assert first != second
    model.generation_config.eos_token_id = [second]
    assert generate(model, bpe(), [5, 6], 9) == [first]
    model.generation_config.eos_token_id = first
    with pytest.raises(ModelError, match="ended at once"):
        generate(model, bpe(), [5, 6], 9)


def test_what_makes_no_sense():
    for options, message in [({"max_new_tokens": 0}, "max_new_tokens"), ({"temperature": -1}, "temperature")]:
        with pytest.raises(ModelError, match=message):
            generate(gpt2(), bpe(), [5], **options)
