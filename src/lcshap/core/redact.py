"""What an exception of somebody else's code says, without the secrets that it may hold.

The clients of web services put much into their exceptions: `repr` of aiohttp's `ClientResponseError` has the headers
of the request ("Authorization: Bearer ..."), `str` of httpx's `HTTPStatusError` the address with its ``?key=...``.
Messages end up in logs and in reports of bugs, so all that lcshap says about such an exception goes through
`described`. The exception itself stays the `__cause__` of what lcshap raises: it is the user's, and Python prints it as
it is in the traceback of an error that nobody catches.
"""

from __future__ import annotations

import re
from typing import Any

_MASK = "***"
_LONGEST = 10_000  # letters that are looked at and shown
_PLAIN = (str, bytes, int, float, bool, type(None))
_END = r"(?=['\")\]>},;:.]{0,4}(?:\s|$))"  # of a word, but for quotes, brackets and commas
_RULES = [
    # headers, to the end of the text: nobody knows where they end
    (re.compile(r"(?is)\b((?:proxy-)?authorization|(?:set-)?cookie|headers)\b(['\"]?\s*[=:]\s*).*"), r"\1\2***"),
    (re.compile(r"(?is)(['\"](?:x-[\w-]+|user-agent)['\"]\s*:\s*).*"), r"\1***"),
    # addresses: name and password, and what comes after a question mark
    (re.compile(r"(?i)\b([a-z][a-z0-9+.-]{0,20}://)[^\s/@'\"]*@"), r"\1***@"),
    (re.compile(r"(?i)\b([a-z][a-z0-9+.-]{0,20}://[^\s?#]*)[?#]\S*?" + _END), r"\1?***"),
    (re.compile(r"\?[^\s?=]*=\S*?" + _END), r"?***"),
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
]


def redacted(text: str) -> str:
    """A text without request headers, query strings of addresses, and all that looks like a key or a password.

    >>> redacted("401 for url 'https://api.example.com/v1?key=abc', headers={'Authorization': 'Bearer abc'}")
    "401 for url 'https://api.example.com/v1?***', headers=***"
    >>> redacted("Incorrect API key provided: sk-proj-0123456789. See https://example.com/keys.")
    'Incorrect API key provided: ***. See https://example.com/keys.'
    """
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."
    for pattern, mask in _RULES:
        text = pattern.sub(mask, text)
    return text


def described(error: BaseException) -> str:
    """The type of an exception, its HTTP status where it has one, and what it says, redacted.

    >>> described(OSError("no route to http://10.0.0.1/score?token=abc"))
    "OSError('no route to http://10.0.0.1/score?***')"
    """
    if error.args and all(isinstance(arg, _PLAIN) for arg in error.args):
        said = ", ".join(repr(redacted(a)) if isinstance(a, str) else redacted(repr(a)) for a in error.args)
    else:  # objects among the arguments, such as a request with its headers: only what `str` makes of them
        said = _said(error)
    status = _status(error)
    if status is not None and str(status) not in said:
        said = f"status {status}, {said}" if said else f"status {status}"
    return f"{type(error).__name__}({said})"


def _said(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # foreign code
        return ""
    return repr(redacted(text)) if text else ""


def _status(error: BaseException) -> int | None:
    """The status of an HTTP response, wherever aiohttp, httpx, requests and urllib put it."""
    for thing in (error, _get(error, "response")):
        for name in ("status", "status_code", "code"):
            found = _get(thing, name)
            if isinstance(found, int) and 100 <= found < 600:
                return int(found)
    return None


def _get(thing: Any, name: str) -> Any:
    try:
        return getattr(thing, name, None)
    except Exception:  # httpx raises where there is no response
        return None
