"""Prefix sharing: tokens computed and processor time, against the best batched run without it.

A context of some 1,000 tokens is explained by leave-one-out, L-Shapley and GraphKernelSHAP. Tokens are counted for
all of them: "ceiling" is how many tokens the rows have for each node of the tree of their tokens, which no exact
computation that shares beginnings can exceed; "reached" is what the adapter computes. Processor time is measured with
SmolLM2 (extra `llm`) for the settings that are asked for, beside padded batches of rows of like length without sharing,
of which the fastest size counts.

With --rounding the script prints how far log-probabilities in single precision are from those in double precision, for
the first setting: of rows one by one, of padded batches, and with sharing. That is what rounding does by itself.

    python -m benchmarks.prefix_sharing [--timed 0 2] [--sizes 1 4] [--words 75] [--rounding]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lcshap as lc
from benchmarks.facts import make_contexts
from benchmarks.smollm2 import load_model
from lcshap.adapters.prefix_sharing import count_tokens

Floats = NDArray[np.float64]
ANSWER = " The answer is in the first of these passages."


@dataclass(frozen=True)
class Setting:
    """What is explained, and how."""

    name: str
    prompt: lc.maskers.Prompt
    sources: list[str]
    method: lc.Method


def settings(words: int) -> list[Setting]:
    """Leave-one-out, L-Shapley and GraphKernelSHAP on ten documents; the last with as much pinned text before them."""
    facts = [passage for context in make_contexts(30) for passage in context.passages]
    documents, number = [], 0
    for _ in range(10):
        text: list[str] = []
        while sum(len(fact.split()) for fact in text) < words:
            text.append(facts[number])
            number += 1
        documents.append(" ".join(text))
    pinned = " ".join(facts[number:])[: len(" ".join(documents))]
    after = "{sources}\n\nQuestion: Where is it?\nAnswer:"
    plain, before = lc.maskers.Prompt(after), lc.maskers.Prompt(f"{pinned}\n\n{after}")
    sentences = lc.maskers.Prompt(after, level="sentence")
    each = lc.maskers.Prompt(after, level="word")
    return [
        Setting("leave-one-out, 10 documents", plain, documents, lc.FeatureAblation()),
        Setting("GraphKernelSHAP 3d, 10 documents", plain, documents, lc.GraphKernelSHAP(30)),
        Setting("the same after as much pinned text", before, documents, lc.GraphKernelSHAP(30)),
        Setting("GraphKernelSHAP 16d, 10 documents", plain, documents, lc.GraphKernelSHAP(160)),
        Setting("the same after as much pinned text", before, documents, lc.GraphKernelSHAP(160)),
        Setting("leave-one-out, sentences", sentences, documents, lc.FeatureAblation()),
        Setting("L-Shapley(1), sentences", sentences, documents, lc.LShapley(1)),
        Setting("L-Shapley(1), words", each, documents, lc.LShapley(1)),
    ]


def rows_of(setting: Setting) -> list[str]:
    """The distinct prompts of a plan."""
    masked = setting.prompt.mask({"sources": setting.sources})
    return list(dict.fromkeys(masked.rows(setting.method.plan(masked.graph).coalitions)))


def ceiling(sequences: Any) -> float:
    """Tokens of all rows over the nodes of their tree, answers included."""
    nodes: set[int] = set()
    total = 0
    for prompt, answer in sequences:
        code = 0
        for token in [*prompt, *answer[:-1]]:
            code = hash((code, token))
            nodes.add(code)
            total += 1
    return total / len(nodes)


def timed(model: Any, tokenizer: Any, rows: list[str], sizes: list[int]) -> str:
    """Processor time with sharing, and of the best batches without it."""
    adapter = lc.adapters.CausalLMModel(model, tokenizer, ANSWER)
    adapter.predict(rows[:1])
    start = time.process_time()
    shared = adapter.predict(rows)
    took = time.process_time() - start
    plain = lc.adapters.CausalLMModel(model, tokenizer, ANSWER, share_prefixes=False)
    order = np.argsort([len(row) for row in rows])
    times = {}
    for size in sizes:
        found = np.empty_like(shared)
        start = time.process_time()
        for at in range(0, len(rows), size):
            part = order[at : at + size]
            found[part] = plain.predict([rows[k] for k in part])
        times[size] = time.process_time() - start
    best = min(times, key=lambda size: times[size])
    return (
        f"{took:.1f} s, {times[best]:.1f} s in batches of {best}: {times[best] / took:.2f} times as fast; the largest "
        f"difference is {np.abs(shared - found).max():.0e} of log-probabilities down to {shared.min():.0f}"
    )


def rounding(model: Any, tokenizer: Any, rows: list[str]) -> Iterator[str]:
    """How far from double precision log-probabilities are, computed in four ways."""

    def ask(size: int, **options: Any) -> Floats:
        adapter = lc.adapters.CausalLMModel(model, tokenizer, ANSWER, parts="token", **options)
        return np.concatenate([adapter.predict(rows[at : at + size]) for at in range(0, len(rows), size)])

    ways = {
        "one row at a time": lambda: ask(1, share_prefixes=False),
        "padded batches of 4": lambda: ask(4, share_prefixes=False),
        "padded batches of 8": lambda: ask(8, share_prefixes=False),
        "with shared prefixes": lambda: ask(len(rows)),
    }
    found = {way: compute() for way, compute in ways.items()}
    model.double()
    exact, shared = ask(1, share_prefixes=False), ask(len(rows))
    yield f"double precision: sharing changes log-probabilities by {np.abs(shared - exact).max():.0e} at most"
    yield "single precision, away from double precision    answer: mean, largest    token: mean, largest"
    for way, values in found.items():
        off = np.abs(values - exact)
        parts = [f"{part.mean():.0e} {part.max():.0e}" for part in (off[:, :1], off[:, 1:])]
        yield f"  {way:<46}         {parts[0]}           {parts[1]}"
    first = found["one row at a time"]
    for way, values in found.items():
        if values is not first:
            yield f"  {way} from one row at a time: answers differ by {np.abs(values - first)[:, 0].max():.0e} at most"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--timed", type=int, nargs="*", default=[0, 1, 2, 6], help="the settings that are timed")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 4, 8], help="rows of a batch without sharing")
    parser.add_argument("--words", type=int, default=75)
    parser.add_argument("--rounding", action="store_true", help="compare precisions, and time nothing")
    options = parser.parse_args()
    model, tokenizer = load_model()
    adapter = lc.adapters.CausalLMModel(model, tokenizer, ANSWER)
    for number, setting in enumerate(settings(options.words)):
        rows = rows_of(setting)
        sequences = adapter._sequences(rows)
        computed, given = count_tokens(sequences)
        most = ceiling(sequences)
        print(
            f"{setting.name}: {len(rows):,} rows, {given:,} tokens, {computed:,} computed; ceiling {most:.2f}, reached "
            f"{given / computed:.2f} ({given / computed / most:.0%})",
            flush=True,
        )
        if options.rounding:
            print("\n".join(rounding(model, tokenizer, rows)))
            break
        if number in options.timed:
            print(f"    {timed(model, tokenizer, rows, options.sizes)}", flush=True)
