"""The options that commands share, as dataclasses: each field is an option, its annotation says how it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from typer import Argument, Option

from ..core.plan import MAX_CALLS
from ..errors import OptionError

MAX_PIXELS = 50_000_000  # of an image file
_INPUT, _MODEL, _METHOD, _OUTPUT = "Input (one of them)", "Model", "Method", "Output"


class UsageError(OptionError):
    """Options of the command that do not go together, or a name that means nothing."""


class OutputKind(StrEnum):
    """What the numbers of a model are."""

    LOGITS = "logits"
    PROBABILITIES = "probabilities"
    MULTILABEL = "multilabel"
    MULTILABEL_LOGITS = "multilabel-logits"
    MARGIN = "margin"
    OUTPUT = "output"


class Theme(StrEnum):
    """What the terminal's background is."""

    AUTO = "auto"
    LIGHT = "light"
    DARK = "dark"


class Colour(StrEnum):
    """When to write colours."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


String = str | None
File = Path | None
Many = list[str] | None


@dataclass(frozen=True)
class Input:
    """What is explained, and how it is cut into units."""

    text: Annotated[String, Option(help="A text.", rich_help_panel=_INPUT)] = None
    file: Annotated[File, Option(help="A text file in UTF-8; - reads standard input.", rich_help_panel=_INPUT)] = None
    image: Annotated[File, Option(help="An image file.", rich_help_panel=_INPUT)] = None
    csv: Annotated[File, Option(help="A table, of which --row is explained.", rich_help_panel=_INPUT)] = None
    series: Annotated[
        File, Option(help="A table of numbers, a row a step and a column a channel.", rich_help_panel=_INPUT)
    ] = None
    bytes: Annotated[File, Option(help="Any file, as bytes.", rich_help_panel=_INPUT)] = None
    tokens: Annotated[String, Option(help="Ids of tokens, as in '12 7 31'.", rich_help_panel=_INPUT)] = None
    smiles: Annotated[String, Option(help="A molecule.", rich_help_panel=_INPUT)] = None
    units: Annotated[
        String,
        Option(
            help="Of texts: word, sentence, character. Of images: pixel, patch=4, superpixel. Of series and bytes: "
            "window=16.",
            rich_help_panel="Units",
        ),
    ] = None
    absent: Annotated[
        String,
        Option(
            help="What stands for absent units. Of texts: delete, or a text such as [MASK]. Of images: mean, blur, "
            "noise or a number. Of series: mean, interpolate or a number. Of bytes and tokens: a number.",
            rich_help_panel="Units",
        ),
    ] = None
    masker: Annotated[
        String,
        Option(help="A masker of your own instead: package.module:object, whose code runs.", rich_help_panel="Units"),
    ] = None
    grey: Annotated[bool, Option("--grey", help="Read the image without its colours.", rich_help_panel="Units")] = False
    scale: Annotated[
        bool, Option("--scale", help="Give the model the image from 0 to 1, not 0 to 255.", rich_help_panel="Units")
    ] = False
    max_pixels: Annotated[
        int, Option(min=1, help="Refuse images of more pixels, before they are decoded.", rich_help_panel="Units")
    ] = MAX_PIXELS
    channels_first: Annotated[
        bool, Option("--channels-first", help="Give the model the image as (C, H, W).", rich_help_panel="Units")
    ] = False
    size: Annotated[
        String,
        Option(
            help="Give the model the image in this size: 224, or 224x320 (height x width).", rich_help_panel="Units"
        ),
    ] = None
    mean: Annotated[
        String, Option(help="Taken off the image, after --scale: 0.5, or 0.485,0.456,0.406.", rich_help_panel="Units")
    ] = None
    std: Annotated[
        String,
        Option(help="What the image is divided by after that: 0.5, or 0.229,0.224,0.225.", rich_help_panel="Units"),
    ] = None
    row: Annotated[int, Option(help="Of --csv: the row, from 0, the header not counted.", rich_help_panel="Units")] = 0
    background: Annotated[
        int,
        Option(
            help="Of --csv: how many rows, chosen to stand for all others, take the place of absent columns; 0: their "
            "mean, or most frequent text.",
            rich_help_panel="Units",
        ),
    ] = 20
    drop: Annotated[
        Many, Option(help="Of --csv: a column that the model does not see; repeat for more.", rich_help_panel="Units")
    ] = None


@dataclass(frozen=True)
class Task:
    """Which model, and which of its numbers."""

    model: Annotated[
        String,
        Option(
            help="An .onnx file, package.module:object (the current directory counts, after installed packages; "
            "importing a module runs its code), or one of the two that come with lcshap: demo-text (film reviews), "
            "demo-digits (3 or 8).",
            rich_help_panel=_MODEL,
        ),
    ] = None
    kind: Annotated[
        OutputKind | None, Option(help="What its numbers are, where it does not say.", rich_help_panel=_MODEL)
    ] = None
    classes: Annotated[String, Option(help="Names of the classes, as in 'no,yes'.", rich_help_panel=_MODEL)] = None
    target: Annotated[
        Many,
        Option(
            help="A class by name or number, or all; repeat for several. By default the predicted one.",
            rich_help_panel=_MODEL,
        ),
    ] = None
    against: Annotated[String, Option(help="Explain why --target and not this class.", rich_help_panel=_MODEL)] = None
    value: Annotated[
        String,
        Option(
            help="The number explained: log_prob, expected_log_prob, prob, log_odds or output.", rich_help_panel=_MODEL
        ),
    ] = None
    batch_size: Annotated[
        int | None, Option(min=1, help="Rows at once; by default what is fastest.", rich_help_panel=_MODEL)
    ] = None


@dataclass(frozen=True)
class MethodSettings:
    """Parameters that several methods have. None: not given."""

    budget: Annotated[
        String,
        Option(
            help="Model calls, as a number or for each unit: 8d; or seconds: 10s. By default all coalitions where there "
            "are at most 1,024 or all take less than a second, else 8d.",
            rich_help_panel=_METHOD,
        ),
    ] = None
    order: Annotated[
        int | None, Option(min=0, help="How many edges a neighbourhood reaches.", rich_help_panel=_METHOD)
    ] = None
    context: Annotated[
        String, Option(help="What is outside of it: absent, present or both.", rich_help_panel=_METHOD)
    ] = None
    weights: Annotated[
        String, Option(help="Of c-shapley and its kin: paper, myerson, ...", rich_help_panel=_METHOD)
    ] = None
    seed: Annotated[
        int | None, Option(min=0, help="Of methods that sample; 0 by default.", rich_help_panel=_METHOD)
    ] = None
    max_calls: Annotated[int, Option(min=1, help="Refuse methods that take more calls.", rich_help_panel=_METHOD)] = (
        MAX_CALLS
    )


@dataclass(frozen=True)
class Output:
    """Where results go."""

    html: Annotated[File, Option(help="Write a page to look at in a browser.", rich_help_panel=_OUTPUT)] = None
    json: Annotated[bool, Option("--json", help="Print JSON and nothing else.", rich_help_panel=_OUTPUT)] = False
    plot: Annotated[File, Option(help="Draw a figure: .png, .svg or .pdf.", rich_help_panel=_OUTPUT)] = None
    top: Annotated[int, Option(min=1, help="How many units to list.", rich_help_panel=_OUTPUT)] = 10
    curve: Annotated[
        bool,
        Option(
            "--curve",
            help="Also mask the top units step by step, up to 12 more calls; with --html always.",
            rich_help_panel=_OUTPUT,
        ),
    ] = False
    color: Annotated[Colour, Option(help="Colours in the terminal.", rich_help_panel=_OUTPUT)] = Colour.AUTO
    theme: Annotated[
        Theme, Option(help="The terminal's background; auto asks the terminal.", rich_help_panel=_OUTPUT)
    ] = Theme.AUTO
    force: Annotated[
        bool, Option("--force", help="Overwrite files that lcshap did not write too.", rich_help_panel=_OUTPUT)
    ] = False

    @property
    def with_curve(self) -> bool:
        """Whether the masking curve is wanted: a page has it."""
        return self.curve or self.html is not None


@dataclass(frozen=True)
class MethodOption:
    """Of `explain`."""

    method: Annotated[
        str,
        Option(
            help="A method, see `lcshap methods`, with parameters as in l-shapley:order=2; auto chooses one.",
            rich_help_panel=_METHOD,
        ),
    ] = "auto"
    goal: Annotated[
        String, Option(help="What auto is to answer: fair (default), necessary or sufficient.", rich_help_panel=_METHOD)
    ] = None
    preview: Annotated[
        bool, Option("--preview", help="Only say what it would cost; the model is not asked.", rich_help_panel=_METHOD)
    ] = False
    save: Annotated[
        File, Option(help="Keep the explanation in a .json file, for `lcshap report`.", rich_help_panel=_OUTPUT)
    ] = None


@dataclass(frozen=True)
class MethodsOption:
    """Of `compare`."""

    methods: Annotated[
        str,
        Option(
            help="Methods with commas between, each as in l-shapley or l-shapley:order=2:context=both.",
            rich_help_panel=_METHOD,
        ),
    ] = "l-shapley,c-shapley,graph-kernel-shap"


@dataclass(frozen=True)
class Shape:
    """Of `plan`."""

    graph: Annotated[
        str, Option(help="chain:400, ring:12, grid:28x28, complete:10 or tree:-1,0,0,2 (the parent of each unit).")
    ]
    method: Annotated[
        Many, Option(help="A method, with parameters as in l-shapley:order=2; repeat to see several together.")
    ] = None


@dataclass(frozen=True)
class Pages:
    """Of `report`."""

    files: Annotated[list[Path], Argument(help="Explanations saved by `lcshap explain --save`.", show_default=False)]
    out: Annotated[Path, Option(help="The page to write.")] = Path("report.html")
    title: Annotated[String, Option(help="Its title.")] = None
    force: Annotated[bool, Option("--force", help="Overwrite a file that is no report too.")] = False


@dataclass(frozen=True)
class Reproduction:
    """Of `reproduce`."""

    name: Annotated[
        str,
        Argument(
            help="imdb, agnews, yahoo, newsgroups, mnist, cifar10: masking curves of every method on that data; "
            "sentence: Table 2; theorems: errors and bounds; all.",
            show_default=False,
        ),
    ]
    samples: Annotated[int, Option(min=1, help="How many test inputs; the paper has 1,000.")] = 100
    budget: Annotated[str, Option(help="Calls a method, as a number or for each unit: 4d.")] = "4d"
    methods: Annotated[String, Option(help="Some methods, with commas between; by default all.")] = None
    data: Annotated[File, Option(help="The folder of data sets; by default $LCSHAP_DATA, or PyPI packages.")] = None
    models: Annotated[File, Option(help="The folder of trained models; by default models/ in --out.")] = None
    out: Annotated[File, Option(help="The folder to write to and go on from; by default reproduced/NAME.")] = None
    seed: Annotated[int, Option(min=0, help="Which test inputs, and of methods that sample.")] = 0


def takes(*groups: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function of dataclasses a command with an option for each of their fields."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        def command(**given: Any) -> None:
            function(*(group(**{f.name: given[f.name] for f in fields(group)}) for group in groups))

        hints = {name: hint for group in groups for name, hint in get_type_hints(group, include_extras=True).items()}
        parameters = [
            Parameter(
                f.name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if f.default is MISSING else f.default,
                annotation=hints[f.name],
            )
            for group in groups
            for f in fields(group)
        ]
        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = hints
        return command

    return decorate
