"""Values against loops over `math`: nothing here uses numpy to compute what is expected."""

import math

import numpy as np
import pytest

from lcshap.errors import ModelError, OptionError
from lcshap.values import VALUES, Value, find_value

RNG = np.random.default_rng(0)
CLASS_VALUES = [name for name in VALUES if name != "output"]


def softmax(row):
    row = [0.0, *row] if len(row) == 1 else list(row)
    total = math.fsum(math.exp(z - max(row)) for z in row)
    return [math.exp(z - max(row)) / total for z in row]


def chances_of(call, kind):
    """P(.|x_S) from the background rows of one call: the mean of the probabilities."""
    rows = [softmax(row) if kind == "logits" else ([1 - row[0], row[0]] if len(row) == 1 else row) for row in call]
    return [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]


def naive(name, call, kind, c, full, floor=1e-12):
    p = chances_of(call, kind)
    if name == "expected_log_prob":
        return math.fsum(q * math.log(max(r, floor)) for q, r in zip(chances_of(full, kind), p, strict=True))
    if name == "log_odds":
        return math.log(max(p[c], floor)) - math.log(max(math.fsum(p[:c] + p[c + 1 :]), floor))
    return p[c] if name == "prob" else math.log(max(p[c], floor))


def answers(kind, n, rows, k):
    z = RNG.normal(size=(n, rows, k)) * 2
    if kind == "logits":
        return z
    if k == 1:
        return 1 / (1 + np.exp(-z))
    return np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("rows", [None, 1, 4])
@pytest.mark.parametrize("kind", ["logits", "probabilities"])
@pytest.mark.parametrize("name", CLASS_VALUES)
def test_every_value_equals_its_formula(name, kind, rows, k):
    outputs = answers(kind, 7, rows or 1, k)
    full = chances_of(outputs[0].tolist(), kind)
    best = full.index(max(full))
    expected = [naive(name, call, kind, best, outputs[0].tolist()) for call in outputs.tolist()]
    outputs = outputs if rows else outputs[:, 0]
    value = Value(name).resolve(outputs[:1], kind)
    values = value(outputs)
    assert values.dtype == np.float64
    assert values.shape == (7,)
    np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-12)
    assert value.names == (() if name == "expected_log_prob" else (str(best),))


def test_outputs_are_averaged_as_they_are():
    outputs = RNG.normal(size=(3, 4, 1))
    expected = [math.fsum(row[0] for row in call) / 4 for call in outputs.tolist()]
    np.testing.assert_allclose(Value("output").resolve(outputs[:1], "output")(outputs), expected, rtol=1e-12)
    logits = RNG.normal(size=(3, 2))
    np.testing.assert_array_equal(Value("output", 1).resolve(logits[:1], "logits")(logits), logits[:, 1])
    best = int(logits[0, 1] > logits[0, 0])
    np.testing.assert_array_equal(Value("output").resolve(logits[:1], "logits")(logits), logits[:, best])


def test_the_average_is_of_probabilities_not_of_logs():
    outputs = np.array([[[0.5, 0.5], [1.0, 0.0]]])
    values = Value("log_prob", 1).resolve(outputs, "probabilities")(outputs)
    assert values[0] == pytest.approx(math.log(0.25))  # the mean of the logs would be about -14


def test_extreme_logits_keep_every_digit():
    outputs = np.array([[1e4, -1e4, 0.0], [-1e4, 1e4, 0.0], [-1e4, -1e4, -1e4]])
    logs = Value("log_prob", "all").resolve(outputs[:1], "logits")(outputs)
    np.testing.assert_allclose(logs[:2], [[0, -2e4, -1e4], [-2e4, 0, -1e4]], rtol=1e-15)
    np.testing.assert_allclose(logs[2], -math.log(3), rtol=1e-15)
    odds = Value("log_odds", 0).resolve(outputs[:1], "logits")(outputs)
    np.testing.assert_allclose(odds, [1e4, -2e4, -math.log(2)], rtol=1e-14)
    column = np.array([[1e4], [-1e4], [40.0]])
    np.testing.assert_allclose(Value("log_odds", 1).resolve(column[:1], "logits")(column), column[:, 0], rtol=1e-15)
    np.testing.assert_allclose(
        Value("log_prob", 1).resolve(column[:1], "logits")(column),
        [0, -1e4, -math.log1p(math.exp(-40))],
        rtol=1e-12,
        atol=0,
    )
    background = np.array([[[1e4, 0.0], [1e4, 0.0]]])  # probabilities of 0 in float64, averaged without underflow
    assert Value("log_prob", 1).resolve(background, "logits")(background)[0] == -1e4


