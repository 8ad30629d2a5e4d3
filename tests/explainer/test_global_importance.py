"""SAGE against all coalitions in plain NumPy, and its standard errors against repeated samples."""

import math
from itertools import combinations

import numpy as np
import pytest

import lcshap as lc
from lcshap.errors import BudgetError, MaskerError, MethodError, ModelError, OptionError
from lcshap.values import LOSSES, Loss

CLASS_LOSSES = ("cross_entropy", "brier", "zero_one")


def number_model(rows):
    rows = np.asarray(rows, float)
    return rows[:, 0] * rows[:, 1] + 2 * np.maximum(rows[:, 2], 0) - 0.5 * rows[:, 3]


def class_model(rows):
    z = np.stack([rows[:, 0] * rows[:, 1], np.sin(rows[:, 2]), rows[:, 3] - rows[:, 0]], axis=1)
    return np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)


def table(n=40, d=4, seed=0):
    g = np.random.default_rng(seed)
    X = g.normal(size=(n, d)).round(2)
    return X, number_model(X) + g.normal(size=n), g.integers(3, size=n)


def losses_of(name, prediction, y):
    if name == "cross_entropy":
        return -np.log(prediction[np.arange(len(y)), y])
    if name == "brier":
        return ((prediction - np.eye(3)[y]) ** 2).sum(axis=1)
    if name == "zero_one":
        return (prediction.argmax(axis=1) != y).astype(float)
    return np.abs(prediction - y) ** (2 if name == "squared" else 1)


def reductions(model, X, y, background, name):
    """v of every set of columns: data row by data row, averaged over the background before the loss."""
    d = X.shape[1]
    losses = {}
    for size in range(d + 1):
        for kept in combinations(range(d), size):
            predictions = []
            for x in X:
                rows = background.copy()
                rows[:, kept] = x[list(kept)]
                predictions.append(model(rows).mean(axis=0))
            losses[kept] = losses_of(name, np.array(predictions), y).mean()
    return {kept: losses[()] - loss for kept, loss in losses.items()}


def shapley(v, d):
    """The Shapley value by the formula with factorials."""
    scores = np.zeros(d)
    for unit in range(d):
        for size in range(d):
            weight = math.factorial(size) * math.factorial(d - size - 1) / math.factorial(d)
            for kept in combinations([j for j in range(d) if j != unit], size):
                scores[unit] += weight * (v[tuple(sorted((*kept, unit)))] - v[kept])
    return scores


def options(name):
    return {"kind": "probabilities" if name in CLASS_LOSSES else "output", "loss": name}


@pytest.mark.parametrize("name", LOSSES)
def test_with_all_rows_and_all_coalitions_it_is_exact(name):
    X, numbers, classes = table()
    model, y = (class_model, classes) if name in CLASS_LOSSES else (number_model, numbers)
    background = X[:7]
    v = reductions(model, X, y, background, name)
    masker = lc.maskers.Tabular(background)
    e = lc.global_importance(model, X, y, masker=masker, budget=16, background_rows=7, **options(name))
    np.testing.assert_allclose(e.scores, shapley(v, 4), atol=1e-12)
    assert (e.base_value, e.calls) == (0.0, 16)
    np.testing.assert_allclose(e.full_value, v[0, 1, 2, 3])
    np.testing.assert_allclose(e.provenance["stderr_coalitions"], 0.0)
    assert (e.stderr > 0).all()
    record = e.provenance
    np.testing.assert_allclose(record["loss_without_units"] - record["loss_with_units"], e.full_value)
    assert (record["loss"], record["data_rows"], record["background"]) == (name, 40, 7)


@pytest.mark.parametrize("name", ["squared", "brier", "cross_entropy"])
def test_few_background_rows_have_little_bias(name):
    """Over many seeds, the mean is nearly that of the whole background, and far nearer than without the correction."""
    X, numbers, classes = table()
    model, y = (class_model, classes) if name in CLASS_LOSSES else (number_model, numbers)
    background = X[:12]
    truth = shapley(reductions(model, X, y, background, name), 4)
    masker = lc.maskers.Tabular(background)
    scores = np.array(
        [
            lc.global_importance(
                model, X, y, masker=masker, budget=16, background_rows=4, seed=seed, **options(name)
            ).scores
            for seed in range(40)
        ]
    )
    error = scores.std(axis=0, ddof=1) / np.sqrt(len(scores))
    slack = 0.01 if name == "cross_entropy" else 0.0
    assert (np.abs(scores.mean(axis=0) - truth) < 4 * error + slack).all()
    assert (error > 0).all()


