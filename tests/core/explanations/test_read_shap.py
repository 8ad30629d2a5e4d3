from types import SimpleNamespace

import numpy as np
import pytest
from explanation_sets import array_set, frame, text_explanations

import lcshap as lc
from lcshap.errors import OptionError

pytestmark = pytest.mark.filterwarnings("ignore")  # of shap's imports


@pytest.mark.parametrize("outputs", [None, 2, 6])
def test_there_and_back(outputs):
    xs, scores, base = array_set(outputs=outputs, data=frame(6), targets=None)
    back = lc.from_shap(xs.to_shap())
    assert isinstance(back, lc.Explanations)
    np.testing.assert_array_equal(back.scores, scores)
    np.testing.assert_array_equal(back.base_values, base)
    np.testing.assert_allclose(back.predictions, base + scores.sum(axis=1))
    assert back.names == xs.names
    assert back.data.tolist() == xs.data.tolist()
    one = lc.from_shap(xs[2].to_shap())
    assert isinstance(one, lc.Explanation)
    np.testing.assert_array_equal(one.scores, scores[2])
    assert one.data.tolist() == xs.data[2].tolist()


def test_texts_there_and_back():
    texts = text_explanations()
    back = lc.from_shap(lc.Explanations(texts).to_shap())
    assert [e.scores.tolist() for e in back] == [e.scores.tolist() for e in texts]
    assert [e.names for e in back] == [e.names for e in texts]
    np.testing.assert_allclose(back.predictions, [e.full_value for e in texts])


def test_an_explanation_that_shap_computed():
    import shap
    from sklearn.ensemble import RandomForestClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    model = RandomForestClassifier(5, random_state=0).fit(X, X[:, 0] > 0)
    theirs = shap.TreeExplainer(model)(X[:7])
    xs = lc.from_shap(theirs)
    assert xs.scores.shape == (7, 4, 2)
    np.testing.assert_allclose(xs.predictions, model.predict_proba(X[:7]), atol=1e-9)
    one = lc.from_shap(theirs[0])
    np.testing.assert_allclose(one.full_value, model.predict_proba(X[:1])[0], atol=1e-9)


def test_interaction_values_that_shap_computed():
    import shap
    from sklearn.ensemble import RandomForestRegressor

    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    model = RandomForestRegressor(5, random_state=0).fit(X, X[:, 0] * X[:, 1])
    explainer = shap.TreeExplainer(model)
    values = explainer.shap_interaction_values(X[:5])
    theirs = SimpleNamespace(values=values, base_values=explainer.expected_value, data=X[:5], feature_names=None)
    xs = lc.from_shap(theirs, interactions=True)
    np.testing.assert_allclose(xs.scores, explainer(X[:5]).values, atol=1e-6)
    np.testing.assert_allclose(xs.to_shap(interactions=True).values, values, atol=1e-6)
    np.testing.assert_allclose(xs.predictions, model.predict(X[:5]), atol=1e-6)


def test_a_column_of_base_values():
    theirs = SimpleNamespace(values=np.ones((3, 2)), base_values=np.zeros((3, 1)), data=None, feature_names=None)
    assert lc.from_shap(theirs).predictions.tolist() == [2.0] * 3


def test_one_input_with_several_outputs_and_no_data():
    theirs = SimpleNamespace(values=np.ones((3, 2)), base_values=np.zeros(2), data=None, feature_names=["a", "b", "c"])
    e = lc.from_shap(theirs)
    assert e.scores.shape == (3, 2)
    assert e.names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("theirs", "message"),
    [
        (3, "got int"),
        (
            SimpleNamespace(values=np.ones((2, 2, 2, 2)), base_values=0, data=None, feature_names=None),
            "interactions=True",
        ),
        (SimpleNamespace(values=[np.ones(0)], base_values=0, data=None, feature_names=[[]]), "at 0"),
    ],
)
def test_other_things_are_refused(theirs, message):
    with pytest.raises(OptionError, match=message):
        lc.from_shap(theirs)


def test_interaction_values_need_two_axes_of_units():
    theirs = SimpleNamespace(values=np.ones((2, 3, 4)), base_values=0, data=None, feature_names=None)
    with pytest.raises(OptionError, match=r"\(inputs, units, units\)"):
        lc.from_shap(theirs, interactions=True)


@pytest.mark.parametrize("xs", [lc.Explanations(), array_set()[0][:0], array_set(outputs=2)[0][:0]])
def test_an_empty_set_there_and_back(xs):
    back = lc.from_shap(xs.to_shap())
    assert isinstance(back, lc.Explanations)
    assert len(back) == 0
    assert back.names == xs.names


def test_interaction_values_are_not_taken_for_outputs():
    theirs = array_set(interactions=np.ones((6, 3, 3)) - np.eye(3))[0].to_shap(interactions=True)
    with pytest.raises(OptionError, match=r"of shape \(6, 3\) for values .* got shape \(6,\).*interactions=True"):
        lc.from_shap(theirs)
