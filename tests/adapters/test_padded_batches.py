import numpy as np
from tiny_lm import by_hand, gpt2

from lcshap.adapters.padded_batches import padded_log_probs


def test_answers_of_different_lengths_in_one_batch():
    model = gpt2()
    rows = [([1, 2, 3], [4]), ([5], [6, 7, 8]), ([9, 9], [9, 1])]
    log_probs = dict(padded_log_probs(model, rows))
    for number, (prompt, answer) in enumerate(rows):
        np.testing.assert_allclose(log_probs[number], by_hand(model, prompt, answer), atol=1e-5)
