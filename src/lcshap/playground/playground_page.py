"""The page of a playground: the report's renderers and styles, with an editor and live answers around them."""

from __future__ import annotations

import html
from typing import Any

from ..show.html_report.report_page import palette_style, policy_hash
from ..show.html_report.scripts import join_modules, read_file
from ..show.pack import to_safe_json
from ..show.palette import find_palette

MODULES = (f"{__package__}.modules", "lcshap.show.html_report.modules")


def make_page(title: str, page_settings: dict[str, Any]) -> tuple[str, str]:
    """The page, and its content security policy.

    Parameters
    ----------
    title : of the page.
    page_settings : what the page needs to know in the beginning, see `Session.page_settings`.

    Returns
    -------
    The page as HTML, and the policy that lets it run its own script and talk to its own server, and nothing else.
    """
    style = palette_style(find_palette("default")) + read_file("page.css", "lcshap.show.html_report")
    style += read_file("playground.css", __package__)
    script = join_modules("playground.js", packages=MODULES)
    policy = (
        f"default-src 'none'; script-src {policy_hash(script)}; style-src {policy_hash(style)}; img-src data: blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    parts = {
        "title": html.escape(title),
        "style": style,
        "data": f'<script type="application/json" id="about">{to_safe_json(page_settings)}</script>',
        "script": script,
    }
    pieces = read_file("playground.html", __package__).split("%%")  # Texts and names of placeholders alternate.
    return "".join(parts[piece] if k % 2 else piece for k, piece in enumerate(pieces)), policy
