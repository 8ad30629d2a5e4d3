import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeRegressor

from lcshap.adapters.tree_models import read_trees
from lcshap.explainer.probe_rows import probe_rows


def test_half_of_the_floats_are_thresholds():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 3)), columns=list("abc"))
    X["count"] = np.arange(50)
    tree = DecisionTreeRegressor(random_state=0).fit(X, X["a"] + X["b"] * X["c"] + X["count"] % 7)
    trees = read_trees(tree)
    rows = X.iloc[[4]]
    probes = probe_rows(rows, trees)
    assert (probes.dtypes == X.dtypes).all()
    assert (probes["count"] == 4).all()
    changed = (probes[list("abc")] != rows[list("abc")].to_numpy()).to_numpy()
    assert 0.2 < changed.mean() < 0.8
    for column in range(3):
        assert np.isin(probes.iloc[:, column][changed[:, column]], trees.threshold[trees.feature == column]).all()
    assert len(np.unique(tree.apply(probes))) > 2
    array = probe_rows(rows.to_numpy(np.float64), trees)
    assert array.shape == (16, 4)
    np.testing.assert_array_equal(rows.to_numpy(np.float64)[0, :3], X.iloc[4, :3])
    assert len(probe_rows([rows], trees)) == 1
