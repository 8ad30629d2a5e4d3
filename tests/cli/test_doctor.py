"""What is said to be installed is installed."""

import re
from importlib import metadata

import numpy as np
from command import run

import lcshap as lc
from lcshap.cli import doctor


def test_doctor_lists_what_is_installed():
    out = run("doctor")[0]
    assert re.search(rf"^numpy +{re.escape(np.__version__)}$", out, re.MULTILINE)
    assert re.search(rf"^lcshap +{re.escape(lc.__version__)}$", out, re.MULTILINE)
    assert re.search(r"^torch runs on +CPU", out, re.MULTILINE)
    assert re.search(r"^onnxruntime runs on .*CPU", out, re.MULTILINE)
    for extra, packages in doctor.extras().items():
        line = re.search(rf"^extra {extra} .*", out, re.MULTILINE)[0]
        assert "pip install" in line or all(package in line for package in packages)


def test_doctor_has_the_line_that_installs_what_is_missing(monkeypatch):
    declared = ["numpy>=1", 'rdkit>=2023; extra == "molecule"', "nosuchthing>=1; extra == 'odd'", 'x; extra == "test"']
    monkeypatch.setattr(metadata, "requires", lambda name: declared)
    assert doctor.extras() == {"molecule": ["rdkit"], "odd": ["nosuchthing"]}
    findings = dict(doctor.inspect_installation())
    assert findings["extra odd"] == 'not installed: pip install "lcshap[odd]"'
    assert findings["extra molecule"] == f"rdkit {metadata.version('rdkit')}"

    def unknown(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", unknown)
    assert doctor.extras() == {}
