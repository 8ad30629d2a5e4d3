import functools
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lcshap as lc
from lcshap.adapters.callable import CallableModel
from lcshap.adapters.jax import JaxModel
from lcshap.errors import ModelError
from lcshap.values import Value

double_precision = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64  # of older versions
RNG = np.random.default_rng(0)
FIRST, SECOND, THIRD = RNG.normal(size=(4, 8)), RNG.normal(size=(8, 3)), RNG.normal(size=(8, 1))


def network(parameters, x):
    return jnp.tanh(x @ parameters[0]) @ parameters[1]


def net(second=SECOND, last=lambda x: x):
    apply = functools.partial(network, (FIRST, second))
    return lambda x: last(apply(x))


def by_hand(x, second=SECOND):
    """The forward pass of `network`, in numpy."""
    return np.tanh(x @ FIRST) @ second


def gradient_by_hand(x, weights):
    """The gradient of the weighted log-softmax of `network`, row by row."""
    hidden = np.tanh(x @ FIRST)
    odds = np.exp(hidden @ SECOND)
    at_logits = weights - weights.sum(1, keepdims=True) * odds / odds.sum(1, keepdims=True)
    return (at_logits @ SECOND.T * (1 - hidden**2)) @ FIRST.T


@pytest.mark.parametrize("jit", [True, False])
def test_predictions_do_not_depend_on_the_batch(jit):
    model = JaxModel(functools.partial(network, (FIRST, SECOND)), "logits", jit=jit)
    x = RNG.normal(size=(5, 4))
    for n in range(1, 6):
        answers = model.predict(x[:n])
        assert answers.dtype == np.float32
        assert answers.shape == (n, 3)
        np.testing.assert_allclose(answers, by_hand(x[:n]), atol=1e-5)


def test_few_compilations():
    traced = []

    def fn(x):
        traced.append(x.shape)
        return x.sum(axis=1)

    model = JaxModel(fn, "output")
    for n in [*range(1, 34), *range(33, 0, -1)]:
        np.testing.assert_array_equal(model.predict(np.ones((n, 2))), np.full((n, 1), 2.0))
    assert traced == [(n, 2) for n in (1, 2, 4, 8, 16, 32, 64)]
    model.gradient(np.ones((3, 2)), np.ones((3, 1)))
    model.gradient(np.ones((4, 2)), np.ones((4, 1)))
    assert len(traced) == 8


def test_dtypes():
    seen = []

    def fn(x):
        seen.append(str(x.dtype))
        return x[:, 0]

    def passed(rows, **options):
        return JaxModel(fn, "output", **options).predict(rows).dtype, seen[-1]

    for dtype in (np.float16, np.float32, np.float64):
        assert passed(np.ones((2, 3), dtype)) == (np.float32, "float32")
    assert passed([[1.0, 2.0]]) == (np.float32, "float32")
    assert passed(np.ones((2, 3), np.int8))[1] == "int8"
    assert passed(np.ones((2, 3), np.int64))[1] == "int32"
    assert passed(np.ones((2, 3)), dtype="bfloat16") == (np.float32, "bfloat16")
    with double_precision(True):
        assert passed(np.ones((2, 3)), dtype="float64") == (np.float64, "float64")
        assert passed(np.full((2, 3), 2**40))[1] == "int64"
    with pytest.raises(ModelError, match="Expected JAX to keep float64, got float32"):
        passed(np.ones((2, 3)), dtype="float64")
    with pytest.raises(ModelError, match="Expected JAX to keep int64, got int32"):
        passed(np.full((2, 3), 2**40))
    with pytest.raises(ModelError, match="Expected dtype as a floating-point type, such as float32, got 'int32'"):
        passed(np.ones((2, 3)), dtype="int32")


def test_the_gradient_against_the_closed_form():
    model = JaxModel(net(), "logits")
    x, weights = RNG.normal(size=(5, 4)), RNG.normal(size=(5, 3))
    gradient = model.gradient(x, weights)
    assert gradient.dtype == np.float64
    np.testing.assert_allclose(gradient, gradient_by_hand(x, weights), atol=1e-4)
    np.testing.assert_allclose(JaxModel(net(), "logits", jit=False).gradient(x, weights), gradient, atol=1e-5)


