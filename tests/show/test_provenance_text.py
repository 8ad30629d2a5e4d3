"""What is said of how an explanation was made."""

import lcshap as lc
from lcshap.show import provenance_text as recorded


class TestSettings:
    def test_rows(self):
        e = lc.SampleShapley(30, seed=5).explain(lc.Game(lambda k: k.sum(axis=1) * 1.0, 3), lc.Graph.chain(3))
        rows = dict(recorded.settings(e.provenance))
        assert rows["seed"] == "5"
        assert rows["method"] == "SampleShapley(budget=30, seed=5)"
        assert rows["versions"].startswith("lcshap ")
        assert not {"parameters", "name", "class"} & set(rows)
        assert "draws nothing" in dict(recorded.settings({"method": "Shapley()", "parameters": {}}))["seed"]

    def test_records_of_both_versions(self):
        new = {"masker": {"name": "Text", "parameters": {"pin": ["a"]}}, "targets": ["x", ["a", "b"]]}
        old = {"masker": "Text(pin=('a',))", "targets": ["a - b"]}
        assert dict(recorded.settings(new)) == {"masker": "Text(pin=('a',))", "targets": "x, a rather than b"}
        assert dict(recorded.settings(old)) == {"masker": "Text(pin=('a',))", "targets": "a - b"}

    def test_nested(self):
        assert recorded.settings({"chosen": {"goal": "rank", "budget": 9}}) == [("chosen", "goal = rank, budget = 9")]
