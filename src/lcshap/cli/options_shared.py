"""The options that several commands have."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from ..core.default_limits import MAX_CALLS, MAX_PIXELS
from . import completion as complete
from .option_groups import File, String, Strings, option

_INPUT, _UNITS, _TABLE, _IMAGE = "Input (give one; FILE can be - for standard input)", "Units", "Tables", "Images"
_MODEL, _METHOD, _OUTPUT, _MARKS = "Model", "Method", "Output", "Labels and names (for web pages)"


class OutputKind(StrEnum):
    """The kind of the outputs of a model."""

    LOGITS = "logits"
    PROBABILITIES = "probabilities"
    MULTILABEL = "multilabel"
    MULTILABEL_LOGITS = "multilabel-logits"
    MARGIN = "margin"
    OUTPUT = "output"
    REGRESSION = "regression"


class TerminalTheme(StrEnum):
    """The background of the terminal."""

    AUTO = "auto"
    LIGHT = "light"
    DARK = "dark"


class Colour(StrEnum):
    """When to write colours."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True)
class Input:
    """The input, and how it is divided into units."""

    text: Annotated[String, option(_INPUT, "A text.", metavar="TEXT")] = None
    file: Annotated[File, option(_INPUT, "A text file in UTF-8.", metavar="FILE")] = None
    lines: Annotated[
        File, option(_INPUT, "A text file in UTF-8 with one text per line (explain only).", metavar="FILE")
    ] = None
    image: Annotated[File, option(_INPUT, "An image file.", metavar="FILE")] = None
    csv: Annotated[File, option(_INPUT, "A table in a CSV file. One row is explained: see --row.", metavar="FILE")] = (
        None
    )
    series: Annotated[
        File,
        option(_INPUT, "A time series in a CSV file: a row for each step, a column for each channel.", metavar="FILE"),
    ] = None
    bytes: Annotated[File, option(_INPUT, "A file of any kind, as bytes.", metavar="FILE")] = None
    tokens: Annotated[String, option(_INPUT, "Token ids, such as '12 7 31'.", metavar="IDS")] = None
    smiles: Annotated[String, option(_INPUT, "A molecule in SMILES notation.", metavar="SMILES")] = None
    units: Annotated[
        String,
        option(
            _UNITS,
            "What gets a score. For texts: word, sentence or character. For images: pixel, patch=4 or superpixel. For "
            "series and bytes: window=16.",
            metavar="UNITS",
        ),
    ] = None
    absent: Annotated[
        String,
        option(
            _UNITS,
            "What replaces absent units. For texts: delete, or a text such as '<pad>'. For images: mean, blur, noise "
            "or a number. For series: mean, interpolate or a number. For bytes and tokens: a number.",
            metavar="WHAT",
        ),
    ] = None
    masker: Annotated[
        String,
        option(
            _UNITS,
            "Your own masker, as package.module:object. Importing the module runs its code.",
            metavar="OBJECT",
        ),
    ] = None
    row: Annotated[
        int, option(_TABLE, "The row to explain. The first row after the header is 0.", metavar="NUMBER")
    ] = 0
    background: Annotated[
        int,
        option(
            _TABLE,
            "How many representative rows replace absent columns. With 0, their mean does (for texts, the most "
            "frequent one).",
            metavar="NUMBER",
        ),
    ] = 20
    drop: Annotated[
        Strings,
        option(_TABLE, "A column to hide from the model, such as the label. Can be repeated.", metavar="COLUMN"),
    ] = None
    grey: Annotated[bool, option(_IMAGE, "Convert the image to shades of grey.", "--grey")] = False
    scale: Annotated[bool, option(_IMAGE, "Scale pixels from 0..255 to 0..1.", "--scale")] = False
    channels_first: Annotated[
        bool, option(_IMAGE, "Pass the image as (channels, height, width).", "--channels-first")
    ] = False
    size: Annotated[
        String, option(_IMAGE, "Resize the image for the model: 224, or 224x320 (height x width).", metavar="SIZE")
    ] = None
    mean: Annotated[
        String,
        option(_IMAGE, "Subtract this after --scale: 0.5, or 0.485,0.456,0.406 by channel.", metavar="NUMBERS"),
    ] = None
    std: Annotated[
        String,
        option(_IMAGE, "Divide by this after --mean: 0.5, or 0.229,0.224,0.225 by channel.", metavar="NUMBERS"),
    ] = None
    max_pixels: Annotated[
        int,
        option(_IMAGE, "Stop with an error if the image has more pixels than this.", min=1, metavar="NUMBER"),
    ] = MAX_PIXELS


