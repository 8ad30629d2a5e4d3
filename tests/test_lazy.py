"""Names that are imported when they are first used: each test asks a Python that has imported nothing yet."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import lcshap as lc
from lcshap import _lazy


def fresh(code):
    """What a new Python prints that runs this code."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_the_package_imports_nothing_heavy():
    """Neither NumPy nor SciPy, no optional package, and of the standard library nothing that takes long."""
    code = "import sys; before = set(sys.modules); import lcshap; print(*sorted(set(sys.modules) - before))"
    found = fresh(code).split()
    assert "lcshap" in found
    tops = {name.partition(".")[0] for name in found}
    assert tops - sys.stdlib_module_names == {"lcshap"}
    assert not tops & {"asyncio", "concurrent", "http", "inspect", "multiprocessing", "sqlite3", "ssl", "unittest"}


@pytest.mark.parametrize("name", ["Graph", "Game", "LShapley", "Explainer", "maskers", "bulk", "plots"])
def test_the_first_use_of_a_name_imports_no_optional_package(name):
    others = ("matplotlib", "networkx", "torch", "pandas", "rich", "typer", "rdkit", "jax", "keras", "transformers")
    assert fresh(f"import lcshap, sys; lcshap.{name}; print([m for m in {others} if m in sys.modules])") == "[]"


def test_every_name_can_be_imported_in_each_way():
    fresh("import lcshap as lc; [getattr(lc, name) for name in reversed(lc.__all__)]")
    fresh(f"from lcshap import {', '.join(lc.__all__)}")
    fresh("from lcshap import *; Shapley, maskers.Text, explain")
    fresh("import lcshap.maskers, lcshap.bulk; lcshap.maskers.Text, lcshap.bulk.load")
    assert fresh("import lcshap; print(set(dir(lcshap)) >= set(lcshap.__all__))") == "True"


def test_rooms_are_there_and_other_names_are_not():
    assert fresh("import lcshap; print(lcshap.show.__name__, lcshap.core.__name__)") == "lcshap.show lcshap.core"
    for name in ("Shaply", "_private", "__wrapped__", "np"):
        assert not hasattr(lc, name)
        with pytest.raises(AttributeError, match=f"module 'lcshap' has no attribute '{name}'"):
            _lazy.load(name)
    code = "try:\n    from lcshap import Shaply\nexcept ImportError as error:\n    print(error)"
    assert "cannot import name 'Shaply'" in fresh(code)
    done = subprocess.run([sys.executable, "-c", "import lcshap; lcshap.Shaply"], capture_output=True, text=True)
    assert "Did you mean: 'Shapley'" in done.stderr


def test_modules_of_version_0_1_are_still_there():
    code = "from lcshap.values import Value; from lcshap.models import demo; from lcshap.datasets import load; "
    code += "import lcshap.quantus, lcshap.plots, lcshap.compat; from lcshap.plots import plot; "
    code += "import lcshap.asking.values, lcshap.models as m; "
    code += "print(lcshap.values is lcshap.asking.values, lcshap.values.__name__, m is lcshap.models, m.__name__)"
    assert fresh(code) == "True lcshap.asking.values True lcshap.paper.networks"


def test_an_explanation_shows_itself_whatever_was_imported():
    e = lc.Explanation(np.ones(2), 0.0, 2.0, lc.Graph.chain(2), 4)
    assert "v(V) = 2" in fresh(f"import pickle; pickle.loads({pickle.dumps(e)!r}).show()")
    code = "from lcshap import Game, Graph, Shapley; "
    code += "Shapley().explain(Game(lambda kept: kept @ [1.0, 2.0], 2), Graph.chain(2)).show()"
    assert "v(V) = 3" in fresh(code)


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
    assert fresh(code) == "Graph report zoom Game lcshap.maskers lcshap.show.plots LShapley lcshap.core"
