"""Draw the picture of the README: the paper's sentence under every method, coloured as in the paper's Table 2."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from lcshap.demo import METHODS, WORDS, explain_sentence


def colour(score: float, scale: float) -> tuple[float, float, float]:
    """Blue for positive, red for negative, linear to white."""
    fade = 1 - min(abs(score) / scale, 1)
    return (fade, fade, 1.0) if score >= 0 else (1.0, fade, fade)


def draw(path: Path) -> None:
    """One row a method, one box a word."""
    _, found = explain_sentence()
    figure, ax = plt.subplots(figsize=(10.5, 3.1), dpi=160)
    ax.set_axis_off()
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    for row, (name, e) in enumerate(zip(METHODS, found, strict=True)):
        y = 1 - (row + 0.5) / len(found)
        scale = float(abs(e.scores).max())
        ax.text(0.0, y, name, ha="left", va="center", fontsize=11, fontweight="bold")
        ax.text(0.245, y, f"{e.calls} calls", ha="right", va="center", fontsize=9, color="0.45")
        x = 0.27
        for word, score in zip(WORDS, e.scores, strict=True):
            back = colour(float(score), scale)
            ink = "white" if min(back) < 0.4 else "black"
            box = {"facecolor": back, "edgecolor": "0.85", "linewidth": 0.6, "boxstyle": "round,pad=0.28"}
            text = ax.text(x, y, word, va="center", fontsize=11.5, color=ink, bbox=box)
            x += text.get_window_extent(renderer).width / ax.get_window_extent(renderer).width + 0.019
    figure.savefig(path, bbox_inches="tight", facecolor="white", pad_inches=0.12)
    plt.close(figure)


if __name__ == "__main__":
    draw(Path(__file__).with_suffix(".png"))
