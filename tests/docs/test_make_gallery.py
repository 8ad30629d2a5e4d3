"""docs/gallery.md is what docs/make_gallery.py writes, and its pictures are there."""

import re
import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_has_the_code_of_the_script_beside_each_picture():
    page = runpy.run_path(str(DOCS / "make_gallery.py"), run_name="gallery")["page"]()
    assert (DOCS / "gallery.md").read_text(encoding="utf-8") == page, "run python docs/make_gallery.py --page"
    pictures = re.findall(r"``` \{ \.python \}\n.+?\n```\n\n!\[.+?\]\((gallery/\w+\.png)\)", page, re.DOTALL)
    assert len(pictures) == page.count("![") > 15
    assert all((DOCS / picture).stat().st_size > 0 for picture in pictures)
