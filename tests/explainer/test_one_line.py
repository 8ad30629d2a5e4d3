"""A model and an input are enough: the masker that suits the input is found."""

import numpy as np
import pytest

import lcshap as lc


def test_texts_images_and_files(tmp_path):
    assert lc.explain(lambda t: [len(x) for x in t], "one two", kind="output").names == ("one", "two")
    image = np.arange(6.0).reshape(2, 3)
    e = lc.explain(lambda x: x.sum(axis=(1, 2)), image, kind="output", method=lc.FeatureAblation())
    assert e.scores == pytest.approx(image.ravel() - image.mean())
    path = tmp_path / "file.bin"
    path.write_bytes(bytes([7] * 16 + [1] * 8))
    for file in (path, path.read_bytes()):
        e = lc.explain(lambda x: (x == 7).sum(axis=1), file, kind="output", method="shapley")
        assert e.scores.tolist() == pytest.approx([16, 0])


def test_a_masker_and_options_are_passed_on():
    e = lc.explain(lambda x: x.sum(axis=1), [1.0, 2.0], lc.maskers.Tabular([0.0, 0.0]), method="shapley", kind="output")
    assert e.scores.tolist() == [1, 2]
    with pytest.raises(lc.errors.OptionError, match="name of a method"):
        lc.explain(lambda t: t, "one two", method="magic", kind="output")


def test_what_has_no_masker():
    with pytest.raises(
        lc.errors.MaskerError, match=r"Expected a masker for an input of type dict, got none.*Tabular\(background\)"
    ):
        lc.explain(lambda x: x, {}, kind="output")


def test_interactions_with_the_scores():
    def model(texts):
        return [1.0 * ("good" in t) - 2.0 * ("not" in t and "good" in t) for t in texts]

    e = lc.explain(model, "not a good film", kind="output", interactions="all")
    expected = np.zeros((4, 4))
    expected[0, 2] = expected[2, 0] = -2
    np.testing.assert_allclose(e.interactions.toarray(), expected, atol=1e-12)
    assert not e.interaction_stderr.toarray().any()
    assert "pair interactions are exact" in e.provenance["chosen"]["reason"]
    explainer = lc.Explainer(model, lc.maskers.Text(), kind="output", interactions=True)
    assert "interactions=True" in repr(explainer)
    auto, local, lime = explainer.compare("not a good film", ["auto", "l-shapley", "lime"])
    assert auto.interactions is not None
    assert local.interactions is not None
    assert lime.interactions is None
