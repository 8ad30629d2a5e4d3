"""One process holds one backend: these tests run here on one, and the last of them runs this file on the other."""

import os
import subprocess
import sys

import numpy as np
import pytest

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras
from keras import layers, ops

import lcshap as lc
from lcshap.adapters.keras import KerasModel
from lcshap.errors import MethodError, ModelError
from lcshap.values import Value

RNG = np.random.default_rng(0)
JAX = keras.backend.backend() == "jax"
only_jax = pytest.mark.skipif(not JAX, reason="a matter of compilation")


def net(outputs=3, last=None):
    keras.utils.set_random_seed(0)
    parts = [layers.Dense(8), layers.BatchNormalization(), layers.Activation("tanh"), layers.Dropout(0.5)]
    model = keras.Sequential([layers.Input((4,)), *parts, layers.Dense(outputs, activation=last)])
    parts[1].moving_mean.assign(np.linspace(-1, 1, 8))
    parts[1].moving_variance.assign(np.linspace(0.5, 2, 8))
    return model


def by_hand(model, x):
    """The forward pass of `net` in inference mode, in numpy: its logits, the hidden layer, and the two slopes."""
    first, bias, scale, shift, mean, variance, second, last = (w.astype(float) for w in weights_of(model))
    slope = first * scale / np.sqrt(variance + 1e-3)
    hidden = np.tanh(x @ slope + (bias - mean) * scale / np.sqrt(variance + 1e-3) + shift)
    return hidden @ second + last, hidden, slope, second


def weights_of(model):
    values = [v.value for v in model.weights]
    return [v.detach().numpy().copy() if hasattr(v, "detach") else np.asarray(v) for v in values]


def softmax(logits):
    odds = np.exp(logits)
    return odds / odds.sum(axis=1, keepdims=True)


def test_predictions_in_inference_mode_without_side_effects(capsys):
    model = net()
    before = weights_of(model)
    adapter = KerasModel(model, "logits")
    x = RNG.normal(size=(5, 4))
    for n in range(1, 6):
        answers = adapter.predict(x[:n])
        assert answers.dtype == np.float32
        np.testing.assert_allclose(answers, by_hand(model, x[:n])[0], atol=1e-5)
    adapter.gradient(x, np.ones((5, 3)))
    assert all(np.array_equal(a, b) for a, b in zip(before, weights_of(model), strict=True))
    assert capsys.readouterr() == ("", "")  # no progress bar


@only_jax
def test_few_compilations_and_new_weights_without_any():
    traced = []

    class Counts(layers.Layer):
        def call(self, x):
            traced.append(x.shape)
            return x

    model = keras.Sequential([layers.Input((2,)), Counts(), layers.Dense(1, use_bias=False)])
    adapter = KerasModel(model, "output")
    traced.clear()
    for n in range(1, 18):
        adapter.predict(np.ones((n, 2)))
    assert traced == [(n, 2) for n in (1, 2, 4, 8, 16, 32)]
    model.set_weights([np.array([[1.0], [2.0]])])
    assert adapter.predict(np.ones((3, 2))).tolist() == [[3.0]] * 3
    assert adapter.gradient(np.ones((3, 2)), np.ones((3, 1))).tolist() == [[1.0, 2.0]] * 3
    assert len(traced) == 7
    model.run_eagerly = True
    eager = KerasModel(model, "output")
    for _ in range(2):
        assert eager.predict(np.ones((3, 2))).tolist() == [[3.0]] * 3
        assert eager.gradient(np.ones((3, 2)), np.ones((3, 1))).tolist() == [[1.0, 2.0]] * 3
    assert len(traced) == 11


def test_dtypes_of_inputs():
    seen = []

    class Spy(keras.Model):
        def call(self, x):
            seen.append(keras.backend.standardize_dtype(x.dtype))
            return ops.cast(x[:, 0], "float16")

    model = Spy()
    model(np.ones((1, 3)))
    adapter = KerasModel(model, "output")
    for rows, expected in [
        (np.ones((2, 3)), "float32"),
        (np.ones((2, 3), np.float16), "float32"),
        ([[1.0, 2.0, 3.0]] * 2, "float32"),
        (ops.ones((2, 3)), "float32"),
        (np.ones((2, 3), np.int32), "int32"),
    ]:
        answers = adapter.predict(rows)
        assert (answers.shape, answers.dtype) == ((2, 1), np.float32)
        assert seen[-1] == expected
    with pytest.raises(ModelError, match=r"prepare=\.\.\.\), a function from rows to arrays"):
        adapter.predict(["a", "abc"])


def test_rows_are_copied_and_may_be_read_only():
    rows = RNG.normal(size=(3, 4)).astype(np.float32)
    rows.flags.writeable = False
    model = net()
    np.testing.assert_allclose(
        KerasModel(model, "logits").predict(rows[::-1]), by_hand(model, rows)[0][::-1], atol=1e-5
    )


