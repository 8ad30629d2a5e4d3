import numpy as np
import pytest

from lcshap.adapters.scalarisers import EmbeddingSimilarity, ExactMatch, RougeL, TokenF1, apply_scalariser, p_yes
from lcshap.errors import ModelError

TEXT = "The cat sat on the mat."


def longest_by_hand(a, b):
    if not a or not b:
        return 0
    if a[0] == b[0]:
        return 1 + longest_by_hand(a[1:], b[1:])
    return max(longest_by_hand(a[1:], b), longest_by_hand(a, b[1:]))


def test_all_are_one_for_the_reference_and_zero_without_a_common_word():
    for kind in (ExactMatch, TokenF1, RougeL):
        assert kind(TEXT)("the CAT sat on the mat") == 1.0
        assert kind(TEXT)("nothing here") == kind(TEXT)("") == 0.0


def test_words_that_come_again_count_as_often_as_they_come():
    assert TokenF1("a a b")("a") == pytest.approx(2 * 1 * (1 / 3) / (1 + 1 / 3))


def test_the_longest_common_sequence_against_recursion():
    rng = np.random.default_rng(0)
    for _ in range(30):
        one, two = (rng.choice(list("abcd"), size=rng.integers(1, 8)).tolist() for _ in range(2))
        common = longest_by_hand(one, two)
        expected = 2 * common / (len(one) + len(two))
        assert RougeL(" ".join(two))(" ".join(one)) == pytest.approx(expected)


def test_embeddings_and_yes():
    similar = EmbeddingSimilarity("ab", lambda texts: [[len(t), t.count("a")] for t in texts])
    assert similar("aaaa") == pytest.approx((8 + 4) / (np.hypot(4, 4) * np.hypot(2, 1)))
    assert similar("") == 0.0
    assert p_yes([("maybe", -0.1)]) is None
    assert p_yes([("YES", np.log(0.2)), (" yes", np.log(0.1)), ("no", np.log(0.1))]) == pytest.approx(0.75)


def test_what_is_no_reference_and_no_number():
    for reference in ("", " . ", 3):
        with pytest.raises(ModelError, match="with words in it"):
            RougeL(reference)
    for number in (None, float("nan"), "1"):
        with pytest.raises(ModelError, match="Expected a finite number"):
            apply_scalariser(lambda text, number=number: number, "text")
