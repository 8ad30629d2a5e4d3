"""All about a method as text for the terminal, from its docstring: without markup, formulas or Python."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields

from ..estimators.registry import Entry
from ..show.letters import wrapped

_SYMBOLS = {
    "setminus": "\\",
    "emptyset": "∅",
    "subseteq": "⊆",
    "lambda": "λ",
    "cup": "∪",
    "cap": "∩",
    "sum": "Σ",
    "phi": "φ",
    "top": "T",
    "pi": "π",
    "le": "≤",
    "in": "∈",
}


def describe(entry: Entry, width: int) -> str:
    """A method in a few lines: how it is written, what it computes, when to choose it, and what it costs."""
    parts = [entry.summary, entry.choose, f"Calls: {entry.cost}."]
    lines = (line for part in parts for line in wrapped(part, width - 2))
    return "\n".join([f"{entry.name}: {entry.signature}", *(f"  {line}" for line in lines)])


def describe_fully(entry: Entry, width: int) -> str:
    """A method with its parameters, notes and references."""
    sections = _sections(inspect.getdoc(entry.method) or "")
    parts = [describe(entry, width)]
    if "Parameters" in sections:
        usual = {f.name: f.default for f in fields(entry.method) if f.default is not MISSING}
        listed = [_parameter(item, usual, width) for item in _items(sections["Parameters"])]
        parts.append("\n".join(["Parameters", *listed]))
    for title in ("Notes", "References"):
        if title in sections:
            paragraphs = (_indented(part, width) for part in sections[title].split("\n\n"))
            parts.append(f"{title}\n" + "\n\n".join(paragraphs))
    parts.append("Use\n" + _indented(_use(entry), width))
    return "\n\n".join(parts)


def _use(entry: Entry) -> str:
    names = [f.name for f in fields(entry.method)]
    example = "budget=400" if "budget" in names else f"{names[0]}=..." if names else ""
    for f in fields(entry.method):
        if f.name in ("order", "max_size", "hops") and isinstance(f.default, int) and "budget" not in names:
            example = f"{f.name}={f.default}"
            break
    written = f"{entry.name}:{example}" if example else entry.name
    return (
        f"Say --method {written} on the command line. In Python, help(lcshap.{entry.method.__name__}) has the formula."
    )


def _sections(text: str) -> dict[str, str]:
    """The sections of a docstring by their titles."""
    parts = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.MULTILINE)
    return {title: body.strip() for title, body in zip(parts[1::2], parts[2::2], strict=True)}


def _items(text: str) -> Iterator[tuple[str, str]]:
    """The names and texts of a list of parameters."""
    for item in re.split(r"\n(?=\S)", text):
        names, _, said = item.partition(" : ")
        yield names, said


def _parameter(item: tuple[str, str], usual: dict[str, object], width: int) -> str:
    names, said = item
    known = [f"{name}={usual[name]}" if name in usual else name for name in names.split(", ")]
    text = plain(said)
    return f"  {', '.join(known)}\n" + _indented(text, width, 6)


def _indented(text: str, width: int, by: int = 2) -> str:
    return "\n".join(" " * by + line for line in wrapped(plain(text), width - by))


def plain(text: str) -> str:
    r"""Text without markup, in one line.

    >>> plain("Exact when it covers :math:`2^d`, see\n`CShapley` and ``docs/methods.md`` [chen2019lshapley]_.")
    'Exact when it covers 2^d, see CShapley and docs/methods.md.'
    >>> plain(r":math:`K = V \setminus N_k(i)`, b = \|U\|, :math:`b^{m-1}`")
    'K = V \\ N_k(i), b = |U|, b^(m-1)'
    """
    text = re.sub(r"\s*\[\w+\d{4}\w*\]_", "", text)
    text = re.sub(r":math:`([^`]*)`", lambda found: _formula(found[1]), text)
    text = re.sub(r"``([^`]*)``|`([^`]*)`", lambda found: found[1] or found[2] or "", text)
    return " ".join(text.replace(r"\|", "|").split())


def _formula(tex: str) -> str:
    """A short formula in letters."""
    tex = re.sub(r"\\[,;]", " ", tex)
    tex = re.sub(r"\\[td]?frac\s*(\w)\s*(\w)", r"\1/\2", tex)
    tex = re.sub(r"\\binom\s*(\w)(\w)", r"C(\1, \2)", tex)
    tex = re.sub(r"\\bar\\(\w+)", lambda found: _SYMBOLS.get(found[1], found[1]) + "\u0304", tex)
    tex = re.sub(r"(?<!\\)\{([+-])\}", r"\1", tex)
    tex = re.sub(r"([\^_])\{([^{}]*)\}", r"\1(\2)", tex)
    tex = re.sub(r"\\([a-zA-Z]+)", lambda found: _SYMBOLS.get(found[1], found[1]), tex)
    return tex.replace("\\{", "{").replace("\\}", "}").replace("\\|", "|")
