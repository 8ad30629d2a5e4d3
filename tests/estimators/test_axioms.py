"""The axioms that methods declare. test_conformance.py tests whether they satisfy them."""

import lcshap as lc


def test_the_axioms_of_some_methods():
    chain = lc.Graph.chain(6)
    assert lc.Shapley().axioms(chain) == lc.Axioms(efficient="graph")
    assert lc.Myerson().axioms(chain).efficient == "component"
    assert not lc.CShapley(weights="paper").axioms(chain).unit_mass
    assert not lc.DeletionPath(30).axioms(chain).planned


def test_an_axiom_may_depend_on_the_graph():
    method = lc.KernelSHAP(64)
    assert method.axioms(lc.Graph.chain(6)).symmetric
    assert not method.axioms(lc.Graph.chain(7)).symmetric
    assert lc.DividendCShapley(3).axioms(lc.Graph.chain(3)).efficient == "component"
    assert lc.DividendCShapley(3).axioms(lc.Graph.chain(4)).efficient == "nothing"
