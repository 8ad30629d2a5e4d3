"""Hooks of mkdocs: pages that are made while the site is built, and mathematics."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import api  # noqa: E402
import command  # noqa: E402
import maths  # noqa: E402

from lcshap.cli import demo_output as demo  # noqa: E402

COPIED = {  # documents that live beside README.md, and their pages
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "code_of_conduct.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
PLANNED = {"language_models.md", "scale.md"}


def made_pages() -> dict[str, str]:
    """The Markdown of every page that is not a file in docs/, by its address."""
    pages = {f"api/{name}.md": text for name, text in api.pages().items()}
    pages["command.md"] = command.page()
    for source, page in COPIED.items():
        if (ROOT / source).exists():
            pages[page] = moved((ROOT / source).read_text(encoding="utf-8"))
    return pages


def moved(text: str) -> str:
    """A document of the top folder as a page in docs/: its links start from there."""
    text = re.sub(r"\]\(docs/", "](", text)
    for source, page in COPIED.items():
        text = text.replace(f"]({source}", f"]({page}")
    return text


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Leave out the places in the navigation whose pages are still to be written."""
    config.nav = _present(config.nav or [])
    return config


def _present(entry: Any) -> Any:
    """A part of the navigation without the pages that are not there."""
    if isinstance(entry, dict):
        return {title: _present(inside) for title, inside in entry.items()}
    if isinstance(entry, list):
        gone = [
            {title: page}
            for part in entry
            if isinstance(part, dict)
            for title, page in part.items()
            if str(page) in PLANNED
        ]
        return [_present(part) for part in entry if part not in gone or set(part.values()) - _absent()]
    return entry


def _absent() -> set[str]:
    return {page for page in PLANNED if not (ROOT / "docs" / page).exists()}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made here."""
    for address, text in made_pages().items():
        files.append(File.generated(config, address, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links from docs/ to documents of the top folder lead to their pages."""
    for source, page in COPIED.items():
        markdown = markdown.replace(f"](../{source}", f"]({page}")
    return re.sub(r"\[([^\]]*)\]\([^():]*/\)", r"\1", markdown)  # a folder is no page


def on_post_build(config: MkDocsConfig) -> None:
    """Write the report that the site shows: the one of `lcshap demo`."""
    demo.explain_demo().save(Path(config.site_dir) / "example_report.html")


def on_page_content(html: str, **_: Any) -> str:
    """Formulae become MathML."""
    return maths.rendered(html)
