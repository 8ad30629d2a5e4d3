from hashlib import blake2b

import pytest

torch = pytest.importorskip("torch")

from lcshap.adapters import tensor_digests  # noqa: E402
from lcshap.adapters.tensor_digests import tensor_digest  # noqa: E402


def changes():
    """Ways to change a weight in place."""

    def step(weights):
        weights.grad = torch.zeros_like(weights)
        weights.grad[5, 5] = 1.0
        torch.optim.SGD([weights], lr=0.1).step()

    def load(weights):
        with torch.no_grad():
            weights.copy_(torch.ones(weights.shape, dtype=weights.dtype))

    def swap(weights):
        with torch.no_grad():
            weights[[0, 1]] = weights[[1, 0]]

    def data(weights):
        weights.data[7, 7] += 1

    def array(weights):
        weights.detach().numpy()[3, 3] = 9.0

    return [step, load, swap, data, array]


@pytest.mark.parametrize("change", changes(), ids=lambda change: change.__name__)
def test_changes_in_place_are_noticed(change):
    weights = torch.nn.Parameter(torch.randn(300, 300, generator=torch.Generator().manual_seed(0)))
    before = tensor_digest(weights)
    assert tensor_digest(weights) == before
    change(weights)
    after = tensor_digest(weights)
    assert after != before
    assert after == tensor_digest(torch.nn.Parameter(weights.detach().clone()))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64, torch.int8])
def test_numbers_are_read_once(dtype, monkeypatch):
    read = []
    monkeypatch.setattr(tensor_digests, "digest", lambda *things: read.append(1) or blake2b(b"").digest())
    weights = torch.ones(400, 400, dtype=dtype)
    assert tensor_digest(weights) == tensor_digest(weights)
    assert len(read) == 1
    tensor_digest(weights.clone())
    assert len(read) == 2  # another object may hold the same numbers, and is read


def test_small_odd_and_inference_tensors_have_a_digest():
    with torch.inference_mode():
        inference_ones = torch.ones(300, 300)
    ones = torch.ones(300, 300)
    assert tensor_digest(inference_ones) == tensor_digest(ones) == tensor_digest(ones)
    assert tensor_digest(ones.T) == tensor_digest(ones)
    turned = torch.full((300, 300), 1j).conj()
    assert tensor_digest(turned) == tensor_digest(turned.resolve_conj())
    assert tensor_digest(torch.ones(70_001, dtype=torch.int8)) != tensor_digest(torch.ones(70_002, dtype=torch.int8))
    assert tensor_digest(ones[:2]) != tensor_digest(ones[:3])
