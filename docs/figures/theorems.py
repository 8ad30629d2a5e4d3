"""Theorems 1 and 2 in one figure: expected errors and their bounds as units on a chain become dependent.

Run ``python docs/figures/theorems.py``: writes theorems.png beside this file and prints the table behind it.
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from lcshap.experiments.theorems import Row, sweep

BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"  # from Okabe and Ito's palette, told apart by all


def print_table(rows: list[Row]) -> None:
    """One line a coupling strength."""
    names = ("coupling", "eps (1)", "L error", "2 eps", "eps (2)", "C myerson", "4 eps", "C paper")
    print("".join(f"{name:>12}" for name in names))
    for r in rows:
        numbers = (r.local_epsilon, r.l_error, r.l_bound, r.connected_epsilon, r.c_error_myerson, r.c_bound)
        print(f"{r.coupling:12.4g}" + "".join(f"{x:12.2e}" for x in (*numbers, r.c_error_paper)))


def draw(rows: list[Row], order: int, path: Path) -> None:
    """Errors as solid lines with marks, bounds as dashed lines of the same colour."""
    fig, ax = plt.subplots(figsize=(8.0, 5.0), layout="constrained")
    x = [r.coupling for r in rows]
    lines = [
        ("c_error_paper", GREEN, "^-", "error of C-Shapley, printed weights"),
        ("c_error_myerson", ORANGE, "s-", "error of C-Shapley, Myerson weights"),
        ("c_bound", ORANGE, "--", "bound of Theorem 2: 4 ε"),
        ("l_error", BLUE, "o-", "error of L-Shapley"),
        ("l_bound", BLUE, "--", "bound of Theorem 1: 2 ε"),
    ]
    for field, colour, style, label in lines:
        ax.plot(x, [getattr(r, field) for r in rows], style, color=colour, markersize=4.5, markevery=2, label=label)
    ax.set(xscale="log", yscale="log", xlabel="coupling between neighbours on the chain")
    ax.set_ylabel(r"expected distance to Shapley, $E_X|\hat\phi_X(i) - \phi_X(i)|$" + "\n(worst unit)")
    ax.set_title(
        f"Order {order}, six binary units on a chain, one noisy label for each pair.\n"
        "As units become independent every error goes to zero, except with the printed weights.",
        fontsize=11,
        loc="left",
    )
    ax.margins(x=0.02)
    ax.grid(alpha=0.25)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="lower right")
    fig.savefig(path, dpi=150)
    plt.close(fig)


def main() -> None:
    """Sweep, print, draw."""
    order = 2
    rows = sweep(np.geomspace(1e-3, 3, 29).tolist(), order)
    print_table(rows)
    draw(rows, order, Path(__file__).with_suffix(".png"))


if __name__ == "__main__":
    main()
