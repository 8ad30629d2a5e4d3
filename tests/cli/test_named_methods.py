"""Methods and graphs by name, and what is said of them."""

import time
from dataclasses import fields, make_dataclass

import pytest
from command import explained, fails, module, run

import lcshap as lc
from lcshap.cli import named_methods as methods
from lcshap.cli import option_groups as declare
from lcshap.cli import options_shared as options
from lcshap.core.table_method import TableMethod

TABLE_METHODS = [name for name, kind in lc.METHODS.items() if issubclass(kind, TableMethod)]
MORE = ("saliency", "gradient-input", "receptive-shapley", *TABLE_METHODS)  # methods that need more than values


@pytest.mark.parametrize("name", [n for n in lc.METHODS if n not in MORE])
def test_every_method_can_be_named(name):
    budget = ("--budget", "12d") if "budget" in [f.name for f in fields(lc.METHODS[name])] else ()
    e = explained("--model", "demo-text", "--method", name, *budget)
    assert e.provenance["name"] == name
    assert len(e.scores) == 9


@pytest.mark.parametrize("name", ["saliency", "gradient-input"])
def test_methods_that_read_gradients_need_a_model_that_has_them(workdir, name):
    fails("explain", "--model", "demo-text", "--method", name, code=2, match="Choose a method that needs only values")
    module(workdir, "linear", "import torch\nnet = torch.nn.Linear(3, 2)\n")
    (workdir / "t.csv").write_text("a,b,c\n1,2,3\n4,5,6\n7,8,9\n")
    e = explained("--model", "linear:net", "--kind", "logits", "--csv", "t.csv", "--background", 0, "--method", name)
    assert e.provenance["name"] == name


def test_trees_need_a_tree_ensemble(workdir):
    fails("explain", "--model", "demo-text", "--method", "tree-shap", code=2, match="a weighted sum of outputs")
    grown = "from sklearn.tree import DecisionTreeRegressor as T\ntree = T().fit([[1, 2], [4, 5], [7, 8]], [1, 2, 4])\n"
    module(workdir, "grown", grown)
    (workdir / "t.csv").write_text("a,b\n1,2\n4,5\n7,8\n")
    e = explained("--model", "grown:tree", "--csv", "t.csv", "--background", 0, "--method", "tree-shap", "--row", 2)
    assert e.provenance["name"] == "tree-shap"
    assert abs(e.residual) < 1e-12


def test_weights_need_a_linear_model(workdir):
    fails("explain", "--model", "demo-text", "--method", "linear-shap", code=2, match="a weighted sum of outputs")
    fitted = (
        "from sklearn.linear_model import LinearRegression as L\nline = L().fit([[1, 2], [4, 5], [7, 9]], [1, 2, 4])\n"
    )
    module(workdir, "fitted", fitted)
    (workdir / "t.csv").write_text("a,b\n1,2\n4,5\n7,9\n")
    words = ("--model", "fitted:line", "--csv", "t.csv", "--background", 0, "--row", 2)
    named, chosen = explained(*words, "--method", "linear-shap"), explained(*words)
    assert named.provenance["name"] == chosen.provenance["name"] == "linear-shap"
    assert named.scores.tolist() == chosen.scores.tolist()
    assert abs(named.residual) < 1e-12


def test_parts_need_a_model_that_has_them(workdir):
    fails("explain", "--model", "demo-text", "--method", "receptive-shapley", code=2, match="without parts")
    summed = "from lcshap.adapters import CallableModel\nimport numpy as np\n"
    summed += "model = CallableModel(lambda x: np.sum(x, axis=1), 'output', parts=lambda x: np.array(x))\n"
    module(workdir, "summed", summed)
    (workdir / "t.csv").write_text("a,b\n1,2\n4,5\n7,8\n")
    options = ("--csv", "t.csv", "--background", 0, "--row", 2)
    for method in ("receptive-shapley:order=0", "receptive-shapley:hops=0"):  # the second name is that of version 0.2
        e = explained("--model", "summed:model", *options, "--method", method)
        assert e.scores.tolist() == [4.5, 4.5]  # the others' mean is 2.5, 3.5
        assert e.provenance["parameters"]["order"] == 0


