"""Losses against loops over `math`, and explanations of losses against all coalitions in plain NumPy."""

import math
from itertools import permutations

import numpy as np
import pytest

import lcshap as lc
from lcshap.errors import ModelError, OptionError
from lcshap.values import LOSSES, Loss

RNG = np.random.default_rng(0)
CLASS_LOSSES = ("cross_entropy", "brier", "zero_one")


def softmax(row):
    row = [0.0, *row] if len(row) == 1 else list(row)
    total = math.fsum(math.exp(z) for z in row)
    return [math.exp(z) / total for z in row]


def chances(row, kind):
    if kind == "logits":
        return softmax(row)
    return [1 - row[0], row[0]] if len(row) == 1 else list(row)


def naive_loss(name, prediction, y):
    if name == "cross_entropy":
        return -math.log(max(prediction[y], 1e-12))
    if name == "brier":
        return math.fsum((p - (k == y)) ** 2 for k, p in enumerate(prediction))
    if name == "zero_one":
        return float(prediction.index(max(prediction)) != y)
    power = 2 if name == "squared" else 1
    return math.fsum(abs(f - t) ** power for f, t in zip(prediction, y, strict=True))


def naive(name, average, rows, y):
    """The loss of background rows: of their mean, or the mean of theirs."""
    if average == "after":
        return math.fsum(naive_loss(name, row, y) for row in rows) / len(rows)
    return naive_loss(name, [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)], y)


def answers(kind, n, rows, k):
    z = RNG.normal(size=(n, rows, k)) * 2
    if kind != "probabilities":
        return z
    return 1 / (1 + np.exp(-z)) if k == 1 else np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("rows", [None, 1, 4])
