"""Mathematics as MathML, made while the site is built: browsers draw it without a script and without a network."""

from __future__ import annotations

import html
import re

from latex2mathml.converter import convert

_INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
_BINOMIAL = re.compile(r"\\binom\{[^{}]*\}\{[^{}]*\}")
_DISPLAY = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)


def rendered(page: str) -> str:
    """A page's HTML with every formula as MathML."""
    page = _DISPLAY.sub(lambda found: f'<div class="formula">{_mathml(found[1], "block")}</div>', page)
    return _INLINE.sub(lambda found: f'<span class="symbols">{_mathml(found[1], "inline")}</span>', page)


def _mathml(source: str, display: str) -> str:
    """A formula as MathML, with three corrections of what latex2mathml makes.

    A power of a binomial coefficient belongs to all of it, arg is an operator, and the sign of set difference is the
    one that common fonts have.

    >>> "&#x02216;" in _mathml(r"A \\setminus B", "inline"), "029F5" in _mathml(r"A \\setminus B", "inline")
    (True, False)
    >>> _mathml(r"\\binom{n}{k}^{-1}", "inline").count("<msup><mrow>")
    1
    """
    source = _BINOMIAL.sub(r"{\g<0>}", html.unescape(source).strip()).replace(r"\arg", r"\operatorname{arg}")
    made = str(convert(source, display=display)).replace("<mi>&#x029F5;</mi>", "<mo>&#x02216;</mo>")
    return re.sub(r' (?:min|max)size="2\.047em"', "", made)
