import re
from dataclasses import fields

from command import run

from lcshap.cli.options_bulk import BulkData, BulkRun


def test_help_has_every_option():
    help_text = re.sub(r"\s+", " ", run("bulk", "--help")[0])
    for group in (BulkData, BulkRun):
        for f in fields(group):
            if f.name not in ("input", "folder"):
                assert f"--{f.name.replace('_', '-')}" in help_text, f.name
    assert "INPUT" in help_text
    assert "lcshap bulk status run" in help_text