@dataclass(frozen=True)
class ModelOptions:
    """The model, and which of its outputs is explained."""

    model: Annotated[
        String,
        option(
            _MODEL,
            "The model: an .onnx file; a Python object, as package.module:object, also from the current directory "
            "(importing a module runs its code); or demo-text (film reviews) or demo-digits (3 or 8), which come with "
            "lcshap.",
            metavar="MODEL",
            autocompletion=complete.models,
        ),
    ] = None
    kind: Annotated[
        OutputKind | None,
        option(
            _MODEL,
            f"What the outputs of the model are: {', '.join(OutputKind)}. If the model does not declare this, set it "
            "yourself.",
            metavar="KIND",
        ),
    ] = None
    classes: Annotated[String, option(_MODEL, "The names of the classes, such as 'no,yes'.", metavar="NAMES")] = None
    target: Annotated[
        Strings,
        option(
            _MODEL,
            "The class to explain, by name or number, or all. Can be repeated. By default, the predicted class.",
            metavar="CLASS",
        ),
    ] = None
    against: Annotated[
        String, option(_MODEL, "Explain why the model prefers --target to this class.", metavar="CLASS")
    ] = None
    value: Annotated[
        String,
        option(
            _MODEL,
            "The number to explain: log_prob, expected_log_prob, prob, log_odds or output; in `bulk` with --label also "
            "a loss: cross_entropy, brier, zero_one, squared or absolute.",
            metavar="VALUE",
            autocompletion=complete.values,
        ),
    ] = None
    batch_size: Annotated[
        int | None,
        option(
            _MODEL,
            "How many inputs to send to the model at once. By default, chosen for speed.",
            min=1,
            metavar="NUMBER",
        ),
    ] = None


class Interactions(StrEnum):
    """The pairs whose interactions are estimated."""

    EDGES = "edges"
    ALL = "all"

    @property
    def parameter(self) -> bool | str:
        """The argument for methods and for the explainer."""
        return True if self is Interactions.EDGES else self.value


@dataclass(frozen=True)
class MethodSettings:
    """Parameters that several methods have. None means that the user does not set them."""

    budget: Annotated[
        String,
        option(
            _METHOD,
            "How many model calls to use: a number such as 400, calls per unit such as 8d, or (explain only) a time "
            "such as 10s. By default 8d, or all coalitions if there are few or the model is fast.",
            metavar="BUDGET",
        ),
    ] = None
    order: Annotated[
        int | None, option(_METHOD, "How many edges a neighbourhood reaches.", min=0, metavar="NUMBER")
    ] = None
    context: Annotated[
        String,
        option(
            _METHOD,
            "Whether units outside the neighbourhood are absent, present, or averaged over both.",
            metavar="absent|present|both",
            autocompletion=complete.contexts,
        ),
    ] = None
    weights: Annotated[
        String,
        option(
            _METHOD,
            "The weights of C-Shapley and its variants, such as paper or myerson. See `lcshap methods c-shapley`.",
            metavar="NAME",
        ),
    ] = None
    interactions: Annotated[
        Interactions | None,
        option(
            _METHOD,
            "Also estimate pair interactions from the calls made for the scores: of the graph's edges or of all pairs.",
            metavar="edges|all",
        ),
    ] = None
    seed: Annotated[
        int | None, option(_METHOD, "Random seed for sampling methods. By default 0.", min=0, metavar="NUMBER")
    ] = None
    max_calls: Annotated[
        int,
        option(_METHOD, "Stop with an error if a method needs more model calls than this.", min=1, metavar="NUMBER"),
    ] = MAX_CALLS


