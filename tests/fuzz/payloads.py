"""Hostile strings in every place that a string comes from, looked for in everything that lcshap shows or writes.

``python -m tests.fuzz payloads --count 60``. Each string is the name of a unit, the text, a class, the value, the
model, a setting, the name of a file and a title at once; what comes out is checked in the terminal, in the notebook, on
the page (its policy and its parts, and with `browser` in a real browser), in figures, in tables and in errors.
"""

from __future__ import annotations

import base64
import contextlib
import csv
import hashlib
import io
import json
import re
import shutil
import tempfile
import unicodedata
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import lcshap as lc
from lcshap.core.explanation import Explanation
from lcshap.core.io import from_dict
from lcshap.core.views import SeriesView, TableView, TextView, View
from lcshap.show.html_report import report

_SCRIPTS = [
    "<script>window.ran=1;alert(1)</script>",
    "</script><script>window.ran=1</script>",
    "</title><script>window.ran=1</script>",
    "</style><script>window.ran=1</script>",
    "</textarea><script>window.ran=1</script>",
    "<img src=x onerror=window.ran=1>",
    "<svg onload=window.ran=1>",
    "<svg><animate onbegin=window.ran=1 attributeName=x dur=1s>",
    "<svg><script>window.ran=1</script></svg>",
    "<math><mtext></mtext><mglyph><style><img src=x onerror=window.ran=1>",
    "<iframe srcdoc='<script>parent.ran=1</script>'>",
    "<iframe src=javascript:parent.ran=1>",
    "<object data=javascript:window.ran=1>",
    "<embed src=javascript:window.ran=1>",
    "<a href=javascript:window.ran=1 id=theme>x</a>",
    "<base href=https://example.org/>",
    "<form action=https://example.org/><button>x",
    "<meta http-equiv=refresh content='0;url=https://example.org/'>",
    "<link rel=stylesheet href=https://example.org/x.css>",
    "<details open ontoggle=window.ran=1>",
    "<body onload=window.ran=1>",
    "<input autofocus onfocus=window.ran=1>",
    "<marquee onstart=window.ran=1>",
    "<video><source onerror=window.ran=1>",
    "<!--<script>window.ran=1//-->",
    "]]><script>window.ran=1</script>",
    "<![CDATA[<script>window.ran=1</script>]]>",
    "&lt;script&gt;window.ran=1&lt;/script&gt;",
    "&#60;script&#62;window.ran=1&#60;/script&#62;",
]
_BREAKERS = [
    '" onmouseover="window.ran=1" x="',
    "' onmouseover='window.ran=1' x='",
    '"><script>window.ran=1</script>',
    "';window.ran=1;//",
    '";window.ran=1;//',
    "`${window.ran=1}`",
    "\\';window.ran=1;//",
    "\\u003cscript\\u003ewindow.ran=1",
    "{{constructor.constructor('window.ran=1')()}}",
    "${7*7}#{7*7}{{7*7}}<%= 7*7 %>%%data%%%%script%%",
    "</style><style>*{display:none}</style>",
    "x;background:url(javascript:window.ran=1)",
    "expression(window.ran=1)",
    "*/} body{display:none} /*",
    "__proto__",
    "constructor",
    "toString",
    "'''\"\"\"\nimport os\nos.abort()",
    "# \r\nimport os; os.abort()",
    "$\\mathrm{x}$ $\\frac{",
    "%s%n%(x)s{0}{x.__class__}",
]
_TERMINAL = [
    "\x1b[2J\x1b[H",
    "\x1b]0;owned\x07",
    "\x1b]8;;https://example.org\x07x\x1b]8;;\x07",
    "\x1b]52;c;cm0gLXJmIC8=\x07",
    "\x9b31m\x9d0;owned\x9c",
    "\x1bP+q544e\x1b\\",
    "a\rb\x08\x08c\x7f",
    "\x00null\x00byte",
    "\u202egpj.exe\u202c",
    "\u2066\u2067\u2068\u2069\u202a\u202b\u202d",
    "\ud800 half \udfff",
    "\u2028\u2029\x85\x0b\x0c\x1c\x1d",
    "zero\u200bwidth\u200d\ufeff\u2060",
    "שלום עולם مرحبا",
    "e" + "\u0301" * 500,
    "\U000e0041\U000e0042",
    "👩‍👩‍👧‍👦" * 20,
    "x" * 20_000,
    " " * 300,
    "a\n" * 300,
]
_FORMULAS = ["=1+1", '=HYPERLINK("https://example.org","x")', "+cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0"]
_FORMULAS += ["@SUM(1+1)*cmd|' /C calc'!A0", "\t=1+1", "\r=1+1", "＝1+1", 'a","=1+1', "a\n=1+1"]
PAYLOADS = _SCRIPTS + _BREAKERS + _TERMINAL + _FORMULAS


