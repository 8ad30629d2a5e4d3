import lcshap as lc


def compared():
    explainer = lc.Explainer(lambda texts: [1.0 * len(t) for t in texts], lc.maskers.Text(), kind="output")
    return explainer.compare("to be or not", ["shapley", lc.LShapley(1)]), explainer


def test_a_comparison_is_a_set():
    comparison, explainer = compared()
    assert isinstance(comparison, lc.Comparison)
    assert isinstance(comparison, lc.Explanations)
    assert isinstance(comparison[:1], lc.Comparison)
    assert comparison.calls.tolist() == [16, 13]
    assert [e.provenance["together"] for e in comparison] == [16, 16]
    shapley, local = comparison
    assert shapley.scores.tolist() == explainer("to be or not").scores.tolist()
    assert comparison == [shapley, local]


def test_its_figure_compares_methods():
    comparison, _ = compared()
    drawn, expected = comparison.plot(), lc.plots.compare(list(comparison))
    assert [text.get_text() for text in drawn.texts] == [text.get_text() for text in expected.texts]
