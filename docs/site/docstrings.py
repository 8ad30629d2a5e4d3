"""Prepare docstrings for mkdocstrings: reStructuredText mathematics, keys of refs.bib, and entries of sections.

The docstrings of lcshap write an entry of a section as ``name : a sentence``, with the type in the signature. NumPy's
format has the type after the colon, and the sentence on the next line. The sentence is moved there.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import griffe

_BIB = (Path(__file__).parents[1] / "refs.bib").read_text(encoding="utf-8")
_ENTRY = re.compile(r"^([\w*., \[\]|]+?) : (.+)$")
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


def sections(text: str, returned: str) -> str:
    """A docstring whose entries ``name : a sentence`` have the sentence on the next line.

    >>> print(sections("Parameters\\n----------\\ntop : how many units\\n    are drawn.", ""))
    Parameters
    ----------
    top
        how many units
        are drawn.
    """
    lines, made, section = text.splitlines(), list[str](), ""
    for number, line in enumerate(lines):
        below = lines[number + 1] if number + 1 < len(lines) else ""
        if line.strip() and set(below.strip()) == {"-"}:
            section = line.strip()
        entry = section in ("Parameters", "Attributes", "Returns", "Raises") and line[:1].strip() and set(line) != {"-"}
        found = _ENTRY.match(line) if entry and line != section else None
        if found:
            made += [found[1], f"    {found[2]}"]
        elif entry and line != section and section == "Returns":
            made += [returned or "Any", f"    {line}"]
        else:
            made.append(line)
    return "\n".join(made)


def _cited(found: re.Match[str]) -> str:
    address = ADDRESSES.get(found[1])
    return f"[[{found[1]}]]({address})" if address else f"\\[{found[1]}\\]"


class Docstrings(griffe.Extension):
    """Rewrite every docstring when its object has been read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of one object."""
        if obj.docstring:
            returned = str(obj.returns or "") if isinstance(obj, griffe.Function) else ""
            obj.docstring.value = sections(markdown(obj.docstring.value), returned)
