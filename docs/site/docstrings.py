"""Make docstrings Markdown before mkdocstrings reads them: reStructuredText mathematics, and keys of refs.bib."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import griffe

_BIB = (Path(__file__).parents[1] / "refs.bib").read_text(encoding="utf-8")
_DISPLAY = re.compile(r"^( *)\.\. math:: *(.*(?:\n(?:\1 +\S.*)?)*)", re.MULTILINE)


def _entries(text: str) -> dict[str, str]:
    """The address of each entry of the bibliography, by its key."""
    found = {}
    for key, body in re.findall(r"@\w+\{(\w+),(.*?)\n\}", text, re.DOTALL):
        url = re.search(r"url\s*=\s*\{(.*?)\}", body)
        doi = re.search(r"doi\s*=\s*\{(.*?)\}", body)
        found[key] = url[1] if url else f"https://doi.org/{doi[1]}" if doi else ""
    return found


ADDRESSES = _entries(_BIB)


def markdown(text: str) -> str:
    """A docstring with its mathematics and its citations in Markdown."""
    text = _DISPLAY.sub(lambda m: f"{m[1]}$${' '.join(m[2].split())}$$\n\n", text)
    text = re.sub(r":math:`(.*?)`", lambda m: f"${' '.join(m[1].split())}$", text, flags=re.DOTALL)
    text = re.sub(r"\[(\w+\d{4}\w+)\]_", _cited, text)
    if ">>>" in text and not re.search(r"^Examples\n-+$", text, re.MULTILINE):
        before, start, example = text.partition(">>>")
        text = f"{before.rstrip()}\n\nExamples\n--------\n{start}{example}"
    return text


def _cited(found: re.Match[str]) -> str:
    address = ADDRESSES.get(found[1])
    return f"[[{found[1]}]]({address})" if address else f"\\[{found[1]}\\]"


class Docstrings(griffe.Extension):
    """Rewrite every docstring when its object has been read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of one object."""
        if obj.docstring:
            obj.docstring.value = markdown(obj.docstring.value)
