import pytest

import lcshap as lc
from lcshap.errors import OptionError
from lcshap.playground.requests import parse_column, parse_columns, parse_replacements, parse_request_json, parse_units


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"1", b"\xff", b"[" * 100_000, b"9" * 10_000])
def test_only_objects_are_read(data):
    with pytest.raises(OptionError):
        parse_request_json(data)


@pytest.mark.parametrize("name", list(lc.METHODS))
def test_every_method_can_be_requested_by_name(name):
    method = parse_column({"method": name}).method(lc.Graph.chain(5))
    assert isinstance(method, lc.METHODS[name])


def test_parameters_and_budgets():
    column = parse_column({"method": "graph-kernel-shap", "interactions": True, "budget": "4d"})
    assert column.method(lc.Graph.chain(50)) == lc.GraphKernelSHAP(200, interactions=True)
    column = parse_column({"method": "graph-kernel-shap", "reach": 1, "budget": "4d"})  # the name of version 0.2
    assert column.method(lc.Graph.chain(50)) == lc.GraphKernelSHAP(200, order=1)
    assert parse_column({}).method(lc.Graph.chain(5)) is None
    assert parse_column({"interactions": True}).parameters == {"interactions": True}
    assert parse_column({"method": "auto"}).method(lc.Graph.chain(5)) == "auto"


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
        parse_column(sent)


def test_lists_and_units():
    assert len(parse_columns([{}, None])) == 2
    assert parse_units([1, 2]) == [1, 2]
    assert parse_replacements({"3": "x"}) == {3: "x"}
    for read, sent in [
        (parse_columns, {}),
        (parse_units, [True]),
        (parse_units, "12"),
        (parse_replacements, {"x": "y"}),
    ]:
        with pytest.raises(OptionError):
            read(sent)
    with pytest.raises(OptionError):
        parse_replacements({"1": []})
