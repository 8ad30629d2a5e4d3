import numpy as np
import pytest
from tiny_lm import bpe, llama

import lcshap as lc

RNG = np.random.default_rng(0)
FILLER = ["some", "plain", "words", "that", "say", "nothing", "at", "all", "here"]


def document(words, planted=()):
    """Sentences of nine words, with planted words at given places."""
    chosen_words = RNG.choice(FILLER, words).tolist()
    for place, word in planted:
        chosen_words[place] = word
    return " ".join(word + ("." if k % 9 == 8 else "") for k, word in enumerate(chosen_words))


class Planted:
    """A model that hears three words, and counts what it is asked."""

    def __init__(self):
        self.rows = 0

    def __call__(self, rows):
        self.rows += len(rows)
        return [6.0 * ("zebra" in r) + 3.0 * ("violin" in r) - 2.0 * ("zebra" in r and "quartz" in r) for r in rows]


def explained(sources, budget, **options):
    model = Planted()
    explainer = lc.Explainer(model, lc.maskers.Prompt("{sources}\n\nWhy?"), kind="output")
    return lc.zoom(explainer, {"sources": sources}, budget=budget, **options), model


def test_twenty_documents_of_500_words_within_200_rows():
    sources = [document(500) for _ in range(20)]
    sources[3] = document(500, [(200, "zebra")])
    sources[11] = document(500, [(77, "violin")])
    e, model = explained(sources, 200)
    assert model.rows <= 200
    assert e.rows <= 200
    documents = [node for node in e.provenance["zoom"] if node["level"] == "document"]
    best = np.argsort([-node["scores"][0] for node in documents])[:2].tolist()
    assert best == [3, 11]
    assert {node["level"] for node in e.provenance["zoom"]} == {"document", "sentence", "word"}
    assert "zebra" in e.top(1)[0][0]
    assert e.scores.sum() == pytest.approx(9.0)


def test_what_matters_most_is_looked_into_first():
    worth = {"zebra": 6.0, "violin": 5.0, "quartz": 4.0, "lantern": 3.0}
    sources = [document(63) for _ in range(20)]
    for k, word in enumerate(worth):
        sources[2 + 5 * k] = document(63, [(9 * k + 14, word)])
    explainer = lc.Explainer(
        lambda rows: [sum(w * (word in row) for word, w in worth.items()) for row in rows],
        lc.maskers.Prompt("{sources}"),
        kind="output",
    )
    e = lc.zoom(explainer, {"sources": sources}, budget=200)
    assert e.rows <= 200
    assert e.top(1) == [("zebra", pytest.approx(6.0, abs=0.5))]


def test_parts_sum_to_their_parent_and_the_residual_is_shown():
    sources = [document(18, [(4, "zebra")]), document(9, [(2, "quartz")]), document(18, [(13, "violin")]), document(9)]
    e, model = explained(sources, 400, threshold=0.05)
    nodes = e.provenance["zoom"]
    for number, node in enumerate(nodes):
        parts = [child["scores"][0] for child in nodes if child["parent"] == number]
        if parts:
            assert sum(parts) == pytest.approx(node["scores"][0])
            assert abs(node["residual"][0]) < 1e-9  # the planted words interact in pairs only
    by_name = dict(zip(e.names, e.scores.tolist(), strict=True))
    assert by_name["zebra"] == pytest.approx(5.0)
    assert by_name["violin"] == pytest.approx(3.0)
    assert e.residual == pytest.approx(0.0)
    assert e.view.parts == e.names
    assert model.rows <= 400


def test_long_documents_are_cut_into_paragraphs_before_sentences():
    long = "\n\n".join(document(90, [(40, "zebra")] if k == 2 else ()) for k in range(6))
    e, model = explained([document(540), long, document(540)], 200)
    nodes = e.provenance["zoom"]
    levels = [node["level"] for node in nodes]
    assert levels.count("paragraph") == 6
    best = max((node for node in nodes if node["level"] == "paragraph"), key=lambda node: node["scores"][0])
    assert "zebra" in best["text"]
    assert "\n\n" not in best["text"]
    assert nodes[best["parent"]]["level"] == "document"
    sentences = [node for node in nodes if node["level"] == "sentence"]
    assert {nodes[node["parent"]]["text"] for node in sentences} == {best["text"]}
    assert e.top(1)[0][0].startswith("zebra")
    assert e.scores.sum() == pytest.approx(6.0)
    assert model.rows <= 200


def test_with_a_language_model_each_level_sums_to_the_one_above():
    lm = lc.adapters.CausalLMModel(llama(), bpe(), " Paris is the capital. Madrid is not.", parts="sentence")
    prompt = lc.maskers.Prompt("{sources} is")
    x = {"sources": ["The capital of France. The capital.", "Spain is Madrid.", "France and Spain. Paris is."]}
    e = lc.zoom(lc.Explainer(lm, prompt), x, budget=120, threshold=0.0)
    nodes = e.provenance["zoom"]
    assert {node["level"] for node in nodes} == {"document", "sentence", "word"}
    assert e.rows <= 120
    for number, node in enumerate(nodes):
        parts = [child["scores"] for child in nodes if child["parent"] == number]
        if parts:
            np.testing.assert_allclose(np.sum(parts, axis=0), node["scores"], atol=1e-9)
    ends = lm.predict([prompt.full(x), " is"])
    np.testing.assert_allclose(e.scores.sum(axis=0), ends[0] - ends[1], atol=1e-5)
    assert e.view.answer_parts[1:] == ("Paris is the capital.", "Madrid is not.")


def test_several_outputs():
    model = lc.adapters.CallableModel(
        lambda rows: [[1.0 * ("zebra" in r), 2.0 * ("violin" in r)] for r in rows], "output"
    )
    explainer = lc.Explainer(model, lc.maskers.Prompt("{sources}"), target="all")
    e = lc.zoom(explainer, {"sources": [document(9, [(1, "zebra")]), document(9, [(5, "violin")])]}, budget=200)
    assert e.scores.shape[1] == 2
    tops = [(name, round(score, 9)) for k in (0, 1) for name, score in e.output(k).top(1)]
    assert tops == [("zebra", 1.0), ("violin", 2.0)]


def test_what_is_refused():
    texts = lc.Explainer(len, lc.maskers.Text(), kind="output")
    with pytest.raises(lc.errors.MaskerError, match=r"maskers\.Prompt, got Text"):
        lc.zoom(texts, "a b")
    prompts = lc.Explainer(len, lc.maskers.Prompt("{sources}"), kind="output")
    with pytest.raises(lc.errors.OptionError, match="at least 8 rows"):
        lc.zoom(prompts, {"sources": ["a"]}, budget=3)
