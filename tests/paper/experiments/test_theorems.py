"""Theorems 1 and 2 of the paper and the counting behind them. What is naive here loops over the joint table."""

from fractions import Fraction
from itertools import pairwise, product
from math import comb, exp, fsum, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcshap as lc
import oracles
from lcshap.paper.experiments import theorems as th
from support import edges_of, graphs

PAIRS = ((0, 1), (2, 3), (4, 5))
TRIPLES = ((0, 1, 2), (3, 4, 5))
CHAIN = lc.Graph.chain(6)
CLIQUES = lc.Graph.from_edges(6, [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)])
MYERSON = {order: lc.CShapley(order, weights="myerson") for order in range(7)}
PAPER = {order: lc.CShapley(order, weights="paper") for order in range(7)}


# -- the counting in the proofs -----------------------------------------------------------------------------------


@given(n=st.integers(0, 60), t=st.integers(0, 60), more=st.integers(0, 60))
def test_lemma_1(n, t, more):
    s = t + more
    total = sum(Fraction(comb(n, j), comb(n + s, j + t)) for j in range(n + 1))
    assert total == Fraction(s + 1 + n, (s + 1) * comb(s, t))


@settings(max_examples=40, deadline=None)
@given(graph=graphs(max_d=6))
def test_myerson_weights_are_what_the_proof_of_theorem_2_sums_up(graph):
    """w(U) is the Shapley weight of all A in which the part around i is U; the printed weight is that if b = 2."""
    d, near = graph.d, oracles.neighbours(graph.d, edges_of(graph))
    every = oracles.subsets(range(d))
    column = {A: c for c, A in enumerate(every)}
    indicators = lc.Game(
        lambda kept: np.eye(2**d)[[column[frozenset(np.flatnonzero(row).tolist())] for row in kept]], d
    )
    myerson, paper = (lc.CShapley(d, weights=w).explain(indicators, graph).scores for w in ("myerson", "paper"))
    for i in range(d):
        total = dict.fromkeys(every, Fraction(0))
        for A in every:
            if i in A:
                U = next(component for component in oracles.parts(near, A) if i in component)
                total[U] += Fraction(1, d * comb(d - 1, len(A) - 1))
        for U in every:
            if i in U:
                assert myerson[i, column[U]] == pytest.approx(float(total[U]), abs=1e-14)
            if i in U and oracles.connected(near, U):
                b = len({j for u in U for j in near[u]} - U)
                assert (b == 2) == (abs(paper[i, column[U]] - float(total[U])) < 1e-9)


# -- the tables against loops over the joint ----------------------------------------------------------------------


def random_model(seed, d=4, labels=3):
    return th.JointModel(np.random.default_rng(seed).dirichlet(np.ones(2**d * labels)).reshape((2,) * d + (labels,)))


def atoms(model):
    return [(x, y, float(model.joint[(*x, y)])) for *x, y in np.ndindex(model.joint.shape)]


def table(model, units, label):
    """P(x_S) or P(x_S, y), as a dict from the values."""
    probabilities = {}
    for x, y, p in atoms(model):
        key = (*(x[u] for u in units), *([y] if label else []))
        probabilities.setdefault(key, []).append(p)
    return {key: fsum(ps) for key, ps in probabilities.items()}


def naive_posterior(model, units):
    """A function of (y, x) to P(y | x_S)."""
    both, alone = table(model, units, True), table(model, units, False)
    return lambda y, x: both[(*(x[u] for u in units), y)] / alone[tuple(x[u] for u in units)]


def naive_value(model, units, x):
    full, seen = naive_posterior(model, range(model.d)), naive_posterior(model, units)
    return fsum(full(y, x) * log(seen(y, x)) for y in range(model.joint.shape[-1]))


def naive_information(model, i, V, U, label):
    sets = [(i, *V, *U), tuple(U), (i, *U), (*V, *U)]
    tables = [table(model, s, label) for s in sets]
    total = []
    for x, y, p in atoms(model):
        four = [t[(*(x[u] for u in s), *([y] if label else []))] for t, s in zip(tables, sets, strict=True)]
        total.append(p * abs(log(four[0]) + log(four[1]) - log(four[2]) - log(four[3])))
    return fsum(total)


