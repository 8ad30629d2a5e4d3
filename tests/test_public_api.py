import subprocess
import sys

import lcshap as lc

NAMES = [
    *("Graph", "Game", "Coalitions", "Plan", "PlanSum", "Explanation", "PathExplanation", "run"),
    *("Method", "SampledMethod", "METHODS", "get_method", "compat", "__version__"),
    *("Shapley", "Myerson", "LShapley", "CShapley", "SampledLShapley", "SampledCShapley", "RegressionCShapley"),
    *("DividendCShapley", "GraphKernelSHAP", "KernelSHAP", "SampleShapley", "LIME", "FeatureAblation"),
    *("DeletionPath", "InsertionPath", "Saliency", "GradientInput"),
    *(
        "Explainer",
        "explain",
        "adapters",
        "maskers",
        "choose",
        "Choice",
        "locality",
        "Locality",
        "load",
        "FileFormatError",
    ),
    *("metrics", "plots", "report"),
    *("LcshapError", "GraphError", "MethodError", "PlanError", "PlanTooLargeError", "GameError"),
    *("MaskerError", "ModelError", "MissingExtraError", "OptionError", "BudgetError", "MetricError", "ShowError"),
    *("DataError", "Unfinished", "RunFailedError", "Interrupted"),
]


def test_public_names():
    """Adding or removing a public name is a decision: change this list with it, and the changelog."""
    assert sorted(lc.__all__) == sorted(NAMES)
    assert all(hasattr(lc, name) for name in NAMES)


def test_every_public_thing_is_documented_with_an_example():
    for name in (
        "Graph",
        "Game",
        "Plan",
        "Coalitions",
        "run",
        "choose",
        "locality",
        *(m.__name__ for m in lc.METHODS.values()),
    ):
        assert ">>>" in getattr(lc, name).__doc__ or "for an example" in getattr(lc, name).__doc__, name


def test_errors_are_one_tree():
    for name in NAMES:
        thing = getattr(lc, name)
        if isinstance(thing, type) and issubclass(thing, BaseException):
            assert issubclass(thing, lc.LcshapError | lc.Unfinished)


def test_import_takes_the_core_alone():
    others = ("matplotlib", "networkx", "torch", "pandas", "rich", "rdkit", "jax", "keras", "transformers")
    code = f"import lcshap, sys; print([m for m in {others} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