def run(count: int = len(PAYLOADS), seed: int = 0, quick: bool = False) -> dict[str, Any]:
    """So many of the strings (all by default, else drawn from the seed) in every place; what went wrong.

    Parameters
    ----------
    quick : without figures, the command and the browser.
    """
    chosen = list(range(len(PAYLOADS)))
    if count < len(chosen):
        chosen = np.random.default_rng(seed).permutation(len(chosen))[:count].tolist()
    found: dict[str, Any] = {"payloads": len(chosen), "checks": 0, "failures": []}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), launch(not quick) as browser:
        warnings.simplefilter("ignore")  # of fonts that lack a letter
        found["browser"] = browser is not None
        for number in chosen:
            for name, check in checks(PAYLOADS[number], Path(folder), browser):
                if quick and name.startswith(("figure", "errors of the command")):
                    continue
                found["checks"] += 1
                try:
                    check()
                except Exception as error:
                    said = f"{PAYLOADS[number][:60]!r} in {name}: {type(error).__name__}: {error}"
                    found["failures"].append(said[:400])
    return found


@contextlib.contextmanager
def launch(wanted: bool) -> Iterator[Any]:
    """A browser of playwright; None where none is wanted or installed."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not wanted or path is None or find_spec("playwright") is None:
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


# -- where strings come from ----------------------------------------------------------------------------------------


def explanations(payload: str) -> dict[str, Explanation]:
    """The string wherever an explanation has one."""
    text = f"a {payload} b"
    half = len(text) // 2
    views: dict[str, View | None] = {
        "text": TextView(text=text, spans=[[0, half], [half, len(text)]], labels=[0, 1]),
        "series": SeriesView(series=np.arange(4.0).reshape(2, 2), channels=(payload, "y"), labels=[[0, 0], [1, 1]]),
        "table": TableView(columns=(payload, "b"), values=np.array([1.0, 2.0]), labels=[0, 1]),
        "bars": None,
    }
    record = {
        "method": payload,
        "name": payload,
        "class": payload,
        "parameters": {payload: payload, "seed": payload},
        "masker": {"name": payload, "parameters": {payload: payload}},
        "value": payload,
        "targets": [payload, [payload, payload]],
        "model": payload,
        "kind": payload,
        "classes": [payload],
        "versions": {payload: payload},
        "chosen": {"reason": payload},
        "graph": payload,
        payload: [payload, {payload: payload}],
    }
    graph = lc.Graph.chain(2, names=[payload, payload[::-1]])
    curve = {"percents": np.array([0.0, 50.0]), "counts": np.array([0, 1]), "values": np.ones(2), "what": payload}
    found = {
        name: Explanation(np.array([1.0, -0.5]), 0.0, 0.5, graph, 4, record, view=view, curve=curve)
        for name, view in views.items()
    }
    both = np.array([[1.0, -0.5], [0.5, 2.0]])
    found["outputs"] = Explanation(both, np.zeros(2), both.sum(axis=0), graph, 4, record)
    order = np.array([0, 1])
    found["path"] = lc.PathExplanation(
        np.array([1.0, -0.5]), 0.0, 0.5, graph, 4, record,
        path=order, path_values=np.array([0.5, 0.1, 0.0]), order=order, flipped=True, flip_set=(0,),
    )  # fmt: skip
    return found


# -- where they come out --------------------------------------------------------------------------------------------


def checks(payload: str, folder: Path, browser: Any = None) -> Iterator[tuple[str, Callable[[], None]]]:
    """Everything to check for one string, by name."""
    found = explanations(payload)
    for kind, e in found.items():
        yield f"terminal of {kind}", lambda e=e: check_terminal(e)
        yield f"repr of {kind}", lambda e=e: check_quiet(f"{e!r}{e}")
        yield f"notebook of {kind}", lambda e=e: check_notebook(e._repr_html_())
        yield f"file of {kind}", lambda e=e: check_file(e, folder)
        yield f"figure of {kind}", lambda e=e: check_figure(e)
    yield "page", lambda: check_page(payload, list(found.values()), folder, browser)
    yield "table", lambda: check_table(payload)
    yield "errors of the command", lambda: check_command(payload)
    yield "errors of the library", lambda: check_errors(payload)


def check_quiet(text: str, colours: bool = False) -> None:
    """Nothing in a text does anything to a terminal; but colours, where they are meant."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text) if colours else text
    bad = {c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c != "\n"}
    bad |= {
        c
        for c in text
        if unicodedata.bidirectional(c) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    }
    assert not bad, f"passes {bad!r}"


