"""The paper's figures from explanations: masking curves, Table 2 as a picture, Figures 4 and 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...core.explanation import Explanation
from ...core.views import ImageView
from ...errors import OptionError
from ...extras import import_optional
from ...metrics import MaskingCurve
from ...show.plots.base import prepare_axes, write_figure
from .theorems import SweepRow

LABELS = {
    "l-shapley": "LShapley",
    "l-shapley-present": "LShapley, present",
    "c-shapley": "CShapley",
    "c-shapley-present": "CShapley, present",
    "c-shapley-myerson": "CShapley, Myerson weights",
    "c-shapley-myerson-present": "CShapley, Myerson weights, present",
    "regression-c-shapley": "RegressionCShapley",
    "regression-c-shapley-removed": "RegressionCShapley, removed",
    "kernel-shap": "KernelSHAP",
    "sample-shapley": "SampleShapley",
    "lime": "LIME",
    "feature-ablation": "FeatureAblation",
    "saliency": "Saliency",
    "graph-kernel-shap": "GraphKernelSHAP",
    "deletion-path": "DeletionPath",
    "insertion-path": "InsertionPath",
    "shapley": "Shapley",
}
_PAPER_METHODS = {"l-shapley", "c-shapley", "regression-c-shapley", "kernel-shap", "sample-shapley", "lime", "saliency"}
_SWEEP_LINES = (
    ("c_error_paper", "#009e73", "^-", "error of C-Shapley, printed weights"),
    ("c_error_myerson", "#d55e00", "s-", "error of C-Shapley, Myerson weights"),
    ("c_bound", "#d55e00", "--", "bound of Theorem 2: 4 ε"),
    ("l_error", "#0072b2", "o-", "error of L-Shapley"),
    ("l_bound", "#0072b2", "--", "bound of Theorem 1: 2 ε"),
)


def label(method: str) -> str:
    """Return the name of a method as it is shown in figures and tables: its class, with the options that differ."""
    return LABELS.get(method, method)


def curves_figure(
    masked: Mapping[str, Sequence[MaskingCurve]], kept: Mapping[str, Sequence[MaskingCurve]], path: str | Path
) -> Path:
    """The mean masking curves of all methods with bands, and next to them those with only the top units kept."""
    from ...show.plots.curves import curves

    groups = {
        "the paper's methods": [n for n in masked if n in _PAPER_METHODS],
        "others": [n for n in masked if n not in _PAPER_METHODS],
    }
    groups = {title: names for title, names in groups.items() if names}
    figure = import_optional("matplotlib.figure", "plot").Figure(
        figsize=(14.0, 4.5 * len(groups)), layout="constrained"
    )
    grid = figure.subplots(len(groups), 3, squeeze=False, sharey="col", width_ratios=(4, 4, 2))
    for (masked_ax, kept_ax, legend_ax), (title, names) in zip(grid, groups.items(), strict=True):
        for ax, masking_curves in ((masked_ax, masked), (kept_ax, kept)):
            curves({label(name): masking_curves[name] for name in names}, ax)
            ax.get_legend().remove()
            for band in ax.collections:
                band.set_alpha(0.07)  # there are many bands
        masked_ax.set_title(f"{title}: top units masked (lower is better)", loc="left", fontsize=10)
        kept_ax.set_title("nothing kept but the top units (higher is better)", loc="left", fontsize=10)
        legend_ax.axis("off")
        handles = masked_ax.get_legend_handles_labels()[0]
        legend_ax.legend(handles, [label(name) for name in names], loc="upper left", frameon=False)
    return write_figure(figure, path)


def sentence_figure(explanations: Mapping[str, Explanation], path: str | Path) -> Path:
    """Table 2 of the paper: a text by every method, blue for positive scores, red for negative ones.

    As in the paper, the largest score of each method has the full colour.
    """
    from ...show.plots.compare_plot import compare

    names = [label(name) for name in explanations]
    ax = compare(list(explanations.values()), names, palette="paper")
    return write_figure(ax.figure, path)


def masks_figure(
    columns: Sequence[Mapping[str, Explanation]],
    path: str | Path,
    percent: float = 20,
    titles: Sequence[str] | None = None,
) -> Path:
    """Figures 4 and 5 of the paper: images above, below them the pixels that each method would mask first.

    Parameters
    ----------
    columns : for each image the explanations of all methods, the same methods everywhere.
    percent : the percentage of pixels; the paper has 15 and 20. Bright pixels are red, dark ones blue.
    titles : the titles above the images.
    """
    from ...show.plots.image_plot import masked_image

    if not columns or any(list(column) != list(columns[0]) for column in columns):
        raise OptionError("Expected explanations by the same methods in every column, got different ones.")
    methods = list(columns[0])
    size = (0.9 * len(columns) + 1.7, 0.9 * (len(methods) + 1) + 0.3)
    figure = import_optional("matplotlib.figure", "plot").Figure(figsize=size, layout="constrained")
    figure.get_layout_engine().set(w_pad=0.01, h_pad=0.01, wspace=0, hspace=0)
    grid = figure.subplots(len(methods) + 1, len(columns), squeeze=False)
    for number, column in enumerate(columns):
        _draw_image(grid[0, number], next(iter(column.values())))
        if titles is not None:
            grid[0, number].set_title(titles[number], fontsize=8)
        for ax, name in zip(grid[1:, number], methods, strict=True):
            masked_image(column[name], ax, percent=percent, palette="paper")
    for ax, name in zip(grid[:, 0], ["image", *map(label, methods)], strict=True):
        ax.text(-0.08, 0.5, name.replace(", ", ",\n"), transform=ax.transAxes, ha="right", va="center", fontsize=8)
    return write_figure(figure, path)


def theorems_figure(rows: Sequence[SweepRow], path: str | Path) -> Path:
    """Errors of L- and C-Shapley against the coupling of neighbours, and the bounds of the paper's theorems."""
    figure = import_optional("matplotlib.figure", "plot").Figure(figsize=(8.0, 5.0), layout="constrained")
    ax = prepare_axes(figure.subplots(), (8.0, 5.0), dark=False)
    for field, colour, style, text in _SWEEP_LINES:
        numbers = [getattr(row, field) for row in rows]
        ax.plot([row.coupling for row in rows], numbers, style, color=colour, markersize=4, label=text)
    ax.set(xscale="log", yscale="log", xlabel="coupling between neighbours on the chain")
    ax.set_ylabel("expected distance to the Shapley value (worst unit)")
    ax.legend(frameon=False)
    return write_figure(figure, path)


def _draw_image(ax: Any, e: Explanation) -> None:
    """The image itself."""
    from ...show.plots.image_plot import masked_image

    masked_image(e, ax, percent=0)
    assert isinstance(e.view, ImageView)
    colours = np.asarray(e.view.image, np.float64)
    if colours.shape[2] == 3:
        ax.imshow((colours - colours.min()) / (np.ptp(colours) or 1.0), interpolation="nearest")
