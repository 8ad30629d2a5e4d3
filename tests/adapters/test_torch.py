import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

import lcshap as lc
from lcshap.adapters.torch import TorchModel
from lcshap.errors import ModelError
from lcshap.values import Value

RNG = np.random.default_rng(0)


def net(outputs=3, last=None, dtype=torch.float64):
    torch.manual_seed(0)
    layers = [nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Dropout(0.5), nn.Linear(8, outputs)]
    return nn.Sequential(*layers, *([last] if last else [])).to(dtype)


def by_hand(module, x):
    """The forward pass of `net` in evaluation mode, in numpy."""
    w = {name: value.detach().numpy() for name, value in module.state_dict().items()}
    hidden = x @ w["0.weight"].T + w["0.bias"]
    hidden = (hidden - w["1.running_mean"]) / np.sqrt(w["1.running_var"] + 1e-5) * w["1.weight"] + w["1.bias"]
    return np.tanh(hidden) @ w["4.weight"].T + w["4.bias"]


def modes(module):
    return [submodule.training for submodule in module.modules()]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_predictions_in_evaluation_mode(dtype):
    module = net(dtype=dtype).train()
    x = RNG.normal(size=(5, 4))
    answers = TorchModel(module, "logits").predict(x)
    assert answers.dtype == (np.float64 if dtype == torch.float64 else np.float32)
    np.testing.assert_allclose(answers, by_hand(module, x), atol=1e-12 if dtype == torch.float64 else 1e-5)
    np.testing.assert_array_equal(answers, TorchModel(module, "logits").predict(torch.tensor(x)))
    assert not module[1].running_mean.any()  # batch norm has not seen these rows


class Fails(nn.Module):
    def forward(self, x):
        assert not self.training
        raise OSError("out of paper")


def test_every_submodule_is_as_it_was_also_after_an_error():
    module = net().train()
    module[1].eval()
    before = modes(module)
    assert before != [True] * len(before)
    TorchModel(module, "logits").predict(np.ones((2, 4)))
    TorchModel(module, "logits").gradient(np.ones((2, 4)), np.ones((2, 3)))
    assert modes(module) == before
    broken = nn.Sequential(nn.Dropout(), Fails(), nn.Linear(1, 1)).train()
    broken[0].eval()
    before = modes(broken)
    for call in (
        lambda: TorchModel(broken, "logits").predict(np.ones((2, 1))),
        lambda: TorchModel(broken, "logits").gradient(np.ones((2, 1)), np.ones((2, 1))),
    ):
        with pytest.raises(OSError, match="paper"):
            call()
        assert modes(broken) == before


class Spy(nn.Module):
    def __init__(self, dtype=torch.float32):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1, dtype=dtype))
        self.seen = []

    def forward(self, *tensors, **named):
        self.seen = [*tensors, *named.values()]
        self.gradients = torch.is_grad_enabled()
        return torch.zeros(len(self.seen[0]))


def test_dtypes_of_inputs():
    module = Spy()
    model = TorchModel(module, "output")
    for array, expected in [
        (np.ones((2, 3)), torch.float32),
        (np.ones((2, 3), np.float16), torch.float32),
        (np.ones((2, 3), np.int64), torch.int64),
        (np.ones((2, 3), np.int32), torch.int32),
        (np.ones((2, 3), bool), torch.bool),
        (torch.ones((2, 3), dtype=torch.float64), torch.float32),
        ([[1.0, 2.0, 3.0]] * 2, torch.float32),
    ]:
        assert model.predict(array).shape == (2, 1)
        assert module.seen[0].dtype == expected
        assert not module.gradients
    for dtype in (torch.float64, "float64"):
        TorchModel(module, "output", dtype=dtype, device="cpu").predict(np.ones((2, 3), np.float32))
        assert module.seen[0].dtype == torch.float64
    TorchModel(nn.Flatten(), "output").predict(np.ones((2, 3), np.float32))  # no parameters: as they come


def test_rows_are_copied_and_may_be_read_only():
    class Writes(nn.Module):
        def forward(self, x):
            return x.zero_()

    rows = np.ones((2, 3))
    TorchModel(Writes(), "output").predict(rows)
    assert rows.all()
    rows.flags.writeable = False
    assert TorchModel(nn.Flatten(), "output").predict(rows[::-1]).shape == (2, 3)