@pytest.mark.parametrize("kind", ["logits", "probabilities"])
def test_log_odds_of_all_classes_at_once(kind):
    outputs = answers(kind, 20, 1, 6)[:, 0] * (4 if kind == "logits" else 1)
    outputs[0] = 1.0 if kind == "logits" else 1 / 6
    log_odds = Value("log_odds", "all").resolve(outputs[:1], kind)(outputs)
    expected = [[naive("log_odds", [row], kind, c, None, floor=1e-300) for c in range(6)] for row in outputs.tolist()]
    np.testing.assert_allclose(log_odds, expected, rtol=1e-10)
    sure = np.array([[1.0, 1e-9, 0.0]])
    log_odds = Value("log_odds", "all").resolve(sure, "probabilities")(sure)
    np.testing.assert_allclose(log_odds, [[math.log(1e9), math.log(1e-9), math.log(1e-12)]], atol=1e-8)


def test_logits_in_float32_are_not_rounded_to_zero():
    logits = np.array([[20.0, 0.0], [21.0, 0.0]], np.float32)
    single = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert (np.log(single[:, 0]) == 0).all()  # in single precision both are sure: a difference of exactly zero
    values = Value().resolve(logits[:1], "logits")(logits)
    expected = [-math.log1p(math.exp(-20)), -math.log1p(math.exp(-21))]
    np.testing.assert_allclose(values, expected, rtol=1e-6)
    assert values[0] < values[1] < 0


def test_logits_that_overflow_are_an_error_with_the_row():
    outputs = np.array([[0.0, 0.0], [1e308, -1e308]])
    for name, target, number in (("log_prob", 1, "-inf"), ("log_odds", 0, "nan"), ("expected_log_prob", None, "-inf")):
        with pytest.raises(ModelError, match=f"Expected finite values, got {number} for row 1"):
            Value(name, target).resolve(outputs[:1], "logits")(outputs)
    with pytest.raises(ModelError, match="row 0, background row 1"):
        Value().resolve(np.array([[[0.0], [np.nan]]]), "logits")


def test_the_floor():
    outputs = np.array([[1.0, 0.0]])
    value = Value("log_prob", [0, 1], floor=1e-6).resolve(outputs, "probabilities")
    np.testing.assert_allclose(value(outputs), [[0, math.log(1e-6)]])
    assert Value("log_odds", 1).resolve(outputs, "probabilities")(outputs)[0] == pytest.approx(math.log(1e-12))
    assert Value("expected_log_prob").resolve(outputs, "probabilities")(outputs)[0] == 0
    for floor in (0, 1, -1.0):
        with pytest.raises(OptionError, match="floor"):
            Value(floor=floor)


@pytest.mark.parametrize("bad", [[0.2, 0.2], [-0.5, 1.5], [3.0, -2.0], [2.0]])
def test_numbers_that_are_no_probabilities(bad):
    good = [[0.5] * len(bad)]
    value = Value().resolve(np.array(good), "probabilities")
    with pytest.raises(ModelError, match=r'Expected probabilities .*for row 1.*kind="logits"'):
        value(np.array([*good, bad]))
    with pytest.raises(ModelError, match='kind="logits"'):
        Value(lambda p: p[:, 0]).resolve(np.array([bad]), "probabilities")


def test_rounding_is_let_through():
    half = np.array([[0.3, 0.7]], np.float16)
    single = np.array([[1 + 1e-7, -1e-7]])
    assert Value("prob").resolve(half, "probabilities")(half)[0] == pytest.approx(0.7, abs=1e-3)
    assert np.isfinite(Value("log_prob", "all").resolve(single, "probabilities")(single)).all()


