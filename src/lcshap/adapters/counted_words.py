"""Pipelines of scikit-learn that count the words of a text, each by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..core.row_encoding import RowEncoder
from ..core.weights import Weights
from ..errors import MethodError
from .column_preprocessing import ColumnSteps, flatten_pipeline, sklearn_class, step_sources

Floats = NDArray[np.float64]
_VECTORIZERS = ("CountVectorizer", "TfidfVectorizer", "HashingVectorizer")
_METHODS = ("transform", "build_analyzer", "build_tokenizer", "build_preprocessor", "decode")
# Parts of regular expressions that can match white space, or whose match depends on the text around it.
_DEPENDS_ON_CONTEXT = re.compile(r"\s|\\[^wdSb\-.']|\[\^|(?<!\\)[.$^]|\(\?(?!u\)|:)")
_MAX_CELLS = 1 << 25  # entries of the table of the functions of all words
_ADVICE = "Choose another method, such as GraphKernelSHAP."


class WordCounts(RowEncoder):
    """Texts as the counts of their words, which are then transformed, each by itself.

    Parameters
    ----------
    vectorizer : a fitted vectorizer of scikit-learn that cuts texts into single words.
    steps : the fitted transformers behind it, which treat each column by itself.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> words = WordCounts(CountVectorizer(binary=True).fit(["a good film"]), [])
    >>> words.counts(["good good film"]).toarray(), words.encode(["good good film"])
    (array([[1, 2]]), array([[1., 1.]]))
    """

    def __init__(self, vectorizer: Any, steps: Sequence[Any]) -> None:
        self.vectorizer = vectorizer
        self._counter = copy(vectorizer)  # the binary option would hide how often a word occurs
        self._counter.binary = False
        tfidf = [vectorizer._tfidf] if sklearn_class(vectorizer, "transform") == "TfidfVectorizer" else []
        steps = [*tfidf, *steps]
        self.vocabulary = int(self.counts([""]).shape[1])
        self.sources = step_sources(steps, self.vocabulary)
        self.steps = ColumnSteps(steps, self.sources)

    def counts(self, texts: Sequence[str]) -> Any:
        """How often each word occurs in each text, `(n, vocabulary)`: a sparse matrix of integers."""
        kinds: Any = type(self.vectorizer).__mro__  # TfidfVectorizer counts as the class does from which it inherits
        kind = next(kind for kind in kinds if kind.__name__ in ("CountVectorizer", "HashingVectorizer"))
        return sparse.csr_array(kind.transform(self._counter, texts)).astype(np.int64)

    def numbers_of_counts(self, counts: Any) -> Any:
        """What the model behind gets for these counts: an array or a sparse matrix."""
        numbers = counts.astype(np.float64)
        return self.steps.transform(numbers.sign() if self.vectorizer.binary else numbers)

    def encode(self, rows: Any) -> Floats:
        """The numbers of texts."""
        if not all(isinstance(row, str) for row in rows):
            raise TypeError("the model counts the words of texts")
        numbers = self.numbers_of_counts(self.counts(rows))
        return np.asarray(numbers.toarray() if hasattr(numbers, "toarray") else numbers, np.float64)


class WordWeights(Weights):
    """A linear model of the words of a text: each word adds a function of the number of times that it occurs."""

    def count_functions(self, words: NDArray[np.intp], counts: NDArray[np.int64], weights: Floats) -> Floats:
        """What some words add to weighted sums of the outputs if they occur so many times, `(counts, words, values)`.

        `MethodError` if this takes too much memory.
        """
        encoder, values = self.encoder, weights @ self.coefficients
        assert isinstance(encoder, WordCounts)
        if len(counts) * len(words) * len(values) > _MAX_CELLS:
            raise MethodError(f"Expected a text of fewer words, got {len(words):,} different ones. {_ADVICE}")
        shape = len(counts), encoder.vocabulary
        places = np.repeat(np.arange(len(counts)), len(words)), np.tile(words, len(counts))
        table = sparse.csr_matrix((np.repeat(counts, len(words)), places), shape=shape)
        table.eliminate_zeros()
        numbers = sparse.csc_array(encoder.numbers_of_counts(table))
        used = np.flatnonzero(np.isin(encoder.sources, words))
        owners = np.searchsorted(words, encoder.sources[used])
        derived = numbers[:, used].toarray()
        membership = sparse.csr_array(
            (np.ones(len(used)), (np.arange(len(used)), owners)), shape=(len(used), len(words))
        )
        functions = np.stack([(derived * value[used]) @ membership for value in values], axis=-1)
        if not np.isfinite(functions).all():
            raise MethodError(f"Expected words that add finite numbers to the output, got others. {_ADVICE}")
        return functions


def split_counted_words(estimator: Any) -> tuple[WordCounts, Any] | None:
    """The counted words that a pipeline begins with, and the model behind them; None if it begins with columns.

    Raises
    ------
    MethodError : if the words do not count by themselves, such as after a division by the length of the text.
    """
    steps, model = flatten_pipeline(estimator)
    if not steps or not any(kind.__name__ in _VECTORIZERS for kind in type(steps[0]).__mro__):
        return None
    _check_single_words(steps[0])
    return WordCounts(steps[0], steps[1:]), model


def _check_single_words(vectorizer: Any) -> None:
    """Raise unless the number of each word in a text is the sum of those in its parts between white space."""
    name = sklearn_class(vectorizer, *_METHODS)
    if name not in _VECTORIZERS:
        raise _counting_error(type(vectorizer).__name__)
    required = {
        "analyzer": ("word",),
        "ngram_range": ((1, 1), [1, 1]),
        "tokenizer": (None,),
        "preprocessor": (None,),
        "strip_accents": (None, "ascii", "unicode"),
        "input": ("content",),
        **({} if name == "CountVectorizer" else {"norm": (None,)}),
        **({"binary": (False,)} if name == "HashingVectorizer" else {}),
    }
    for option, accepted in required.items():
        value = getattr(vectorizer, option)
        if value not in accepted:
            shown = "a function" if callable(value) else repr(value)
            raise _counting_error(f"{name}({option}={shown})")
    if _DEPENDS_ON_CONTEXT.search(vectorizer.token_pattern):
        raise _counting_error(f"{name}(token_pattern={vectorizer.token_pattern!r})")
    if name != "HashingVectorizer" and not hasattr(vectorizer, "vocabulary_"):
        raise MethodError(f"Expected a fitted model, got {name} that is not fitted. Call fit before.")


def _counting_error(name: str) -> MethodError:
    return MethodError(f"Expected counts of single words that do not depend on each other, got {name}. {_ADVICE}")
