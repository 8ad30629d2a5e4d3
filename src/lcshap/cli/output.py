"""Print and write results. Files are written first, so that they are complete if a pipe (`| head`) is closed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..core.explanation import Explanation
from ..core.explanations import Explanations
from ..core.io import to_dict
from ..core.printable import printable
from ..core.rounding import round_to_zero
from ..errors import LcshapError
from ..show import flips, words
from ..show.ink import Ink, legend
from ..show.palette import colour_limit
from ..show.sentences import lead_sentence, prediction_sentence
from ..show.terminal import has_colour, picture_lines, print_to_file, render_explanation, render_table
from ..show.terminal_colours import is_dark
from ..show.terminal_text import wrap_lines
from . import width
from .explaining import ComparedMethods
from .group import format_command_error
from .labels import InputLabels
from .options_shared import Output
from .output_files import check_targets

Writer = Callable[[], Path]


def write_and_print(text: str, writers: Sequence[Writer]) -> None:
    """Write files, print a text to standard output, and then the names of the files that were written.

    The text is printed even if a file cannot be written, so that the results are not lost.
    """
    written: list[Path] = []
    try:
        written.extend(writer() for writer in writers)
    finally:
        try:
            if text:
                print_to_file(text, sys.stdout)
                sys.stdout.flush()
        finally:
            for path in written:
                print_to_file(f"wrote {printable(str(path))}", sys.stderr)


def numbered_paths(path: Path, numbers: Sequence[int]) -> list[Path]:
    """Paths for several files, numbered so that sorting by name keeps their order.

    >>> [path.name for path in numbered_paths(Path("e.json"), [1, 2])], numbered_paths(Path("e.json"), [7, 10])[0].name
    (['e-1.json', 'e-2.json'], 'e-07.json')
    """
    digits = len(str(max(numbers, default=0)))
    return [path.with_name(f"{path.stem}-{k:0{digits}}{path.suffix}") for k in numbers]


def method_targets(output: Output, count: int) -> list[Path]:
    """The files of explanations by several methods, after checking that they can be written: one, or none, for all."""
    if output.save is None:
        return []
    paths = [output.save] if _is_set_path(output.save) else numbered_paths(output.save, range(1, count + 1))
    for path in paths:
        check_targets(path, force=output.force)
    return paths


def savers(explanations: Sequence[Explanation], paths: Sequence[Path]) -> list[Writer]:
    """Functions that save each explanation to a file of its own, or all of them to one Parquet file."""
    if len(paths) == 1 and _is_set_path(paths[0]):
        return [partial(Explanations(explanations).save, paths[0])]
    return [partial(e.save, path) for e, path in zip(explanations, paths, strict=True)] if paths else []


def writers(
    explanations: Sequence[Explanation],
    output: Output,
    saved: Sequence[Writer],
    draw: Callable[[], Any] | None = None,
    marked: InputLabels | None = None,
) -> list[Writer]:
    """Functions that write the requested files: `saved` explanations, the figure that `draw` makes, and a page."""

    def page() -> Path:
        from ..show.html_report import report

        assert output.html is not None
        return report(list(explanations), output.html, **(marked or {}))

    def figure() -> Path:
        from ..show.plots.base import save

        assert output.plot is not None
        assert draw is not None
        return save(draw(), output.plot)

    return [*saved] + [figure] * (output.plot is not None) + [page] * (output.html is not None)


def _is_set_path(path: Path) -> bool:
    """Whether a file has all explanations, and not one."""
    return path.suffix.lower() == ".parquet"


def as_json(e: Explanation) -> dict[str, Any]:
    """An explanation as `lcshap.load` reads it, with its names, scores and values as plain lists and numbers."""
    content = to_dict(e)
    header = {name: content.pop(name) for name in ("format", "version")}
    plain: dict[str, Any] = {"names": list(e.names), "scores": _to_json_numbers(e.scores)}
    plain |= {"stderr": None if e.stderr is None else _to_json_numbers(e.stderr)}
    plain |= {
        "base_value": _to_json_numbers(e.base_value),
        "full_value": _to_json_numbers(e.full_value),
        "residual": _to_json_numbers(_rounded_residual(e)),
    }
    return {**header, "says": lead_sentence(e, str), **plain, **{k: v for k, v in content.items() if k not in plain}}


def _rounded_residual(e: Explanation) -> Any:
    """The residual of the scores, with rounding errors set to zero."""
    return round_to_zero(np.asarray(e.residual), e.scores, e.base_value, e.full_value)


def _to_json_numbers(numbers: Any) -> Any:
    """Lists of numbers; infinities, which JSON does not have, become texts."""
    if isinstance(numbers, list):
        return [_to_json_numbers(number) for number in numbers]
    if isinstance(numbers, np.ndarray | np.generic):
        return _to_json_numbers(numbers.tolist())
    return numbers if np.isfinite(numbers) else str(numbers)


def dumps(content: Any) -> str:
    """JSON in one line."""
    return json.dumps(content, allow_nan=False)


def explanation_text(e: Explanation, output: Output) -> str:
    """An explanation as text for the terminal."""
    text = render_explanation(e, width(), use_colour(output), output.top, is_dark(output.theme.value))
    why = words.selection_reason(e)
    return "\n".join([text, *wrap_lines(why, width())]) if why else text


def explanations_text(explained: Sequence[tuple[int, Explanation | LcshapError]], output: Output) -> str:
    """The explanations of the lines of a file, one below the other; as JSON, one object per line."""
    if output.json:
        return "\n".join(
            dumps(
                {"line": line, "error": format_command_error(e)}
                if isinstance(e, LcshapError)
                else {**as_json(e), "line": line}
            )
            for line, e in explained
        )
    blocks = [f"line {line}\n{explanation_text(e, output)}" for line, e in explained if not isinstance(e, LcshapError)]
    return "\n\n".join(blocks)


def comparison_text(comparison: ComparedMethods, output: Output) -> str:
    """The input once for each method, then the scores as a table; of several outputs, one method after the other."""
    columns, colour, dark, first = width(), use_colour(output), is_dark(output.theme.value), comparison.explanations[0]
    names = list(map(printable, comparison.names))
    introduction = [
        prediction_sentence(first),
        f"explained: {words.describe_subject(first)}; {words.base_and_full_value(first)}",
    ]
    blocks = ["\n".join(wrap_lines(line, columns)) for line in introduction if line]
    named_explanations = list(zip(names, comparison.explanations, strict=True))
    if first.scores.ndim == 1:
        inks = [Ink(e.scores, colour_limit([e.scores]), colour, dark) for e in comparison.explanations]
        pictures = [
            [name, *picture_lines(e, columns, ink)] for (name, e), ink in zip(named_explanations, inks, strict=True)
        ]
        if len(pictures[0]) > 1:
            blocks += ["\n".join(lines) for lines in pictures] + legend(columns, inks[0])
        blocks.append(render_table(comparison.explanations, names, columns, colour, output.top, dark))
        blocks += [
            "\n".join(wrap_lines(f"{name}: {flips.flip_sentence(e)}", columns))
            for name, e in named_explanations
            if flips.flip_sentence(e)
        ]
    else:
        blocks += [render_explanation(e, columns, colour, output.top, dark) for _, e in named_explanations]
    blocks.append(
        f"all methods together took {comparison.calls:,} model calls instead of {comparison.separate_calls:,}"
    )
    return "\n\n".join(blocks)


def use_colour(output: Output) -> bool:
    """Whether to write colours to standard output."""
    return has_colour(sys.stdout, output.color.value)
