import subprocess
import sys

import lcshap as lc


def test_the_list_of_public_names_is_what_there_is():
    assert sorted(lc.__all__) == lc.__all__
    assert "__version__" in lc.__all__
    assert all(getattr(lc, name) is not None and name in dir(lc) for name in lc.__all__)
    assert not [name for name in lc.__all__ if name.startswith("_") and name != "__version__"]


def test_every_public_object_is_documented_with_an_example():
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
    exceptions = [obj for obj in vars(lc.errors).values() if isinstance(obj, type)]
    exceptions = [obj for obj in exceptions if issubclass(obj, BaseException)]
    assert len(exceptions) >= 20
    assert all(issubclass(obj, lc.LcshapError | lc.Unfinished) for obj in exceptions)


def test_two_errors_that_catch_all_others_are_at_the_top():
    public_objects = {name: getattr(lc, name) for name in dir(lc)}
    kinds = {name for name, obj in public_objects.items() if isinstance(obj, type) and issubclass(obj, BaseException)}
    assert kinds == {"LcshapError", "Unfinished"}
    assert not {"Any", "TYPE_CHECKING", "asking", "core", "sys"} & public_objects.keys()


def checked(tmp_path, lines):
    """The numbers of the lines in which `mypy --strict` finds an error in a user's file, and all that it says."""
    (tmp_path / "user.py").write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "user.py"]
    output = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout
    errors = [line for line in output.splitlines() if line.startswith("user.py:") and ": error:" in line]
    return [int(line.split(":")[1]) for line in errors], output


def test_a_type_checker_accepts_every_method_and_no_other(tmp_path):
    """The names of the registry are there, a typo is an error on its line."""
    names = [m.__name__ for m in lc.METHODS.values()]
    lines = ["import lcshap as lc", *(f"kind: type[lc.Method] = lc.{name}" for name in names[:1])]
    lines += [f"kind = lc.{name}" for name in names[1:]] + ["kind = lc.Shaply", "lc.Shapley().nme"]
    error_lines, output = checked(tmp_path, lines)
    assert error_lines == [len(lines) - 1, len(lines)], output


def test_a_type_checker_infers_what_an_explainer_returns(tmp_path):
    """One input gives an explanation, many give a set; typos in attributes, options and their values are errors."""
    good = [
        "import numpy as np",
        "import lcshap as lc",
        "import lcshap.values",
        "from lcshap import paper",
        "from lcshap.plots import bars",
        "value: lcshap.values.Value = lc.values.Value()",
        "print(paper.datasets.NAMES, lc.metrics.quantus.explain_func, lc.plots.bars is bars)",
        "def model(texts: list[str]) -> list[float]:",
        "    return [float(len(text)) for text in texts]",
        'explainer = lc.Explainer(model, lc.maskers.Text(), "shapley", kind="output")',
        'one: lc.Explanation = explainer("to be")',
        'many: lc.Explanations[lc.Explanation] = explainer(["to be", "or not"])',
        'lazy: lc.Explanations[lc.Explanation] = explainer(text for text in ["to be", "or not"])',
        'kept: lc.Explanations[lc.Explanation | lc.LcshapError] = explainer(["to be"], errors="keep")',
        'failed: lc.Explanations[lc.Explanation | lc.errors.LcshapError] = explainer(["to be"], errors="keep")',
        "row: lc.Explanation = explainer.one(np.zeros(3))",
        "rows: lc.Explanations[lc.Explanation] = explainer.many(np.zeros((2, 3)))",
        "some: lc.Explanations[lc.Explanation] = rows[:1]",
        "last: lc.Explanation = rows.where(rows.scores[:, 0] > 0)[-1]",
        'first: lc.Comparison = explainer.compare("to be", ["shapley", lc.LShapley(1)])',
        'best: float = next(iter(explainer.stream("to be"))).scores.max()',
    ]
    bad = [
        'explainer("to be").score',
        'explainer(["to be"]).score',
        'explainer("to be").scores.maximum()',
        'lc.Explainer(model, lc.maskers.Text(), gaol="fair")',
        'lc.Explainer(model, lc.maskers.Text(), goal="fare")',
        'lc.Explainer(model, lc.maskers.Text(), kind="probability")',
        'lc.Explainer(model, lc.maskers.Text(), "auto", "fair")',
        'explainer(["to be"], errors="ignore")',
        'explainer.method = "auto"',
    ]
    error_lines, output = checked(tmp_path, [*good, *bad])
    assert sorted(set(error_lines)) == list(range(len(good) + 1, len(good) + len(bad) + 1)), output
