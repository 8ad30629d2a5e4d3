"""Explain games by all methods, and print a digest of the coalitions that each asked for, and the scores, as JSON.

The values of the games are computed without BLAS and without functions that NumPy computes differently on different
processors, so that all differences come from the methods.
"""

import hashlib
import json
import os

import numpy as np
import scipy.linalg  # noqa: F401 -- loads the BLAS library of SciPy, so that its number of threads is set too
from threadpoolctl import threadpool_info, threadpool_limits

import lcshap as lc


def largest_sum(weights, kept):
    """The largest of five sums of units, in absolute value: sums of integers, which are exact in any order."""
    return np.abs(kept.astype(np.int64) @ weights).max(axis=1) / 1024


def examples(d):
    if d == 9:
        return [method for entry in lc.METHODS.built_in() for method in entry.examples]
    sampled = [lc.KernelSHAP, lc.SampleShapley, lc.ContextCite, lc.LIME, lc.DeletionPath]
    if d <= 20:
        sampled.append(lc.BanzhafSurrogate)  # it takes seconds with more units
    designs = [lc.GraphKernelSHAP(calls * d, seed=seed) for calls in (2, 4, 8, 16, 32) for seed in (0, 3)]
    return designs + [method(8 * d) for method in sampled] + [lc.InsertionPath(4 * d)]


def explain_all():
    results = {}
    for d in (9, 20, 64, 100):
        weights = np.random.default_rng(d).integers(-2048, 2048, (d, 5))
        for graph in (lc.Graph.chain(d), lc.Graph.complete(d)):
            for method in examples(d):
                requests = []

                def game(kept, weights=weights, requests=requests):
                    requests.append(np.packbits(kept, axis=1).tobytes())
                    return largest_sum(weights, kept)

                try:
                    scores = method.explain(lc.Game(game, d), graph).scores
                except lc.errors.MethodError:  # it needs more than a game, such as gradients or trees
                    continue
                results[f"{method} on {graph}"] = (hashlib.sha256(b"".join(requests)).hexdigest(), scores.tolist())
    return results


def main():
    threads = os.environ.get("LCSHAP_TEST_THREADS")
    with threadpool_limits(int(threads) if threads else None, user_api="blas"):
        results = explain_all()
        pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    content = {
        "architectures": sorted({pool["architecture"] for pool in pools}),
        "threads": sorted({pool["num_threads"] for pool in pools}),
        "results": results,
    }
    print(json.dumps(content))


if __name__ == "__main__":
    main()