def differences(v, x, step=1e-6):
    """Central differences of a function of one row."""
    gradient = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[place] += step
        down[place] -= step
        gradient[place] = (v(up) - v(down)) / (2 * step)
    return gradient


CLASSIFIERS = [
    (SECOND, lambda x: x, "logits"),
    (THIRD, lambda x: x[:, 0], "logits"),
    (SECOND, jax.nn.softmax, "probabilities"),
    (THIRD, jax.nn.sigmoid, "probabilities"),
]


@pytest.mark.parametrize(
    ("name", "second", "last", "kind"),
    [
        *((name, *c) for c in CLASSIFIERS for name in ("log_prob", "expected_log_prob", "prob", "log_odds")),
        ("output", SECOND, lambda x: x, "output"),
    ],
)
def test_the_gradient_of_every_value_against_differences(name, second, last, kind):
    x = RNG.normal(size=(1, 4))
    with double_precision(True):
        model = JaxModel(net(second, last), kind, dtype="float64")
        target = None if name == "expected_log_prob" else (1, 0)
        value = Value(name, target).resolve(model.predict(x), kind)
        gradient = model.gradient(x, value.gradient_weights())
        expected = differences(lambda row: value(model.predict(row))[0], x)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-9)


def test_where_there_is_no_gradient():
    with pytest.raises(ModelError, match="Expected rows of floating-point numbers for a gradient, got others"):
        JaxModel(lambda x: x.sum(axis=1), "output").gradient(np.array([[1, 2]]), np.ones((1, 1)))
    for weights in (np.ones((3, 2)), np.ones((4, 3))):
        with pytest.raises(ModelError, match="the weights"):
            JaxModel(net(), "logits").gradient(np.ones((3, 4)), weights)
    with pytest.raises(ModelError, match=r"Expected a gradient of finite numbers, got \[inf\] for row 1"):
        JaxModel(jnp.sqrt, "output").gradient(np.array([[1.0], [0.0]]), np.ones((2, 1)))


@pytest.mark.parametrize("jit", [True, False])
def test_wrong_functions(jit):
    for answer, message in [
        (lambda x: (x, x), r"Expected an array \(n,\) or \(n, outputs\) from the JAX function, got tuple of 2"),
        (lambda x: x[:1, :2], r"for 2 rows, got \(1, 2\)"),
        (lambda x: x[:, 0].at[1].set(jnp.nan), "row 1"),
        (lambda x: x.astype(complex), "complex64"),
    ]:
        with pytest.raises(ModelError, match=message):
            JaxModel(answer, "output", jit=jit).predict(np.ones((2, 3)))
    with pytest.raises(ModelError, match="does not declare"):
        JaxModel(net(), None)
    with pytest.raises(ModelError, match="Expected a JAX function of rows, got int"):
        JaxModel(3, "output")
    with pytest.raises(ModelError, match="Expected rows that JAX can turn into an array, got <U1"):
        JaxModel(net(), "output").predict(["a", "b"])


def test_explanations_with_and_without_the_adapter():
    """A linear function: Shapley values and gradient times input are both its terms."""
    slopes = np.array([1.0, -2.0, 3.0, 0.5])
    x, masker = np.array([2.0, 1.0, 1.0, 4.0]), lc.maskers.Tabular(np.ones(4))

    def linear(rows):
        return jnp.asarray(rows) @ jnp.asarray(slopes, jnp.float32)

    for model in (JaxModel(linear, "output"), CallableModel(linear, "output"), jax.jit(linear)):
        e = lc.explain(model, x, masker, method=lc.Shapley(), kind="output")
        np.testing.assert_allclose(e.scores, slopes * (x - 1), atol=1e-5)
    e = lc.explain(JaxModel(linear, "output"), x, masker, method=lc.GradientInput())
    np.testing.assert_allclose(e.scores, slopes * (x - 1), atol=1e-5)


def test_jax_is_not_imported_before_it_is_needed():
    code = "import sys, lcshap.adapters.jax; print('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
