"""The output of `lcshap demo`: the sentence of the paper by every method, and a digit, with two small models."""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..core.explanation import Explanation
from ..core.method import Method
from ..core.printable import printable
from ..estimators.c_shapley import CShapley
from ..estimators.feature_ablation import FeatureAblation
from ..estimators.graph_kernel_shap import GraphKernelSHAP
from ..estimators.kernel_shap import KernelSHAP
from ..estimators.l_shapley import LShapley
from ..estimators.lime import LIME
from ..estimators.myerson import Myerson
from ..estimators.paths import DeletionPath
from ..estimators.regression_c_shapley import RegressionCShapley
from ..estimators.sample_shapley import SampleShapley
from ..estimators.shapley import Shapley
from ..explainer import Explainer
from ..maskers.image import Image
from ..paper.networks.demo import SENTENCE, demo_digits, demo_text
from ..show.html_report import report
from ..show.ink import Ink, legend
from ..show.palette import colour_limit
from ..show.terminal import has_colour, picture_lines, print_to_file
from ..show.terminal_colours import is_dark
from ..show.terminal_text import display_width, fit_to_width, wrap_lines
from ..show.words import rounded_residual
from . import width as terminal_width
from .output_files import check_targets

_BUDGET_CALLS = 36  # four calls per word, for methods that take a budget
DEMO_METHODS: dict[str, Method] = {
    "Shapley": Shapley(),
    "Myerson": Myerson(),
    "LShapley": LShapley(order=1),
    "LShapley present": LShapley(order=1, context="present"),
    "CShapley": CShapley(order=2),
    "CShapley present": CShapley(order=2, context="present"),
    "RegressionCShapley": RegressionCShapley(),
    "GraphKernelSHAP": GraphKernelSHAP(_BUDGET_CALLS),
    "KernelSHAP": KernelSHAP(_BUDGET_CALLS),
    "SampleShapley": SampleShapley(_BUDGET_CALLS),
    "LIME": LIME(_BUDGET_CALLS),
    "FeatureAblation": FeatureAblation(),
    "DeletionPath": DeletionPath(_BUDGET_CALLS),
}
_SCORE_WIDTH, _CALLS_WIDTH, _RESIDUAL_WIDTH = 6, 6, 9  # columns of the terminal, including the space before
_DIGIT_SIDE = 28  # in pixels, and in columns of the terminal
_NEXT_COMMANDS = """\
Next, with pip install "lcshap[cli]":
  lcshap explain --model demo-text --text "Not bad, but never really funny."
  lcshap explain --model my_module:my_model --kind logits --text "..."
  lcshap methods"""

ByName = dict[str, Explanation]


class Demo(NamedTuple):
    """The explanations of the demo, by the names of their methods."""

    sentence: ByName
    digit: ByName

    def save(self, path: str | Path) -> Path:
        """Write them to one web page."""
        return report({**self.sentence, **self.digit}, path, title="lcshap demo")


def explain_demo() -> Demo:
    """Explain the sentence and the digit."""
    return Demo(explain_sentence(), explain_digit())


def explain_sentence() -> ByName:
    """Explain the sentence by every method, and evaluate each coalition once."""
    model, masker, text = demo_text()
    explanations = Explainer(model, masker, curve=True).compare(text, list(DEMO_METHODS.values()))
    return dict(zip(DEMO_METHODS, explanations, strict=True))


def explain_digit() -> ByName:
    """Explain the log-odds of the digit by pixels and by patches."""
    model, pixels, image = demo_digits()
    patches = Image(patch=4)
    cases = {
        "pixels": (pixels, RegressionCShapley(4, windows="removed")),
        "patches": (patches, GraphKernelSHAP(4 * patches.mask(image).graph.d)),
    }
    return {
        name: Explainer(model, masker, method, value="log_odds", curve=True)(image)
        for name, (masker, method) in cases.items()
    }


def render_demo(demo: Demo, width: int, colour: bool, dark: bool) -> str:
    """The output of the demo as text."""
    sentence, digit = demo
    inks = {name: Ink(e.scores, colour_limit([e.scores]), colour, dark) for name, e in (sentence | digit).items()}
    first, local, pixels, patches = sentence["Shapley"], sentence["LShapley"], digit["pixels"], digit["patches"]
    gain = float(first.full_value) - float(first.base_value)
    sections = [
        _paragraph(
            f'"{SENTENCE}" A small network, trained on film reviews, predicts negative, with probability '
            f"{np.exp(first.full_value):.3f}. The scores of its words by {len(sentence)} methods: positive ones "
            f"{'(blue) ' if colour else ''}count for it, negative ones {'(orange) ' if colour else ''}against it.",
            width,
        ),
        _draw_sentences(sentence, inks) if colour and width >= _label_width(sentence) + len(SENTENCE) else [],
        _draw_table(sentence, inks, width),
        _paragraph(
            f"All words together change the log-probability by {gain:+.2f}. The scores of Shapley add up to this "
            "change; for other methods, the difference is the residual. The residual of LShapley is "
            f"{rounded_residual(local):+.2f}, because its scores add up to {local.scores.sum():+.2f}: it evaluates "
            "each word with its neighbours only, and omits joint effects of distant words. This makes LShapley and "
            "CShapley affordable for long texts, where the ranking of words matters most. "
            f"Together the methods took {first.provenance['together']:,} calls instead of "
            f"{sum(e.calls for e in sentence.values()):,}, because each set of words is evaluated once.",
            width,
        ),
        _paragraph(
            f"Another network classifies this digit as a {pixels.provenance['targets'][0]} and not an 8, with "
            f"probability {1 / (1 + np.exp(-pixels.full_value)):.3f}. The scores of pixels "
            f"(RegressionCShapley, {pixels.calls:,} calls) and of 4 x 4 patches (GraphKernelSHAP, {patches.calls:,} "
            "calls):",
            width,
        ),
        _draw_digits(digit, inks, width),
        _NEXT_COMMANDS.splitlines(),
    ]
    return "\n\n".join("\n".join(section) for section in sections if section)


