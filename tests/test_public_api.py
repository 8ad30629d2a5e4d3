import subprocess
import sys

import lcshap as lc

NAMES = [
    *("Graph", "Game", "Coalitions", "Plan", "PlanSum", "Explanation", "PathExplanation", "run"),
    *("Method", "SampledMethod", "METHODS", "Axioms", "get_method", "register_method", "compat", "__version__"),
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
    *("DataError", "Unfinished", "RunFailedError", "Interrupted", "Store", "MemoryStore"),
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


def test_a_type_checker_knows_every_method_and_no_other(tmp_path):
    """`mypy --strict` on a user's file: the names of the registry are there, a typo is an error on its line."""
    names = [m.__name__ for m in lc.METHODS.values()]
    lines = ["import lcshap as lc", *(f"kind: type[lc.Method] = lc.{name}" for name in names[:1])]
    lines += [f"kind = lc.{name}" for name in names[1:]] + ["kind = lc.Shaply", "lc.Shapley().nme"]
    (tmp_path / "user.py").write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "user.py"]
    said = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout
    errors = [line for line in said.splitlines() if line.startswith("user.py:") and ": error:" in line]
    assert [int(line.split(":")[1]) for line in errors] == [len(lines) - 1, len(lines)], said