@pytest.mark.parametrize("kind", ["logits", "probabilities"])
@pytest.mark.parametrize("average", ["before", "after"])
@pytest.mark.parametrize("name", CLASS_LOSSES)
def test_losses_of_classes_are_what_their_formulas_say(name, average, kind, rows, k):
    outputs = answers(kind, 7, rows or 1, k)
    for y in range(max(k, 2)):
        expected = [naive(name, average, [chances(row, kind) for row in call], y) for call in outputs.tolist()]
        fixed = Loss(name, average=average, y=y).resolve((outputs if rows else outputs[:, 0])[:1], kind)
        losses = fixed(outputs if rows else outputs[:, 0])
        assert losses.dtype == np.float64
        np.testing.assert_allclose(losses, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("average", ["before", "after"])
@pytest.mark.parametrize("name", ["squared", "absolute"])
def test_losses_of_numbers_are_what_their_formulas_say(name, average, k):
    outputs, y = answers("output", 6, 5, k), RNG.normal(size=k)
    expected = [naive(name, average, call, y.tolist()) for call in outputs.tolist()]
    fixed = Loss(name, average=average, y=y if k > 1 else float(y[0])).resolve(outputs[:1], "output")
    np.testing.assert_allclose(fixed(outputs), expected, rtol=1e-12)


def test_margins_have_the_loss_of_the_class_that_they_choose():
    fixed = Loss("zero_one", y=1).resolve(np.array([[0.5]]), "margin")
    assert fixed(np.array([[0.5], [-0.5]])).tolist() == [0.0, 1.0]


def test_a_function_gets_probabilities_and_class_numbers_or_numbers():
    def focal(chances, y):
        assert chances.shape == (2, 3)
        assert y.tolist() == [2, 2]
        return (1 - chances[np.arange(len(y)), y]) ** 2

    outputs = np.array([[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [[0.0, 0.5, 0.5], [0.0, 0.0, 1.0]]])
    fixed = Loss(focal, y="c").resolve(outputs[:1], "probabilities", ["a", "b", "c"])
    np.testing.assert_allclose(fixed(outputs), [0.25, 0.0625])
    pinball = Loss(lambda f, y: np.maximum(0.9 * (y - f), 0.1 * (f - y)), y=2.0).resolve(np.array([[0.0]]), "output")
    np.testing.assert_allclose(pinball(np.array([[1.0], [4.0]])), [0.9, 0.2])
    with pytest.raises(ModelError, match=r"return shape \(2,\), a loss for each row, got \(2, 1\)"):
        Loss(lambda f, y: f[:, None], y=2.0).resolve(np.array([[0.0]]), "output")(np.zeros((2, 1)))


def shapley(v, d):
    """The Shapley value by its definition: the mean marginal contribution over all orders."""
    scores = np.zeros(d)
    orders = list(permutations(range(d)))
    for order in orders:
        kept = set()
        for unit in order:
            before = v[frozenset(kept)]
            kept.add(unit)
            scores[unit] += v[frozenset(kept)] - before
    return scores / len(orders)


def all_losses(model, x, background, y, name, average):
    """The loss of every coalition of the columns, background row by background row."""
    d = len(x)
    values = {}
    for bits in range(2**d):
        kept = [j for j in range(d) if bits >> j & 1]
        rows = background.copy()
        rows[:, kept] = x[kept]
        values[frozenset(kept)] = naive(name, average, model(rows).tolist(), y)
    return values


def class_model(rows):
    z = np.stack([rows[:, 0] * rows[:, 1], np.sin(rows[:, 2]), rows[:, 3] - rows[:, 0]], axis=1)
    return np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)


def number_model(rows):
    return (rows[:, :1] * rows[:, 1:2]) + np.maximum(rows[:, 2:3], 0) - rows[:, 3:]


@pytest.mark.parametrize("average", ["before", "after"])
@pytest.mark.parametrize("name", LOSSES)
def test_explanations_of_losses_agree_with_all_coalitions(name, average):
    model, kind = (class_model, "probabilities") if name in CLASS_LOSSES else (number_model, "output")
    X, background = RNG.normal(size=(3, 4)), RNG.normal(size=(6, 4))
    y = [2, 0, 1] if kind == "probabilities" else [0.5, -1.0, 2.0]
    explainer = lc.Explainer(model, lc.maskers.Tabular(background), value=Loss(name, average=average), kind=kind)
    for x, truth, e in zip(X, y, explainer(X, y=y), strict=True):
        values = all_losses(model, x, background, truth if kind == "probabilities" else [truth], name, average)
        np.testing.assert_allclose(e.scores, shapley(values, 4), atol=1e-12)
        np.testing.assert_allclose([e.base_value, e.full_value], [values[frozenset()], values[frozenset(range(4))]])
        assert (e.provenance["value"], e.provenance["average"]) == (name, average)
        assert e.provenance["y"] == (str(truth) if kind == "probabilities" else truth)


def test_the_two_averages_differ_where_the_loss_is_not_linear():
    background, x = np.array([[0.0, 0.0, 0.0, 0.0], [2.0, 1.0, 3.0, -1.0]]), np.ones(4)
    before, after = (
        lc.Explainer(number_model, lc.maskers.Tabular(background), value=Loss("squared", average=average)).one(x, y=1.0)
        for average in ("before", "after")
    )
    assert before.base_value == 4.0  # (0 + 6) / 2 is 3, and (3 - 1)^2 = 4
    assert after.base_value == 13.0  # ((0 - 1)^2 + (6 - 1)^2) / 2
    assert before.full_value == after.full_value == 0.0


TABLE = lc.maskers.Tabular(np.zeros(4))


def loss_explainer(name="squared", **options):
    model, kind = (class_model, "probabilities") if name in CLASS_LOSSES else (number_model, "output")
    return lc.Explainer(model, TABLE, value=Loss(name), kind=kind, **options)


def test_every_entry_point_takes_y():
    explainer, x = loss_explainer(), np.ones(4)
    e = explainer.one(x, y=3.0)
    assert explainer(x, y=3.0) == explainer.many([x], y=[3.0])[0] == explainer([x.tolist()], y=[3.0])[0] == e
    assert list(explainer.stream(x, y=3.0))[-1] == e
    np.testing.assert_array_equal(explainer.compare(x, ["shapley"], y=3.0)[0].scores, e.scores)
    game = explainer.game(x, y=3.0)
    np.testing.assert_array_equal(game.evaluate(lc.Coalitions.from_sets(4, [[], range(4)])), [9.0, 4.0])
    assert [g.value.truth.item() for g in explainer.games([x, x], y=[1, 2])] == [1, 2]


def test_columns_of_tables_are_y():
    pd = pytest.importorskip("pandas")
    explainer, X = loss_explainer("brier"), RNG.normal(size=(3, 4))
    expected = [e.scores.tolist() for e in explainer.many(X, y=[0, 1, 2])]
    for y in (pd.Series([0, 1, 2], index=[7, 8, 9]), pd.DataFrame({"y": [0, 1, 2]}), np.array([[0.0], [1.0], [2.0]])):
        assert [e.scores.tolist() for e in explainer.many(X, y=y)] == expected


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, r"Expected y, one true class or number for each input, for the loss 'squared', got none\. Pass it with"),
        ([1.0], r"Expected y with 2 entries, one for each input, got 1\."),
        (1.0, r"Expected y as a list with one entry for each input, got 1\.0\."),
        ("ab", r"Expected y as a list with one entry for each input, got 'ab'\."),
    ],
)
def test_a_y_that_is_missing_or_of_another_length_is_refused_before_the_model_is_asked(y, message):
    explainer = lc.Explainer(lambda rows: 1 / 0, TABLE, value=Loss("squared"))
    with pytest.raises(OptionError, match=message):
        explainer.many(np.ones((2, 4)), y=y)