@dataclass(frozen=True)
class Output:
    """Where results go."""

    save: Annotated[
        File,
        option(
            _OUTPUT,
            "Save the explanation as a .json file, for `lcshap report`. With --lines, a .json or .parquet file has the "
            "explanations of all lines. `compare` writes a .json file for each method, or one .parquet file.",
            metavar="FILE",
        ),
    ] = None
    html: Annotated[File, option(_OUTPUT, "Write an interactive web page.", metavar="FILE")] = None
    plot: Annotated[File, option(_OUTPUT, "Draw a figure: .png, .svg or .pdf.", metavar="FILE")] = None
    json: Annotated[
        bool, option(_OUTPUT, "Print only JSON, with names and scores. With --lines, one object per line.", "--json")
    ] = False
    top: Annotated[int, option(_OUTPUT, "How many units to list.", min=1, metavar="NUMBER")] = 10
    curve: Annotated[
        bool,
        option(
            _OUTPUT,
            "Also mask the top units step by step, with up to 12 more model calls. Web pages always have this.",
            "--curve",
        ),
    ] = False
    color: Annotated[Colour, option(_OUTPUT, "When to use colours in the terminal.", metavar="auto|always|never")] = (
        Colour.AUTO
    )
    theme: Annotated[
        TerminalTheme,
        option(_OUTPUT, "The background of the terminal. auto asks the terminal.", metavar="auto|light|dark"),
    ] = TerminalTheme.AUTO
    force: Annotated[
        bool, option(_OUTPUT, "Overwrite existing files even if lcshap did not write them.", "--force")
    ] = False

    @property
    def with_curve(self) -> bool:
        """Whether to compute the masking curve, which every page shows."""
        return self.curve or self.html is not None


@dataclass(frozen=True)
class LabelOptions:
    """Labels and names of the inputs on a web page."""

    labels: Annotated[
        String,
        option(
            _MARKS,
            "The true class of each input: a text file with one label per line, blank where it is not known. With "
            "`explain --csv`, the name of a column, which is hidden from the model.",
            metavar="FILE",
        ),
    ] = None
    names: Annotated[
        String,
        option(
            _MARKS,
            "A name for each input: a text file with one name per line. With `explain --csv`, the name of a column, "
            "which is hidden from the model.",
            metavar="FILE",
        ),
    ] = None


@dataclass(frozen=True)
class MethodOption:
    """The options of `explain` about the method."""

    method: Annotated[
        str,
        option(
            _METHOD,
            "The method, with parameters as in l-shapley:order=2. `lcshap methods` lists them all; auto selects one.",
            metavar="METHOD",
            autocompletion=complete.methods_or_auto,
        ),
    ] = "auto"
    goal: Annotated[
        String,
        option(
            _METHOD,
            "The question for --method auto: fair shares of the output (default), or the units that are necessary or "
            "sufficient for the decision.",
            metavar="fair|necessary|sufficient",
            autocompletion=complete.goals,
        ),
    ] = None
    preview: Annotated[bool, option(_METHOD, "Show the cost and exit, without calling the model.", "--preview")] = False


@dataclass(frozen=True)
class MethodsOption:
    """The options of `compare` about the methods."""

    methods: Annotated[
        str,
        option(
            _METHOD,
            "The methods, separated by commas, with parameters as in l-shapley:order=2:context=both. By default "
            "l-shapley, c-shapley and graph-kernel-shap.",
            show_default=False,
            metavar="METHODS",
            autocompletion=complete.method_lists,
        ),
    ] = "l-shapley,c-shapley,graph-kernel-shap"
