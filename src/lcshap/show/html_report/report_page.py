"""The page itself: template, styles, script and data put together in one file."""

from __future__ import annotations

import base64
import hashlib
import html
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...core.atomic_files import check_output_path, write_file
from ...core.explanation import Explanation
from ...core.explanations import Explanations
from ...errors import ShowError
from ..pack import ContentPool, to_safe_json
from ..palette import DARK, LIGHT, RGB, Palette, ThemeColours, find_palette, rgb_to_hex
from .dataset import LeadingUnits, check_classes, check_labels
from .samples import collect_samples, pack_sample
from .scripts import join_modules, read_file
from .static import static_page, static_style

_MAX_TITLE_CLASSES = 4  # that are named in a title


def report(
    explanations: Explanation | Iterable[Explanation] | Mapping[str, Explanation | Iterable[Explanation]],
    path: str | Path,
    *,
    labels: Iterable[Any] | None = None,
    names: Iterable[Any] | None = None,
    title: str | None = None,
    palette: str | Palette = "default",
) -> Path:
    """Write explanations to one web page that needs no network and no server.

    Parameters
    ----------
    explanations : an `Explanation`, `Explanations` or a list of them, or a dict from names of methods to lists. Those
        of the same input by different methods, or of different outputs, become one sample with a switch. Inputs of
        `Explanations` that failed are left out.
    path : where to write; the name ends in ``.html``.
    labels : the true class of each input, by the name that the explanations use, None where it is not known. The page
        then tells right from wrong, has a confusion matrix, and sorts by loss. There is one label for each input, in
        the order in which inputs first occur in `explanations`.
    names : a name for each input, in the same order.
    title : of the page.
    palette : the name of a palette of `lcshap.show.palette`, or a `Palette`.

    Returns
    -------
    The path of the page.

    Raises
    ------
    ShowError : if there is nothing to show, the path is no web page, or the labels or names do not fit the inputs.

    Notes
    -----
    Make explanations with ``Explainer(..., curve=True)`` to see the output of the model while the top units are masked.
    Scores are stored to about seven significant digits and standard errors to two: save the explanations themselves to
    keep all of them. Methods that differ only in a budget that follows the length of the input count as one method.
    All texts are shown as texts, whatever they contain, and a content security policy lets the page run nothing but its
    own script.

    Examples
    --------
    >>> import tempfile
    >>> import lcshap as lc
    >>> from lcshap.show.html_report import report
    >>> explainer = lc.Explainer(lambda texts: [1.0 * len(t) for t in texts], lc.maskers.Text(), lc.Shapley(),
    ...                          kind="output", curve=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report(explainer(["one text", "and another"]), f"{folder}/lengths.html").name
    'lengths.html'
    """
    path = check_report_path(path)
    explanations, labels, names = _leave_out_failed(explanations, labels, names)
    if isinstance(explanations, Explanations) and not len(explanations):
        check_labels(labels, names, 0)
        return write_file(path, _empty_page(title or "No explanations", find_palette(palette)).encode("utf-8"))
    pool, methods = ContentPool(), dict[str, int]()
    samples, leading = collect_samples(explanations), LeadingUnits()
    marks = zip(*check_labels(labels, names, len(samples)), strict=True)
    packed = [
        pack_sample(sample, place, methods, pool, label, name, leading)
        for place, (sample, (label, name)) in enumerate(zip(samples, marks, strict=True))
    ]
    listing = [listed for listed, _ in packed]
    check_classes(listing)
    title = title or _default_title(listing)
    index = {"title": title, "methods": list(methods), "samples": listing}
    if len(listing) > 1:
        index["leading"] = leading.packed()
    blocks = {"index": to_safe_json(index)} | {f"pool-{number}": block for number, block in enumerate(pool.blocks)}
    blocks |= {f"sample-{number}": to_safe_json(content) for number, (_, content) in enumerate(packed)}
    colours = find_palette(palette)
    page = _fill_template(title, colours, blocks, static_page(samples, listing, colours))
    return write_file(path, page.encode("utf-8", "xmlcharrefreplace"))


