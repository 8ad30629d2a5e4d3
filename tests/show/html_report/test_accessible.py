"""axe-core finds nothing wrong with the page: every kind of picture, with everything open, in light and in dark."""

import re
from contextlib import closing
from importlib.resources import files

import numpy as np
import pytest
from showing import answer, prompt

import lcshap as lc
from lcshap.core.pair_matrices import pair_matrix
from lcshap.core.views import MoleculeView, SeriesView

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
RUN = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
BLOCK = lc.maskers.Molecule().mask("CC(=O)Oc1ccccc1C(=O)O").view.block


def make_explanation(view, d, names=None, **more):
    draw = np.random.default_rng(0)
    scores = draw.normal(size=d)
    record = {"method": "KernelSHAP(64)", "value": "log_prob", "targets": ["yes"]}
    curve = {"percents": np.array([0.0, 50.0, 100.0]), "counts": np.array([0, d // 2, d])}
    curve |= {"values": np.array([2.0, 0.5, -1.0]), "what": "log-odds of yes"}
    graph = lc.Graph.chain(d, names=names)
    errors = np.abs(draw.normal(size=d))
    options = {"view": view, "curve": curve, "stderr": errors, "dof": 9, **more}
    return lc.Explanation(scores, -2.0, -0.1, graph, 64, record, **options)


def text(words="It is not heartwarming or entertaining. It just sucks."):
    view = lc.maskers.Text().mask(words).view
    e = make_explanation(view, len(words.split()), words.split())
    pairs = pair_matrix(e.graph, np.linspace(-1, 1, len(e.graph.edges)))
    return make_explanation(view, len(words.split()), words.split(), interactions=pairs)


def image(side=6):
    view = lc.maskers.Image().mask(np.arange(float(side * side)).reshape(side, side)).view
    return make_explanation(view, side * side)


def series():
    labels = np.repeat(np.arange(4), 5)[:, None] + np.array([0, 4])
    return make_explanation(
        SeriesView(series=np.sin(np.arange(40.0)).reshape(20, 2), channels=("x", "y"), labels=labels), 8
    )


def dump():
    return make_explanation(lc.maskers.Bytes().mask(bytes(range(256)) * 8).view, 2048)


def table():
    masker = lc.maskers.Tabular(np.zeros((2, 3)), names=["age", "dose", "sex"])
    return make_explanation(masker.mask(np.array([70.0, 1.5, 1.0])).view, 3, ["age", "dose", "sex"])


def molecule():
    return make_explanation(MoleculeView(block=BLOCK, labels=np.arange(13)), 13)


def bars():
    return make_explanation(None, 30)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("make", [text, image, series, dump, table, molecule, bars, answer, prompt])
def test_no_violation(make, dark, show):
    page = show({"one": [make(), text("good"), text("a bad film")], "two": [make()]}, dark=dark, labels=["yes"] * 3)
    page.locator("#keep").click()
    for box in page.locator("#pairs").all():
        box.check()
    page.locator("#settings summary").click()
    page.locator("#slider").fill("1")
    page.locator("#picture").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.evaluate(AXE)
    violations = page.evaluate(RUN)
    page.get_by_role("button", name="Data set").click()
    violations += page.evaluate(RUN)
    assert describe_violations(violations) == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("make", [text, image, series, dump, table, molecule, bars, answer, prompt])
def test_no_violation_without_javascript(make, dark, chromium, tmp_path):
    """The tool is a script itself: it looks at a copy of the page as other browsers show it."""
    source = lc.report([make(), text("good")], tmp_path / "page.html", labels=["yes"] * 2).read_text(encoding="utf-8")
    source = re.sub("<script.*?</script>|<meta http-equiv[^>]*>", "", source, flags=re.DOTALL)
    changes = {"<noscript>": "<div class=noscript>", "</noscript>": "</div>", "scripting: none": "scripting: enabled"}
    for old, new in {**changes, "\nnoscript ": "\n.noscript "}.items():
        assert old in source
        source = source.replace(old, new)
    with closing(chromium.new_page(color_scheme="dark" if dark else "light")) as page:
        page.set_content(source)
        assert page.locator("article").count() == 2
        assert page.locator("#columns").is_hidden()
        page.evaluate(AXE)
        assert describe_violations(page.evaluate(RUN)) == []


def describe_violations(violations):
    return [(v["id"], [n["html"][:200] for n in v["nodes"]][:3], v["nodes"][0]["failureSummary"]) for v in violations]
