"""Explain one input in one line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, overload

import numpy as np

from ..core.explanation import Explanation
from ..core.explanations import Explanations
from ..errors import MaskerError
from ..maskers.base import Masker
from ..maskers.bytes import Bytes
from ..maskers.image import Image
from ..maskers.image_arrays import is_pillow_image
from ..maskers.text import Text
from .explainer import Explainer


@overload
def explain(
    model: Any, x: str | bytes | os.PathLike[str], masker: Masker | None = None, **options: Any
) -> Explanation: ...
@overload
def explain(
    model: Any, x: list[Any] | tuple[Any, ...] | Iterator[Any], masker: Masker, **options: Any
) -> Explanations[Explanation]: ...
@overload
def explain(model: Any, x: Any, masker: Masker | None = None, **options: Any) -> Any: ...
def explain(model: Any, x: Any, masker: Masker | None = None, **options: Any) -> Any:
    """Explain one input in one line: `Explainer(model, masker, **options)(x)`.

    Without a masker, a text is cut into words, an image (an array with two or three axes, or one of Pillow) into
    pixels, superpixels if it is large, and a file (bytes, or a `pathlib.Path`) into windows of 16 bytes.

    Parameters
    ----------
    model : any model that `Explainer` takes: a function, a scikit-learn estimator, a PyTorch module, ...
    x : the input to explain, or a list of inputs.
    masker : how the input is cut into units; by default chosen by the type of the input.
    options : all other options of `Explainer`, such as `kind`, `method`, `budget` or `target`.

    Returns
    -------
    Explanation or Explanations : the scores of the input, or of each input of a list.

    Raises
    ------
    LcshapError : if the model, the input or an option is not as it should be.

    Examples
    --------
    >>> import lcshap as lc
    >>> lc.explain(lambda texts: [len(t.split()) for t in texts], "one two three", kind="output").scores
    array([1., 1., 1.])
    """
    if masker is None:
        if isinstance(x, str):
            masker = Text()
        elif is_pillow_image(x) or (isinstance(x, np.ndarray) and x.ndim in (2, 3)):
            masker = Image()
        elif isinstance(x, bytes | os.PathLike):
            masker = Bytes()
        else:
            raise MaskerError(
                f"Expected a masker for an input of type {type(x).__name__}, got none. Give one of lcshap.maskers: for "
                "a row of a table, maskers.Tabular(background) with some rows of your data."
            )
    return Explainer(model, masker, **options)(x)
