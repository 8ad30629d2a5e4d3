import numpy as np
import pytest
from explanation_sets import array_set, failed, frame, row_explanations, text_explanations

import lcshap as lc
from lcshap.errors import OptionError
from support import table_game

pytestmark = pytest.mark.filterwarnings("ignore")  # of shap's imports and plots


def pairs_of(seed, outputs=None, d=4):
    game, _ = table_game(d, seed, outputs)
    return lc.GraphKernelSHAP(2**d, interactions="all").explain(game, lc.Graph.complete(d))


def test_the_data_are_the_feature_values():
    people = frame(6)
    xs, scores, base = array_set(data=people)
    theirs = xs.to_shap()
    np.testing.assert_array_equal(theirs.values, scores)
    np.testing.assert_array_equal(theirs.base_values, base)
    assert theirs.feature_names == ["age", "dose", "city"]
    assert theirs.data[:, 2].tolist() == people["city"].tolist()
    one = xs[3].to_shap()
    assert one.data.tolist() == theirs.data[3].tolist()
    assert one.values.tolist() == scores[3].tolist()
    assert one.base_values == base[3]


def test_failed_inputs_are_left_out():
    explanations = list(row_explanations(3))
    theirs = lc.Explanations([failed(), *explanations]).to_shap()
    np.testing.assert_array_equal(theirs.values, [e.scores for e in explanations])


def test_texts_have_an_array_for_each():
    texts = text_explanations()
    theirs = lc.Explanations(texts).to_shap()
    assert [values.tolist() for values in theirs.values] == [e.scores.tolist() for e in texts]
    assert list(theirs.data[0]) == ["a", "good", "film"]
    assert texts[0].to_shap().data.tolist() == ["a", "good", "film"]


def test_several_outputs():
    xs, scores, _ = array_set(outputs=2, targets=["a", "b"], stderr=np.ones((6, 3, 2)))
    theirs = xs.to_shap()
    np.testing.assert_array_equal(theirs[:, :, 1].values, scores[:, :, 1])
    assert list(theirs.output_names) == ["a", "b"]


@pytest.mark.parametrize("outputs", [None, 2])
def test_interactions_are_halved_and_rows_sum_to_the_scores(outputs):
    explanations = [pairs_of(seed, outputs) for seed in range(3)]
    xs = lc.Explanations(explanations)
    theirs = xs.to_shap(interactions=True)
    np.testing.assert_allclose(theirs.values.sum(axis=2), xs.scores, atol=1e-12)
    np.testing.assert_allclose(2 * theirs.values[:, 0, 1], xs.interactions[:, 0, 1], atol=1e-12)
    np.testing.assert_allclose(theirs.values, theirs.values.swapaxes(1, 2), atol=1e-12)
    np.testing.assert_array_equal(explanations[1].to_shap(interactions=True).values, theirs.values[1])


def test_interactions_that_were_not_estimated_are_refused():
    xs, *_ = array_set()
    for target in (xs, xs[0]):
        with pytest.raises(OptionError, match="interactions='all'"):
            target.to_shap(interactions=True)


def test_shap_draws_its_own_figures(tmp_path):
    import matplotlib
    import shap

    matplotlib.use("Agg")
    pyplot = matplotlib.pyplot
    people = frame(60).drop(columns="city")
    xs, scores, _ = array_set(60, 2, data=people)
    theirs = xs.to_shap()
    ax = shap.plots.beeswarm(theirs, show=False)
    assert {label.get_text() for label in ax.get_yticklabels()} == {"age", "dose"}
    pyplot.close("all")
    ax = shap.plots.scatter(theirs[:, "age"], show=False)
    points = pyplot.gcf().axes[0].collections[0].get_offsets().data
    assert sorted(points[:, 1].tolist()) == pytest.approx(sorted(scores[:, 0].tolist()))
    assert {round(x) for x in points[:, 0]} <= set(people["age"].tolist())
    pyplot.close("all")
    ax = shap.plots.waterfall(xs[0].to_shap(), show=False)
    texts = " ".join(label.get_text() for label in ax.get_yticklabels())
    assert f"{people['age'][0]} = age" in texts
    pyplot.close("all")


def test_an_empty_set():
    assert lc.Explanations().to_shap().values.shape == (0, 0)
