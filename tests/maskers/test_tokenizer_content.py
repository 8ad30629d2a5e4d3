"""Tokenizers by what they do: the same rules are the same content, in every process."""

import pytest

from lcshap.maskers import Subwords
from lcshap.maskers.tokenizer_content import tokenizer_content

transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")


def made(words=("good", "bad"), **options):
    vocabulary = {word: n for n, word in enumerate(["[UNK]", "[PAD]", "[MASK]", *words])}
    backend = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    special = {"unk_token": "[UNK]", "pad_token": "[PAD]", "mask_token": "[MASK]"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **special, **options)


def test_by_rules_and_settings():
    one = tokenizer_content(made())
    used = made()
    used(["good", "bad good"], padding=True, truncation=True, max_length=1)
    assert tokenizer_content(used) == one == tokenizer_content(made())
    assert len({one, tokenizer_content(made(["bad", "good"])), tokenizer_content(made(padding_side="left"))}) == 3


def test_what_is_no_fast_tokenizer_has_none():
    assert tokenizer_content(object()) is None


@pytest.mark.parametrize("absent", ["delete", "mask", "attention"])
def test_inputs_are_known_by_it(absent):
    """Two tokenizers with the same rules mask an input in the same way; one with others does not."""
    one, same, other = (
        Subwords(tokenizer, absent=absent).mask("good bad") for tokenizer in (made(), made(), made(["bad", "good"]))
    )
    assert one.lasting
    assert one.key == same.key
    assert (one.key == other.key) == (absent == "delete")  # where rows are texts, tokenizers play no part
