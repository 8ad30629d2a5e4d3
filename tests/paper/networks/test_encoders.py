import json
import re
import sys

import numpy as np
import pytest

import lcshap as lc
from lcshap.errors import ModelError
from lcshap.paper.networks import encoders
from lcshap.paper.networks.encoders import ALPHABET, Characters, Pixels, Words, encoder_from


def test_words():
    texts = ["The film, the FILM!<br /><br />Don't go; it's 'the' worst.", "The end"]
    words = Words.learn(texts, ids=5, length=6, margin=2)
    assert words.vocabulary == ("the", "film", "don't")  # by frequency, then by the alphabet
    # the film the film don't go it's the worst: the last six are kept
    assert words.encode(texts[:1]).tolist() == [[3, 4, 1, 1, 2, 1]]
    assert words.encode(["the end"]).tolist() == [[2, 1, 0, 0]]
    assert words.encode(["the <pad> film <pad>", ""]).tolist() == [[2, 0, 3, 0, 0, 0], [0] * 6]
    assert words.encode([""]).tolist() == [[0, 0]]
    assert Words((), 6).encode([""]).tolist() == [[0]]
    odd = "İstanbul ŞIK ǅ"  # lower case takes more characters
    assert words.encode([odd]).tolist() == [[1, 1, 1, 0, 0]]
    assert words.masker().mask(odd).graph.d == 3


def test_what_the_network_reads_of_a_long_text():
    words = Words(("a", "b", "c"), length=3)
    text = "Some words, then: a<br />b c!"
    assert words.clip(text) == "a<br />b c!"
    np.testing.assert_array_equal(words.encode([words.clip(text)]), words.encode([text]))
    assert words.clip("a b") == "a b"
    assert Characters(length=5).clip("abcdefgh") == "defgh"


def test_absent_words_become_padding_where_they_stand():
    words = Words(("it", "just", "sucks"), length=10)
    masked = words.masker().mask("It 'just'<br />sucks.")
    assert masked.graph.names == ("It", "just", "sucks")
    rows = masked.rows(lc.Coalitions.from_sets(3, [[0, 1, 2], [0, 2], [1], []]))
    ids = np.zeros((4, 3), int)
    ids[0], ids[1, [0, 2]], ids[2, 1] = [2, 3, 4], [2, 4], 3
    np.testing.assert_array_equal(words.encode(rows), ids)


def test_characters():
    assert len(ALPHABET) == len(set(ALPHABET)) == 69
    text = "Hello, Wörld — {~}\n€!"
    expected = [ALPHABET.find(c) + 1 for c in reversed(text.lower())]
    encoded = Characters().encode([text, ""])
    assert encoded.shape == (2, 123 + 27)
    assert encoded[0].tolist() == expected + [0] * (150 - len(expected))
    assert not encoded[1].any()
    long = "".join(ALPHABET[k % 69] for k in range(3000))
    ids = Characters().encode([long])
    assert ids.shape == (1, 1014)
    assert ids[0].tolist() == [(2999 - k) % 69 + 1 for k in range(1014)]


def test_absent_words_of_characters_become_padding():
    characters = Characters()
    masked = characters.masker().mask("It just  sucks.")
    full, some = characters.encode(masked.rows(lc.Coalitions.from_sets(3, [[0, 1, 2], [0, 2]])))
    changed = np.flatnonzero(full != some)
    assert changed.tolist() == [8, 9, 10, 11]  # counted from the end
    assert not some[changed].any()


def test_pixels():
    image = np.arange(6, dtype=np.uint8).reshape(1, 2, 3)
    encoded = Pixels((2, 3)).encode(image)
    assert encoded.dtype == np.float32
    np.testing.assert_array_equal(encoded, image)
    masked = Pixels((2, 3)).masker().mask(image[0].astype(float))
    assert masked.rows(lc.Coalitions.from_sets(6, [[5]])).tolist() == [[[2.5, 2.5, 2.5], [2.5, 2.5, 5]]]
    for wrong in (image[0], image[:, :, :2], [["a"]]):
        with pytest.raises(ModelError, match=r"Expected images of shape \(2, 3\), got"):
            Pixels((2, 3)).encode(wrong)


def test_trimming_keeps_what_matters():
    words = Words((), length=8, margin=1)
    array = np.array([[1, 1, 0, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0, 0, 0]])
    assert words.lengths(array).tolist() == [2, 3]
    np.testing.assert_array_equal(words.trim(array), array[:, :4])
    assert Pixels((2, 2)).trim(array) is array
    assert not Pixels((2, 2)).lengths(array).any()


@pytest.mark.parametrize("encoder", [Words(("a", "b"), 7, 3), Characters(500), Pixels((4, 5, 3))])
def test_encoders_are_written_down(encoder):
    assert encoder_from(json.loads(json.dumps(encoder.to_dict()))) == encoder


def test_bad_input():
    for wrong in ("one text", [1, 2], [["a"]]):
        for encoder in (Words(()), Characters()):
            with pytest.raises(ModelError, match="Expected a list of texts, got something else"):
                encoder.encode(wrong)
    with pytest.raises(
        ModelError, match="Expected one of words, characters, pixels as the kind of encoder, got 'sounds'"
    ):
        encoder_from({"kind": "sounds"})


def test_words_are_found_between_white_spaces_as_in_the_whole_text():
    """White space never touches what the pattern of words looks at."""
    spaces = [chr(k) for k in range(sys.maxunicode + 1) if chr(k).isspace()]
    assert not any(re.match(r"\w", space) for space in spaces)
    text = "The <br />film's<pad> the-end ''x''y' <b film É<pad>ÉΣ " + "the".join(spaces) + " <pad>" * 3
    words = Words(("the", "film's", "éσ", "é"), length=1000)
    numbers = {"<pad>": 0, "the": 2, "film's": 3, "éσ": 4, "é": 5}
    matches = re.findall(r"<pad>|(?<![<\w])\w+(?:'\w+)*", text)
    assert words.encode([text])[0].tolist() == [numbers.get(word.lower(), 1) for word in matches]


def test_the_memory_of_words_is_bounded(monkeypatch):
    monkeypatch.setattr(encoders, "_MAX_CACHED_TEXTS", 10)
    monkeypatch.setattr(encoders, "_MAX_CACHED_LENGTH", 5)
    words = Words(("a",), length=100)
    text = " ".join(f"a{k}" for k in range(25)) + " a a-long-one"
    assert words.encode([text])[0].tolist() == [1] * 25 + [2] + [2, 1, 1]
    assert len(words._ids) <= 10
    assert "a-long-one" not in words._ids