def test_targets():
    z = RNG.normal(size=(4, 3))
    log_probs = np.array([[math.log(p) for p in softmax(row)] for row in z.tolist()])
    names = ["cat", "dog", "cow"]

    def found(target):
        value = Value("log_prob", target).resolve(z[:1], "logits", names)
        return value(z), value.names

    for target, expected, title in [
        (1, log_probs[:, 1], ("dog",)),
        (np.int64(2), log_probs[:, 2], ("cow",)),
        ("cow", log_probs[:, 2], ("cow",)),
        ([2, "cat"], log_probs[:, [2, 0]], ("cow", "cat")),
        ([1], log_probs[:, [1]], ("dog",)),
        (np.array([1, 0]), log_probs[:, [1, 0]], ("dog", "cat")),
        ("all", log_probs, tuple(names)),
        (("cat", "cow"), log_probs[:, 0] - log_probs[:, 2], ("cat - cow",)),
        ([0, (0, 1)], np.stack([log_probs[:, 0], log_probs[:, 0] - log_probs[:, 1]], axis=1), ("cat", "cat - dog")),
    ]:
        values, names_found = found(target)
        np.testing.assert_allclose(values, expected, rtol=1e-12, err_msg=str(target))
        assert names_found == title


def test_the_lowest_class_on_a_tie():
    assert Value().resolve(np.array([[0.1, 0.45, 0.45]]), "probabilities").names == ("1",)
    assert Value().resolve(np.array([[0.0]]), "logits").names == ("0",)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (3, "0 to 2"),
        (-1, "0 to 2"),
        (True, "0 to 2"),
        ([0, 7], "0 to 2"),
        ("fish", "cat, dog, cow"),
        ((0, 1, 2), "a pair"),
        ((1, "dog"), "Expected two different classes in a contrast"),
        ([], "empty"),
        (1.5, "an index"),
    ],
)
def test_targets_that_cannot_be(target, message):
    with pytest.raises(ModelError, match=message):
        Value("log_prob", target).resolve(np.zeros((1, 3)), "logits", ["cat", "dog", "cow"])


@pytest.mark.parametrize("kind", ["probabilities", "logits", "margin", "multilabel", "output"])
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_targets_that_depend_on_the_model_alone(kind, columns):
    full = np.full((1, columns), 0.5 if kind == "multilabel" or columns == 1 else 1 / columns)
    name = "output" if kind in ("margin", "output") else "log_odds"
    names = Value(name, "classes").resolve(full, kind).names
    several = columns > 1 if kind in ("multilabel", "output") else columns > 2
    if several:
        assert names == tuple(map(str, range(columns)))
    else:
        assert names == ("0" if columns == 1 and kind in ("multilabel", "output") else "1",)
    record = Value(name, "classes").resolve(full, kind).record
    assert record["target"] == "classes"
    assert "target" not in Value(name).resolve(full, kind).record


def test_the_predicted_target_is_the_default():
    full = np.array([[0.2, 0.5, 0.3]])
    for target in (None, "predicted"):
        value = Value("prob", target)
        assert value.follows_prediction
        assert value.resolve(full, "probabilities", ["a", "b", "c"]).names == ("b",)
    assert not Value("prob", "classes").follows_prediction
    assert Value("output").resolve(full, "output").names == ("0", "1", "2")
    assert Value("output").resolve(full, "output")(full).tolist() == full.tolist()


def test_values_are_averaged_before_or_after():
    outputs = np.array([[[0.0], [2.0]], [[1.0], [-4.0]]])
    before, after = (
        Value("log_odds", "classes", average=when).resolve(outputs[:1], "logits") for when in ("before", "after")
    )
    np.testing.assert_allclose(after(outputs), [1.0, -1.5])
    probabilities = (1 / (1 + np.exp(-outputs[..., 0]))).mean(axis=1)
    np.testing.assert_allclose(before(outputs), np.log(probabilities / (1 - probabilities)))
    assert (before.record.get("average"), after.record["average"]) == (None, "after")
    with pytest.raises(OptionError, match='Expected "before" or "after" as average'):
        Value(average="never")