def test_token_ids():
    model = keras.Sequential([layers.Input((3,), dtype="int32"), layers.Embedding(5, 2), layers.Flatten()])
    (table,) = weights_of(model)
    ids = np.array([[0, 1, 4], [2, 2, 3], [1, 0, 0]])
    np.testing.assert_array_equal(KerasModel(model, "output").predict(ids), table[ids].reshape(3, 6))
    with pytest.raises(
        ModelError, match="Expected one input of floating-point numbers in the shape of the rows for a gradient,"
    ):
        KerasModel(model, "output").gradient(ids, np.ones((3, 6)))


@pytest.mark.parametrize("kind", [list, tuple, dict])
def test_several_inputs_from_strings_and_gradients_through_one_of_them(kind):
    a, b = keras.Input((2,), name="a"), keras.Input((1,), name="b")
    named = {"a": a, "b": b}
    model = keras.Model(named if kind is dict else kind(named.values()), layers.Multiply()([a, b]))

    def both(x, y):
        return {"a": x, "b": y} if kind is dict else kind([x, y])

    def from_texts(rows):
        return both(np.array([[len(row), 1.0] for row in rows]), np.full((len(rows), 1), 2.0))

    answers = KerasModel(model, "output", prepare=from_texts).predict(["a", "abc", "ab"])
    assert answers.tolist() == [[2, 2], [6, 2], [4, 2]]

    def scaled(rows):
        return both(rows, np.arange(1.0, len(rows) + 1)[:, None])

    gradient = KerasModel(model, "output", prepare=scaled).gradient(np.ones((3, 2)), np.array([[1.0, 0.5]] * 3))
    assert gradient.tolist() == [[1, 0.5], [2, 1], [3, 1.5]]
    ambiguous = KerasModel(model, "output", prepare=lambda rows: both(rows, rows))
    with pytest.raises(
        ModelError, match="Expected one input of floating-point numbers in the shape of the rows for a gradient, got 2"
    ):
        ambiguous.gradient(np.ones((3, 2)), np.ones((3, 2)))


def test_the_gradient_against_the_closed_form():
    model = net()
    x, weights = RNG.normal(size=(5, 4)), RNG.normal(size=(5, 3))
    logits, hidden, first, second = by_hand(model, x)
    at_logits = weights - weights.sum(axis=1, keepdims=True) * softmax(logits)
    expected = (at_logits @ second.T * (1 - hidden**2)) @ first.T
    gradient = KerasModel(model, "logits").gradient(x, weights)
    assert gradient.dtype == np.float64
    np.testing.assert_allclose(gradient, expected, atol=1e-4)
    sure = net(last="softmax")
    np.testing.assert_allclose(KerasModel(sure, "probabilities").gradient(x, weights), expected, atol=1e-4)


def differences(v, x, step=1e-2):
    """Central differences of a function of one row: wide steps, since Keras computes in single precision."""
    gradient = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[place] += step
        down[place] -= step
        gradient[place] = (v(up) - v(down)) / (2 * step)
    return gradient


@pytest.mark.parametrize("name", ["log_prob", "log_odds", "output"])
@pytest.mark.parametrize(
    ("outputs", "last", "kind"),
    [(3, None, "logits"), (1, None, "logits"), (3, "softmax", "probabilities"), (1, "sigmoid", "probabilities")],
)
def test_gradients_of_values_against_differences(name, outputs, last, kind):
    kind = "output" if name == "output" else kind
    model = KerasModel(net(outputs, last), kind)
    x = RNG.normal(size=(1, 4))
    value = Value(name, 0).resolve(model.predict(x), kind)
    gradient = model.gradient(x, value.gradient_weights())
    assert np.abs(gradient).max() > 1e-2
    np.testing.assert_allclose(gradient, differences(lambda row: value(model.predict(row))[0], x), atol=1e-3)


def test_gradients_that_are_zero_or_not_finite():
    x = keras.Input((2,))
    stopped = layers.Lambda(ops.stop_gradient)(x)
    for end in (stopped, layers.Dense(2)(stopped)):
        assert not KerasModel(keras.Model(x, end), "output").gradient(np.ones((2, 2)), np.ones((2, 2))).any()
    root = KerasModel(keras.Model(x, ops.sqrt(x)), "output")
    with pytest.raises(ModelError, match=r"Expected a gradient of finite numbers, got .* for row 1"):
        root.gradient(np.array([[1.0, 1.0], [0.0, 1.0]]), np.ones((2, 2)))
    for weights in (np.ones((3, 3)), np.ones((2, 2))):
        with pytest.raises(ModelError, match="the weights"):
            root.gradient(np.ones((3, 2)), weights)


