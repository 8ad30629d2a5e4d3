import json

import numpy as np
import pytest

import bulk_models
import lcshap as lc
from lcshap.bulk import manifest


def described(masker=None, **options):
    given = {"kind": "output", "target": 0, "model_name": "two", "batch_size": 8, **options}
    return manifest.describe(lc.Explainer(bulk_models.two, masker or lc.maskers.Tabular(np.zeros(3)), **given))


@pytest.mark.parametrize(
    "change",
    [
        {"masker": lc.maskers.Tabular(np.ones(3))},
        {"masker": lc.maskers.Tabular(np.zeros((2, 3)))},
        {"model_name": "other"},
        {"method": "kernel-shap"},
        {"method": lc.KernelSHAP(20)},
        {"budget": 20},
        {"seed": 1},
        {"target": 1},
        {"target": [0, 1]},
        {"curve": True},
        {"batch_size": 4},
        {"value": len},
        {"classes": ["a", "b"]},
    ],
    ids=lambda change: "-".join(change),
)
def test_everything_that_results_depend_on_is_described(change):
    if change.get("value") is len:
        change = {**change, "target": None}
    assert described(**change) != described()
    assert described(**change) == described(**change)


def test_a_function_needs_a_name():
    with pytest.raises(lc.OptionError, match=r"model_name"):
        described(model_name=None)


def test_written_and_read(tmp_path):
    made = manifest.make({"kind": "csv", "rows": 3}, described(), 200, 1)
    path = tmp_path / "manifest.json"
    manifest.write(made, path)
    assert manifest.read(path) == made == json.loads(path.read_text())
    manifest.check_same(made, manifest.read(path), tmp_path)
    assert made["versions"]["numpy"] == np.__version__


def test_differences_are_named(tmp_path):
    made = manifest.make({"kind": "csv", "rows": 3}, described(), 200, 1)
    other = manifest.make({"kind": "csv", "rows": 4}, described(budget=20, seed=1), 100, 1)
    with pytest.raises(lc.BulkError, match=r"data\.rows is 4 instead of 3; .*; .* and 1 more\. Restore"):
        manifest.check_same(made, other, tmp_path)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (None, "which has no manifest.json"),
        ("{", "is damaged"),
        ("[]", "something else"),
        ('{"format": "other"}', "something else"),
        ('{"format": "lcshap-bulk", "version": 2}', "of version 2"),
    ],
)
def test_what_is_no_manifest(tmp_path, content, match):
    path = tmp_path / "manifest.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(lc.BulkError, match=match):
        manifest.read(path)
