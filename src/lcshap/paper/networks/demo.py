"""Two small trained models that come with the package: sentiment of reviews, and the digits 3 and 8.

They need only ``pip install "lcshap[onnx]"``. ``weights/README.md`` describes how they were trained.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...adapters.base import Model
from ...explainer import Execution, Explainer
from ...maskers.base import Masker
from .paper_model import read_onnx

SENTENCE = "It is not heartwarming or entertaining. It just sucks."
WEIGHTS = Path(__file__).parent / "weights"


def demo_text() -> tuple[Model, Masker, str]:
    """A word-CNN that distinguishes negative and positive reviews, the paper's zero padding, and the paper's sentence.

    ``lcshap.Explainer(model, masker)(text)`` explains it.
    """
    model, encoder = read_onnx(WEIGHTS / "reviews.onnx")
    return model, encoder.masker(), SENTENCE


def review_explainer(budget: int | str = "4d") -> Explainer:
    """An explainer of film reviews by `demo_text`: a factory for `lcshap.bulk.explain_dataset`.

    >>> review_explainer()("It just sucks.").names
    ('It', 'just', 'sucks')
    """
    model, masker, _ = demo_text()
    return Explainer(model, masker, "graph-kernel-shap", budget=budget, execution=Execution(model_name="demo-text"))


def demo_digits() -> tuple[Model, Masker, NDArray[Any]]:
    """A CNN that distinguishes 3 and 8, a masker of pixels with the average of the image, and an image of a digit."""
    model, encoder = read_onnx(WEIGHTS / "digits.onnx")
    return model, encoder.masker(), np.load(WEIGHTS / "digit.npy", allow_pickle=False)