def naive_epsilons(model, graph, order, i):
    d, near = graph.d, oracles.neighbours(graph.d, edges_of(graph))
    S = oracles.ball(near, i, order)
    first = [(V, U) for U in oracles.subsets(S - {i}) for V in oracles.subsets(set(range(d)) - S)]
    second = []
    for U in oracles.subsets(S):
        if i in U and oracles.connected(near, U):
            R = [j for j in range(d) if j not in U and not near[j] & U]
            second += [(V, U - {i}) for V in oracles.subsets(R)]
    worst = [max(naive_information(model, i, V, U, y) for V, U in c for y in (False, True)) for c in (first, second)]
    return worst[0], max(worst)


@pytest.mark.parametrize("seed", range(3))
def test_posterior_and_value(seed):
    model = random_model(seed)
    for units in oracles.subsets(range(4)):
        naive = naive_posterior(model, sorted(units))
        seen = np.broadcast_to(model.posterior(units), model.joint.shape)
        values = model.value(units)
        for number, x in enumerate(product(range(2), repeat=4)):
            assert values[number] == pytest.approx(naive_value(model, sorted(units), x), abs=1e-13)
            for y in range(3):
                assert seen[(*x, y)] == pytest.approx(naive(y, x), abs=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_absolute_information(seed):
    model = random_model(seed)
    for i, label in product(range(4), (False, True)):
        for V in oracles.subsets(set(range(4)) - {i}):
            for U in oracles.subsets(set(range(4)) - {i} - V):
                exact = th.absolute_information(model, i, tuple(V), tuple(U), label)
                assert exact == pytest.approx(naive_information(model, i, V, U, label), abs=1e-13)


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize(
    "graph",
    [lc.Graph.chain(4), lc.Graph.tree([None, 0, 0, 0]), lc.Graph.ring(4), lc.Graph.from_edges(4, [(0, 2), (2, 3)])],
    ids=["chain", "star", "ring", "apart"],
)
def test_epsilons(graph, order):
    model = random_model(5, labels=2)
    local, connected = th.local_epsilon(model, graph, order), th.connected_epsilon(model, graph, order)
    for i in range(4):
        assert (local[i], connected[i]) == pytest.approx(naive_epsilons(model, graph, order, i), abs=1e-13)


def test_expected_errors():
    """Expectation over x, one game for each x, all by the definitions."""
    model, graph = random_model(7), lc.Graph.chain(4)
    near = oracles.neighbours(4, edges_of(graph))
    expected = np.zeros((2, 4))
    for x in product(range(2), repeat=4):
        p = fsum(p for z, _, p in atoms(model) if tuple(z) == x)
        game = {S: [naive_value(model, sorted(S), x)] for S in oracles.subsets(range(4))}
        shapley = np.array(oracles.shapley(4, game))
        near_by = oracles.l_shapley(4, near, game, 1, "absent")
        connected = oracles.c_shapley(4, near, game, 2, "absent", "paper", "direct", None)
        expected += [p * np.abs(np.array(scores) - shapley)[:, 0] for scores in (near_by, connected)]
    errors = th.expected_errors(model, graph, [lc.LShapley(1), PAPER[2]])
    np.testing.assert_allclose(errors, expected, rtol=0, atol=1e-13)
    assert expected.min() > 1e-3


def test_ising_chain():
    model = th.ising_chain(0.7, noise=0.2)
    weight = {}
    for x in product(range(2), repeat=6):
        agree = sum(1 if x[j] == x[j + 1] else -1 for j in range(5))
        for bits in product(range(2), repeat=3):
            chance = 1.0
            for j, bit in enumerate(bits):
                truth = int(x[2 * j] == 1 and x[2 * j + 1] == 1)
                chance *= 0.8 if (bit == 0) == (truth == 1) else 0.2
            weight[(*x, 4 * bits[0] + 2 * bits[1] + bits[2])] = exp(0.7 * agree) * chance
    total = fsum(weight.values())
    assert model.joint.shape == (2,) * 6 + (8,)
    for cell, w in weight.items():
        assert model.joint[cell] == pytest.approx(w / total, abs=1e-14)


def test_blocks_are_independent_and_their_units_are_not():
    model = th.independent_blocks(np.random.default_rng(0), TRIPLES)
    for label in (False, True):
        assert naive_information(model, 1, (3, 4, 5), (0, 2), label) < 1e-13
        assert naive_information(model, 1, (0, 2), (), label) > 0.05


@pytest.mark.parametrize(
    "joint",
    [np.full((2, 3, 2), 1 / 12), np.array([0.5, 0.5]), np.full((2, 2), 0.3), np.array([[0.5, 0.5], [0.0, 0.0]])],
    ids=["not binary", "no unit", "sum above 1", "zeros"],
)
def test_a_bad_joint_is_refused(joint):
    with pytest.raises(lc.errors.OptionError, match="joint"):
        th.JointModel(joint)


# -- the bounds ---------------------------------------------------------------------------------------------------


def nearly_independent(seed, strength):
    """Pairs that are independent but for a random factor. The weaker it is, the sharper the test of the weights."""
    rng = np.random.default_rng(seed)
    joint = th.independent_blocks(rng, PAIRS).joint
    joint = joint * np.exp(strength * rng.normal(size=joint.shape))
    return th.JointModel(joint / joint.sum())


MODELS = {
    **{f"any joint {seed}": random_model(seed, d=6, labels=2) for seed in range(3)},
    **{f"nearly independent {s}": nearly_independent(seed, s) for seed, s in enumerate([1.0, 0.1, 1e-3, 1e-5])},
    **{f"chain {c}": th.ising_chain(c) for c in (-0.5, 0.01, 0.2, 2.0)},
}


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("name", MODELS)
class TestBounds:
    def test_theorem_1(self, name, order):
        """2 eps, and a little less: with n' units outside, i comes before all of them in 1 of n' + 1 orders."""
        model = MODELS[name]
        error = th.expected_errors(model, CHAIN, [lc.LShapley(order)])[0]
        outside = np.array([6 - len(CHAIN.ball(i, order)) for i in range(6)])
        bound = 2 * th.local_epsilon(model, CHAIN, order) * outside / (outside + 1)
        assert (error <= bound + 1e-14).all()
        assert (error[outside > 0] > bound[outside > 0] / 200).all()

    def test_theorem_2(self, name, order):
        model = MODELS[name]
        error = th.expected_errors(model, CHAIN, [MYERSON[order]])[0]
        bound = 4 * th.connected_epsilon(model, CHAIN, order)
        assert (error <= bound + 1e-14).all()


@pytest.mark.parametrize(
    "graph", [lc.Graph.grid((2, 3)), lc.Graph.ring(6), lc.Graph.tree([None, 0, 0, 1, 1, 2])], ids=repr
)
@pytest.mark.parametrize("order", [1, 2])
def test_bounds_on_other_graphs(graph, order):
    for model in (random_model(11, d=6, labels=2), nearly_independent(12, 0.1)):
        local, connected = th.expected_errors(model, graph, [lc.LShapley(order), MYERSON[order]])
        assert (local <= 2 * th.local_epsilon(model, graph, order) + 1e-14).all()
        assert (connected <= 4 * th.connected_epsilon(model, graph, order) + 1e-14).all()


def test_printed_weights_break_the_bound_of_theorem_2():
    """With the weights of Definition 2 not even the 6 eps of the general case hold, whatever the order."""
    model = th.ising_chain(0.01)
    for order in range(1, 6):
        error = th.expected_errors(model, CHAIN, [PAPER[order]])[0]
        assert (error > 2 * 6 * th.connected_epsilon(model, CHAIN, order)).all()


# -- the sharp case: eps = 0 --------------------------------------------------------------------------------------

SHARP = {  # graph, blocks, orders that cover the blocks, and whether blocks also meet the condition of Theorem 2
    "pairs on a chain": (CHAIN, PAIRS, (1, 2, 3, 6), True),
    "triples on a chain": (CHAIN, TRIPLES, (2, 3), False),
    "cliques": (CLIQUES, TRIPLES, (1, 2), True),
}
CASES = [(name, order, seed) for name, case in SHARP.items() for order in case[2] for seed in range(2)]


@pytest.mark.parametrize(("name", "order", "seed"), CASES)
class TestIndependentBlocks:
    def test_l_shapley_is_shapley_in_every_context(self, name, order, seed):
        graph, blocks, _, _ = SHARP[name]
        model = th.independent_blocks(np.random.default_rng(seed), blocks)
        assert th.local_epsilon(model, graph, order).max() < 1e-13
        shapley = lc.Shapley().explain(model.game, graph).scores
        assert np.abs(shapley).max(axis=1).min() > 0.05
        for context in ("absent", "present", "both"):
            scores = lc.LShapley(order, context).explain(model.game, graph).scores
            np.testing.assert_allclose(scores, shapley, rtol=0, atol=1e-12)

    def test_c_shapley_is_shapley_where_theorem_2_applies(self, name, order, seed):
        graph, blocks, _, applies = SHARP[name]
        model = th.independent_blocks(np.random.default_rng(seed), blocks)
        epsilon = th.connected_epsilon(model, graph, order).max()
        myerson, paper = th.expected_errors(model, graph, [MYERSON[order], PAPER[order]])
        if applies:
            assert epsilon < 1e-13
            assert myerson.max() < 1e-12
            assert paper.min() > 0.01
        else:  # the ends of a triple are not neighbours, and depend on each other
            assert epsilon > 0.1
            assert myerson.max() > 1e-3


def test_an_order_that_does_not_cover_the_blocks_misses():
    model = th.independent_blocks(np.random.default_rng(0), TRIPLES)
    assert th.local_epsilon(model, CHAIN, 1).max() > 0.1
    assert th.expected_errors(model, CHAIN, [lc.LShapley(1)]).max() > 1e-3


def test_a_label_that_mixes_blocks_breaks_the_condition():
    """Independent units are not enough: known, a common effect ties its causes together."""
    model = th.add_labels(np.full((2,) * 6, 2.0**-6), [tuple(range(6))], noise=0.1)
    assert th.absolute_information(model, 0, (2, 3, 4, 5), (1,)) < 1e-14
    assert th.local_epsilon(model, CHAIN, 1).min() > 0.02
    assert th.expected_errors(model, CHAIN, [lc.LShapley(1)]).min() > 1e-3


def test_a_markov_chain_does_not_meet_the_condition():
    """Given its neighbours a unit is independent of all others, but Theorem 1 asks for every U, also the empty one."""
    model = th.ising_chain(0.5)
    for i in range(6):
        blanket, far = CHAIN.neighbours(i), tuple({*range(6)} - {*CHAIN.ball(i, 1)})
        assert th.absolute_information(model, i, far, blanket, label=False) < 1e-13
        assert th.absolute_information(model, i, far, blanket, label=True) < 1e-13
    assert th.local_epsilon(model, CHAIN, 1).min() > 0.1
    assert th.expected_errors(model, CHAIN, [lc.LShapley(1)]).min() > 1e-3


# -- the sweep ----------------------------------------------------------------------------------------------------


def test_errors_vanish_with_the_coupling_but_those_of_the_printed_weights_do_not():
    couplings = [0.1, 0.01, 0.001, 0.0001, 0.0]
    rows = th.sweep_couplings(couplings)
    assert [row.coupling for row in rows] == couplings
    for row, weaker in pairwise(rows):
        assert weaker.l_error < 0.3 * row.l_error
        assert weaker.c_error_myerson < 0.3 * row.c_error_myerson
        assert weaker.c_bound < 0.3 * row.c_bound
    assert max(rows[-1].l_error, rows[-1].c_error_myerson, rows[-1].c_bound) < 1e-14
    assert min(row.c_error_paper for row in rows) > 0.1


@pytest.mark.parametrize("order", [1, 2])
def test_rows_hold_the_worst_unit(order):
    (row,) = th.sweep_couplings([0.3], order)
    model = th.ising_chain(0.3)
    assert row.local_epsilon == max(th.local_epsilon(model, CHAIN, order))
    assert row.connected_epsilon == max(th.connected_epsilon(model, CHAIN, order))
    assert (row.l_bound, row.c_bound) == (2 * row.local_epsilon, 4 * row.connected_epsilon)
    errors = th.expected_errors(model, CHAIN, [lc.LShapley(order), MYERSON[order], PAPER[order]])
    assert (row.l_error, row.c_error_myerson, row.c_error_paper) == tuple(errors.max(axis=1))