def _paragraph(text: str, width: int) -> list[str]:
    return wrap_lines(text, min(width, 110))


def _label_width(explanations: ByName) -> int:
    return max(map(len, explanations)) + 1


def _draw_sentences(explanations: ByName, inks: Mapping[str, Ink]) -> list[str]:
    """The sentence in the colours of each method, as in the paper's Table 2."""
    return [
        fit_to_width(name, _label_width(explanations)) + picture_lines(e, len(SENTENCE), inks[name])[0]
        for name, e in explanations.items()
    ]


def _draw_table(explanations: ByName, inks: Mapping[str, Ink], width: int) -> list[str]:
    """A table with a row per method and a column per word; several tables below each other if the words do not fit."""
    words, label = next(iter(explanations.values())).names, _label_width(explanations)
    widths = [max(_SCORE_WIDTH, display_width(word) + 1) for word in words] + [_RESIDUAL_WIDTH, _CALLS_WIDTH]
    lines: list[str] = []
    for block in _split_columns(widths, width - label):
        headings = [*words, "residual", "calls"]
        lines += [""] if lines else []
        lines.append(" " * label + "".join(fit_to_width(headings[k], widths[k], right=True) for k in block))
        for name, e in explanations.items():
            scores = zip(e.scores, widths, strict=False)
            cells = [_format_cell(inks[name], score, cell_width) for score, cell_width in scores]
            cells += [f"{_format_signed(rounded_residual(e)):>{_RESIDUAL_WIDTH}}", f"{e.calls:>{_CALLS_WIDTH},}"]
            lines.append(fit_to_width(name, label) + "".join(cells[k] for k in block))
    return lines


def _split_columns(widths: list[int], max_width: int) -> list[list[int]]:
    """Distribute columns over the smallest number of tables, which have about the same width.

    >>> _split_columns([6, 6, 6, 6], 20)
    [[0, 1], [2, 3]]
    """

    def fill(limit: int) -> list[list[int]]:
        blocks: list[list[int]] = [[]]
        for k, size in enumerate(widths):
            if blocks[-1] and sum(widths[i] for i in blocks[-1]) + size > limit:
                blocks.append([])
            blocks[-1].append(k)
        return blocks

    table_count = len(fill(max_width))
    narrow = range(max(widths), max(max_width, max(widths)) + 1)
    return next(fill(limit) for limit in narrow if len(fill(limit)) <= table_count or limit == narrow[-1])


def _format_cell(ink: Ink, score: float, size: int) -> str:
    text = f"{_format_signed(score):>{size - 1}}"
    return " " + (ink.paint(text, score) if ink.colour else text)


def _draw_digits(explanations: ByName, inks: Mapping[str, Ink], width: int) -> list[str]:
    """The image and its scores by pixels and by patches, as many side by side as fit."""
    drawn = {name: picture_lines(e, 2 * _DIGIT_SIDE + 3, inks[name]) for name, e in explanations.items()}
    first = next(iter(drawn.values()))
    pictures = {"the digit": [_split_picture(line)[0] for line in first]}
    pictures |= {f"by {name}": [_split_picture(line)[1] for line in lines] for name, lines in drawn.items()}
    lines: list[str] = []
    per_row = max(1, (width + 3) // (_DIGIT_SIDE + 3))
    for names in _split_rows(list(pictures), per_row):
        lines += [""] if lines else []
        lines += ["   ".join(fit_to_width(name, _DIGIT_SIDE) for name in names).rstrip()]
        lines += ["   ".join(row) for row in zip(*(pictures[name] for name in names), strict=True)]
    return lines + legend(width, inks["pixels"])


def _split_rows(names: list[str], size: int) -> list[list[str]]:
    return [names[k : k + size] for k in range(0, len(names), size)]


def _split_picture(line: str) -> tuple[str, str]:
    """The image and the scores of a line, which has both side by side. Scores have no spaces."""
    image, _, scores = line.rpartition(" ")
    return image[:-2], scores


def _format_signed(score: float) -> str:
    return f"{round(float(score), 2) + 0.0:+.2f}"  # adding zero turns -0.0 into 0.0


def show_demo(colour: str, html: Path | None, browse: bool, force: bool = False, theme: str = "auto") -> None:
    """Explain a sentence and a digit, in the terminal and on a page: a new one in a temporary folder, or `html`."""
    check_targets(html=html, force=force)
    explanations = explain_demo()
    page = explanations.save(Path(tempfile.mkdtemp(prefix="lcshap-")) / "lcshap-demo.html" if html is None else html)
    print_to_file(
        render_demo(explanations, terminal_width(), has_colour(sys.stdout, colour), is_dark(theme)), sys.stdout
    )
    prompt, address = "\nOpen this page in a browser to explore the results:", printable(str(page))
    print_to_file(f"{prompt}{' ' if len(prompt) + len(address) <= terminal_width() else chr(10)}{address}", sys.stdout)
    if browse:
        webbrowser.open(page.resolve().as_uri())
