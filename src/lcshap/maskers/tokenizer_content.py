"""What a tokenizer of transformers does, as plain data: what tells it from others in every process."""

from __future__ import annotations

import json
from typing import Any
from weakref import WeakKeyDictionary

from ..core.digest import digest

_SETTINGS = ("padding_side", "truncation_side", "model_input_names", "special_tokens_map", "add_bos_token")
_PASSING = ("padding", "truncation")  # what the last call of a tokenizer has left in it
_KNOWN: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()  # a vocabulary takes a while to write down


def tokenizer_content(tokenizer: Any) -> bytes | None:
    """The digest of all that a fast tokenizer goes by; None for others, whose rules are code.

    >>> tokenizer_content(len) is None
    True
    """
    backend: Any = getattr(tokenizer, "backend_tokenizer", None)
    if not hasattr(backend, "to_str"):
        return None
    if tokenizer not in _KNOWN:
        rules = json.loads(backend.to_str())
        settings = {name: repr(getattr(tokenizer, name, None)) for name in _SETTINGS}
        _KNOWN[tokenizer] = digest({name: part for name, part in rules.items() if name not in _PASSING}, settings)
    return _KNOWN[tokenizer]
