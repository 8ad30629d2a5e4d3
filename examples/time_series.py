"""Which part of a movement? Time series classified by small convolutional networks, explained by windows.

    pip install "lcshap[torch]" aeon
    python examples/time_series.py

The two data sets are part of aeon: GunPoint, the height of a hand that draws a gun or only points, and BasicMotions,
six channels of a smart watch. Nothing is downloaded, and both networks train in seconds.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

import lcshap as lc
from lcshap.maskers.series import Series

Floats = NDArray[np.float64]
BARS = "▁▂▃▄▅▆▇█"
MOTIONS = ("badminton", "running", "standing", "walking")
SENSORS = ("accel x", "accel y", "accel z", "gyro x", "gyro y", "gyro z")


def train(x: Floats, labels: NDArray[np.intp], passes: int) -> torch.nn.Module:
    """A convolutional network over `(channels, time)` that keeps time in four parts; its input is standardised."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        *(torch.nn.BatchNorm1d(x.shape[1], affine=False), torch.nn.Conv1d(x.shape[1], 16, 9, padding=4)),
        *(torch.nn.ReLU(), torch.nn.MaxPool1d(2), torch.nn.Conv1d(16, 16, 9, padding=4), torch.nn.ReLU()),
        *(torch.nn.AdaptiveAvgPool1d(4), torch.nn.Flatten(), torch.nn.Linear(64, int(labels.max()) + 1)),
    )
    optimiser = torch.optim.Adam(net.parameters(), 5e-3, weight_decay=1e-3)
    inputs, targets = torch.tensor(x, dtype=torch.float32), torch.tensor(labels)
    for _ in range(passes):
        for batch in torch.randperm(len(inputs)).split(20):
            loss = torch.nn.functional.cross_entropy(net(inputs[batch]), targets[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return net.eval()


def chances(net: torch.nn.Module, x: Floats) -> Floats:
    """The probability of every class."""
    with torch.no_grad():
        found: Floats = net(torch.tensor(x, dtype=torch.float32)).softmax(dim=1).double().numpy()
    return found


def fit(load: Any, passes: int) -> tuple[torch.nn.Module, Floats, Floats, NDArray[np.intp], float]:
    """A network, the series it was trained on, held-out ones with their labels, and its accuracy on these."""
    (x, y), (held_out, y_out) = load(split="train"), load(split="test")
    classes, labels = np.unique(y, return_inverse=True)
    net = train(x, labels, passes)
    answers = np.searchsorted(classes, y_out)
    accuracy = float((chances(net, held_out).argmax(axis=1) == answers).mean())
    return net, x, held_out, answers, accuracy


def spark(values: Floats, width: int) -> str:
    """A series as a line of bars."""
    parts = np.array([part.mean() for part in np.array_split(values, width)])
    level = (parts - parts.min()) / max(np.ptp(parts), 1e-9)
    return "".join(BARS[int(7.999 * height)] for height in level)


def signs(scores: Floats, labels: NDArray[np.intp], width: int) -> str:
    """Scores under a line of bars: # and + speak for the class, = and - against it."""
    level = scores / np.abs(scores).max()
    marks = np.select([level > 0.5, level > 0.1, level < -0.5, level < -0.1], ["#", "+", "=", "-"], ".")
    return "".join(marks[labels[np.linspace(0, len(labels) - 1, width).astype(int)]])


def drops(net: torch.nn.Module, explainer: lc.Explainer, series: Floats, count: int) -> tuple[float, float]:
    """What the predicted class loses of its probability without the units of the highest scores, and of the lowest."""
    found = []
    for one, e in zip(series, explainer(list(series)), strict=True):
        masked, before = explainer.masker.mask(one), chances(net, one[None])[0]
        left = [e.ranking[count:].tolist(), e.ranking[:-count].tolist()]
        rows = masked.rows(lc.Coalitions.from_sets(masked.graph.d, left))
        after = chances(net, rows)[:, before.argmax()].reshape(2, -1).mean(axis=1)
        found.append(before.max() - after)
    top, bottom = np.mean(found, axis=0).tolist()
    print(f"\n  without the {count} units that speak most for it, the class loses {top:.2f} of its probability;")
    print(f"  without the {count} that speak least for it, {bottom:.2f} (average of {len(series)} series)\n")
    return top, bottom


def gunpoint(small: bool) -> dict[str, float]:
    """One hand, 150 steps in windows of 15: three references, three methods."""
    from aeon.datasets import load_gunpoint

    net, x, held_out, answers, accuracy = fit(load_gunpoint, 30 if small else 60)
    print(f"GunPoint: {accuracy:.1%} of {len(held_out)} held-out movements right")
    references: dict[str, Any] = {
        "mean": "mean",
        "interpolate": "interpolate",
        "other series": x[:: 10 if small else 5],
    }
    methods = (lc.Shapley(), lc.GraphKernelSHAP(60), lc.LShapley(1))
    for target, name in enumerate(("gun", "point")):
        one = held_out[np.flatnonzero(answers == target)[0]]
        print(f"\n  a {name}: P = {chances(net, one[None])[0, target]:.3f}")
        print(f"  {'':<33}{spark(one[0], 75)}  correlation with Shapley")
        for reference, given in references.items():
            masker = Series(window=15, reference=given, channels="first")
            labels = masker.mask(one).labels[0]
            found = [lc.Explainer(net, masker, method, kind="logits", target=target)(one) for method in methods]
            for method, e in zip(methods, found, strict=True):
                alike = np.corrcoef(e.scores, found[0].scores)[0, 1]
                line = f"{signs(e.scores, labels, 75)}  {e.calls:>5} calls, {alike:+.2f}"
                print(f"  {method.name + ', ' + reference:<33}{line}")
    masker = Series(window=15, reference="interpolate", channels="first")
    explainer = lc.Explainer(net, masker, lc.GraphKernelSHAP(60), value="log_odds", kind="logits")
    top, bottom = drops(net, explainer, held_out[::3], 3)
    return {"gunpoint_accuracy": accuracy, "gunpoint_drop_top": top, "gunpoint_drop_bottom": bottom}


def basic_motions(small: bool) -> dict[str, float]:
    """Six channels, 100 steps in windows of 20, each channel with units of its own; other motions as reference."""
    from aeon.datasets import load_basic_motions

    net, x, held_out, answers, accuracy = fit(load_basic_motions, 30)
    print(f"BasicMotions: {accuracy:.1%} of {len(held_out)} held-out motions right")
    background = x[:: 10 if small else 5]  # as many of each of the four motions
    masker = Series(window=20, by_channel=True, reference=background, channels="first", names=SENSORS)
    explainer = lc.Explainer(net, masker, lc.GraphKernelSHAP(120 if small else 480), kind="logits", classes=MOTIONS)
    some = np.stack([held_out[np.flatnonzero(answers == motion)[0]] for motion in range(len(MOTIONS))])
    found = explainer(list(some))
    for name, one, e in zip(MOTIONS, some, found, strict=True):
        said, table = e.provenance["targets"][0], e.scores.reshape(len(SENSORS), -1)
        print(f"\n  {name}: log P({said}) is {e.full_value:+.2f}, and {e.base_value:+.2f} on average of other motions")
        for sensor, row, series in zip(SENSORS, table, one, strict=True):
            print(f"  {sensor:<9}{spark(series, 50)}  {row.sum():+.2f} = {' '.join(f'{v:+.2f}' for v in row)}")
    top, bottom = drops(net, explainer, some, 10)
    base = float(found.base_values.mean())
    return {"motions_accuracy": accuracy, "motions_base": base, "motions_drop_top": top, "motions_drop_bottom": bottom}


def main(small: bool = False) -> dict[str, float]:
    """Print everything; `small` trains less and asks less."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # networks this small take longer on several
    try:
        return {**gunpoint(small), **basic_motions(small)}
    finally:
        torch.set_num_threads(threads)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
