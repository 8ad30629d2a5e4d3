import pickle

import numpy as np
import pytest
from explanation_sets import array_set, failed
from scipy import sparse

import lcshap as lc
from lcshap.core.explanations.object_columns import CodedColumn
from lcshap.core.explanations.pair_columns import PairArrays, PairNumbers, PairPattern


def symmetric(d, seed, density=0.6):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(size=(d, d)) * (rng.random((d, d)) < density), 1)
    return upper + upper.T


def quadratic_model(rows):
    """Two outputs with products of columns."""
    return np.stack([rows[:, 0] * rows[:, 1] + rows[:, 2], rows[:, 1] * rows[:, 2]], axis=1)


def many(count, **options):
    masker = lc.maskers.Tabular(np.zeros((1, 3)))
    explainer = lc.Explainer(quadratic_model, masker, method="graph-kernel-shap", kind="output", **options)
    return explainer.many(np.random.default_rng(0).normal(size=(count, 3)))


def test_matrices_come_back_entry_by_entry():
    matrices = [sparse.csr_array(symmetric(5, seed)) for seed in range(4)]
    column = PairNumbers.of([matrices[0], None, (matrices[1], 3 * matrices[1]), matrices[3], 2 * matrices[0]])
    assert isinstance(column, PairNumbers)
    assert len(column.patterns.objects) == 3
    for row, expected in ((0, matrices[0]), (3, matrices[3]), (4, 2 * matrices[0])):
        matrix = column.get(row)
        np.testing.assert_array_equal(matrix.indptr, expected.indptr)
        np.testing.assert_array_equal(matrix.indices, expected.indices)
        np.testing.assert_array_equal(matrix.data, expected.data)
    assert column.get(1) is None
    np.testing.assert_array_equal(column.get(2)[1].toarray(), 3 * matrices[1].toarray())
    taken = column.take(np.array([4, 2, 1]))
    np.testing.assert_array_equal(taken.get(0).toarray(), 2 * matrices[0].toarray())
    np.testing.assert_array_equal(taken.get(1)[0].toarray(), matrices[1].toarray())
    assert taken.get(2) is None
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(column)).get(4).toarray(), 2 * matrices[0].toarray())


def test_a_matrix_from_a_column_can_be_changed_without_an_effect_on_others():
    column = PairNumbers.of([sparse.csr_array(symmetric(4, 0, 1.0)), sparse.csr_array(symmetric(4, 1, 1.0))])
    before = column.get(1).toarray()
    matrix = column.get(0)
    matrix.indices[:] = 0
    matrix.data[:] = 0
    np.testing.assert_array_equal(column.get(1).toarray(), before)
    np.testing.assert_array_equal(column.get(0).toarray(), symmetric(4, 0, 1.0))


@pytest.mark.parametrize(
    "matrix",
    [
        pytest.param(np.triu(np.ones((3, 3)), 1), id="above the diagonal alone"),
        pytest.param(np.eye(3), id="on the diagonal"),
        pytest.param(np.array([[0.0, 1.0], [2.0, 0.0]]), id="not symmetric"),
    ],
)
def test_other_matrices_stay_objects(matrix):
    column = PairNumbers.of([sparse.csr_array(matrix), None])
    assert isinstance(column, CodedColumn)
    np.testing.assert_array_equal(column.get(0).toarray(), matrix)
    assert column.get(1) is None


def test_a_graph_without_edges_has_empty_interactions():
    column = PairNumbers.of([sparse.csr_array((2, 2)), None])
    assert isinstance(column, PairNumbers)
    assert column.get(0).nnz == 0
    assert column.get(1) is None


def test_numbers_without_interactions():
    assert PairNumbers.of([]) is None
    assert PairNumbers.of([None, None]) is None


def test_the_layout_of_a_pattern_numbers_its_pairs():
    pattern = PairPattern.of(sparse.csr_array(np.ones((3, 3)) - np.eye(3)))
    assert pattern.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert pattern.layout.toarray().tolist() == [[0, 0, 1], [0, 0, 2], [1, 2, 0]]


@pytest.mark.parametrize("target", [0, "all"])
def test_a_set_has_its_interactions_in_one_array_without_objects(target):
    xs = many(6, interactions="all", target=target)
    assert isinstance(xs._columns.interactions, PairNumbers)
    assert xs._columns.interactions.patterns.codes is None
    assert xs.interactions.shape == ((6, 3, 3, 2) if target == "all" else (6, 3, 3))
    for row, e in enumerate(xs):
        matrices = e.interactions if isinstance(e.interactions, tuple) else (e.interactions,)
        for k, matrix in enumerate(matrices):
            np.testing.assert_array_equal(xs.interactions[row].reshape(3, 3, -1)[:, :, k], matrix.toarray())


def test_inputs_without_interactions_are_nan_in_the_array():
    xs = many(3, interactions=True, target=0)
    mixed = lc.Explanations([xs[0], failed(), *many(1, target=0), xs[2]])
    array = mixed.interactions
    np.testing.assert_array_equal(array[[0, 3]], xs.interactions[[0, 2]])
    assert np.isnan(array[1:3]).all()


def test_an_array_of_interactions_is_given_out_without_a_copy():
    xs, *_ = array_set(interactions=np.ones((6, 3, 3)) - np.eye(3))
    assert isinstance(xs._columns.interactions, PairArrays)
    assert np.shares_memory(xs.interactions, xs._columns.interactions.array)
    assert not xs.interactions.flags.writeable


@pytest.mark.parametrize("name", ["xs.parquet", "xs.json"])
@pytest.mark.parametrize("target", [0, "all"])
def test_interactions_and_their_errors_are_saved_and_loaded(tmp_path, name, target):
    xs = lc.Explanations([*many(4, interactions="all", target=target, budget=7), failed()])
    again = lc.load(xs.save(tmp_path / name))
    assert again == xs
    assert isinstance(again._columns.interactions, PairNumbers)
    np.testing.assert_array_equal(again.interactions, xs.interactions)
    assert [e.interaction_stderr is None for e in again[:4]] == [e.interaction_stderr is None for e in xs[:4]]