def test_parameters_of_methods():
    words = ("--model", "demo-text", "--text", "a very good film")
    e = explained(*words, "--method", "l-shapley:order=2:interactions=true")
    assert e.provenance["parameters"] == {"order": 2, "context": "absent", "interactions": True}
    assert e.interactions is not None
    e = explained(*words, "--method", "l-shapley", "--interactions", "edges")
    assert e.provenance["parameters"] == {"order": 1, "context": "absent", "interactions": True}
    e = explained(*words, "--interactions", "all")
    assert (e.provenance["name"], e.interactions.nnz) == ("graph-kernel-shap", 12)
    assert not e.interaction_stderr.toarray().any()
    fails(
        "explain",
        *words,
        "--method",
        "lime",
        "--interactions",
        "all",
        code=2,
        match="a parameter of lime, got 'interactions'",
    )
    fails("explain", *words, "--goal", "necessary", "--interactions", "all", code=2, match="has no pair interactions")
    e = explained(*words, "--method", "c-shapley", "--weights", "myerson")
    assert e.provenance["parameters"]["weights"] == "myerson"
    e = explained(*words, "--method", "kernel-shap:budget=3d", "--seed", 5)
    assert e.provenance["parameters"] == {"budget": 12, "seed": 5}
    assert explained(*words, "--budget", 20).provenance["chosen"]["budget"] == 20
    assert explained(*words, "--goal", "necessary", "--budget", "4d").provenance["name"] == "deletion-path"
    fails(
        "explain",
        *words,
        "--method",
        "shapley",
        "--order",
        2,
        code=2,
        match="Expected a parameter of shapley, got 'order'",
    )
    fails(
        "explain",
        *words,
        "--method",
        "l-shapley:depth=2",
        code=2,
        match="Its parameters are order, context, interactions",
    )
    fails("explain", *words, "--method", "l-shapley:2", code=2, match="name=value")
    fails("explain", *words, "--order", 2, code=2, match="Choose one with --method")
    fails("explain", *words, "--budget", "many", code=2, match="Expected a budget such as 300")
    fails("explain", *words, "--goal", "fun", code=2, match="Expected one of .* as goal")


def test_plan_is_the_cost_preview():
    graphs = {
        "chain:400": lc.Graph.chain(400),
        "ring:12": lc.Graph.ring(12),
        "grid:8x9": lc.Graph.grid((8, 9)),
        "grid:3x4x5": lc.Graph.grid((3, 4, 5)),
        "complete:6": lc.Graph.complete(6),
        "tree:-1,0,0,2": lc.Graph.tree([-1, 0, 0, 2]),
    }
    for text, graph in graphs.items():
        assert run("plan", "--graph", text)[0] == f"{lc.LShapley(1).plan(graph)}\n"
    out = run("plan", "--graph", "chain:50", "--method", "l-shapley", "--method", "lime", "--order", 2)[0]
    assert out == f"{lc.LShapley(2).plan(lc.Graph.chain(50)) + lc.LIME(400).plan(lc.Graph.chain(50))}\n"
    assert "at most 400" in run("plan", "--graph", "chain:50", "--method", "deletion-path")[0]
    assert "one gradient" in run("plan", "--graph", "chain:50", "--method", "saliency")[0]
    fails("plan", "--graph", "chain:50", "--method", "shapley", code=1, match=r"2\^50 calls, above max_calls")
    fails("plan", "--graph", "chain:50", "--max-calls", 10, code=1, match="above max_calls=10")
    fails("plan", "--graph", "chian:50", code=2, match="did you mean chain")
    for wrong in ("chain:", "chain:many", "grid:8y8", "chain:3x4"):
        fails("plan", "--graph", wrong, code=2, match="Expected a graph such as")
    fails("plan", "--graph", "chain:0", code=1, match="at least one unit")
    fails("plan", code=2, match="Expected one of --graph, --text and --file, got none")


def test_methods_describes_each_method_and_its_cost():
    out = run("methods")[0]
    flat = " ".join(out.split())
    for entry in lc.METHODS.entries():
        description = f"{entry.name}: {entry.signature} {entry.summary} {entry.choose} Calls: {entry.cost}."
        assert " ".join(description.split()) in flat
    assert "l-shapley: LShapley(order)" in out
    assert "shapley: Shapley()" in out
    assert "Calls: up to the budget, from d + 2." in out
    assert "d is the number of units" in out
    assert max(map(len, out.splitlines())) <= 100
    full_description = run("methods", "c-shapley")[0]
    assert lc.CShapley.choose in " ".join(full_description.split())
    fails("methods", "kernelshap", code=2, match="did you mean kernel-shap")


