import lcshap as lc
from lcshap.core.table_method import TableMethod
from lcshap.estimators.registry import METHODS
from lcshap.selection.selector import _TABLE_METHODS


def test_auto_knows_every_method_that_reads_models():
    kinds = {kind for kind in METHODS.values() if issubclass(kind, TableMethod)}
    assert lc.TreeSHAP in kinds
    assert set(_TABLE_METHODS) == kinds
    assert len({kind.reads for kind in kinds}) == len(kinds)
