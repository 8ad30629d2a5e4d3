import lcshap as lc
from lcshap.adapters.base import Model


class Reader(Model):
    kind = "output"
    counts_tokens = True

    def predict(self, rows):
        return [[float(len(row))] for row in rows]

    def describe_tokens(self, rows):
        return f"{sum(len(row.split()) for row in rows)} words"


def test_a_model_that_counts_what_it_reads_is_shown_the_rows_of_the_plan():
    preview = lc.Explainer(Reader(), lc.maskers.Text(), "feature-ablation").preview("to be or")
    assert "tokens  9 words" in preview  # ∅, three without one word, V
    timed = lc.Explainer(Reader(), lc.maskers.Text(), budget="3s").preview("to be or")
    assert timed == "3 s, in which a few rows are timed first"
    assert "tokens" not in lc.Explainer(Reader(), lc.maskers.Text(), "deletion-path").preview("to be or")


def test_the_time_of_the_method_is_shown_if_it_matters(monkeypatch):
    """It is measured: the plan is made and solved for random values, which asks the model for nothing."""
    explainer = lc.Explainer(Reader(), lc.maskers.Text(), "graph-kernel-shap", budget="4d")
    text = " ".join(f"word{i}" for i in range(30))
    assert "own  " not in explainer.preview("to be or")
    monkeypatch.setattr("lcshap.explainer.cost_preview._MIN_SHOWN_SECONDS", 0.0)
    own_line = next(line for line in explainer.preview(text).splitlines() if line.startswith("  own  "))
    seconds = float(own_line.split("about ")[1].split(" s of")[0])
    assert 0 < seconds < 10