class TestOptionsAndParameters:
    """An option that the user sets is used or refused, and never ignored."""

    graph = lc.Graph.chain(8)

    def make(self, *texts, **settings):
        return methods.make_methods(texts, self.graph, options.MethodSettings(**settings))

    def test_options_reach_the_methods_that_take_them(self):
        assert self.make("kernel-shap", budget="40", seed=3) == [lc.KernelSHAP(40, seed=3)]
        assert self.make("kernel-shap") == [lc.KernelSHAP(256)]
        assert self.make("shapley", "lime", "l-shapley", budget="5d", order=2) == [
            lc.Shapley(),
            lc.LIME(40),
            lc.LShapley(2),
        ]
        assert self.make("lime:budget=50", "kernel-shap", budget="40") == [lc.LIME(50), lc.KernelSHAP(40)]

    @pytest.mark.parametrize(
        ("texts", "settings", "says"),
        [
            (["lime:budget=50"], {"budget": "400"}, "got both --budget and lime:budget=50"),
            (["shapley", "lime:budget=50"], {"budget": "400"}, "Expected one budget, got both"),
            (["lime:seed=1"], {"seed": 1}, "got both --seed and lime:seed=1"),
            (["l-shapley:order=1"], {"order": 2}, "Expected one order, got both"),
            (["shapley"], {"seed": 0}, "a parameter of shapley, got 'seed'. Its parameters are units"),
            (["shapley", "l-shapley"], {"seed": 0}, "the parameter 'seed', got shapley, l-shapley"),
            (["shapley", "lime"], {"weights": "paper"}, "the parameter 'weights', got shapley, lime"),
        ],
    )
    def test_unused_and_duplicate_options_are_refused(self, texts, settings, says):
        with pytest.raises(declare.UsageError, match=says):
            self.make(*texts, **settings)

    def test_a_budget_that_cannot_be_kept_is_refused_with_the_cost(self):
        assert self.make("shapley", budget="256") == [lc.Shapley()]
        with pytest.raises(lc.errors.BudgetError, match=r"got 255 calls: it takes 256 for 8 units"):
            self.make("shapley", budget="255")

    def test_on_the_command_line_they_are_usage_errors(self):
        words = ("explain", "--model", "demo-text", "--method")
        fails(*words, "lime:budget=50", "--budget", 400, code=2, match="Expected one budget, got both")
        fails(*words, "shapley", "--budget", 5, code=2, match="it takes 512")
        fails(*words, "shapley", "--seed", 0, code=2, match="a parameter of shapley, got 'seed'")
        fails(*words, "shapley", "--goal", "fair", code=2, match="Expected --goal only with --method auto")
        fails(*words, "l-shapley:order=-1", code=2, match="Expected order as an integer of at least 0")
        fails(
            *words, "c-shapley:weights=heavy", code=2, match="Expected one of 'auto', 'paper', 'myerson'.* as weights"
        )
        fails(*words, "lime:budget=many", code=2, match="budget")


def test_a_registered_method_can_be_named(monkeypatch):
    texts = {"name": "twice", "summary": "Twice.", "choose": "Never.", "cost_in_words": "d + 2"}
    twice = make_dataclass("Twice", [("factor", int)], bases=(lc.FeatureAblation,), namespace=texts, frozen=True)
    monkeypatch.setattr(lc.METHODS, "_entries", {e.name: e for e in lc.METHODS.entries()})
    lc.register_method(twice)
    method_list = methods.make_methods(["twice:factor=2"], lc.Graph.chain(3), options.MethodSettings())
    assert method_list == [twice(2)]
    with pytest.raises(declare.UsageError, match=r"the parameter factor of twice, got none. Write twice:factor=\.\.\."):
        methods.make_methods(["twice"], lc.Graph.chain(3), options.MethodSettings())
    assert "twice: Twice(factor)" in run("methods")[0]


def test_guesses_and_graphs():
    assert methods.suggest_names("l-shaply", lc.METHODS).startswith(" (did you mean l-shapley")
    assert methods.suggest_names("xyz", lc.METHODS) == ""
    assert methods.parse_graph("tree:-1,0,0") == lc.Graph.tree([-1, 0, 0])
    assert methods.read_budget("400") == 400
    assert methods.read_budget("4d") == "4d"
    assert [methods.is_time_budget(b) for b in (None, "4d", "10s")] == [False, False, True]


def test_graphs_of_many_short_axes_take_no_time():
    start = time.perf_counter()
    run("plan", "--graph", "grid:" + "x".join(["1"] * 16))
    fails("plan", "--graph", "grid:" + "x".join(["1"] * 40), code=1, match="at most 32 sides")
    fails("plan", "--graph", "chain:2000000000", code=1, match="at most 10,000,000 units")
    fails("plan", "--graph", "chain:" + "9" * 5000, code=2, match="Expected a graph such as")
    assert time.perf_counter() - start < 3


def test_plans_that_take_long_are_not_made_to_show_costs(monkeypatch):
    large = [lc.GraphKernelSHAP(20_000), lc.FeatureAblation()]
    monkeypatch.setattr("lcshap.estimators.graph_kernel_shap.choose_pairs", None)
    assert methods.preview_methods(large, lc.Graph.grid((60, 60)), 1_000_000).splitlines()[-1] == (
        "together: up to 23,602 calls, fewer where coalitions are the same"
    )
    small = [lc.LShapley(1), lc.FeatureAblation()]
    assert "together: 47 calls (49 if run one by one)" in methods.preview_methods(small, lc.Graph.chain(10), 1_000_000)
