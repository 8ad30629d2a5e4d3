"""The options that only one command has: plan, report, reproduce, serve."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument

from . import completion as complete
from .option_groups import File, String, Strings, option

_UNITS = "Units (give a graph or a text)"
_SERVER = "Server"


@dataclass(frozen=True)
class PlanOptions:
    """The options of `plan` about the units and methods."""

    graph: Annotated[
        String,
        option(
            _UNITS,
            "A graph: chain:400, ring:12, grid:28x28, complete:10, or tree:-1,0,0,2 (the parent of each unit, -1 for "
            "the root).",
            metavar="GRAPH",
            autocompletion=complete.graphs,
        ),
    ] = None
    text: Annotated[String, option(_UNITS, "A text, whose words are the units.", metavar="TEXT")] = None
    file: Annotated[File, option(_UNITS, "A text file in UTF-8. With -, standard input is read.", metavar="FILE")] = (
        None
    )
    units: Annotated[
        String,
        option(_UNITS, "For --text and --file: word (default), sentence or character.", metavar="UNITS"),
    ] = None
    method: Annotated[
        Strings,
        option(
            "Method",
            "A method, with parameters as in l-shapley:order=2. By default l-shapley. If repeated, lcshap shows what "
            "the methods cost together.",
            metavar="METHOD",
            autocompletion=complete.methods,
        ),
    ] = None


@dataclass(frozen=True)
class ReportOptions:
    """The options of `report`."""

    files: Annotated[
        list[Path],
        Argument(
            help="Explanations saved with --save, or the folder of a run of `lcshap bulk`.",
            show_default=False,
            metavar="FILES",
        ),
    ]
    out: Annotated[Path, option(None, "The web page to write.", metavar="FILE")] = Path("report.html")
    title: Annotated[String, option(None, "The title of the page.", metavar="TEXT")] = None
    force: Annotated[bool, option(None, "Overwrite an existing file even if lcshap did not write it.", "--force")] = (
        False
    )
    samples: Annotated[
        int,
        option(
            None,
            "For a run of `lcshap bulk`: how many explanations to show, spread evenly over the data set.",
            min=1,
            metavar="NUMBER",
        ),
    ] = 1000


@dataclass(frozen=True)
class ReproduceOptions:
    """The options of `reproduce`."""

    name: Annotated[
        str,
        Argument(
            help="Masking curves of every method on a data set: imdb, agnews, yahoo, newsgroups, mnist or cifar10. "
            "Table 2 of the paper: sentence. Errors and bounds: theorems. Everything: all.",
            show_default=False,
            metavar="NAME",
            autocompletion=complete.experiments,
        ),
    ]
    samples: Annotated[
        int, option(None, "How many test inputs to use. The paper uses 1,000.", min=1, metavar="NUMBER")
    ] = 100
    budget: Annotated[
        str,
        option(None, "Model calls for each method: a number, or calls per unit such as 4d.", metavar="BUDGET"),
    ] = "4d"
    methods: Annotated[
        String,
        option(
            None,
            "The methods to run, separated by commas. By default, all of them.",
            metavar="METHODS",
            autocompletion=complete.method_lists,
        ),
    ] = None
    data: Annotated[
        File,
        option(
            None, "The folder with the data sets. By default $LCSHAP_DATA, or packages from PyPI.", metavar="FOLDER"
        ),
    ] = None
    models: Annotated[
        File,
        option(None, "The folder for the trained models. By default models/ inside --out.", metavar="FOLDER"),
    ] = None
    out: Annotated[File, option(None, "The folder for the results. By default reproduced/NAME.", metavar="FOLDER")] = (
        None
    )
    seed: Annotated[
        int,
        option(None, "Random seed for the choice of test inputs and for sampling methods.", min=0, metavar="NUMBER"),
    ] = 0


@dataclass(frozen=True)
class ServeOptions:
    """The options of `serve` about the server."""

    examples: Annotated[
        File,
        option(
            _SERVER,
            "Inputs that the page offers: a file with one JSON value per line, such as a text, or a row of a table as "
            'an object. An image is {"image": "cat.png"}.',
            metavar="FILE",
        ),
    ] = None
    port: Annotated[
        int, option(_SERVER, "The port to listen on. With 0, a free port is chosen.", min=0, metavar="NUMBER")
    ] = 0
    browse: Annotated[bool, option(_SERVER, "Open the page in a browser.", "--open")] = False
    host: Annotated[
        str,
        option(
            _SERVER,
            "The address to listen on. An address that other machines can reach needs --allow-others.",
            metavar="HOST",
        ),
    ] = "127.0.0.1"
    allow_others: Annotated[
        bool,
        option(
            _SERVER,
            "Accept connections from other machines. Whoever has the address and its token can call the model.",
            "--allow-others",
        ),
    ] = False
    same_process: Annotated[
        bool,
        option(
            _SERVER,
            "Run the model in the process of the server. By default it has a process of its own, so that the server "
            "keeps running if the model crashes.",
            "--same-process",
        ),
    ] = False
    most_calls: Annotated[
        int, option(_SERVER, "The maximum number of model calls of one method for one input.", min=1, metavar="NUMBER")
    ] = 20_000
    most_characters: Annotated[
        int, option(_SERVER, "The maximum number of characters of a text.", min=1, metavar="NUMBER")
    ] = 20_000
