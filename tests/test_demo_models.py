import numpy as np
import pytest

import lcshap as lc
from lcshap.demo_models import DEMOS, draw_digit, find_demo


@pytest.mark.parametrize("name", DEMOS)
def test_a_toy_explains_its_own_input(name):
    demo = find_demo(name)
    e = lc.Explainer(demo.model, demo.masker, kind=demo.kind, classes=demo.classes)(demo.x)
    assert e.provenance["targets"] == [{"demo-text": "negative", "demo-digits": "3"}[name]]
    assert e.full_value > e.base_value
    assert "toy" in demo.note


def test_unknown_toys_are_refused():
    with pytest.raises(lc.ModelError, match="there are demo-text and demo-digits"):
        find_demo("demo-cats")


@pytest.mark.parametrize(
    ("text", "logit"),
    [
        ("", 0.0),
        ("A good film.", 1.5),
        ("GOOD, good", 3.0),
        ("very good", 1.5 * 1.4),
        ("not good", -0.6 * 1.5),
        ("It isn't bad", 0.6 * 1.5),
        ("not heartwarming or entertaining", -0.6 * (1.5 + 1.2)),
        ("not a b c good", 1.5),
        ("not very good", -0.6 * 1.4 * 1.5),
    ],
)
def test_moods_are_turned_round_and_strengthened(text, logit):
    assert find_demo("demo-text").model([text])[0] == pytest.approx([0, logit])


def test_every_digit_is_recognised_in_any_form():
    digits = np.stack([draw_digit(digit) for digit in range(10)])
    model = find_demo("demo-digits").model
    grey = (255 * digits).astype(np.uint8)
    colour = np.repeat(grey[..., None], 3, axis=3)
    for images in (digits, grey, colour, np.moveaxis(colour, 3, 1)):
        assert model(images).argmax(axis=1).tolist() == list(range(10))
        np.testing.assert_allclose(model(images), model(digits))
    with pytest.raises(lc.ModelError, match="28 x 28"):
        model(np.zeros((1, 8, 8)))


def test_an_explained_digit_shows_what_it_lacks():
    demo = find_demo("demo-digits")
    explainer = lc.Explainer(demo.model, demo.masker, lc.FeatureAblation(), target=(3, 8), kind=demo.kind)
    scores = explainer(demo.x).scores.reshape(7, 7)
    three, eight = ((d - d.mean()) / np.linalg.norm(d - d.mean()) for d in (draw_digit(3), draw_digit(8)))
    expected = ((demo.x - demo.x.mean()) * (three - eight)).reshape(7, 4, 7, 4).sum(axis=(1, 3))
    np.testing.assert_allclose(scores, expected, atol=1e-9)
    assert (scores[[2, 4], 2] > 0).all()  # nothing is drawn where an 8 has its left side