def test_decisions_about_all_classes_are_those_of_the_model():
    full = np.array([[0.2, 0.5, 0.3]])
    outputs = np.array([[0.2, 0.5, 0.3], [0.6, 0.2, 0.2]])
    for target in ("classes", "all", None):
        value = Value("prob", target).resolve(full, "probabilities")
        assert value.decision_unchanged(outputs).tolist() == [True, False]
    binary = Value("prob", "classes").resolve(np.array([[0.8, 0.2]]), "probabilities")
    assert binary.decision_unchanged(np.array([[0.7, 0.3], [0.1, 0.9]])).tolist() == [True, False]


def test_what_does_not_fit_the_model():
    with pytest.raises(ModelError, match='value="output"'):
        Value().resolve(np.zeros((1, 2)), "output")
    with pytest.raises(ModelError, match="Expected 3 names of classes, as many as the model has, got 2"):
        Value().resolve(np.zeros((1, 3)), "logits", ["a", "b"])
    with pytest.raises(ModelError, match=r"answer of shape \(1, k\) or \(1, M, k\) at the full input, got \(2, 3\)"):
        Value().resolve(np.zeros((2, 3)), "logits")
    with pytest.raises(ModelError, match="Expected outputs of shape"):
        Value().resolve(np.zeros(3), "logits")
    with pytest.raises(ModelError, match="Expected 3 outputs, as at the full input, got 2"):
        Value().resolve(np.zeros((1, 3)), "logits")(np.zeros((1, 2)))
    with pytest.raises(ModelError, match="Expected a known kind, got 'scores'"):
        Value().resolve(np.zeros((1, 3)), "scores")
    with pytest.raises(OptionError, match="'log_prob', 'expected_log_prob'"):
        Value("logprob")
    for name in ("expected_log_prob", np.tanh):
        with pytest.raises(OptionError, match="Leave the target out"):
            Value(name, 1)


def test_names_are_for_the_columns_they_fit():
    margin = Value("output").resolve(np.zeros((1, 1)), "output", ["no", "yes"])  # a binary margin is one column
    assert margin.names == ("0",)
    assert Value("output", "yes").resolve(np.zeros((1, 2)), "output", ["no", "yes"]).names == ("yes",)


def test_any_function_of_the_outputs():
    z = RNG.normal(size=(4, 3))
    value = Value(lambda outputs: outputs.max(axis=1) - outputs.min(axis=1)).resolve(z[:1], "logits")
    np.testing.assert_allclose(value(z), [max(row) - min(row) for row in z.tolist()])
    several = Value(lambda outputs: outputs[:, :2]).resolve(z[:1].astype(np.float32), "output")
    assert several(z).shape == (4, 2)
    background = RNG.normal(size=(2, 5, 3))
    values = Value(lambda outputs: outputs).resolve(background[:1], "logits")(background)
    expected = [[math.log(p) for p in chances_of(call, "logits")] for call in background.tolist()]
    np.testing.assert_allclose(values, expected, rtol=1e-12)
    column = background[..., :1]
    (low, high) = chances_of(column[1].tolist(), "logits")
    values = Value(lambda outputs: outputs).resolve(column[:1], "logits")(column)
    assert values[1] == pytest.approx(math.log(high / low))
    for bad in (lambda o: o.sum(), lambda o: o[:1, 0], lambda o: o[:, :, None]):
        with pytest.raises(
            ModelError,
            match=r"Expected the value function to return shape \(n,\) or \(n, m\) for outputs of shape \(4, 3\),",
        ):
            Value(bad).resolve(z[:1], "logits")(z)
    with pytest.raises(ModelError, match="row 0"):
        Value(lambda o: o[:, 0] * np.nan).resolve(z[:1], "logits")(z)


