"""Options of one command: the graph or text of `plan`."""

from command import fails, run

import lcshap as lc

TEXT = "Not bad, but never really funny."


def test_plan_takes_a_text(workdir):
    out = run("plan", "--text", TEXT, "--method", "c-shapley")[0]
    assert out == f"{lc.CShapley(2).plan(lc.Graph.chain(6))}\n"
    (workdir / "t.txt").write_text("One thing. Another thing. A third.")
    assert "3 units" in run("plan", "--file", "t.txt", "--units", "sentence")[0]
    assert "2 units" in run("plan", "--file", "-", text="so good")[0]


def test_plan_takes_either_a_graph_or_a_text():
    fails("plan", "--text", TEXT, "--graph", "chain:3", code=2, match="got --graph and --text")
    fails("plan", "--graph", "chain:3", "--units", "word", code=2, match="Leave --units out")
    fails("plan", "--text", TEXT, "--units", "pixel", code=2, match="Choose one of word, sentence, character")
    fails("plan", "--text", " ", code=1, match="nothing to explain")