def check_terminal(e: Explanation) -> None:
    """What `show` prints, with and without colours, and on rich's console."""
    from lcshap.show.terminal import render_explanation

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        e.show()
    check_quiet(printed.getvalue())
    for colour in (False, True):
        check_quiet(render_explanation(e, 60, colour), colours=colour)


class _Elements(HTMLParser):
    """The elements of a page, and what stands in scripts, styles and titles."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[list[Any]] = []
        self.open: str | None = None
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag in ("script", "style", "title"):
            self.open = tag
            self.inside.append([tag, dict(attrs), ""])

    def handle_endtag(self, tag: str) -> None:
        self.open = None if tag == self.open else self.open

    def handle_data(self, data: str) -> None:
        if self.open:
            self.inside[-1][2] += data


_TAGS = {"div", "style", "p", "strong", "span", "pre", "img", "table", "tbody", "tr", "th", "td", "em"}
_TAGS |= {"svg", "rect", "polyline", "figure", "figcaption", "g", "circle", "line", "text"}


def check_notebook(source: str) -> None:
    """Known elements without handlers and addresses; no script."""
    elements = _Elements(source).found
    assert {tag for tag, _ in elements} <= _TAGS, {tag for tag, _ in elements} - _TAGS
    for _, attributes in elements:
        assert not any(name.startswith("on") or name in ("href", "srcdoc", "action", "id") for name in attributes)
        assert (attributes.get("src") or "data:image/png").startswith("data:image/png")
        assert "url(" not in (attributes.get("style") or "")
    source.encode("utf-8")
    check_quiet(source)


def check_file(e: Explanation, folder: Path) -> None:
    """It is saved and comes back."""
    assert lc.load(e.save(folder / "e.json")) == e


def check_figure(e: Explanation) -> None:
    """An SVG with letters as text: well-formed, without scripts, handlers and addresses."""
    from matplotlib import rc_context

    drawn = io.StringIO()
    with rc_context({"svg.fonttype": "none"}):
        e.plot(**({} if e.scores.ndim == 1 else {"output": 0})).figure.savefig(drawn, format="svg")
    source = drawn.getvalue()
    check_quiet(source)
    for element in ElementTree.fromstring(source).iter():
        tag = element.tag.rpartition("}")[2]
        assert tag not in ("script", "foreignObject", "animate", "set", "iframe", "a"), tag
        for name, value in element.attrib.items():
            assert not name.rpartition("}")[2].startswith("on"), name
            if name.rpartition("}")[2] == "href":
                assert value.startswith(("#", "data:image/png")), value


def check_page(payload: str, shown: list[Explanation], folder: Path, browser: Any) -> None:
    """The page has the elements of a harmless one, and its policy allows its own script alone."""
    pages = [
        report({title: shown}, folder / f"{name}.html", title=title)
        for name, title in (("harmless", "x"), ("hostile", payload))
    ]
    harmless = report({"x": [explanations("x")[kind] for kind in explanations("x")]}, folder / "plain.html", title="x")
    plain, hostile = (_Elements(path.read_text(encoding="utf-8")) for path in (harmless, pages[1]))

    def fixed(elements: _Elements) -> list[str]:
        return [tag for tag, attributes in elements.found if attributes.get("type") != "application/json"]

    assert fixed(plain) == fixed(hostile)
    policy = next(a["content"] for _, a in hostile.found if a.get("http-equiv") == "Content-Security-Policy") or ""
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    for tag, attributes, content in hostile.inside:
        if attributes.get("type") == "application/json":
            json.loads(content)
            assert not re.search("[<>&\u2028\u2029]", content)
        elif tag in ("script", "style"):
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            assert rules[f"{tag}-src"] == f"'sha256-{digest}'"
    assert not any(name.startswith("on") or name == "style" for _, a in hostile.found for name in a)
    if browser is not None:
        for path in pages:
            open_page(browser, path)


def open_page(browser: Any, path: Path) -> None:
    """Open a page and every sample on it; no dialog, error, request or violation, and nothing of the string runs."""
    complaints: list[str] = []
    page = browser.new_page()
    try:
        page.on("dialog", lambda dialog: (complaints.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("pageerror", lambda error: complaints.append(f"error {error}"))
        page.on("console", lambda message: complaints.append(f"console {message.text}"))
        page.on("request", lambda request: request.url == path.as_uri() or complaints.append(f"request {request.url}"))
        page.goto(path.as_uri())
        page.locator("#settings summary").click()
        for row in page.locator("#rows > *").all():
            row.click()
            page.mouse.move(300, 300)
        if page.evaluate("window.ran") is not None:
            complaints.append("it ran")
        if not page.locator("#name").is_visible():
            complaints.append("the page is hidden")
    finally:
        page.close()
    assert not complaints, complaints


def check_table(payload: str) -> None:
    """No cell is a formula."""
    from lcshap.paper.experiments.method_table import to_csv, to_md

    text = to_csv([[payload, -0.5], ["x", 1.0]])
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len(rows) == 2, rows
    assert not rows[0][0].startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")), rows[0][0]
    check_quiet(text)
    assert to_md(["a"], [[payload]])


def check_command(payload: str) -> None:
    """What the command says of the string in any of its options."""
    from typer.testing import CliRunner

    from lcshap.cli.typer_app import app

    model = ["--model", "demo-text"]
    for given in (
        [payload],
        ["explain", *model, "--text", "a", "--method", payload],
        ["explain", *model, "--text", "a", "--target", payload],
        ["explain", *model, "--text", "a", "--units", payload],
        ["explain", *model, "--text", "a", "--budget", payload],
        ["explain", *model, "--text", "a", "--html", payload],
        ["explain", *model, "--text", "a", "--save", f"nowhere/{payload}"],
        ["explain", *model, "--file", payload],
        ["explain", "--model", f"{payload}:x", "--text", "a"],
        ["explain", *model, "--text", "a", "--classes", f"{payload},b", "--target", "c"],
        ["plan", "--graph", payload],
        ["report", payload],
        ["methods", payload],
        ["explain", *model, "--text", "a", f"--{payload}"],
    ):
        result = CliRunner(env={"NO_COLOR": "1", "TERM": "dumb"}).invoke(app, given)
        assert result.exception is None or isinstance(result.exception, SystemExit), f"{given}: {result.exception!r}"
        check_quiet(result.output)
    printed = CliRunner(env={"NO_COLOR": "1", "TERM": "dumb"}).invoke(
        app, ["explain", *model, "--text", f"a {payload} b"]
    )
    check_quiet(printed.output)


def check_errors(payload: str) -> None:
    """What is raised for the string as a class, an option or a file."""

    def model(texts: list[str]) -> list[list[float]]:
        return [[0.5, 0.5]] * len(texts)

    two = {"masker": lc.maskers.Text(), "kind": "probabilities", "classes": [payload, "b"]}
    e = explanations(payload)["bars"]
    for call in (
        lambda: lc.Explainer(model, **two, target="c"),
        lambda: lc.Explainer(model, **two, target=payload[::-1] + "c"),
        lambda: e.plot(payload),
        lambda: e.to_html(payload),
        lambda: lc.get_method(payload),
        lambda: from_dict({"format": payload}, payload),
        lambda: from_dict({"format": "lcshap-explanation", "version": payload}, payload),
        lambda: from_dict({"format": "lcshap-explanation", "version": 2, "class": payload}, payload),
    ):
        try:
            call()
        except lc.LcshapError as error:
            check_quiet(str(error))
        else:
            raise AssertionError("not refused")
