"""For a researcher: how close are estimators to the exact Shapley value on your own game?"""

import numpy as np

import lcshap as lc

rng = np.random.default_rng(0)
d = 14
single, near = rng.normal(size=d), rng.normal(size=d - 1)
game = lc.Game(lambda kept: np.tanh(kept @ single + (kept[:, 1:] & kept[:, :-1]) @ near), d)
graph = lc.Graph.chain(d)

exact = lc.Shapley().explain(game, graph).scores
for method in (
    lc.GraphKernelSHAP(8 * d),
    lc.KernelSHAP(8 * d),
    lc.SampleShapley(8 * d),
    lc.LShapley(2),
    lc.CShapley(2),
):
    e = method.explain(game, graph)
    error = np.sqrt(np.mean((e.scores - exact) ** 2))
    print(f"{method.name:18} {e.calls:4} calls  error {error:.3f}  residual {abs(e.residual):.2f}")
