"""Contexts of facts that nobody can know: passages, a question, its answer, and which passages hold it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_NAMES = """
Alma Bruno Clara Dario Elsa Felix Greta Hugo Ida Jonas Karin Leo Mona Nils Olga Pavel Rosa Sven Tilda Viktor

Vardo Lisbon Oslo Kyoto Quito Tunis Riga Cork Gdansk Porto Bergen Malmo Turin Lyon Basel Ghent Nantes Delft Bilbao Graz

violin telescope canoe lantern compass kettle globe carpet anchor sextant
drum clock vase saddle loom bell harp mirror chest ladder

baker pilot nurse judge painter tailor miller sailor potter weaver singer farmer
"""
_PEOPLE, _TOWNS, _THINGS, _JOBS = (block.split() for block in _NAMES.split("\n\n"))


@dataclass(frozen=True)
class Context:
    """Passages, a question, its answer, and which passages hold it."""

    passages: list[str]
    question: str
    answer: str
    right: list[int]


def make_contexts(count: int, seed: int = 0) -> list[Context]:
    """Facts about people: one or two passages hold the answer, six to twenty do not."""
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
