import lcshap as lc
from lcshap.adapters.base import Model
from lcshap.core.table_method import TableMethod
from lcshap.estimators.registry import METHODS


def test_every_table_method_reads_something_that_models_may_have():
    kinds = [kind for kind in METHODS.values() if issubclass(kind, TableMethod)]
    assert lc.TreeSHAP in kinds
    assert all(callable(getattr(Model, kind.reads)) for kind in kinds)