def test_prepare_turns_strings_into_tensors():
    module = Spy()
    lengths = [[1.0], [3.0]]
    for prepared, count in [
        (torch.tensor(lengths), 1),
        ((torch.tensor(lengths), torch.tensor([1, 2])), 2),
        ({"ids": np.array([[1], [2]]), "mask": torch.ones(2, 1)}, 2),
    ]:
        TorchModel(module, "output", prepare=lambda rows, prepared=prepared: prepared).predict(["a", "abc"])
        assert len(module.seen) == count
    with pytest.raises(ModelError, match="prepare"):
        TorchModel(module, "output").predict(["a", "abc"])


@pytest.mark.parametrize(
    "wrap", [lambda t: (t, "attention"), lambda t: [t], lambda t: SimpleNamespace(logits=t, loss=None), lambda t: t]
)
def test_outputs_of_many_shapes(wrap):
    class Wraps(nn.Module):
        def forward(self, x):
            return wrap(x.to(torch.bfloat16))

    answers = TorchModel(Wraps(), "output").predict(np.ones((2, 3)))
    assert answers.dtype == np.float32
    assert answers.tolist() == [[1.0] * 3] * 2


def test_wrong_outputs():
    class Says(nn.Module):
        def __init__(self, answer):
            super().__init__()
            self.answer = answer

        def forward(self, x):
            return self.answer

    for answer, message in [
        ("text", r"Expected a tensor, .*got str. .*output="),
        ((), "got tuple of 0"),
        ((torch.zeros(2, 3), torch.zeros(2, 5)), r"got tuple of 2 with 2 tensors\. .*output=0"),
        (["extra", torch.zeros(2, 3), torch.zeros(2, 5)], r"got list of 3 with 2 tensors\. .*output=1"),
        (torch.zeros(3, 2), r"for 2 rows, got \(3, 2\)"),
        (torch.tensor([0.0, torch.nan]), "row 1"),
    ]:
        with pytest.raises(ModelError, match=message):
            TorchModel(Says(answer), "output").predict(np.ones((2, 3)))
    with pytest.raises(ModelError, match="does not declare"):
        TorchModel(Says(0), None)


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
    (3, None, "logits"),
    (1, None, "logits"),
    (3, nn.Softmax(-1), "probabilities"),
    (1, nn.Sigmoid(), "probabilities"),
]


@pytest.mark.parametrize(
    ("name", "outputs", "last", "kind"),
    [
        *((name, *c) for c in CLASSIFIERS for name in ("log_prob", "expected_log_prob", "prob", "log_odds")),
        ("output", 2, None, "output"),
    ],
)
def test_the_gradient_of_every_value_against_differences(name, outputs, last, kind):
    module = net(outputs, last).train()
    model = TorchModel(module, kind)
    x = RNG.normal(size=(1, 4))
    target = None if name == "expected_log_prob" else (1, 0)
    value = Value(name, target).resolve(model.predict(x), kind)
    gradient = model.gradient(x, value.gradient_weights())
    assert gradient.dtype == np.float64
    np.testing.assert_allclose(gradient, differences(lambda row: value(model.predict(row))[0], x), rtol=1e-6, atol=1e-9)
    assert all(p.grad is None for p in module.parameters())


def test_the_gradient_of_many_rows_is_row_by_row_and_works_under_no_grad():
    model = TorchModel(net(dtype=torch.float32), "logits")
    x, weights = RNG.normal(size=(6, 4)), RNG.normal(size=(6, 3))
    with torch.no_grad():
        gradient = model.gradient(x, weights)
    row_gradients = [model.gradient(x[i : i + 1], weights[i : i + 1])[0] for i in range(6)]
    np.testing.assert_allclose(gradient, row_gradients, atol=1e-6)
    images = TorchModel(nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Linear(8, 2)), "logits")
    assert images.gradient(np.ones((2, 1, 4, 4)), np.ones((2, 2))).shape == (2, 1, 4, 4)


