"""Tokenizers by what they do: the same rules are the same content, in every process."""

import pytest

from lcshap.maskers import Subwords
from lcshap.maskers.tokenizer_content import tokenizer_content

transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")


def make_tokenizer(words=("good", "bad"), **options):
    vocabulary = {word: n for n, word in enumerate(["[UNK]", "[PAD]", "[MASK]", *words])}
    backend = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    special = {"unk_token": "[UNK]", "pad_token": "[PAD]", "mask_token": "[MASK]"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **special, **options)


def test_by_rules_and_settings():
    content = tokenizer_content(make_tokenizer())
    used = make_tokenizer()
    used(["good", "bad good"], padding=True, truncation=True, max_length=1)
    assert tokenizer_content(used) == content == tokenizer_content(make_tokenizer())
    assert (
        len(
            {
                content,
                tokenizer_content(make_tokenizer(["bad", "good"])),
                tokenizer_content(make_tokenizer(padding_side="left")),
            }
        )
        == 3
    )


def test_what_is_no_fast_tokenizer_has_none():
    assert tokenizer_content(object()) is None


@pytest.mark.parametrize("absent", ["delete", "mask", "attention"])
def test_inputs_are_known_by_it(absent):
    """Two tokenizers with the same rules mask an input in the same way; one with others does not."""
    first, same, different = (
        Subwords(tokenizer, absent=absent).mask("good bad")
        for tokenizer in (make_tokenizer(), make_tokenizer(), make_tokenizer(["bad", "good"]))
    )
    assert first.has_stable_key
    assert first.key == same.key
    assert (first.key == different.key) == (absent == "delete")  # where rows are texts, tokenizers play no part
