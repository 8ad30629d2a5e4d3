"""The description of a method for the terminal, made from its docstring without markup and Python."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields

from ..estimators.registry import MethodEntry
from ..show.terminal_text import wrap_lines

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


def describe_method(entry: MethodEntry, width: int) -> str:
    """A short description of a method: its name, what it computes, when to choose it, and what it costs."""
    paragraphs = [entry.summary, entry.choose, f"Calls: {entry.cost}."]
    lines = (line for paragraph in paragraphs for line in wrap_lines(paragraph, width - 2))
    return "\n".join([f"{entry.name}: {entry.signature}", *(f"  {line}" for line in lines)])


def describe_method_fully(entry: MethodEntry, width: int) -> str:
    """A description of a method with its parameters, notes and references."""
    sections = _split_sections(inspect.getdoc(entry.method) or "")
    blocks = [describe_method(entry, width)]
    if "Parameters" in sections:
        defaults = {f.name: f.default for f in fields(entry.method) if f.default is not MISSING}
        parameters = [
            _format_parameter(parameter, defaults, width) for parameter in _iterate_parameters(sections["Parameters"])
        ]
        blocks.append("\n".join(["Parameters", *parameters]))
    for title in ("Notes", "References"):
        if title in sections:
            paragraphs = (_indent(paragraph, width) for paragraph in sections[title].split("\n\n"))
            blocks.append(f"{title}\n" + "\n\n".join(paragraphs))
    blocks.append("Use\n" + _indent(_usage(entry), width))
    return "\n\n".join(blocks)


def _usage(entry: MethodEntry) -> str:
    names = [f.name for f in fields(entry.method)]
    example = "budget=400" if "budget" in names else f"{names[0]}=..." if names else ""
    for f in fields(entry.method):
        if f.name in ("order", "max_size") and isinstance(f.default, int) and "budget" not in names:
            example = f"{f.name}={f.default}"
            break
    method = f"{entry.name}:{example}" if example else entry.name
    return (
        f"Say --method {method} on the command line. In Python, help(lcshap.{entry.method.__name__}) has the formula."
    )


def _split_sections(text: str) -> dict[str, str]:
    """The sections of a docstring by their titles."""
    parts = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.MULTILINE)
    return {title: body.strip() for title, body in zip(parts[1::2], parts[2::2], strict=True)}


def _iterate_parameters(text: str) -> Iterator[tuple[str, str]]:
    """The names and descriptions of the parameters in a section of a docstring."""
    for entry in re.split(r"\n(?=\S)", text):
        names, _, description = entry.partition(" : ")
        yield names, description


def _format_parameter(parameter: tuple[str, str], defaults: dict[str, object], width: int) -> str:
    names, description = parameter
    signature = [f"{name}={defaults[name]}" if name in defaults else name for name in names.split(", ")]
    text = strip_markup(description)
    return f"  {', '.join(signature)}\n" + _indent(text, width, 6)


def _indent(text: str, width: int, by: int = 2) -> str:
    return "\n".join(" " * by + line for line in wrap_lines(strip_markup(text), width - by))


def strip_markup(text: str) -> str:
    r"""Text without markup, in one line.

    >>> strip_markup("Exact when it covers :math:`2^d`, see\n`CShapley` and ``docs/methods.md`` [chen2019lshapley]_.")
    'Exact when it covers 2^d, see CShapley and docs/methods.md.'
    >>> strip_markup(r":math:`K = V \setminus N_k(i)`, b = \|U\|, :math:`b^{m-1}`")
    'K = V \\ N_k(i), b = |U|, b^(m-1)'
    """
    text = re.sub(r"\s*\[\w+\d{4}\w*\]_", "", text)
    text = re.sub(r":math:`([^`]*)`", lambda match: _formula(match[1]), text)
    text = re.sub(r"``([^`]*)``|`([^`]*)`", lambda match: match[1] or match[2] or "", text)
    return " ".join(text.replace(r"\|", "|").split())


def _formula(tex: str) -> str:
    """A short formula as plain text."""
    tex = re.sub(r"\\[,;]", " ", tex)
    tex = re.sub(r"\\[td]?frac\s*(\w)\s*(\w)", r"\1/\2", tex)
    tex = re.sub(r"\\binom\s*(\w)(\w)", r"C(\1, \2)", tex)
    tex = re.sub(r"\\bar\\(\w+)", lambda match: _SYMBOLS.get(match[1], match[1]) + "\u0304", tex)
    tex = re.sub(r"(?<!\\)\{([+-])\}", r"\1", tex)
    tex = re.sub(r"([\^_])\{([^{}]*)\}", r"\1(\2)", tex)
    tex = re.sub(r"\\([a-zA-Z]+)", lambda match: _SYMBOLS.get(match[1], match[1]), tex)
    return tex.replace("\\{", "{").replace("\\}", "}").replace("\\|", "|")
