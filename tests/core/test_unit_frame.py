import numpy as np
from explanation_sets import row_explanations, text_explanations


def test_the_values_of_units_stand_beside_their_scores():
    (e,) = row_explanations(1)
    frame = e.to_dataframe()
    assert frame.columns.tolist() == ["name", "value", "score", "stderr", "rank"]
    assert frame["value"][0] == e.view.values[0]
    assert frame["value"][2] == "Oslo"
    assert frame["score"].tolist() == e.scores.tolist()
    assert frame["stderr"].isna().all()
    assert frame["rank"].tolist() == np.argsort(np.argsort(-np.abs(e.scores))).tolist()
    (text, *_) = text_explanations()
    assert text.to_dataframe()["value"].tolist() == ["a", "good", "film"]


def test_several_outputs_have_a_column_each():
    (e,) = row_explanations(1, 2)
    frame = e.to_dataframe()
    assert frame.columns.tolist() == ["name", "value", "score_0", "score_1", "stderr_0", "stderr_1"]
    assert frame["score_1"].tolist() == e.scores[:, 1].tolist()
