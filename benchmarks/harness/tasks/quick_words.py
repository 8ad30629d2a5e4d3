"""The word-CNN that the package ships, computed so that many coalitions of one text are quick.

A filter sees three words, each of which is there or not, and the embedding of an absent word is zero. So each place of
the text has eight possible rows of 250 filter outputs. They are computed once; a coalition picks one row at each place
and takes the maximum. The result is that of the network, about twenty times as fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..game import Masks, Values
from .base import margin

CHUNK = 512  # coalitions at a time


@cache
def weights() -> dict[str, Any]:
    """The network's arrays by name."""
    import onnx

    from lcshap.paper.networks.demo import WEIGHTS

    graph = onnx.load(WEIGHTS / "reviews.onnx").graph
    return {array.name: onnx.numpy_helper.to_array(array) for array in graph.initializer}


@dataclass(frozen=True, eq=False)
class QuickWords:
    """Logits of the coalitions of one text, from the ids of its words and of the padding after it."""

    rows: Any  # (places, 8, filters)
    d: int

    @classmethod
    def of(cls, ids: Any, d: int) -> QuickWords:
        """Compute the rows of all places."""
        w = weights()
        # parts[o][i]: what word i adds to a window in which it stands at place o
        parts = np.einsum("ie,feo->oif", w["embed.weight"][ids], w["conv.weight"])
        there = (np.arange(8)[:, None] >> np.arange(3)) & 1
        windows = np.stack([parts[o, o : len(ids) - 2 + o] for o in range(3)], axis=1)  # (places, 3, filters)
        return cls(np.maximum(np.einsum("co,pof->pcf", there, windows) + w["conv.bias"], 0).astype(np.float32), d)

    def logits(self, masks: Masks) -> Values:
        """One row of logits a coalition."""
        return np.concatenate([self._logits(masks[i : i + CHUNK]) for i in range(0, len(masks), CHUNK)])

    def _logits(self, masks: Masks) -> Values:
        w = weights()
        kept = np.zeros((len(masks), len(self.rows) + 2), np.intp)
        kept[:, : self.d] = masks
        codes = kept[:, :-2] + 2 * kept[:, 1:-1] + 4 * kept[:, 2:]
        found = np.zeros((len(masks), self.rows.shape[2]), np.float32)
        for place, code in enumerate(codes.T):
            np.maximum(found, self.rows[place][code], out=found)
        hidden = np.maximum(found @ w["hidden.weight"].T + w["hidden.bias"], 0)
        return (hidden @ w["out.weight"].T + w["out.bias"]).astype(np.float64)


def value_function(text: str, d: int) -> Any:
    """Log odds of the class that the network says of the whole text, as a function of coalitions of its words."""
    from lcshap.paper.networks.demo import WEIGHTS
    from lcshap.paper.networks.paper_model import read_onnx

    encoder = read_onnx(WEIGHTS / "reviews.onnx")[1]
    quick = QuickWords.of(encoder.encode([text])[0], d)
    target = int(quick.logits(np.ones((1, d), bool))[0].argmax())
    return lambda masks: margin(quick.logits(masks), target)
