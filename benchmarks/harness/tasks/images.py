"""Images: pixels of a digit, and patches of a photograph of an animal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..game import Bench, Masks, Values
from .base import data_folder, kept, margin, task
from .masked import decided, game


@task("mnist-784")
def mnist(folder: Path) -> list[Bench]:
    """The CNN for 3 and 8 that the package ships: 784 pixels, absent ones take the image's average."""
    from lcshap.paper.networks.demo import demo_digits

    model, masker, example = demo_digits()
    with np.load(data_folder() / "mnist.npz") as stored:
        images = stored["x_test"][np.isin(stored["y_test"], (3, 8))]
    found = []
    for k, image in enumerate(images[:1]):
        masked = masker.mask(image.reshape(example.shape).astype(example.dtype))
        target = decided(model.predict, masked)
        predict = lambda rows, target=target: margin(model.predict(rows), target)  # noqa: E731
        found.append(game(f"mnist-784-{k}", "mnist-784", masked, predict, pairs=200, most=8))
    return found


@task("cifar-64")
def cifar(folder: Path) -> list[Bench]:
    """A small CNN for deer and horses: 64 patches of 4x4 pixels, absent ones take the image's average colour."""
    import torch

    torch.set_num_threads(1)
    net = small_cnn()
    weights = kept(folder, "cifar", train_cifar)
    net.load_state_dict({name: torch.from_numpy(np.asarray(array)) for name, array in weights.items()})
    net.eval()
    with np.load(data_folder() / "cifar10_deer_horse.npz") as stored:
        images = stored["x_test"][:3].astype(np.float32) / 255

    def logits(image: Values, masks: Masks) -> Values:
        pixels = masks.reshape(-1, 8, 8).repeat(4, axis=1).repeat(4, axis=2)[..., None]
        rows = np.where(pixels, image, image.mean(axis=(0, 1))).transpose(0, 3, 1, 2)
        with torch.no_grad():
            parts = [net(part) for part in torch.from_numpy(rows.astype(np.float32)).split(256)]
        return torch.cat(parts).double().numpy()

    found = []
    for k, image in enumerate(images):
        target = int(logits(image, np.ones((1, 64), bool))[0].argmax())
        fn = lambda masks, image=image, target=target: margin(logits(image, masks), target)  # noqa: E731
        found.append(Bench(f"cifar-64-{k}", "cifar-64", 64, fn, {"grid": [8, 8]}, pairs=600))
    return found


def small_cnn() -> Any:
    """Three convolutions."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    return nn.Sequential(
        *(nn.Conv2d(3, 16, 5, 2, 2), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 32, 3, 1, 1), nn.BatchNorm2d(32)),
        *(nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 32, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(512, 2)),
    )


def train_cifar() -> dict[str, Any]:
    """Three passes over 10,000 images; some patches are blanked, as the game does."""
    import torch

    torch.set_num_threads(1)
    net = small_cnn()
    with np.load(data_folder() / "cifar10_deer_horse.npz") as stored:
        x = torch.from_numpy(stored["x_train"].transpose(0, 3, 1, 2).astype(np.float32) / 255)
        y = torch.from_numpy((stored["y_train"] == stored["y_train"].max()).astype(np.int64))
    optimiser = torch.optim.Adam(net.parameters(), 2e-3)
    for _ in range(3):
        for batch in torch.randperm(len(x)).split(64):
            loss = torch.nn.functional.cross_entropy(net(x[batch]), y[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return {name: tensor.numpy() for name, tensor in net.state_dict().items()}