def _leave_out_failed(explanations: Any, labels: Any, names: Any) -> tuple[Any, Any, Any]:
    """The inputs of a set that were explained, with their labels and names, which may be those of all inputs."""
    if not isinstance(explanations, Explanations) or not explanations.errors:
        return explanations, labels, names
    errors = explanations.errors
    kept = [number for number in range(len(explanations)) if number not in errors]
    labels, names = (_take_marks(marks, kept, len(explanations)) for marks in (labels, names))
    return explanations[kept], labels, names


def _take_marks(marks: Any, kept: list[int], count: int) -> Any:
    """The labels or names of the inputs that are kept, from those of all `count` inputs; others as they are."""
    if isinstance(marks, str) or not isinstance(marks, Iterable):
        return marks
    listed = list(marks)
    return [listed[number] for number in kept] if len(listed) == count else listed


def _default_title(samples: list[dict[str, Any]]) -> str:
    """How many explanations there are, and of which classes, where they are not all of one."""
    if len(samples) == 1:
        return "Explanation"
    classes = Counter(entry[1] for sample in samples for entry in sample["entries"][:1])
    named = [f"{times:,} of {name}" for name, times in classes.most_common(_MAX_TITLE_CLASSES) if name]
    more = ["others"] if len(classes) > _MAX_TITLE_CLASSES else []
    return f"{len(samples):,} explanations" + (f": {', '.join(named + more)}" if len(classes) > 1 and named else "")


def check_report_path(path: str | Path) -> Path:
    """The path of a page that can be written."""
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise ShowError(f"Expected a file name that ends in .html for a report, got {path.name!r}.")
    return check_output_path(path)


def is_report(data: bytes) -> bool:
    """Whether a file is a report, by its beginning."""
    return b'<meta name="generator" content="lcshap' in data


def _fill_template(title: str, palette: Palette, blocks: dict[str, str], static: str) -> str:
    """The template with its holes filled."""
    style = palette_style(palette) + read_file("page.css") + static_style(palette)
    script = join_modules("main.js")
    data = [f'<script type="application/json" id="{name}">{json}</script>' for name, json in blocks.items()]
    begun = list(blocks).index("sample-0") + 1  # the script shows the first sample while the browser reads the others
    parts = {
        "title": html.escape(title),
        "policy": f"default-src 'none'; script-src {policy_hash(script)}; style-src {policy_hash(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'",
        "style": style,
        "static": static,
        "first": "\n".join(data[:begun]),
        "script": script,
        "others": "\n".join(data[begun:]),
    }
    pieces = read_file("page.html").split("%%")  # text and names of holes in turn
    return "".join(parts[piece] if k % 2 else piece for k, piece in enumerate(pieces))


def _empty_page(title: str, palette: Palette) -> str:
    """A page for a set without explanations."""
    style = palette_style(palette) + read_file("page.css")
    policy = f"default-src 'none'; style-src {policy_hash(style)}; base-uri 'none'; form-action 'none'"
    head = read_file("page.html").partition("<body>")[0].split("%%")
    parts = {"title": html.escape(title), "policy": policy, "style": style}
    filled = "".join(parts[piece] if k % 2 else piece for k, piece in enumerate(head))
    heading = f"<header><h1>{html.escape(title)}</h1></header>"
    return f"{filled}<body>\n{heading}\n<main><p>No explanations.</p></main>\n</body>\n</html>\n"


def palette_style(palette: Palette) -> str:
    """Colours as CSS variables: light, dark where the system or the button says so."""
    light = _css_variables(LIGHT, palette.positive, palette.negative)
    dark = _css_variables(DARK, palette.dark_positive, palette.dark_negative)
    return (
        f":root {{ color-scheme: light; {light} }}\n"
        f'@media (prefers-color-scheme: dark) {{ :root:not([data-theme="light"]) {{ color-scheme: dark; {dark} }} }}\n'
        f':root[data-theme="dark"] {{ color-scheme: dark; {dark} }}\n'
    )


def _css_variables(theme: ThemeColours, positive: RGB, negative: RGB) -> str:
    named = {
        "background": theme.background,
        "ink": theme.ink,
        "faint": theme.faint,
        "positive": positive,
        "negative": negative,
    }
    return " ".join(f"--{name}: {rgb_to_hex(colour)};" for name, colour in named.items())


def policy_hash(content: str) -> str:
    """The hash by which a content security policy allows an inline script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
