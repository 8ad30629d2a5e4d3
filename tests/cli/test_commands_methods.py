"""What plan and methods print."""

from command import fails, run

import lcshap.cli
from lcshap.cli.manual import describe_method_fully
from lcshap.cli.named_methods import find_entry
from lcshap.estimators.registry import METHODS


def test_plan_prints_the_calls(capsys):
    assert lcshap.cli.main(["plan", "--graph", "chain:10", "--method", "l-shapley"]) == 0
    assert "calls   37" in capsys.readouterr().out


def test_methods_describes_one_or_all():
    out, _ = run("methods")
    assert all(name in out for name in METHODS)
    assert out.endswith("d is the number of units: words, pixels, atoms.\n")
    assert run("methods", "c-shapley")[0].rstrip() == describe_method_fully(find_entry("c-shapley"), 100).rstrip()
    fails("methods", "c-shaply", code=2, match="did you mean c-shapley")