def test_gradients_through_recurrent_layers_and_prepared_tuples():
    class Reads(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.GRU(2, 3, batch_first=True)

        def forward(self, x, scale):
            return self.cell(x)[0][:, -1] * scale

    def prepare(rows):
        return torch.tensor(rows), torch.tensor(2.0)

    model = TorchModel(Reads().double(), "output", prepare=prepare)
    x = RNG.normal(size=(1, 4, 2))
    expected = differences(lambda row: model.predict(row)[0, 1], x)
    np.testing.assert_allclose(model.gradient(x, np.array([[0.0, 1.0, 0.0]])), expected, rtol=1e-6, atol=1e-9)


def test_where_there_is_no_gradient():
    embeds = TorchModel(nn.Sequential(nn.Embedding(5, 2), nn.Flatten()), "logits")
    ids = np.array([[1, 2]])
    assert embeds.predict(ids).shape == (1, 4)
    with pytest.raises(ModelError, match="Expected rows of floating-point numbers for a gradient, got others"):
        embeds.gradient(ids, np.ones((1, 4)))
    with pytest.raises(ModelError, match="weights"):
        TorchModel(net(), "logits").gradient(np.ones((2, 4)), np.ones((2, 2)))
    reshaping = TorchModel(net(), "logits", prepare=lambda rows: torch.tensor(rows).reshape(2, 2, 2))
    with pytest.raises(
        ModelError, match=r"Expected prepare to keep the shape \(2, 4\) of the rows for a gradient, got \(2, 2, 2\)"
    ):
        reshaping.gradient(np.ones((2, 4)), np.ones((2, 3)))

    class Detaches(nn.Module):
        def forward(self, x):
            return x.detach()

    with pytest.raises(
        ModelError, match="Expected an answer with a gradient from Detaches, got one that is detached from its"
    ):
        TorchModel(Detaches(), "output").gradient(np.ones((2, 4)), np.ones((2, 4)))

    class Ignores(nn.Linear):
        def forward(self, x):
            return super().forward(torch.ones_like(x))

    assert not TorchModel(Ignores(4, 2), "output").gradient(np.ones((2, 4)), np.ones((2, 2))).any()

    class Root(nn.Module):
        def forward(self, x):
            return x.sqrt()

    with pytest.raises(ModelError, match=r"Expected a gradient of finite numbers, got \[inf\] for row 1"):
        TorchModel(Root(), "output").gradient(np.array([[1.0], [0.0]]), np.ones((2, 1)))


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_scripted_modules():
    module = torch.jit.script(net().train())
    x = np.ones((2, 4))
    np.testing.assert_allclose(TorchModel(module, "logits").predict(x), by_hand(net(), x), atol=1e-12)
    assert all(modes(module))


@pytest.mark.filterwarnings("ignore")  # the exporter's own
def test_exported_and_compiled_modules():
    x = np.ones((2, 4))
    exported = torch.export.export(net().eval(), (torch.ones(2, 4, dtype=torch.float64),)).module()
    np.testing.assert_allclose(TorchModel(exported, "logits").predict(x), by_hand(net(), x), atol=1e-12)
    compiled = torch.compile(net().train(), backend="eager")
    np.testing.assert_allclose(TorchModel(compiled, "logits").predict(x), by_hand(net(), x), atol=1e-12)
    assert all(modes(compiled))


def test_torch_is_not_imported_before_it_is_needed():
    code = "import sys, lcshap.adapters.torch; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_on_a_gpu():
    module = net().to("cuda")
    x = RNG.normal(size=(5, 4))
    model = TorchModel(module, "logits")
    np.testing.assert_allclose(model.predict(x), by_hand(module.cpu(), x), atol=1e-10)
    weights = np.ones((5, 3))
    cpu = TorchModel(net(), "logits").gradient(x, weights)
    np.testing.assert_allclose(TorchModel(net().to("cuda"), "logits").gradient(x, weights), cpu, atol=1e-10)


class Elsewhere(TorchModel):
    """Makes its rows itself, as a model on a GPU does."""

    asked = 0
    blends = True

    def predict_blends(self, blends):
        self.asked += 1
        return super().predict_blends(blends)


@pytest.mark.parametrize(
    ("masker", "x", "used"),
    [
        (lc.maskers.Image(channels="first"), np.random.default_rng(0).random((2, 3, 4)), True),
        (lc.maskers.Image(channels="first", patch=2), np.random.default_rng(0).random((2, 3, 4)), True),
        (lc.maskers.Tabular(np.random.default_rng(1).random((5, 24)), pin=[2]), np.arange(24.0), True),
        (lc.maskers.Series(3, by_channel=True, channels="last"), np.random.default_rng(0).random((6, 4)), True),
        (
            lc.maskers.Series(3, reference="interpolate", channels="last"),
            np.random.default_rng(0).random((6, 4)),
            False,
        ),
    ],
)
def test_rows_made_on_the_device_are_the_same(masker, x, used):
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(24, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3)
    ).double()
    on_cpu, elsewhere = TorchModel(net, "logits"), Elsewhere(net, "logits")
    inputs = [x, x[::-1].copy()]
    expected = lc.Explainer(on_cpu, masker, lc.SampleShapley(100))(inputs)
    explanations = lc.Explainer(elsewhere, masker, lc.SampleShapley(100))(inputs)
    for a, b in zip(expected, explanations, strict=True):
        np.testing.assert_allclose(a.scores, b.scores, atol=1e-12)
    assert (elsewhere.asked > 0) == used
    assert not on_cpu.blends


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_on_a_gpu_masks_travel():
    assert TorchModel(torch.nn.Linear(3, 2).cuda(), "logits").blends