def test_data_rows_take_turns_where_there_are_more_than_a_call_may_take():
    X, y, _ = table(200)
    asked = []

    def model(rows):
        asked.append(len(rows))
        return number_model(rows)

    background = np.random.default_rng(9).normal(size=(5, 4))
    e = lc.global_importance(model, X, y, loss="squared", masker=lc.maskers.Tabular(background), budget=16, max_rows=50)
    assert (e.provenance["data_rows"], e.provenance["data_rows_per_call"]) == (200, 50)
    assert e.rows == sum(asked) == 14 * 50 * 5 + 200 + 5  # inner coalitions, V of all rows, and ∅ once
    truth = shapley(reductions(number_model, X, y, background, "squared"), 4)
    common = [
        lc.global_importance(number_model, X[rows], y[rows], loss="squared", masker=lc.maskers.Tabular(background))
        for rows in np.random.default_rng(0).permutation(200).reshape(4, 50)
    ]
    error = np.abs(e.scores - truth).mean()
    assert error < np.mean([np.abs(other.scores - truth).mean() for other in common])


def test_of_very_many_rows_a_sample_is_used():
    X, y, _ = table(300, d=5)
    settings = {"loss": "squared", "masker": lc.maskers.Tabular(X[:4]), "budget": 32}
    assert lc.global_importance(number_model, X, y, max_rows=10, **settings).provenance["data_rows"] == 80
    e = lc.global_importance(number_model, X, y, max_rows=40, **settings)
    assert (e.provenance["data_rows"], e.provenance["data_rows_per_call"]) == (300, 40)


def test_standard_errors_cover_the_choice_of_data_rows():
    """Of samples of 60 rows out of 4,000, about 95 % have an interval that contains the score of all 4,000 rows."""
    X, y, _ = table(4000)
    masker = lc.maskers.Tabular(X[:3])
    settings = {"loss": "squared", "masker": masker}
    population = lc.global_importance(number_model, X, y, budget=16, max_rows=4000, **settings)
    g = np.random.default_rng(1)
    inside = []
    for seed in range(60):
        rows = g.choice(4000, 60, replace=False)
        e = lc.global_importance(number_model, X[rows], y[rows], budget=12, seed=seed, **settings)
        low, high = e.interval()
        inside.append((low <= population.scores) & (population.scores <= high))
    assert 0.9 <= np.mean(inside) <= 1.0


def test_groups_pinned_and_dropped_columns():
    X, y, _ = table()
    masker = lc.maskers.Tabular(X[:6], names=list("abcd"), groups={"ab": ["a", "b"]}, pin=["c"], drop=["d"])
    e = lc.global_importance(number_model, X, y, loss="squared", masker=masker)
    assert e.names == ("ab",)

    def loss(kept):
        predictions = []
        for x in X:
            rows = X[:6].copy()
            rows[:, kept] = x[kept]
            predictions.append(number_model(rows).mean())
        return np.mean((np.array(predictions) - y) ** 2)

    np.testing.assert_allclose(e.scores, [loss([2]) - loss([0, 1, 2])])


def test_dataframes_and_names():
    pd = pytest.importorskip("pandas")
    X, y, _ = table(30)
    frame = pd.DataFrame(X, columns=["age", "dose", "time", "sex"], index=range(100, 130))
    e = lc.global_importance(lambda f: number_model(f.to_numpy()), frame, pd.Series(y, index=frame.index), loss="mse")
    plain = lc.global_importance(number_model, X, y, loss="mse")
    assert e.names == ("age", "dose", "time", "sex")
    np.testing.assert_allclose(e.scores, plain.scores)


def test_the_usual_losses_and_losses_of_users():
    X, y, classes = table()
    assert lc.global_importance(number_model, X, y, kind="output").provenance["loss"] == "squared"
    assert lc.global_importance(class_model, X, classes, kind="probabilities").provenance["loss"] == "cross_entropy"
    signs = lc.global_importance(number_model, X, (y > 0).astype(int), kind="margin")
    assert signs.provenance["loss"] == "zero_one"

    def square(prediction, truth):
        return (prediction - truth) ** 2

    masker = lc.maskers.Tabular(X[:5])
    mine, ours = (
        lc.global_importance(number_model, X, y, kind="output", loss=f, masker=masker) for f in (square, "mse")
    )
    np.testing.assert_allclose(mine.scores, ours.scores)
    assert mine.provenance["value"] == "reduction of the expected square loss"
    after = lc.global_importance(number_model, X, y, loss=Loss("squared", average="after"), masker=masker)
    assert after.provenance["loss_without_units"] > ours.provenance["loss_without_units"]


