"""What the commands print and write: files first, so that nobody who stops reading (`| head`) loses one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..core.explanation import Explanation
from ..core.io import to_dict
from ..core.printable import printable
from ..core.rounding import settled
from ..errors import LcshapError
from ..show import flips, words
from ..show.letters import wrapped
from ..show.palette import limit_of
from ..show.screen import is_dark
from ..show.sentences import lead, says
from ..show.terminal import has_colour, picture, render, render_table, write
from ..show.terminal_pictures import Ink, legend
from . import width
from .group import one_line
from .marks import Marked
from .options import Output
from .work import Comparison

Writer = Callable[[], Path]


def deliver(text: str, writers: Sequence[Writer]) -> None:
    """Write files, print a text to standard output, and tell which files were written.

    The text is printed even if a file cannot be written: what a model said is not lost.
    """
    written: list[Path] = []
    try:
        written.extend(writer() for writer in writers)
    finally:
        try:
            if text:
                write(text, sys.stdout)
                sys.stdout.flush()
        finally:
            for path in written:
                write(f"wrote {printable(str(path))}", sys.stderr)


def numbered(path: Path, numbers: Sequence[int]) -> list[Path]:
    """Names for several files, in an order that `*` keeps.

    >>> [path.name for path in numbered(Path("e.json"), [1, 2])], numbered(Path("e.json"), [7, 10])[0].name
    (['e-1.json', 'e-2.json'], 'e-07.json')
    """
    digits = len(str(max(numbers, default=0)))
    return [path.with_name(f"{path.stem}-{k:0{digits}}{path.suffix}") for k in numbers]


def writers(
    explanations: Sequence[Explanation],
    output: Output,
    saved: Sequence[Path],
    draw: Callable[[], Any] | None = None,
    marked: Marked | None = None,
) -> list[Writer]:
    """What writes the files that are asked for: explanations to `saved`, a page, and the figure that `draw` makes."""

    def page() -> Path:
        from ..show.html_report import report

        assert output.html is not None
        return report(list(explanations), output.html, **(marked or {}))

    def figure() -> Path:
        from ..show.plots.base import save

        assert output.plot is not None
        assert draw is not None
        return save(draw(), output.plot)

    pairs = zip(explanations, saved, strict=True) if saved else ()
    found: list[Writer] = [partial(e.save, path) for e, path in pairs]
    return found + [figure] * (output.plot is not None) + [page] * (output.html is not None)


def as_json(e: Explanation) -> dict[str, Any]:
    """An explanation as `lcshap.load` reads it, with its names, scores and values as plain lists and numbers."""
    content = to_dict(e)
    begin = {name: content.pop(name) for name in ("format", "version")}
    plain: dict[str, Any] = {"names": list(e.names), "scores": _plain(e.scores)}
    plain |= {"stderr": None if e.stderr is None else _plain(e.stderr)}
    plain |= {"base_value": _plain(e.base_value), "full_value": _plain(e.full_value), "residual": _plain(_settled(e))}
    return {**begin, "says": lead(e, str), **plain, **{k: v for k, v in content.items() if k not in plain}}


def _settled(e: Explanation) -> Any:
    """What the scores leave unexplained, with zero for rounding."""
    return settled(np.asarray(e.residual), e.scores, e.base_value, e.full_value)


def _plain(numbers: Any) -> Any:
    """Lists of numbers; infinities, which JSON does not have, are texts."""
    if isinstance(numbers, list):
        return [_plain(one) for one in numbers]
    if isinstance(numbers, np.ndarray | np.generic):
        return _plain(numbers.tolist())
    return numbers if np.isfinite(numbers) else str(numbers)


def dumps(content: Any) -> str:
    """JSON in one line."""
    return json.dumps(content, allow_nan=False)


def shown(e: Explanation, output: Output) -> str:
    """An explanation for the terminal."""
    text = render(e, width(), coloured(output), output.top, is_dark(output.theme.value))
    why = words.why(e)
    return "\n".join([text, *wrapped(why, width())]) if why else text


def shown_lines(found: Sequence[tuple[int, Explanation | LcshapError]], output: Output) -> str:
    """The explanations of the lines of a file, one below the other; as JSON, one object per line."""
    if output.json:
        return "\n".join(
            dumps({"line": line, "error": one_line(e)} if isinstance(e, LcshapError) else {**as_json(e), "line": line})
            for line, e in found
        )
    parts = [f"line {line}\n{shown(e, output)}" for line, e in found if not isinstance(e, LcshapError)]
    return "\n\n".join(parts)


def side_by_side(found: Comparison, output: Output) -> str:
    """The input once for each method, then the scores as a table; of several outputs, one method after the other."""
    columns, colour, dark, first = width(), coloured(output), is_dark(output.theme.value), found.explanations[0]
    names = list(map(printable, found.names))
    above = [says(first), f"explained: {words.about(first)}; {words.ends(first)}"]
    parts = ["\n".join(wrapped(line, columns)) for line in above if line]
    both = list(zip(names, found.explanations, strict=True))
    if first.scores.ndim == 1:
        inks = [Ink(e.scores, limit_of([e.scores]), colour, dark) for e in found.explanations]
        drawn = [[name, *picture(e, columns, ink)] for (name, e), ink in zip(both, inks, strict=True)]
        if len(drawn[0]) > 1:
            parts += ["\n".join(lines) for lines in drawn] + legend(columns, inks[0])
        parts.append(render_table(found.explanations, names, columns, colour, output.top, dark))
        parts += ["\n".join(wrapped(f"{name}: {flips.flip(e)}", columns)) for name, e in both if flips.flip(e)]
    else:
        parts += [render(e, columns, colour, output.top, dark) for _, e in both]
    parts.append(f"all methods together took {found.calls:,} model calls instead of {found.apart:,}")
    return "\n\n".join(parts)


def coloured(output: Output) -> bool:
    """Whether standard output gets colours."""
    return has_colour(sys.stdout, output.color.value)
