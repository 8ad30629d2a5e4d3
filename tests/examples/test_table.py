import numpy as np
import pytest

from support import example


@pytest.fixture(scope="module")
def found():
    return example("table")["main"](small=True)


def test_the_model_is_better_than_chance(found):
    assert found["accuracy"] > 1 - found["rich"] + 0.03


def test_the_same_margin_is_explained_alike_by_lcshap_and_shap(found):
    assert found["apart"]["tree-shap"] < 1e-10
    assert found["apart"]["shap"] < 1e-6


def test_people_read_categories_and_gaps(found):
    e = found["explanation"]
    texts = dict(zip(e.names, (e.view.unit_texts.get(unit) for unit in range(len(e.names))), strict=True))
    assert "missing" in texts.values()
    assert texts["sex"] in ("Male", "Female")
    assert texts["age"] is None
    assert e.residual == pytest.approx(0, abs=1e-9)


def test_a_group_is_one_unit(found):
    e = found["family"]
    assert "family" in e.names
    assert "relationship" not in e.names
    assert e.full_value == pytest.approx(found["explanation"].full_value)
    assert np.isfinite(e.scores).all()
