"""The definitions, written down once more, slowly: dictionaries, frozensets, fractions and loops over all subsets.

Nothing here imports lcshap, and nothing here is clever. `game` is a dict from frozenset to a list of floats (one an
output); `near` is a dict from a unit to the set of its neighbours.
"""

from fractions import Fraction
from itertools import combinations, permutations
from math import comb, factorial


def subsets(units):
    units = sorted(units)
    return [frozenset(c) for size in range(len(units) + 1) for c in combinations(units, size)]


def neighbours(d, edges):
    near = {i: set() for i in range(d)}
    for u, v in edges:
        near[u].add(v)
        near[v].add(u)
    return near


def ball(near, i, k):
    members = {i}
    for _ in range(k):
        members |= {j for u in members for j in near[u]}
    return frozenset(members)


def parts(near, units):
    """Connected components of a set of units, by walking."""
    unvisited, components = set(units), []
    while unvisited:
        stack, component = [unvisited.pop()], set()
        while stack:
            u = stack.pop()
            component.add(u)
            for j in near[u] & unvisited:
                unvisited.discard(j)
                stack.append(j)
        components.append(frozenset(component))
    return components


def connected(near, units):
    return len(parts(near, units)) == 1


def weighted_sum(terms, outputs):
    return [float(sum(Fraction(w) * Fraction(v[o]) for w, v in terms)) for o in range(outputs)]


def shapley(d, game):
    outputs = len(game[frozenset()])
    scores = []
    for i in range(d):
        terms = []
        for S in subsets(range(d)):
            if i in S:
                w = Fraction(1, d * comb(d - 1, len(S) - 1))
                terms += [(w, game[S]), (-w, game[S - {i}])]
        scores.append(weighted_sum(terms, outputs))
    return scores


def shapley_by_permutations(d, game):
    outputs = len(game[frozenset()])
    scores = []
    for i in range(d):
        terms = []
        for order in permutations(range(d)):
            before = frozenset(order[: order.index(i)])
            terms += [(Fraction(1, factorial(d)), game[before | {i}]), (Fraction(-1, factorial(d)), game[before])]
        scores.append(weighted_sum(terms, outputs))
    return scores


def contexts(d, neighbourhood, context):
    outside = frozenset(range(d)) - neighbourhood
    return {"absent": [frozenset()], "present": [outside], "both": [frozenset(), outside]}[context]


def l_shapley(d, near, game, k, context):
    outputs = len(game[frozenset()])
    scores = []
    for i in range(d):
        N = ball(near, i, k)
        n = len(N)
        terms = []
        for K in contexts(d, N, context):
            for T in subsets(N):
                if i in T:
                    w = Fraction(1, n * comb(n - 1, len(T) - 1)) / len(contexts(d, N, context))
                    terms += [(w, game[T | K]), (-w, game[(T | K) - {i}])]
        scores.append(weighted_sum(terms, outputs))
    return scores


def c_shapley_weights(near, N, i, weights, max_size):
    """The weight of every connected U around i within N."""
    weight_of = {}
    for U in subsets(N):
        if i not in U or not connected(near, U) or (max_size is not None and len(U) > max_size):
            continue
        u = len(U)
        if weights == "paper":
            weight_of[U] = Fraction(2, (u + 2) * (u + 1) * u)
        else:
            b = len({j for j in N - U if near[j] & U})
            weight_of[U] = Fraction(factorial(u - 1) * factorial(b), factorial(u + b))
    if weights == "myerson" and max_size is not None:
        total = sum(weight_of.values())
        weight_of = {U: w / total for U, w in weight_of.items()}
    return weight_of


def c_shapley(d, near, game, k, context, weights, marginals, max_size):
    outputs = len(game[frozenset()])
    scores = []
    for i in range(d):
        N = frozenset(range(d)) if k is None else ball(near, i, k)
        terms = []
        for K in contexts(d, N, context):
            share = Fraction(1, len(contexts(d, N, context)))
            for U, w in c_shapley_weights(near, N, i, weights, max_size).items():
                w = w * share
                terms.append((w, game[U | K]))
                if marginals == "direct":
                    terms.append((-w, game[(U - {i}) | K]))
                else:
                    pieces = parts(near, U - {i})
                    terms += [(-w, game[W | K]) for W in pieces]
                    terms.append((w * (len(pieces) - 1), game[K]))
        scores.append(weighted_sum(terms, outputs))
    return scores


def component_game(d, near, game):
    """v^G(S): the sum over the connected parts of S of what each is worth, v(∅) being nothing's worth."""
    empty = game[frozenset()]
    worth = {}
    for S in subsets(range(d)):
        pieces = parts(near, S)
        worth[S] = [e + sum(game[W][o] - e for W in pieces) for o, e in enumerate(empty)]
    return worth


def myerson(d, near, game):
    return shapley(d, component_game(d, near, game))


def interaction(d, near, game, k, context, i, j):
    """The Shapley interaction index of i and j within N_k(i) ∩ N_k(j)."""
    outputs = len(game[frozenset()])
    M = ball(near, i, k) & ball(near, j, k)
    n = len(M)
    terms = []
    for K in contexts(d, M, context):
        share = Fraction(1, len(contexts(d, M, context)))
        for T in subsets(M - {i, j}):
            t = len(T)
            w = share * Fraction(factorial(t) * factorial(n - t - 2), factorial(n - 1))
            A = T | K
            terms += [(w, game[A | {i, j}]), (-w, game[A | {i}]), (-w, game[A | {j}]), (w, game[A])]
    return weighted_sum(terms, outputs)


def authors(d, game, kind, num_neighbors, max_order):
    """The released code of Chen et al., read line by line: positions modulo d, ones outside the window."""
    outputs = len(game[frozenset()])
    k = num_neighbors
    while k >= d:
        k -= 2
    half = k // 2
    scores = []
    for i in range(d):
        window = {p % d for p in range(i - half, i + half + 1)}
        outside = frozenset(range(d)) - window
        terms = []
        if kind == "L":
            for T in subsets(window - {i}):
                w = Fraction(1, comb(k, len(T)) * (k + 1))
                terms += [(w, game[T | {i} | outside]), (-w, game[T | outside])]
        else:
            for s in range(half + 1):
                for t in range(half + 1):
                    arc = frozenset(p % d for p in range(i - s, i + t + 1))
                    u = s + t + 1
                    if u <= (k + 1 if max_order is None else max_order):
                        w = Fraction(2, u * (u + 1) * (u + 2))
                        terms += [(w, game[arc | outside]), (-w, game[(arc | outside) - {i}])]
        scores.append(weighted_sum(terms, outputs))
    return scores