@pytest.mark.parametrize("kind", ["logits", "probabilities"])
@pytest.mark.parametrize(
    ("name", "target"),
    [("expected_log_prob", None), *((n, t) for n in ("log_prob", "prob", "log_odds") for t in (None, "all", (0, 2)))],
)
def test_gradient_weights_are_derivatives_with_respect_to_log_probabilities(name, kind, target):
    """log P moves by a small step that keeps the sum of the probabilities: v moves by weights times that step."""
    z, step = RNG.normal(size=(1, 3)), RNG.normal(size=(1, 3)) * 1e-5
    before, after = (np.array([[math.log(p) for p in softmax((z + s * step)[0].tolist())]]) for s in (-1, 1))
    to_outputs = (lambda logs: logs) if kind == "logits" else np.exp
    middle = np.array([softmax(z[0].tolist())])
    value = Value(name, target).resolve(z if kind == "logits" else middle, kind)
    change = np.reshape(value(to_outputs(after)) - value(to_outputs(before)), -1)
    np.testing.assert_allclose(value.gradient_weights() @ (after - before)[0], change, rtol=1e-6, atol=1e-12)


def test_gradient_weights_elsewhere():
    np.testing.assert_array_equal(
        Value("output", (1, 0)).resolve(np.zeros((1, 2)), "output").gradient_weights(), [[-1, 1]]
    )
    sure = Value("log_odds").resolve(np.array([[1e4, 0.0, 0.0]]), "logits")
    np.testing.assert_allclose(sure.gradient_weights(), [[1, -0.5, -0.5]])
    for value in (Value(np.sum), Value("output")):
        with pytest.raises(
            ModelError,
            match="Expected a value with a known gradient",
        ):
            value.resolve(np.zeros((1, 2)), "logits").gradient_weights()


# -- labels that do not exclude each other, and margins ------------------------------------------------------------


def label_value(name, p, first):
    """The value of label 1, and of all labels for the expectation, from probabilities of the labels."""
    if name == "expected_log_prob":
        return math.fsum(q * math.log(r) + (1 - q) * math.log(1 - r) for q, r in zip(first, p, strict=True))
    return {"prob": p[1], "log_prob": math.log(p[1]), "log_odds": math.log(p[1] / (1 - p[1]))}[name]


@pytest.mark.parametrize("rows", [None, 4])
@pytest.mark.parametrize("kind", ["multilabel", "multilabel-logits"])
@pytest.mark.parametrize("name", CLASS_VALUES)
def test_the_value_of_a_label_depends_on_that_label_alone(name, kind, rows):
    logits = RNG.normal(size=(7, rows or 1, 3)) * 2
    chances = [
        [math.fsum(column) / len(call) for column in zip(*call, strict=True)]
        for call in (1 / (1 + np.exp(-logits))).tolist()
    ]
    outputs = logits if kind == "multilabel-logits" else 1 / (1 + np.exp(-logits))
    outputs = outputs if rows else outputs[:, 0]
    target = None if name == "expected_log_prob" else "b"
    value = Value(name, target).resolve(outputs[:1], kind, ["a", "b", "c"])
    np.testing.assert_allclose(value(outputs), [label_value(name, p, chances[0]) for p in chances], rtol=1e-9)
    if target:
        assert value.targets == ["b"]
        other = outputs.copy()
        other[..., [0, 2]] = 0.3
        np.testing.assert_array_equal(value(other), value(outputs))


def test_the_decision_of_a_label_is_its_sign():
    logits = np.array([[2.0, -1.0], [0.5, -3.0], [-0.1, 4.0], [0.0, 0.0]])
    for outputs, kind in ((logits, "multilabel-logits"), (1 / (1 + np.exp(-logits)), "multilabel")):
        yes, no, contrast = (Value("prob", target).resolve(outputs[:1], kind) for target in (0, 1, (0, 1)))
        assert yes.decision_unchanged(outputs).tolist() == [True, True, False, False]
        assert no.decision_unchanged(outputs).tolist() == [
            True,
            True,
            False,
            True,
        ]  # a label that is not there stays away
        assert contrast.decision_unchanged(outputs).tolist() == [True, True, False, False]
        assert Value("prob").resolve(outputs[:1], kind).names == ("0",)  # the most probable one