@pytest.mark.parametrize(
    ("name", "y", "message"),
    [
        ("brier", 3, r"Expected y to be a class of the model \(0, 1, 2\), got 3\."),
        ("brier", 0.5, r"Expected y to be a class of the model \(0, 1, 2\), got 0\.5\."),
        ("brier", "cat", r"Expected y to be a class of the model \(0, 1, 2\), got 'cat'\."),
        ("squared", "cat", r"Expected y to be a finite number, as many as the model returns for a row, got 'cat'\."),
        ("squared", float("nan"), r"Expected y to be a finite number, .* got nan\."),
        ("squared", [1.0, 2.0], r"Expected y to be a finite number, .* got \[1\.0, 2\.0\]\."),
    ],
)
def test_a_y_that_the_model_cannot_mean_is_refused(name, y, message):
    with pytest.raises(ModelError, match=message):
        loss_explainer(name).one(np.ones(4), y=y)


def test_one_wrong_y_leaves_the_other_inputs_alone():
    kept = loss_explainer("brier").many(np.ones((3, 4)), y=[0, None, 9], errors="keep")
    assert isinstance(kept[0], lc.Explanation)
    assert "for the loss 'brier', got none" in str(kept[1])
    assert str(kept[2]).endswith("got 9. (input 2)")


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("squared", "probabilities", r"Expected the loss 'cross_entropy', 'brier' or 'zero_one' or a function for a "),
        ("cross_entropy", "output", r"Expected the loss 'squared' or 'absolute' or a function .* 'cross_entropy'\."),
        ("brier", "margin", r"Expected the loss 'zero_one' or a function for a model of kind='margin', got 'brier'\."),
        ("brier", "multilabel", r"Expected a model of classes or of numbers for a loss, got kind='multilabel'\."),
    ],
)
def test_a_loss_that_does_not_fit_the_model_is_refused(name, kind, message):
    with pytest.raises(OptionError, match=message):
        lc.Explainer(class_model, TABLE, value=Loss(name), kind=kind)


def test_options_that_make_no_sense_are_refused():
    with pytest.raises(OptionError, match=r"Expected one of 'cross_entropy', 'brier', .* as the loss, got 'hinge'"):
        Loss("hinge")
    with pytest.raises(OptionError, match="Expected average='before' or average='after', got 'never'"):
        Loss("brier", average="never")
    with pytest.raises(OptionError, match="Expected a floor between 0 and 1, got 2"):
        Loss(floor=2)
    with pytest.raises(OptionError, match="Expected no target with the loss 'brier', got 1"):
        loss_explainer("brier", target=1)
    with pytest.raises(OptionError, match="Expected no y with value='prob', which does not depend on it, got one"):
        lc.Explainer(class_model, TABLE, value="prob", kind="probabilities")(np.ones(4), y=1)
    with pytest.raises(ModelError, match="Expected a value with a known gradient, got the loss 'brier'"):
        Loss("brier", y=0).resolve(np.array([[0.5, 0.5]]), "probabilities").gradient_weights()


def test_hard_labels_are_noticed():
    def labels(rows):
        return np.eye(2)[(rows.sum(axis=1) > 1).astype(int)]

    with pytest.warns(UserWarning, match="declared as probabilities, but are all 0 or 1"):
        lc.Explainer(labels, TABLE, value=Loss(), kind="probabilities").one(np.ones(4), y=0)


def test_scikit_learn_classes_are_those_of_y():
    linear = pytest.importorskip("sklearn.linear_model")
    X, y = RNG.normal(size=(60, 3)), RNG.choice(["no", "yes"], 60)
    model = linear.LogisticRegression().fit(X, y)
    explanations = lc.Explainer(model, lc.maskers.Tabular(X[:5]), value=Loss())(X[:4], y=y[:4])
    for x, truth, e in zip(X, y, explanations, strict=False):
        chance = model.predict_proba(x[None])[0, list(model.classes_).index(truth)]
        np.testing.assert_allclose(e.full_value, -math.log(chance))
        assert e.provenance["y"] == truth
