import json

import numpy as np
import pytest

import bulk_models
import lcshap as lc
from lcshap.bulk import manifest


def describe_explainer(masker=None, **options):
    settings = {"kind": "output", "target": 0, "model_name": "two", "batch_size": 8, **options}
    return manifest.describe_explainer(
        lc.Explainer(bulk_models.two, masker or lc.maskers.Tabular(np.zeros(3)), **settings)
    )


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
    assert describe_explainer(**change) != describe_explainer()
    assert describe_explainer(**change) == describe_explainer(**change)


def test_a_function_needs_a_name():
    with pytest.raises(lc.errors.OptionError, match=r"model_name"):
        describe_explainer(model_name=None)


def test_written_and_read(tmp_path):
    content = manifest.make_manifest({"kind": "csv", "rows": 3}, describe_explainer(), 200, 1)
    path = tmp_path / "manifest.json"
    manifest.write_manifest(content, path)
    assert manifest.read_manifest(path) == content
    assert json.loads(path.read_text()) == {"seal": json.loads(path.read_text())["seal"], **content}
    manifest.check_same_run(content, manifest.read_manifest(path), tmp_path)
    assert content["versions"]["numpy"] == np.__version__


def test_a_run_that_began_with_another_default_budget_is_refused(tmp_path):
    """Manifests of 0.2 before the rows of a call counted say nothing about it."""
    new = manifest.make_manifest({"kind": "csv", "rows": 3}, describe_explainer(), 200, 1)
    assert new["explainer"]["budget"] == "exact up to 1,024 coalitions and 131,072 model rows, else 8d"
    old = {**new, "explainer": {**new["explainer"], "budget": None}}
    says = r"explainer\.budget is \"exact up to 1,024 coalitions and 131,072 model rows, else 8d\" instead of null"
    with pytest.raises(lc.errors.BulkError, match=says):
        manifest.check_same_run(old, new, tmp_path)


@pytest.mark.parametrize("options", [{"budget": 20}, {"method": lc.KernelSHAP(20)}, {"method": "shapley"}])
def test_an_explicit_budget_or_method_has_no_default_budget(options):
    assert describe_explainer(**options)["budget"] == options.get("budget")


def test_differences_are_named(tmp_path):
    begun = manifest.make_manifest({"kind": "csv", "rows": 3}, describe_explainer(), 200, 1)
    other = manifest.make_manifest({"kind": "csv", "rows": 4}, describe_explainer(budget=20, seed=1), 100, 1)
    with pytest.raises(lc.errors.BulkError, match=r"data\.rows is 4 instead of 3; .*; .* and 1 more\. Restore"):
        manifest.check_same_run(begun, other, tmp_path)


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
def test_invalid_manifests_are_refused(tmp_path, content, match):
    path = tmp_path / "manifest.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(lc.errors.BulkError, match=match):
        manifest.read_manifest(path)


def test_another_kind_of_processor_gives_a_warning(tmp_path):
    """Coalitions are the same on every processor, and scores agree to about 1e-9, but not bit for bit."""
    here = manifest.make_manifest({"kind": "csv", "rows": 3}, describe_explainer(), 200, 1)
    assert here["processor"]["blas"]
    other = {**here, "processor": {**here["processor"], "blas": ["openblas 0.3.30 Zen"]}}
    with pytest.warns(
        UserWarning, match=r"another kind of processor: blas is .* instead of \[\"openblas 0.3.30 Zen\"\]"
    ):
        manifest.check_same_run(other, here, tmp_path)
    without = {name: content for name, content in here.items() if name != "processor"}
    manifest.check_same_run(without, here, tmp_path)  # 0.2 did not record the processor
    manifest.check_same_run(here, here, tmp_path)


def test_a_run_of_an_earlier_algorithm_is_refused(tmp_path):
    new = manifest.make_manifest({"kind": "csv", "rows": 3}, describe_explainer(budget="8d"), 200, 1)
    assert new["explainer"]["algorithm"] == lc.GraphKernelSHAP.algorithm > 1
    old = {**new, "explainer": {name: s for name, s in new["explainer"].items() if name != "algorithm"}}
    with pytest.raises(
        lc.errors.BulkError, match=rf"explainer\.algorithm is {lc.GraphKernelSHAP.algorithm} instead of null"
    ):
        manifest.check_same_run(old, new, tmp_path)
    unchanged = describe_explainer(method="kernel-shap", budget=30)
    assert "algorithm" not in unchanged  # runs of 0.2 with this method are continued
