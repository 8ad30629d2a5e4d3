import json

import pytest

import lcshap as lc

METHODS = [
    ("reach", lc.GraphKernelSHAP(30, order=1, seed=5)),
    ("hops", lc.ReceptiveShapley(order=1)),
    ("share", lc.DeletionPath(30, path_share=0.5)),
    ("share", lc.InsertionPath(30, path_share=0.5)),
]


def saved_in_version_02(e, earlier, path):
    """The file of an explanation, with the name that a parameter of its method had in version 0.2."""
    present = {"share": "path_share"}.get(earlier, "order")
    content = json.loads(e.save(path).read_text())
    del content["seal"]  # Files of 0.2 had no digest.
    record = content["provenance"]
    record["parameters"] = {earlier if key == present else key: value for key, value in record["parameters"].items()}
    record["method"] = record["method"].replace(f"{present}=", f"{earlier}=")
    assert earlier in record["parameters"]
    assert f"{earlier}=" in record["method"]
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize(("earlier", "method"), METHODS, ids=str)
def test_files_with_earlier_names_load_as_what_is_saved_today(earlier, method, tmp_path):
    game = lc.Game(lambda kept: kept.sum(axis=1) * 1.0, 6, part_fn=lambda kept: kept * 1.0)
    e = method.explain(game, lc.Graph.chain(6))
    loaded = lc.load(saved_in_version_02(e, earlier, tmp_path / "e.json"))
    assert loaded == e
    assert lc.get_method(loaded.provenance["name"])(**loaded.provenance["parameters"]) == method


@pytest.mark.parametrize("parameters", [None, "reach", [1], {"reach": {"reach": 1}}])
def test_records_that_are_no_parameters_stay_as_they_are(parameters, tmp_path):
    record = {"name": "graph-kernel-shap", "method": 3, "parameters": parameters}
    e = lc.Explanation(
        lc.Shapley().explain(lc.Game(lambda kept: kept[:, 0] * 1.0, 1), lc.Graph.chain(1)).scores,
        0.0,
        1.0,
        lc.Graph.chain(1),
        2,
        record,
    )
    loaded = lc.load(e.save(tmp_path / "e.json")).provenance["parameters"]
    assert loaded == ({"order": {"reach": 1}} if isinstance(parameters, dict) else parameters)
