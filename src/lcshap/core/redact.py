"""Describe exceptions of other packages without the secrets that they may contain.

Clients of web services put a lot of data into exceptions: `repr` of aiohttp's `ClientResponseError` has the headers of
the request ("Authorization: Bearer ..."), `str` of httpx's `HTTPStatusError` the address with its ``?key=...``.
Messages end up in logs and in reports of bugs, so lcshap describes such an exception only with
`describe_error`. The exception itself is still the `__cause__` of the error that lcshap raises, and Python prints it
unchanged in the traceback of an error that is not caught.
"""

from __future__ import annotations

import re
from typing import Any

_MASK = "***"
_MAX_CHARACTERS = 10_000  # The number of characters of a text that are redacted and shown.
_PLAIN_TYPES = (str, bytes, int, float, bool, type(None))
_WORD_END = r"(?=['\")\]>},;:.]{0,4}(?:\s|$))"  # of a word, but for quotes, brackets and commas
_RULES = [
    # headers, to the end of the text, because it is unknown where they end
    (re.compile(r"(?is)\b((?:proxy-)?authorization|(?:set-)?cookie|headers)\b(['\"]?\s*[=:]\s*).*"), r"\1\2***"),
    (re.compile(r"(?is)(['\"](?:x-[\w-]+|user-agent)['\"]\s*:\s*).*"), r"\1***"),
    # addresses: name and password, and what comes after a question mark
    (re.compile(r"(?i)\b([a-z][a-z0-9+.-]{0,20}://)[^\s/@'\"]*@"), r"\1***@"),
    (re.compile(r"(?i)\b([a-z][a-z0-9+.-]{0,20}://[^\s?#]*)[?#]\S*?" + _WORD_END), r"\1?***"),
    (re.compile(r"\?[^\s?=]*=\S*?" + _WORD_END), r"?***"),
    # values with a telling name
    (
        re.compile(
            r"(?i)((?:\b|_|-)(?:api[-_ ]?key|key|token|secret|passw(?:or)?d|credentials?|signature|sig)"
            r"['\"]?\s*[=:]\s*(?>b?['\"]?))(?!\*\*\*)[^\s'\",;&)\]}]+"
        ),
        r"\1***",
    ),
    # values that look like secrets
    (re.compile(r"(?i)\b(bearer|basic)\s+(?!\*\*\*)[^\s'\",;)\]}]{6,}"), r"\1 ***"),
    (
        re.compile(
            r"(?<![A-Za-z0-9])(?:[sprg]{1,2}k[-_]|hf_|r8_|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|AIza|AKIA|ASIA|ya29\.|eyJ)"
            r"[\w.-]{7,}\w"
        ),
        _MASK,
    ),
    (re.compile(r"\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{32,}\b"), _MASK),
    (re.compile(r"(?<![\w-])[\w-]*\*{3,}[\w-]*"), _MASK),  # the first or last letters of a key, with asterisks
]
_FRAGMENT_LENGTH = 6  # of a part of a key that is masked
_END_LENGTH = 4  # of the beginning and the end of a key, which servers repeat


def redact(text: str) -> str:
    """A text without request headers, query strings of addresses, and all that looks like a key or a password.

    >>> redact("401 for url 'https://api.example.com/v1?key=abc', headers={'Authorization': 'Bearer abc'}")
    "401 for url 'https://api.example.com/v1?***', headers=***"
    >>> redact("Incorrect API key provided: sk-proj-0123456789. See https://example.com/keys.")
    'Incorrect API key provided: ***. See https://example.com/keys.'
    """
    text = text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]} ..."
    for pattern, mask in _RULES:
        text = pattern.sub(mask, text)
    return text


def mask_key(text: str, key: str) -> str:
    """A text without a key that is known, and without parts of it, such as its last letters.

    >>> mask_key("wrong key abcd...wxyz", "abcdefgh-stuvwxyz"), mask_key("not efgh-stu", "abcdefgh-stuvwxyz")
    ('wrong key ***...***', 'not ***')
    """
    if not key:
        return text
    fragments = {key[start : start + _FRAGMENT_LENGTH] for start in range(max(1, len(key) - _FRAGMENT_LENGTH + 1))}
    fragments |= {key[:_END_LENGTH], key[-_END_LENGTH:]}
    lengths = {len(fragment) for fragment in fragments}
    ends = [0] * len(text)  # where the longest fragment that starts at a letter ends; 0 for none
    for start in range(len(text)):
        candidates = [text[start : start + length] for length in lengths]
        ends[start] = max((start + len(part) for part in candidates if part in fragments), default=0)
    masked, position, start = [], 0, 0
    while start < len(text):
        if not ends[start]:
            start += 1
            continue
        masked += [text[position:start], _MASK]
        position = ends[start]
        while start <= position and start < len(text):  # fragments that overlap, or follow each other, are one
            position = max(position, ends[start])
            start += 1
    return "".join([*masked, text[position:]])


def describe_error(error: BaseException) -> str:
    """The type of an exception, its HTTP status if it has one, and its redacted message.

    >>> describe_error(OSError("no route to http://10.0.0.1/score?token=abc"))
    "OSError('no route to http://10.0.0.1/score?***')"
    """
    if error.args and all(isinstance(arg, _PLAIN_TYPES) for arg in error.args):
        message = ", ".join(repr(redact(a)) if isinstance(a, str) else redact(repr(a)) for a in error.args)
    else:  # arguments that are objects, such as a request with its headers: use only `str(error)`
        message = _error_message(error)
    status = _http_status(error)
    if status is not None and str(status) not in message:
        message = f"status {status}, {message}" if message else f"status {status}"
    return f"{type(error).__name__}({message})"


def error_text(error: BaseException) -> str:
    """The message of an exception; empty if the code of its class raises an error."""
    try:
        return str(error)
    except Exception:  # This calls code of other packages.
        return ""


def _error_message(error: BaseException) -> str:
    message = error_text(error)
    return repr(redact(message)) if message else ""


def _http_status(error: BaseException) -> int | None:
    """The status of an HTTP response, wherever aiohttp, httpx, requests and urllib put it."""
    for source in (error, _get_attribute(error, "response")):
        for name in ("status", "status_code", "code"):
            status = _get_attribute(source, name)
            if isinstance(status, int) and 100 <= status < 600:
                return int(status)
    return None


def _get_attribute(source: Any, name: str) -> Any:
    try:
        return getattr(source, name, None)
    except Exception:  # httpx raises an error if there is no response.
        return None
