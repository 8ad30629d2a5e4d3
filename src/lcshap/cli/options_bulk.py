"""The options of `lcshap bulk`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from typer import Argument

from ..core.default_limits import (
    MAX_CELLS,
    MAX_FILE_BYTES,
    MAX_LINE_CHARACTERS,
    MAX_PIXELS,
    PREVIEW_INPUTS,
    SHARD_ROWS,
)
from .option_groups import File, String, Strings, option

_DATA, _RUN, _RAY, _PREVIEW = "Data", "Run", "Ray", "Preview"


class EngineName(StrEnum):
    """The engines that run workers."""

    LOCAL = "local"
    RAY = "ray"


@dataclass(frozen=True)
class BulkData:
    """The data set, and how its inputs are divided into units."""

    input: Annotated[
        str,
        Argument(
            help="Parquet, Arrow, CSV or JSONL files (a path, a pattern in quotes, a folder or an address), or a "
            "folder of images or texts. Or `status` or `summary`, followed by the folder of a run.",
            show_default=False,
            metavar="INPUT",
        ),
    ]
    folder: Annotated[
        File, Argument(help="The folder of a run, for status and summary.", show_default=False, metavar="[DIR]")
    ] = None
    column: Annotated[
        Strings,
        option(
            _DATA,
            "The column with the texts. If repeated or left out, a row with its columns is explained.",
            metavar="COLUMN",
        ),
    ] = None
    id: Annotated[String, option(_DATA, "The column that names the rows.", metavar="COLUMN")] = None
    label: Annotated[
        String,
        option(
            _DATA,
            "The column with the true classes, for `lcshap report`, or with the true classes or numbers of a loss "
            "(--value). The model does not see it.",
            metavar="COLUMN",
        ),
    ] = None
    label_names: Annotated[
        String,
        option(
            _DATA,
            "The class that each value of --label means, such as 0=negative,1=positive. By default the values are "
            "names of classes.",
            metavar="NAMES",
        ),
    ] = None
    drop: Annotated[Strings, option(_DATA, "A column to hide from the model. Can be repeated.", metavar="COLUMN")] = (
        None
    )
    background: Annotated[
        int, option(_DATA, "For rows: how many rows of the data replace absent columns.", min=1, metavar="NUMBER")
    ] = 20
    units: Annotated[
        String,
        option(
            _DATA,
            "What gets a score. For texts: word, sentence or character. For images: pixel, patch=4 or superpixel.",
            metavar="UNITS",
        ),
    ] = None
    absent: Annotated[String, option(_DATA, "What replaces absent units, as for `lcshap explain`.", metavar="WHAT")] = (
        None
    )
    masker: Annotated[
        String,
        option(
            _DATA,
            "Your own masker, as package.module:object. Importing the module runs its code.",
            metavar="OBJECT",
        ),
    ] = None
    grey: Annotated[bool, option(_DATA, "Convert images to shades of grey.", "--grey")] = False
    scale: Annotated[bool, option(_DATA, "Scale pixels from 0..255 to 0..1.", "--scale")] = False
    channels_first: Annotated[bool, option(_DATA, "Pass images as (channels, height, width).", "--channels-first")] = (
        False
    )
    max_pixels: Annotated[
        int,
        option(
            _DATA,
            "If an image has more pixels than this, its error is stored and the run continues.",
            min=1,
            metavar="NUMBER",
        ),
    ] = MAX_PIXELS
    max_line_characters: Annotated[
        int,
        option(
            _DATA,
            "If a line, row or cell has more characters than this, its error is stored and the run continues.",
            min=1,
            metavar="NUMBER",
        ),
    ] = MAX_LINE_CHARACTERS
    max_cells: Annotated[
        int,
        option(
            _DATA,
            "If a row has more cells than this, its error is stored and the run continues.",
            min=1,
            metavar="NUMBER",
        ),
    ] = MAX_CELLS
    max_file_bytes: Annotated[
        int,
        option(_DATA, "A file with more bytes than this after decompression is refused.", min=1, metavar="NUMBER"),
    ] = MAX_FILE_BYTES


@dataclass(frozen=True)
class BulkRun:
    """The settings of the run."""

    out: Annotated[
        File,
        option(_RUN, "The folder for the results. Run the same command again to resume.", metavar="DIR"),
    ] = None
    factory: Annotated[
        String,
        option(
            _RUN,
            "Instead of --model: a function without arguments that makes the Explainer, as package.module:function. "
            "Importing the module runs its code.",
            metavar="FUNCTION",
        ),
    ] = None
    model_name: Annotated[
        String,
        option(
            _RUN,
            "A name that identifies the model. Needed for functions and remote models, whose content cannot be "
            "read; change it whenever the model changes.",
            metavar="NAME",
        ),
    ] = None
    store: Annotated[
        File,
        option(_RUN, "A file that stores the outputs of the model, so that other runs can reuse them.", metavar="FILE"),
    ] = None
    engine: Annotated[
        EngineName, option(_RUN, "local: processes of this machine. ray: a Ray cluster.", metavar="local|ray")
    ] = EngineName.LOCAL
    workers: Annotated[
        String,
        option(
            _RUN,
            "How many workers. With Ray also a range such as 2-8. By default one for each core.",
            metavar="NUMBER",
        ),
    ] = None
    shard_rows: Annotated[
        int,
        option(
            _RUN,
            "How many inputs each part has. An interruption loses the parts in progress only.",
            min=1,
            metavar="NUMBER",
        ),
    ] = SHARD_ROWS
    retry_failed: Annotated[
        bool,
        option(_RUN, "Recompute finished parts in which an input has an error.", "--retry-failed"),
    ] = False
    shard_timeout: Annotated[
        float | None,
        option(
            _RUN,
            "How long a worker may take for a part before it is replaced. By default ten times the slowest part so "
            "far, and at least 600 seconds.",
            metavar="SECONDS",
        ),
    ] = None
    threads: Annotated[int, option(_RUN, "Threads of the model in each worker.", min=1, metavar="NUMBER")] = 1
    address: Annotated[
        String, option(_RAY, "The address of a cluster, such as auto or ray://head:10001.", metavar="ADDRESS")
    ] = None
    num_cpus: Annotated[
        float | None, option(_RAY, "CPUs that each worker needs. By default 1.", min=0, metavar="NUMBER")
    ] = None
    num_gpus: Annotated[
        float | None, option(_RAY, "GPUs that each worker needs. By default 0.", min=0, metavar="NUMBER")
    ] = None
    sample: Annotated[int, option(_PREVIEW, "How many inputs --preview tries.", min=1, metavar="NUMBER")] = (
        PREVIEW_INPUTS
    )
    price: Annotated[
        float | None, option(_PREVIEW, "What a row that is sent to the model costs.", min=0, metavar="PRICE")
    ] = None
    top: Annotated[int, option(_PREVIEW, "How many units summary lists for each class.", min=1, metavar="NUMBER")] = 20
