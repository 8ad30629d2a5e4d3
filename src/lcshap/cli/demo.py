"""What `lcshap demo` shows: the paper's sentence by every method and a digit, on the two models of the package."""

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
from ..show.letters import display_width, fit, wrapped
from ..show.palette import limit_of
from ..show.screen import is_dark
from ..show.terminal import has_colour, picture, write
from ..show.terminal_pictures import Ink, legend
from ..show.words import unexplained
from . import width as terminal_width
from .targets import check_targets

_BUDGET = 36  # calls of methods that take a budget: four a word
SHOWN: dict[str, Method] = {
    "Shapley": Shapley(),
    "Myerson": Myerson(),
    "L k=1": LShapley(order=1),
    "L k=1 present": LShapley(order=1, context="present"),
    "C k=2": CShapley(order=2),
    "C k=2 present": CShapley(order=2, context="present"),
    "C regression": RegressionCShapley(),
    "GraphKernelSHAP": GraphKernelSHAP(_BUDGET),
    "KernelSHAP": KernelSHAP(_BUDGET),
    "SampleShapley": SampleShapley(_BUDGET),
    "LIME": LIME(_BUDGET),
    "leave-one-out": FeatureAblation(),
    "DeletionPath": DeletionPath(_BUDGET),
}
_CELL, _CALLS, _RESIDUAL = 6, 6, 9  # columns of a score, of the calls and of the residual, with the space before
_SIDE = 28  # of the digit, in pixels and columns
_NEXT = """\
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


def explain() -> Demo:
    """Explain the sentence and the digit."""
    return Demo(explain_sentence(), explain_digit())


def explain_sentence() -> ByName:
    """Every method on the sentence, each coalition evaluated once."""
    model, masker, text = demo_text()
    found = Explainer(model, masker, curve=True).compare(text, list(SHOWN.values()))
    return dict(zip(SHOWN, found, strict=True))


def explain_digit() -> ByName:
    """The log-odds of the digit, by pixels and by patches."""
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


def render(demo: Demo, width: int, colour: bool, dark: bool) -> str:
    """The demo's page."""
    sentence, digit = demo
    inks = {name: Ink(e.scores, limit_of([e.scores]), colour, dark) for name, e in (sentence | digit).items()}
    first, local, pixels, patches = sentence["Shapley"], sentence["L k=1"], digit["pixels"], digit["patches"]
    gain = float(first.full_value) - float(first.base_value)
    parts = [
        _paragraph(
            f'"{SENTENCE}" A small network, trained on film reviews, calls this negative, with probability '
            f"{np.exp(first.full_value):.3f}. Which words made it say so, by {len(sentence)} methods? Positive scores "
            f"{'(blue) ' if colour else ''}speak for it, negative ones {'(orange) ' if colour else ''}against it.",
            width,
        ),
        _sentences(sentence, inks) if colour and width >= _label(sentence) + len(SENTENCE) else [],
        _table(sentence, inks, width),
        _paragraph(
            f"All words together change the log-probability by {gain:+.2f}. The scores of Shapley add up to that; "
            f"what other methods leave of it is their residual. L k=1 leaves {unexplained(local):+.2f}, as its scores "
            f"add up to {local.scores.sum():+.2f}: it asks about a word among its neighbours only, and what words "
            "further apart do together is in no score. That makes L and C affordable for long texts, where their order "
            "of the words counts more than their sum. Together the methods took "
            f"{first.provenance['together']:,} calls instead of {sum(e.calls for e in sentence.values()):,}: each set "
            "of words is evaluated once.",
            width,
        ),
        _paragraph(
            f"Another network calls this digit a {pixels.provenance['targets'][0]} and not an 8, with probability "
            f"{1 / (1 + np.exp(-pixels.full_value)):.3f}. Why, by pixels (C regression, {pixels.calls:,} calls) and by "
            f"patches of 4 x 4 (GraphKernelSHAP, {patches.calls:,} calls):",
            width,
        ),
        _digits(digit, inks, width),
        _NEXT.splitlines(),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _paragraph(text: str, width: int) -> list[str]:
    return wrapped(text, min(width, 110))


def _label(found: ByName) -> int:
    return max(map(len, found)) + 1


def _sentences(found: ByName, inks: Mapping[str, Ink]) -> list[str]:
    """The sentence in the colours of each method, as in the paper's Table 2."""
    return [fit(name, _label(found)) + picture(e, len(SENTENCE), inks[name])[0] for name, e in found.items()]


def _table(found: ByName, inks: Mapping[str, Ink], width: int) -> list[str]:
    """A row a method, a column a word: in several tables, one below the other, where the words do not fit."""
    words, label = next(iter(found.values())).names, _label(found)
    sizes = [max(_CELL, display_width(word) + 1) for word in words] + [_RESIDUAL, _CALLS]
    lines: list[str] = []
    for block in _blocks(sizes, width - label):
        heads = [*words, "residual", "calls"]
        lines += [""] if lines else []
        lines.append(" " * label + "".join(fit(heads[k], sizes[k], right=True) for k in block))
        for name, e in found.items():
            cells = [_cell(inks[name], score, size) for score, size in zip(e.scores, sizes, strict=False)]
            cells += [f"{_signed(unexplained(e)):>{_RESIDUAL}}", f"{e.calls:>{_CALLS},}"]
            lines.append(fit(name, label) + "".join(cells[k] for k in block))
    return lines


def _blocks(sizes: list[int], room: int) -> list[list[int]]:
    """Columns side by side, in as few tables as there is room for, which are about as wide as each other.

    >>> _blocks([6, 6, 6, 6], 20)
    [[0, 1], [2, 3]]
    """

    def fill(limit: int) -> list[list[int]]:
        blocks: list[list[int]] = [[]]
        for k, size in enumerate(sizes):
            if blocks[-1] and sum(sizes[i] for i in blocks[-1]) + size > limit:
                blocks.append([])
            blocks[-1].append(k)
        return blocks

    fewest = len(fill(room))
    narrow = range(max(sizes), max(room, max(sizes)) + 1)
    return next(fill(limit) for limit in narrow if len(fill(limit)) <= fewest or limit == narrow[-1])


def _cell(ink: Ink, score: float, size: int) -> str:
    text = f"{_signed(score):>{size - 1}}"
    return " " + (ink.paint(text, score) if ink.colour else text)


def _digits(found: ByName, inks: Mapping[str, Ink], width: int) -> list[str]:
    """The image, its pixels and its patches, as many side by side as there is room for."""
    drawn = {name: picture(e, 2 * _SIDE + 3, inks[name]) for name, e in found.items()}
    first = next(iter(drawn.values()))
    pictures = {"the digit": [_parts(line)[0] for line in first]}
    pictures |= {f"by {name}": [_parts(line)[1] for line in lines] for name, lines in drawn.items()}
    lines: list[str] = []
    beside = max(1, (width + 3) // (_SIDE + 3))
    for names in _rows(list(pictures), beside):
        lines += [""] if lines else []
        lines += ["   ".join(fit(name, _SIDE) for name in names).rstrip()]
        lines += ["   ".join(parts) for parts in zip(*(pictures[name] for name in names), strict=True)]
    return lines + legend(width, inks["pixels"])


def _rows(names: list[str], size: int) -> list[list[str]]:
    return [names[k : k + size] for k in range(0, len(names), size)]


def _parts(line: str) -> tuple[str, str]:
    """An image and its scores, which stand side by side in a line: scores have no spaces."""
    image, _, scores = line.rpartition(" ")
    return image[:-2], scores


def _signed(score: float) -> str:
    return f"{round(float(score), 2) + 0.0:+.2f}"  # adding zero turns -0.0 into 0.0


def show_demo(colour: str, html: Path | None, browse: bool, force: bool = False, theme: str = "auto") -> None:
    """Explain a sentence and a digit, in the terminal and on a page: a new one in a temporary folder, or `html`."""
    check_targets(html=html, force=force)
    found = explain()
    page = found.save(Path(tempfile.mkdtemp(prefix="lcshap-")) / "lcshap-demo.html" if html is None else html)
    write(render(found, terminal_width(), has_colour(sys.stdout, colour), is_dark(theme)), sys.stdout)
    said, where = "\nOpen this page in a browser to explore the results:", printable(str(page))
    write(f"{said}{' ' if len(said) + len(where) <= terminal_width() else chr(10)}{where}", sys.stdout)
    if browse:
        webbrowser.open(page.resolve().as_uri())