@pytest.mark.parametrize("name", ["log_prob", "prob", "log_odds"])
def test_a_contrast_has_a_decision_only_if_the_first_class_is_the_more_probable_one(name):
    """Where the second class is the more probable one at the full input, or both are equal, nothing is decided."""
    full = np.array([[0.5, 0.3, 0.2]])
    outputs = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2], [0.2, 0.5, 0.3]])
    first = Value(name, (0, 1)).resolve(full, "probabilities")
    assert first.decision_unchanged(outputs).tolist() == [True, False, False, False]
    later = Value(name, (1, 2)).resolve(full, "probabilities")  # neither of them is the predicted class
    assert later.decision_unchanged(outputs).tolist() == [True, False, True, True]
    assert Value(name, (1, 0)).resolve(full, "probabilities").decision_unchanged(outputs) is None
    assert Value(name, (2, 0)).resolve(full, "probabilities").decision_unchanged(outputs) is None
    equal = np.array([[0.4, 0.4, 0.2]])
    assert Value(name, (0, 1)).resolve(equal, "probabilities").decision_unchanged(outputs) is None
    labels = Value("log_odds", (1, 0)).resolve(np.array([[2.0, -1.0]]), "multilabel-logits")
    assert labels.decision_unchanged(np.array([[2.0, -1.0], [0.0, 1.0]])) is None


def test_the_contrast_of_two_labels_and_all_of_them():
    logits = RNG.normal(size=(5, 3))
    contrast = Value("log_odds", ("c", "a")).resolve(logits[:1], "multilabel-logits", ["a", "b", "c"])
    np.testing.assert_allclose(contrast(logits), logits[:, 2] - logits[:, 0])
    assert contrast.targets == [["c", "a"]]
    every = Value("output", "all").resolve(logits[:1], "multilabel-logits")
    np.testing.assert_array_equal(every(logits), logits)
    with pytest.raises(ModelError, match="Expected 3 names of labels, as many as the model has, got 2"):
        Value("prob").resolve(logits[:1], "multilabel-logits", ["a", "b"])


@pytest.mark.parametrize("kind", ["multilabel", "multilabel-logits"])
@pytest.mark.parametrize("name", CLASS_VALUES)
def test_weights_of_labels_are_derivatives_by_their_log_odds(name, kind):
    logits = np.array([[0.3, -1.2, 2.0]])
    to_outputs = (lambda z: z) if kind == "multilabel-logits" else (lambda z: 1 / (1 + np.exp(-z)))
    value = Value(name, None if name == "expected_log_prob" else "all").resolve(to_outputs(logits), kind)
    for c, step in enumerate(1e-6 * np.eye(3)):
        slope = (value(to_outputs(logits + step)) - value(to_outputs(logits - step))) / 2e-6
        np.testing.assert_allclose(np.ravel(slope), value.gradient_weights()[:, c], atol=1e-8)


def test_a_margin_is_that_of_the_predicted_class():
    outputs = np.array([[-2.0], [-0.5], [1.0]])
    value = find_value(None, "margin").resolve(outputs[:1], "margin", ["ham", "spam"])
    assert value.targets == ["ham"]
    np.testing.assert_array_equal(value(outputs), [2.0, 0.5, -1.0])
    assert value.decision_unchanged(outputs).tolist() == [True, True, False]
    np.testing.assert_array_equal(value.gradient_weights(), [[-1.0]])
    other = Value("output", "spam").resolve(outputs[:1], "margin", ["ham", "spam"])
    np.testing.assert_array_equal(other(outputs), outputs[:, 0])
    assert other.decision_unchanged(outputs) is None  # the model does not say spam of the full input
    three = Value("output").resolve(np.array([[0.1, 0.9, 0.4]]), "margin", ["a", "b", "c"])
    assert three.targets == ["b"]
    with pytest.raises(
        ModelError, match=r"Expected a model of probabilities for value='log_prob', got kind=.margin.*kind=.logits"
    ):
        Value("log_prob").resolve(outputs[:1], "margin")


def test_the_raw_number_of_two_classes_is_that_of_the_second():
    outputs = np.array([[1.5], [-0.5]])
    value = Value("output").resolve(outputs[:1], "logits", ["ham", "spam"])
    assert (value.names, value.targets, value.class_pairs) == (("spam",), ["spam"], ((1, None),))
    assert value.decision_unchanged(outputs).tolist() == [True, False]
