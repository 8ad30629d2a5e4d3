import pytest

import lcshap as lc
from lcshap.errors import OptionError
from lcshap.playground.requests import read_column, read_columns, read_json, read_replaced, read_units


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"1", b"\xff", b"[" * 100_000, b"9" * 10_000])
def test_only_objects_are_read(data):
    with pytest.raises(OptionError):
        read_json(data)


@pytest.mark.parametrize("name", list(lc.METHODS))
def test_every_method_can_be_asked_for_by_name(name):
    method = read_column({"method": name}).method(lc.Graph.chain(5))
    assert isinstance(method, lc.METHODS[name])


def test_parameters_and_budgets():
    column = read_column({"method": "graph-kernel-shap", "interactions": True, "budget": "4d"})
    assert column.method(lc.Graph.chain(50)) == lc.GraphKernelSHAP(200, interactions=True)
    assert read_column({}).method(lc.Graph.chain(5)) is None
    assert read_column({"interactions": True}).parameters == {"interactions": True}
    assert read_column({"method": "auto"}).method(lc.Graph.chain(5)) == "auto"


@pytest.mark.parametrize(
    "sent",
    [
        [],
        {"method": 3},
        {"interactions": "all"},
        {"method": "__import__"},
        {"method": "l-shapley", "order": [1]},
        {"budget": 1.5},
        {"budget": True},
        {"target": {}},
        {"target": ["a"]},
        {"target": [["a", "b", "c"], "d"]},
        {"reference": 3},
        {"model": "x"},
    ],
)
def test_anything_else_is_refused(sent):
    with pytest.raises(OptionError):
        read_column(sent)


def test_lists_and_units():
    assert len(read_columns([{}, None])) == 2
    assert read_units([1, 2]) == [1, 2]
    assert read_replaced({"3": "x"}) == {3: "x"}
    for read, sent in [(read_columns, {}), (read_units, [True]), (read_units, "12"), (read_replaced, {"x": "y"})]:
        with pytest.raises(OptionError):
            read(sent)
    with pytest.raises(OptionError):
        read_replaced({"1": []})
