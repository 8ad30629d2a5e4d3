"""Which bytes lead to the prediction "python"? Magika's network for file types, explained by windows of bytes.

    pip install "lcshap[onnx]" magika
    python examples/file_bytes.py

The package contains the network as an ONNX file, and a JSON file that describes its input: 1,024 bytes from the
beginning of a file and 1,024 from its end, without white space at both ends, padded with the number 256.
"""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from magika import Magika
from numpy.typing import NDArray

import lcshap as lc
from lcshap.maskers.bytes import Bytes, MaskedBytes

ORANGE, BLUE = (230, 120, 0), (40, 130, 230)  # for and against: told apart by colour-blind eyes too
WIDTH = 16  # bytes in a line of the dump


def see(data: bytes, config: dict[str, Any]) -> NDArray[np.intp]:
    """Which byte each of the network's inputs shows, -1 for none."""
    block, first, last = (int(config[key]) for key in ("block_size", "beg_size", "end_size"))
    blank = len(data[:block]) - len(data[:block].lstrip())
    stop = len(data) - (len(data[-block:]) - len(data[-block:].rstrip()))
    beginning = blank + np.arange(first)
    end = stop + np.arange(-last, 0)
    beginning[beginning >= min(block, len(data))] = -1
    end[end < max(0, len(data) - block)] = -1
    return np.concatenate([beginning, end])


def network() -> tuple[lc.adapters.OnnxModel, dict[str, Any]]:
    """The network and its description."""
    folder = Path(str(files("magika"))) / "models" / Magika().get_model_name()
    config: dict[str, Any] = json.loads((folder / "config.min.json").read_text())
    return lc.adapters.OnnxModel(folder / "model.onnx", "probabilities"), config


def check(model: lc.adapters.OnnxModel, config: dict[str, Any], masker: Bytes) -> tuple[int, int]:
    """For how many files of how many, of various types, the network says what Magika itself says."""
    package, magika, least = Path(str(files("magika"))), Magika(), config["min_file_size_for_dl"]
    paths = [Path(__file__), *(p for p in sorted(package.rglob("*")) if p.is_file() and p.stat().st_size >= least)]
    same = 0
    for path in paths:
        masked = masker.mask(path)
        chances = model.predict(masked.rows(lc.Coalitions.from_sets(masked.graph.d, [range(masked.graph.d)])))[0]
        said = magika.identify_path(path).prediction
        label = config["target_labels_space"][chances.argmax()]
        same += label == said.dl.label and bool(np.isclose(chances.max(), said.score, atol=1e-5))
    return same, len(paths)


def paint(text: str, level: float) -> str:
    """Colour a text, from white (0) to orange (1, for) or blue (-1, against)."""
    colour = [round(255 + abs(level) * (part - 255)) for part in (ORANGE if level > 0 else BLUE)]
    return "\x1b[30;48;2;{};{};{}m{}\x1b[0m".format(*colour, text)


def dump(masked: MaskedBytes, scores: NDArray[np.float64]) -> str:
    """Addresses, hexadecimal numbers and characters of the bytes that the network sees, coloured by score."""
    level = np.full(len(masked.x), np.nan)
    for (start, end), score in zip(masked.spans, scores / np.abs(scores).max(), strict=True):
        level[start:end] = score
    lines: list[str] = []
    for start in range(0, len(masked.x), WIDTH):
        part, seen = masked.x[start : start + WIDTH].tolist(), level[start : start + WIDTH]
        if np.isnan(seen).all():
            lines += [] if lines[-1:] == ["..."] else ["..."]
            continue
        letters = [chr(byte) if 32 <= byte < 127 else "." for byte in part]
        numbers, text = "", ""
        for score, group in groupby(range(len(part)), key=lambda i: float(np.nan_to_num(seen[i]))):
            places = list(group)
            numbers += paint(" ".join(f"{part[i]:02x}" for i in places), score) + " "
            text += paint("".join(letters[i] for i in places), score)
        lines.append(f"{start:08x}  {numbers}{'   ' * (WIDTH - len(part))} {text}")
    return "\n".join(lines)


def main(small: bool = False) -> dict[str, float]:
    """Explain what is said of this very file; `small` cuts it into larger windows."""
    model, config = network()
    labels = config["target_labels_space"]
    masker = Bytes(64 if small else 32, config["padding_token"], layout=lambda data: see(data, config), dtype="int32")
    same, count = check(model, config, masker)
    print(f"the network as fed here says what Magika says for {same} of {count} files")
    masked = masker.mask(Path(__file__))
    d = masked.graph.d
    # The answer is so sure that log P stays near 0 until almost all is gone: log odds still tell the windows apart.
    e = lc.Explainer(model, masker, lc.GraphKernelSHAP(4 * d), value="log_odds", classes=labels)(Path(__file__))
    print(f"\n{e.provenance['targets'][0]}: log odds of {e.full_value:+.2f}, and {e.base_value:+.2f} without a byte")
    print(f"{e.calls} calls for {d} windows; orange speaks for it, blue against it\n")
    print(dump(masked, e.scores), "\n")
    for i in e.ranking[:5]:
        start, end = masked.spans[i]
        print(f"{e.names[i]}  {e.scores[i]:+.2f}  {masked.x[start:end].tobytes()!r}")
    most = 3 * d // 4
    left = [range(d), e.ranking[most:].tolist(), e.ranking[:-most].tolist()]
    answers = model.predict(masked.rows(lc.Coalitions.from_sets(d, left)))
    full, top, bottom = answers[:, labels.index("python")].tolist()
    print(
        f"\nP(python) is {full:.4f}. Without the {most} windows of the highest scores it is {top:.4f}, and the network"
    )
    print(f"says {labels[answers[1].argmax()]}; without the {most} of the lowest it is still {bottom:.4f}.")
    return {"same": same, "files": count, "full": full, "without_top": top, "without_bottom": bottom}


if __name__ == "__main__":
    main()