def ends(model):
    """The model, and the same inside another."""
    return [model, keras.Sequential([layers.Input(model.input_shape[1:]), model])]


def test_a_kind_that_the_last_layer_contradicts():
    x = keras.Input((4,))
    dense = layers.Dense(3)(x)
    for model in [
        *ends(net(last="softmax")),
        *ends(net(1, "sigmoid")),
        *ends(keras.Model(x, layers.Softmax()(dense))),
        *ends(keras.Model(x, layers.Activation("softmax", dtype="float32")(dense))),
        *ends(keras.Model(x, ops.softmax(dense))),
        *ends(keras.Model(x, ops.sigmoid(dense))),
    ]:
        with pytest.raises(
            ModelError,
            match=r'Expected a model of logits .*, got .*, which ends with a .*Write kind="probabilities"',
        ):
            KerasModel(model, "logits")
        assert KerasModel(model, "probabilities").predict(np.ones((2, 4))).max() < 1
        assert KerasModel(model, "output").kind == "output"
    for model in [*ends(net()), *ends(keras.Model(x, dense))]:
        with pytest.raises(
            ModelError,
            match=r'Expected a model of probabilities .*, which ends with a linear layer.*Write kind="logits"',
        ):
            KerasModel(model, "probabilities")
        assert KerasModel(model, "logits").kind == "logits"


def test_last_layers_that_do_not_determine_the_kind():
    class Sure(keras.Model):
        def __init__(self):
            super().__init__()
            self.last = layers.Dense(3)

        def call(self, x):
            return ops.softmax(self.last(x))

    subclassed = Sure()
    subclassed(np.ones((1, 4)))
    x = keras.Input((4,))
    cast = keras.Model(x, layers.Activation("linear", dtype="float32")(layers.Dense(3, activation="softmax")(x)))
    for model in (subclassed, cast):
        answers = KerasModel(model, "probabilities").predict(np.ones((2, 4)))
        np.testing.assert_allclose(answers.sum(axis=1), 1, atol=1e-6)


def test_what_is_no_model():
    x = keras.Input((4,))
    two = keras.Model(x, [layers.Dense(2)(x), layers.Dense(3)(x)])
    with pytest.raises(ModelError, match=r"Expected one output, got list of 2\. .*output="):
        KerasModel(two, "output").predict(np.ones((2, 4)))
    one = KerasModel(keras.Model(two.inputs, two.outputs[1]), "output")
    assert one.predict(np.ones((2, 4))).shape == (2, 3)
    with pytest.raises(ModelError, match=r"for 2 rows, got \(2, 2, 2\)"):
        KerasModel(keras.Model(x, layers.Reshape((2, 2))(x)), "output").predict(np.ones((2, 4)))
    with pytest.raises(ModelError, match="Call it on some data first"):
        KerasModel(keras.Sequential([layers.Dense(2)]), "output")
    with pytest.raises(ModelError, match=r"Expected a keras.Model, got Dense"):
        KerasModel(layers.Dense(2), "output")
    with pytest.raises(ModelError, match=r'does not declare what its numbers are: set kind="logits"'):
        KerasModel(net(), None)


def test_an_old_keras(monkeypatch):
    model = net()
    monkeypatch.delattr(keras, "ops")
    with pytest.raises(ModelError, match="Expected Keras 3 or later, got"):
        KerasModel(model, "logits")


def test_a_backend_without_gradients(monkeypatch):
    monkeypatch.setattr("lcshap.adapters.keras._GRADIENTS", {})
    with pytest.raises(MethodError, match=r"got KerasModel, which has none\. Choose"):
        lc.explain(KerasModel(net(), "logits"), np.ones(4), lc.maskers.Tabular(np.zeros(4)), method=lc.Saliency())


def test_explanations_of_a_linear_model_are_its_terms():
    model = keras.Sequential([layers.Input((4, 4, 1)), layers.Flatten(), layers.Dense(1, use_bias=False)])
    image = RNG.normal(size=(4, 4, 1))
    (weights,) = weights_of(model)
    terms = (weights.reshape(4, 4, 1) * image).reshape(2, 2, 2, 2).sum(axis=(1, 3)).ravel()  # of the patches
    masker = lc.maskers.Image(patch=2, reference=0.0, channels="last")
    for method in (lc.Shapley(), lc.GradientInput()):
        e = lc.explain(KerasModel(model, "output"), image, masker, method=method)
        np.testing.assert_allclose(e.scores, terms, atol=1e-5)


def test_keras_is_not_imported_before_it_is_needed():
    code = "import sys, lcshap.adapters.keras; print([m for m in ('keras', 'jax', 'torch') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@only_jax
def test_the_same_with_pytorch_as_the_backend():
    pytest.importorskip("torch")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--tb=short", __file__]
    done = subprocess.run(command, env={**os.environ, "KERAS_BACKEND": "torch"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
