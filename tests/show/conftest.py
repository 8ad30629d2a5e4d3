"""Reports that are read back."""

import pytest
from showing import Page

from lcshap.show.html_report import report


@pytest.fixture
def write(tmp_path):
    """Writes a report and reads it back."""
    return lambda explanations, **options: Page(report(explanations, tmp_path / "page.html", **options))
