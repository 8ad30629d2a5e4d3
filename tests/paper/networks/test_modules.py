"""The numbers of parameters of the paper, and each network against the same thing written another way."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from torch.nn import functional

from lcshap.paper.networks import modules as networks
from lcshap.paper.networks.modules import BiLSTM, CharCNN, CifarCNN, MnistCNN, WordCNN, count_parameters


def parameters(*layers):
    """Of layers given by inputs (a filter's size included) and outputs, each output with a bias."""
    return sum((inputs + 1) * outputs for inputs, outputs in layers)


def test_parameters_that_the_paper_states():
    assert count_parameters(WordCNN()) == 351_002 == 5000 * 50 + parameters((50 * 3, 250), (250, 250), (250, 2))
    assert count_parameters(CharCNN()) == 11_337_988
    one_bias = 20_001 * 300 + 2 * 4 * (300 + 256 + 1) * 256 + parameters((512, 10))
    assert one_bias == 7_146_166  # as Keras counts
    assert count_parameters(BiLSTM()) == one_bias + 2 * 4 * 256  # PyTorch adds a second bias to each gate


def test_parameters_of_the_image_models():
    assert count_parameters(MnistCNN()) == parameters((25, 8), (8 * 25, 16), (16 * 7 * 7, 2))
    filters = [3, 48, 48, 96, 96, 192, 192]
    layers = [(9 * a, b) for a, b in pairwise(filters)]
    assert count_parameters(CifarCNN()) == parameters(*layers, (192 * 4 * 4, 512), (512, 256), (256, 2))


def ids_of(*rows, width):
    return torch.tensor([[*row, *[0] * (width - len(row))] for row in rows])


def test_word_cnn_by_hand():
    torch.manual_seed(0)
    network = WordCNN(classes=3, ids=20).eval()
    weights = {name: tensor.numpy().astype(float) for name, tensor in network.state_dict().items()}
    assert not weights["embed.weight"][0].any()
    row = [4, 7, 0, 19, 1, 0, 0, 0]
    words = weights["embed.weight"][row]
    filters = weights["conv.weight"]  # filter, dimension, place in the window
    windows = [
        [
            sum(words[start + k] @ f[:, k] for k in range(3)) + b
            for f, b in zip(filters, weights["conv.bias"], strict=True)
        ]
        for start in range(len(row) - 2)
    ]
    pooled = np.maximum(windows, 0).max(axis=0)
    hidden = np.maximum(weights["hidden.weight"] @ pooled + weights["hidden.bias"], 0)
    expected = weights["out.weight"] @ hidden + weights["out.bias"]
    with torch.no_grad():
        np.testing.assert_allclose(network(torch.tensor([row]))[0], expected, atol=1e-6)


def test_padding_learns_nothing():
    network = WordCNN(ids=10)
    network(ids_of([3, 4], [5], width=6)).sum().backward()
    assert not network.embed.weight.grad[0].any()
    assert network.embed.weight.grad[3].any()


def test_char_cnn_repeats_what_is_blank():
    """Frames of padding alone are the same, so a short row and one filled up to 1,014 get the same answer."""
    torch.manual_seed(0)
    network = CharCNN().eval()
    for length in (1, 27, 28, 100):
        row = torch.randint(1, 70, (1, length))
        short = functional.pad(row, (0, 123 + 27 * -(-length // 27) - length))
        full = functional.pad(row, (0, 1014 - length))
        with torch.no_grad():
            np.testing.assert_allclose(network(short), network(full), atol=1e-5)
            one_hot = functional.one_hot(full, 70)[..., 1:].float().transpose(1, 2)
            frames = network.convolutions(one_hot)
            assert frames.shape == (1, 256, 34)
            np.testing.assert_allclose(network(full), network.out(network.dense(frames.flatten(1))), atol=1e-5)


def test_lstm_against_the_bidirectional_one_of_torch():
    torch.manual_seed(0)
    network = BiLSTM(classes=4, ids=30).eval()
    rows, lengths = ([5, 0, 9, 2, 7], [0, 3], [8, 1, 4]), [5, 2, 3]
    both = torch.nn.LSTM(300, 256, batch_first=True, bidirectional=True)
    state = network.forwards.state_dict()
    both.load_state_dict(state | {f"{name}_reverse": tensor for name, tensor in network.backwards.state_dict().items()})
    with torch.no_grad():
        for width in (5, 9):
            ids = ids_of(*rows, width=width)
            packed = torch.nn.utils.rnn.pack_padded_sequence(
                network.embed(ids), torch.tensor(lengths), batch_first=True, enforce_sorted=False
            )
            ends = both(packed)[1][0]
            expected = network.out(torch.cat([ends[0], ends[1]], dim=1))
            np.testing.assert_allclose(network(ids), expected, atol=1e-5)


def test_images_are_moved_in_training_only(monkeypatch):
    torch.manual_seed(0)
    network = CifarCNN().eval()
    images = torch.randint(0, 256, (3, 32, 32, 3)).float()
    with torch.no_grad():
        planes = torch.stack([image.permute(2, 0, 1) / 127.5 - 1 for image in images])
        np.testing.assert_allclose(network(images), network.layers(planes), atol=1e-4)
        seen = []
        monkeypatch.setattr(networks, "_augment", lambda scaled: seen.append(scaled) or scaled)
        network(images)
        assert not seen
        network.train()(images)
        np.testing.assert_array_equal(seen[0], planes)


def test_how_images_are_moved():
    torch.manual_seed(0)
    image = torch.rand(1, 2, 9, 9)
    moved = networks._augment(image.expand(200, -1, -1, -1), max_shift=1)
    padded = functional.pad(image[0], (1, 1, 1, 1))
    crops = {(r, c): padded[:, r : r + 9, c : c + 9] for r in range(3) for c in range(3)}
    possible = {
        (place, flipped): (crop.flip(2) if flipped else crop).numpy().tobytes()
        for place, crop in crops.items()
        for flipped in (False, True)
    }
    assert {m.contiguous().numpy().tobytes() for m in moved} == set(possible.values())


@pytest.mark.parametrize(("network", "shape"), [(MnistCNN, (2, 28, 28)), (CifarCNN, (2, 32, 32, 3))])
def test_pixels_have_gradients(network, shape):
    images = torch.randint(0, 256, shape).float().requires_grad_(True)
    network().eval()(images).sum().backward()
    assert images.grad.abs().sum() > 0