# -- threads ------------------------------------------------------------------------------------------------------


def in_threads(work, count):
    """Do all of it in eight threads that switch often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(work, range(count)))
    finally:
        sys.setswitchinterval(before)


def test_threads_share_a_module_in_training_mode():
    module = net().train()
    module[1].eval()
    before, x = modes(module), RNG.normal(size=(300, 2, 4))
    model = TorchModel(module, "logits")
    alone = [(model.predict(rows), model.gradient(rows, np.ones((2, 3)))) for rows in x]

    def work(number):
        return model.predict(x[number]), TorchModel(module, "logits").gradient(x[number], np.ones((2, 3)))

    for (answers, gradient), expected in zip(in_threads(work, len(x)), alone, strict=True):
        np.testing.assert_array_equal(answers, expected[0])
        np.testing.assert_array_equal(gradient, expected[1])
    assert modes(module) == before


def test_threads_share_parts_of_modules():
    """A backbone with two heads, and the backbone alone: whoever leaves first must not wake the dropout of others."""
    body = net(outputs=3).train()
    heads = [nn.Sequential(body, nn.Dropout(), nn.Linear(3, 2)).double().train() for _ in range(2)]
    heads[1].eval()
    body.train()
    models = [TorchModel(module, "logits") for module in (body, *heads)]
    before, x = [modes(m.module) for m in models], RNG.normal(size=(300, 2, 4))
    alone = [models[n % 3].predict(rows) for n, rows in enumerate(x)]
    for answers, expected in zip(in_threads(lambda n: models[n % 3].predict(x[n]), len(x)), alone, strict=True):
        np.testing.assert_array_equal(answers, expected)
    assert [modes(m.module) for m in models] == before


def test_threads_with_errors_leave_every_mode_as_it_was():
    broken = nn.Sequential(nn.Dropout(), Fails()).train()
    broken[0].eval()
    before = modes(broken)

    def work(number):
        with pytest.raises(OSError, match="paper"):
            TorchModel(broken, "logits").predict(np.ones((2, 1)))

    in_threads(work, 200)
    assert modes(broken) == before


def test_explanations_in_threads_are_those_of_one_thread():
    module = net().train()
    x = RNG.normal(size=(48, 4))
    masker = lc.maskers.Tabular(np.zeros((1, 4)))
    explainer = lc.Explainer(module, masker, lc.Shapley(), kind="logits", batch_size=16)
    alone = [explainer.one(row).scores for row in x]
    scores = in_threads(lambda n: explainer.one(x[n]).scores, len(x))
    np.testing.assert_array_equal(scores, alone)
    assert all(modes(module))
