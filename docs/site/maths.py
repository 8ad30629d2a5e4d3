"""Mathematics as MathML, made while the site is built: browsers draw it without a script and without a network."""

from __future__ import annotations

import html
import re

from latex2mathml.converter import convert

_INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
_DISPLAY = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)


def rendered(page: str) -> str:
    """A page's HTML with every formula as MathML."""
    page = _DISPLAY.sub(lambda found: f'<div class="formula">{_mathml(found[1], "block")}</div>', page)
    return _INLINE.sub(lambda found: f'<span class="symbols">{_mathml(found[1], "inline")}</span>', page)


def _mathml(source: str, display: str) -> str:
    return str(convert(html.unescape(source).strip(), display=display))
