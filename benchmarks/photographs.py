"""How much memory an explanation of a photograph takes.

    python benchmarks/photographs.py            # superpixels, three sizes; pixels of 224 x 224 planned by "auto"

Each case runs in a process of its own. Peaks are those of the whole process; the first line, a process that only loads
the libraries and explains an image of 8 x 8, is taken off the others. "photos" says how many copies of the photograph
would take as much.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np

CASES = ("8x8", "224x224", "512x512", "2048x1536", "224x224 pixel")


def run(case: str) -> None:
    """One case: explain a photograph of this size, or only plan it where its units are pixels."""
    import lcshap as lc

    size, _, units = case.partition(" ")
    height, width = map(int, size.split("x"))
    row, column = np.mgrid[:height, :width]
    waves = [np.sin(row / a + column / b) for a, b in ((9, 31), (23, 7), (40, 15))]
    photo = np.rint(255 * (np.stack(waves, axis=-1) + 1) / 2).astype(np.uint8)

    def mean(rows: np.ndarray) -> np.ndarray:
        return rows[:, :112, :112].mean(axis=(1, 2, 3))

    model = lc.adapters.ImageModel(mean, "output", size=224, scale=1 / 255)
    explainer = lc.Explainer(model, lc.maskers.Image(units or "auto"), progress=False)
    start = time.process_time()
    if units:
        calls, units_found = explainer.preview(photo).split("calls ")[1].split()[0], height * width
    else:
        e = explainer(photo)
        calls, units_found = f"{e.calls:,}", len(e.scores)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(units_found, calls, round(time.process_time() - start, 2), round(peak))


def main() -> None:
    """All cases, as a table."""
    print(f"{'case':<16}{'units':>8}{'calls':>10}{'seconds':>9}{'peak MB':>9}{'more MB':>9}{'photos':>8}")
    first = 0.0
    for case in CASES:
        command = [sys.executable, __file__, case]
        units, calls, seconds, peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        first = first or float(peak)
        height, width = map(int, case.split()[0].split("x"))
        more = float(peak) - first
        times = more / (height * width * 3 / 2**20)  # as many copies of the photograph
        print(f"{case:<16}{units:>8}{calls:>10}{seconds:>9}{peak:>9}{more:>9.0f}{times:>8.0f}")


if __name__ == "__main__":
    run(sys.argv[1]) if len(sys.argv) > 1 else main()
