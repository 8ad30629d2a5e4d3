"""Names that are imported when they are first used. Each test starts a new Python process."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import lcshap as lc
from lcshap import _lazy


def fresh(code):
    """What a new Python prints that runs this code."""
    completed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8")
    assert completed.returncode == 0, completed.stderr
    return completed.stdout.strip()


def test_importing_the_package_imports_nothing_heavy():
    """Neither NumPy nor SciPy, no optional package, and of the standard library nothing that takes long."""
    code = "import sys; before = set(sys.modules); import lcshap; print(*sorted(set(sys.modules) - before))"
    modules = fresh(code).split()
    assert "lcshap" in modules
    tops = {name.partition(".")[0] for name in modules}
    assert tops - sys.stdlib_module_names == {"lcshap"}
    assert not tops & {"asyncio", "concurrent", "http", "inspect", "multiprocessing", "sqlite3", "ssl", "unittest"}


@pytest.mark.parametrize("name", ["Graph", "Game", "LShapley", "Explainer", "maskers", "bulk", "plots"])
def test_the_first_use_of_a_name_imports_no_optional_package(name):
    optional = ("matplotlib", "networkx", "torch", "pandas", "rich", "typer", "rdkit", "jax", "keras", "transformers")
    assert fresh(f"import lcshap, sys; lcshap.{name}; print([m for m in {optional} if m in sys.modules])") == "[]"


def test_every_name_can_be_imported_in_each_way():
    fresh("import lcshap as lc; [getattr(lc, name) for name in reversed(lc.__all__)]")
    fresh(f"from lcshap import {', '.join(lc.__all__)}")
    fresh("from lcshap import *; Shapley, maskers.Text, explain")
    fresh("import lcshap.maskers, lcshap.bulk; lcshap.maskers.Text, lcshap.bulk.load")
    assert fresh("import lcshap; print(dir(lcshap) == lcshap.__all__)") == "True"


def test_packages_are_available_and_other_names_are_not():
    assert fresh("import lcshap; print(lcshap.show.__name__, lcshap.core.__name__)") == "lcshap.show lcshap.core"
    for name in ("Shaply", "_private", "__wrapped__", "np"):
        assert not hasattr(lc, name)
        with pytest.raises(AttributeError, match=f"module 'lcshap' has no attribute '{name}'"):
            _lazy.load_public_name(name)
    code = "try:\n    from lcshap import Shaply\nexcept ImportError as error:\n    print(error)"
    assert "cannot import name 'Shaply'" in fresh(code)
    completed = subprocess.run([sys.executable, "-c", "import lcshap; lcshap.Shaply"], capture_output=True, text=True)
    assert "Did you mean: 'Shapley'" in completed.stderr


@pytest.mark.parametrize("name", ["plots", "values", "paper.datasets", "paper.networks", "metrics.quantus", "errors"])
def test_public_modules_are_ordinary_modules(name):
    """Each is imported by its path, before or after its attribute is used, without a finder of our own."""
    package, _, last = f"lcshap.{name}".rpartition(".")
    code = f"import sys; finders = list(sys.meta_path); import lcshap.{name} as module; from {package} import {last}; "
    code += f"import lcshap; print(module is {last} is lcshap.{name}, module.__name__, sys.meta_path == finders)"
    assert fresh(code) == f"True lcshap.{name} True"
    assert (
        fresh(f"import lcshap; module = lcshap.{name}; import lcshap.{name}; print(module is lcshap.{name})") == "True"
    )


def test_an_error_names_the_new_place_of_names_of_version_0_1():
    for name, place in {"BudgetError": "errors.BudgetError", "models": "paper.networks"}.items():
        with pytest.raises(AttributeError, match=f"no attribute '{name}': it is lcshap.{place}$"):
            getattr(lc, name)
    with pytest.raises(AttributeError, match=r"no attribute 'Any'$"):
        getattr(lc, "Any")  # noqa: B009


def test_an_explanation_is_shown_without_further_imports():
    e = lc.Explanation(np.ones(2), 0.0, 2.0, lc.Graph.chain(2), 4)
    assert "full value 2" in fresh(f"import pickle; pickle.loads({pickle.dumps(e)!r}).show()")
    code = "from lcshap import Game, Graph, Shapley; "
    code += "Shapley().explain(Game(lambda kept: kept @ [1.0, 2.0], 2), Graph.chain(2)).show()"
    assert "full value 3" in fresh(code)


def test_threads_that_use_names_at_the_same_time_all_get_them():
    code = """
import threading
from concurrent.futures import ThreadPoolExecutor
import lcshap as lc
names = ["Graph", "report", "zoom", "Game", "maskers", "plots", "LShapley", "core"]
start = threading.Barrier(len(names))
def use(name):
    start.wait()
    return getattr(lc, name).__name__
with ThreadPoolExecutor(len(names)) as pool:
    print(*pool.map(use, names))
"""
    assert fresh(code) == "Graph report zoom Game lcshap.maskers lcshap.plots LShapley lcshap.core"
