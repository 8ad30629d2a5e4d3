import numpy as np
import pytest
from tiny_lm import bpe
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from lcshap.adapters.answer_parts import read_answer
from lcshap.errors import ModelError

TOKENIZER = bpe()
TEXT = " Paris is it. Über 👍🏽 Madrid!"


@pytest.mark.parametrize("parts", ["token", "word", "sentence"])
def test_every_token_is_in_the_whole_and_in_one_part(parts):
    answer = read_answer(TOKENIZER, TEXT, parts)
    assert answer.text == TEXT
    assert answer.names[0] == "the whole answer"
    assert answer.spans[0].tolist() == [0, len(TEXT)]
    assert (answer.columns[:, 0] == 1).all()
    assert (answer.columns[:, 1:].sum(axis=1) == 1).all()
    assert (answer.columns[:, 1:].sum(axis=0) >= 1).all()


def test_parts_by_name_and_by_span():
    assert read_answer(TOKENIZER, TEXT, "sentence").names[1:] == ["Paris is it.", "Über 👍🏽 Madrid!"]
    assert read_answer(TOKENIZER, " Paris is", "word").names[1:] == ["Paris", "is"]
    assert read_answer(TOKENIZER, " Paris is", "token").columns[:, 1:].tolist() == np.eye(2).tolist()
    answer = read_answer(TOKENIZER, " Paris is", [(0, 6)])
    assert answer.columns.tolist() == [[1, 1], [1, 0]]


def test_token_ids_have_spans_too():
    ids = read_answer(TOKENIZER, TEXT).ids
    answer = read_answer(TOKENIZER, list(ids), "token")
    assert answer.text == TEXT
    assert answer.ids == ids
    assert "".join(answer.names[1:]).replace(" ", "").startswith("Parisis")


def test_an_answer_that_the_tokenizer_cannot_give_back():
    words = Tokenizer(models.WordLevel({"<unk>": 0, "Paris": 1}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, unk_token="<unk>")
    assert read_answer(tokenizer, " Paris").ids == (1,)
    with pytest.raises(
        ModelError, match="Expected an answer that the tokenizer encodes and decodes without change, got 'Madrid',"
    ) as caught:
        read_answer(tokenizer, "Madrid")
    assert "\n" not in str(caught.value)


def test_what_is_no_part():
    for parts, message in [
        ("letters", "as parts, got 'letters'"),
        ([(3, 2)], r"got \(3, 2\)"),
        ([(0, 99)], "within the answer of 9 characters"),
        ([], "got none"),
        ([1], "pairs"),
        ([(1, 2), (2, 3)], r"Expected parts of the answer with at least one token, got 'a' \(2, 3\), which has none"),
    ]:
        with pytest.raises(ModelError, match=message):
            read_answer(TOKENIZER, " Paris is", parts)
