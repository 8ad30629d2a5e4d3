"""The rules of a tokenizer of transformers as a digest, which identifies it in every process."""

from __future__ import annotations

import json
from typing import Any
from weakref import WeakKeyDictionary

from ..core.digest import digest

_SETTINGS = ("padding_side", "truncation_side", "model_input_names", "special_tokens_map", "add_bos_token")
_CALL_SETTINGS = ("padding", "truncation")  # these are changed by each call of a tokenizer
_DIGESTS: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()  # cached, because a vocabulary takes a while to digest


def tokenizer_content(tokenizer: Any) -> bytes | None:
    """The digest of the rules and settings of a fast tokenizer; None for others, whose rules are code.

    >>> tokenizer_content(len) is None
    True
    """
    backend: Any = getattr(tokenizer, "backend_tokenizer", None)
    if not hasattr(backend, "to_str"):
        return None
    if tokenizer not in _DIGESTS:
        rules = json.loads(backend.to_str())
        settings = {name: repr(getattr(tokenizer, name, None)) for name in _SETTINGS}
        _DIGESTS[tokenizer] = digest(
            {name: rule for name, rule in rules.items() if name not in _CALL_SETTINGS}, settings
        )
    return _DIGESTS[tokenizer]
