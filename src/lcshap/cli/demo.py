"""What `lcshap demo` shows: the paper's sentence by every method and a digit, on the two models of the package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..core.explanation import Explanation
from ..estimators import (
    LIME,
    CShapley,
    DeletionPath,
    FeatureAblation,
    GraphKernelSHAP,
    KernelSHAP,
    LShapley,
    Method,
    Myerson,
    RegressionCShapley,
    SampleShapley,
    Shapley,
)
from ..explainer import Explainer
from ..maskers.image import Image
from ..paper.networks.demo import SENTENCE, demo_digits, demo_text
from ..show.html_report import report
from ..show.letters import fit, wrapped
from ..show.palette import limit_of
from ..show.terminal import picture
from ..show.terminal_pictures import Ink, legend
from ..show.words import unexplained

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
    first, pixels, patches = sentence["Shapley"], digit["pixels"], digit["patches"]
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
            f"Scores are shares of the gain in log-probability, {first.full_value - first.base_value:+.2f}, that all "
            "words bring; the residual is what they leave of it. L and C ask the model about neighbouring words only, "
            "which makes them affordable for long texts. Together the methods took "
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
    """A row a method, a column a word: words are cut where there is no room."""
    words = next(iter(found.values())).names
    room = width - _CALLS - _RESIDUAL
    label = min(_label(found), max(_CELL, room - _CELL * len(words)))
    columns = [_CELL] * len(words)
    for i, word in enumerate(words):
        columns[i] += max(0, min(len(word) + 1 - _CELL, room - label - sum(columns)))
    head = "".join(" " + fit(word, size - 1, right=True) for word, size in zip(words, columns, strict=True))
    lines = [f"{'':{label}}{head}{'residual':>{_RESIDUAL}}{'calls':>{_CALLS}}"]
    for name, e in found.items():
        row = "".join(_cell(inks[name], score, size) for score, size in zip(e.scores, columns, strict=True))
        lines.append(f"{fit(name, label)}{row}{_signed(unexplained(e)):>{_RESIDUAL}}{e.calls:>{_CALLS},}")
    return lines


def _cell(ink: Ink, score: float, size: int) -> str:
    text = f"{_signed(score):>{size - 1}}"
    return " " + (ink.paint(text, score) if ink.colour else text)


def _digits(found: ByName, inks: Mapping[str, Ink], width: int) -> list[str]:
    """The image, its pixels and its patches side by side; without the image where there is no room."""
    drawn = [picture(e, min(width, 2 * _SIDE + 3), inks[name]) for name, e in found.items()]
    lines = [list(map(_scores, lines)) for lines in drawn]
    if width >= 3 * _SIDE + 6:
        lines[0] = drawn[0]
    return [f"{pixels}   {patches}" for pixels, patches in zip(*lines, strict=True)] + legend(width, inks["pixels"])


def _scores(line: str) -> str:
    """The right half of a line with an image and its scores: scores have no spaces."""
    return line.rpartition(" ")[2]


def _signed(score: float) -> str:
    return f"{round(float(score), 2) + 0.0:+.2f}"  # adding zero turns -0.0 into 0.0
