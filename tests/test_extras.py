"""Optional packages: imported when they are needed, with the line that installs them."""

import json

import pytest

import lcshap as lc
from lcshap.extras import import_optional


def test_what_is_there_and_what_is_not():
    assert import_optional("json", "json") is json
    with pytest.raises(
        lc.errors.MissingExtraError,
        match=r'This needs the package no_such_package .*pip install "lcshap\[magic\]"',
    ):
        import_optional("no_such_package.part", "magic")