def test_the_result_is_an_explanation_that_can_be_shown_saved_and_repeated(tmp_path):
    X, y, _ = table(d=12)
    e = lc.global_importance(number_model, X, y, loss="squared")
    assert e == lc.global_importance(number_model, X, y, loss="squared")
    assert e != lc.global_importance(number_model, X, y, loss="squared", seed=1)
    assert e.calls <= 96
    np.testing.assert_allclose(e.residual, 0, atol=1e-12)
    assert lc.load(e.save(tmp_path / "e.json")) == e
    assert e.to_html(tmp_path / "e.html").exists()
    assert "reduction of the expected squared loss" in e._repr_html_()
    e.show()


def test_images_have_the_same_units():
    g = np.random.default_rng(0)
    X = g.normal(size=(20, 2, 2))
    y = X[:, 0, 0]
    e = lc.global_importance(lambda rows: rows[:, 0, 0], X, y, loss="squared", masker=lc.maskers.Image(reference=0.0))
    np.testing.assert_allclose(e.scores, [(y**2).mean(), 0, 0, 0], atol=1e-12)


def test_a_failure_keeps_the_answers():
    X, y, _ = table()
    calls = []

    def model(rows):
        calls.append(len(rows))
        if len(calls) == 5:
            raise ConnectionError("gone")
        return number_model(rows)

    arguments = {"loss": "squared", "execution": lc.Execution(batch_size=100), "masker": lc.maskers.Tabular(X[:5])}
    with pytest.raises(lc.Unfinished, match="gone") as failure:
        lc.global_importance(model, X, y, **arguments)
    before = sum(calls) - calls[-1]
    e = lc.global_importance(model, X, y, store=failure.value.store, **arguments)
    whole = lc.global_importance(number_model, X, y, **arguments)
    np.testing.assert_array_equal(e.scores, whole.scores)
    assert e.rows == whole.rows - before


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"y": None}, OptionError, "Expected y, one true class or number for each input, for the loss 'squared'"),
        ({"y": [1.0]}, OptionError, "Expected y with 40 entries, one for each input, got 1"),
        ({"y": ["cat"] * 40}, ModelError, r"Expected y to be a finite number, .* got 'cat'\. \(row 0 of y\)"),
        ({"loss": "brier"}, OptionError, "Expected the loss 'squared' or 'absolute' or a function .* got 'brier'"),
        ({"loss": "hinge"}, OptionError, "as the loss, got 'hinge'"),
        ({"budget": "3s"}, OptionError, "Expected a budget in calls, such as 200 or '8d', got '3s'"),
        ({"budget": 3}, BudgetError, "Expected a budget of at least 8 calls"),
        ({"max_rows": 1}, MethodError, "Expected max_rows as an integer of at least 2, got 1"),
        ({"background_rows": 1}, MethodError, "Expected background_rows as an integer of at least 2, got 1"),
        ({"X": [[1.0, 2.0, 3.0, 4.0]], "y": [1.0]}, MaskerError, "Expected at least two data rows as X"),
        ({"X": ["a b", "c"], "y": [1.0, 2.0]}, MaskerError, "Expected a table as X"),
    ],
)
def test_bad_input_is_refused_in_words(changes, error, message):
    X, y, _ = table()
    arguments = {"X": X, "y": y, "loss": "squared", "kind": "output", **changes}
    with pytest.raises(error, match=message):
        lc.global_importance(number_model, **arguments)


def test_texts_have_units_of_their_own():
    def model(texts):
        return [float(len(text)) for text in texts]

    with pytest.raises(MaskerError, match=r"Expected inputs with the same units, .* got other units in input 1 than"):
        lc.global_importance(model, ["a b", "c d e"], [1.0, 2.0], loss="squared", masker=lc.maskers.Text())


def test_unknown_classes_are_named_with_their_row():
    X, _, classes = table()
    y = classes.tolist()
    y[3] = 7
    with pytest.raises(ModelError, match=r"Expected y to be a class of the model \(0, 1, 2\), got 7\. \(row 3 of y\)"):
        lc.global_importance(class_model, X, y, kind="probabilities")


def test_labels_in_place_of_probabilities_are_noticed():
    X, _, classes = table()
    with pytest.warns(UserWarning, match="declared as probabilities, but are all 0 or 1"):
        lc.global_importance(lambda rows: np.eye(3)[class_model(rows).argmax(axis=1)], X, classes, kind="probabilities")
