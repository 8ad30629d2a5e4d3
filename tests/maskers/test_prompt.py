import numpy as np
import pytest
from distinct_keys import coalition_keys, kept_rows
from tiny_lm import bpe

import lcshap as lc
from lcshap.errors import MaskerError
from lcshap.maskers.prompt import Prompt

DOCUMENTS = ["Rain is wet. It falls.\n\nIt ends.", "Snow is cold.", "Sand is dry. So is salt."]
X = {"sources": DOCUMENTS, "question": "What is wet?"}
TEMPLATE = "Use this.\n\n{sources}\n\nQ: {question}\nA:"
CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "{sources}\n\n{question}"}]


def by_hand(kept, numbers="mend"):
    """The prompt of some documents, written with no code of the masker."""
    block = ""
    for place, number in enumerate(sorted(kept)):
        block += f"{'; ' if place else ''}[{place + 1 if numbers == 'mend' else number + 1}] {DOCUMENTS[number]}"
    return f"Use this.\n\n{block}\n\nQ: What is wet?\nA:"


@pytest.mark.parametrize("numbers", ["mend", "keep"])
def test_absent_documents_go_with_their_separators_and_numbers(numbers):
    masked = Prompt(TEMPLATE, item="[{number}] {text}", separator="; ", numbers=numbers).mask(X)
    sets = [[], [0], [1, 2], [0, 2], [0, 1, 2]]
    assert masked.rows(lc.Coalitions.from_sets(3, sets)) == [by_hand(kept, numbers) for kept in sets]


def test_absent_units_may_be_replaced_and_no_sources_may_be_named():
    coalitions = lc.Coalitions.from_sets(3, [[1], []])
    replaced = Prompt("{sources}", absent="[gone]", separator=" | ").mask({"sources": DOCUMENTS}).rows(coalitions)
    assert replaced == ["[gone] | Snow is cold. | [gone]", "[gone] | [gone] | [gone]"]
    empty = Prompt("<{sources}>", empty="nothing", separator=" | ").mask({"sources": DOCUMENTS}).rows(coalitions)
    assert empty == ["<Snow is cold.>", "<nothing>"]


@pytest.mark.parametrize(
    ("level", "counts"),
    [("document", [1, 1, 1]), ("paragraph", [2, 1, 1]), ("sentence", [3, 1, 2]), ("word", [7, 3, 6])],
)
def test_levels_cut_every_document_and_the_whole_is_the_prompt(level, counts):
    masked = Prompt(TEMPLATE, level=level).mask(X)
    assert np.bincount(masked.documents).tolist() == counts
    full = masked.rows(lc.Coalitions.from_sets(masked.graph.d, [range(masked.graph.d)]))[0]
    assert full == "Use this.\n\n" + "\n\n".join(DOCUMENTS) + "\n\nQ: What is wet?\nA:" == Prompt(TEMPLATE).full(X)
    view = masked.view
    assert view.text == full
    assert view.parts == masked.graph.names
    assert [full[s:e] for s, e in view.sources.tolist()] == DOCUMENTS


def test_a_document_without_units_is_absent():
    masked = Prompt("{sources}", level="sentence", item="[{number}] {text}", separator=" ").mask({"sources": DOCUMENTS})
    assert masked.rows(lc.Coalitions.from_sets(6, [[1, 5]])) == ["[1] It falls. [2] So is salt."]


def test_graphs():
    edges = {
        None: [[0, 1], [1, 2], [4, 5]],
        "documents": [[0, 1], [1, 2], [4, 5]],
        "chain": [[k, k + 1] for k in range(5)],
        "complete": [[a, b] for a in range(6) for b in range(a + 1, 6)],
    }
    for graph, expected in edges.items():
        assert sorted(Prompt(TEMPLATE, level="sentence", graph=graph).mask(X).graph.edges.tolist()) == expected
    assert len(Prompt(TEMPLATE).mask(X).graph.edges) == 3  # documents: every pair
    assert len(Prompt(TEMPLATE, graph="documents").mask(X).graph.edges) == 0
    assert Prompt(TEMPLATE, graph=lc.Graph.ring).mask(X).graph.names == tuple(DOCUMENTS)


def test_messages_need_a_tokenizer_with_a_chat_template():
    with pytest.raises(lc.errors.MaskerError, match="a chat template for messages, got one without"):
        Prompt(CHAT, tokenizer=bpe())


def test_chat_messages_with_and_without_a_tokenizer():
    rows = Prompt(CHAT).mask(X).rows(lc.Coalitions.from_sets(3, [[1]]))
    assert rows == [
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Snow is cold.\n\nWhat is wet?"}]
    ]
    tokenizer = bpe()
    tokenizer.chat_template = (
        "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<me>{% endif %}"
    )
    rows = Prompt(CHAT, tokenizer=tokenizer).mask(X).rows(lc.Coalitions.from_sets(3, [[1]]))
    assert rows == ["<system>Be brief.<user>Snow is cold.\n\nWhat is wet?<me>"]


def test_equal_prompts_are_evaluated_once():
    for template in ("{sources}", [{"role": "user", "content": "{sources}"}]):
        masked = Prompt(template).mask({"sources": ["same", "same", "other"]})
        sets = lc.Coalitions.from_sets(3, [[0], [1], [2], [0, 2]])
        keys = coalition_keys(masked, sets)
        assert keys[0] == keys[1]
        assert len(set(keys)) == 3
        assert coalition_keys(masked, sets[:1]) == keys[:1]
        assert kept_rows(masked, sets) == masked.rows(sets)
    assert masked.key != Prompt("{sources}!").mask({"sources": ["same", "same", "other"]}).key


def test_sources_of_the_masker_and_many_inputs():
    prompt = Prompt(TEMPLATE, sources=DOCUMENTS)
    assert prompt.full("What is wet?") == prompt.full({"question": "What is wet?"}) == Prompt(TEMPLATE).full(X)
    lengths = lc.Explainer(lambda rows: [len(row) for row in rows], prompt, lc.Shapley(), kind="output")
    explanations = lengths(["a?", {"question": "bc?", "sources": ["x", "y"]}])
    assert [e.graph.d for e in explanations] == [3, 2]
    assert explanations[0].scores.round(6).tolist() != [0, 0, 0]


def test_lengths_are_those_of_the_sources():
    masked = Prompt(TEMPLATE).mask(X)
    sets = lc.Coalitions.from_sets(3, [[], [0], [1, 2]])
    assert masked.distinct(sets).lengths(sets).tolist() == [0, len(DOCUMENTS[0]), len(DOCUMENTS[1]) + len(DOCUMENTS[2])]
    assert Prompt(TEMPLATE, absent="-").mask(X).distinct(sets).lengths is None


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ({"sources": [], "question": "q"}, "Expected at least one source, got none"),
        ({"question": "q"}, "Expected sources, got none"),
        ({"sources": "one text", "question": "q"}, "Expected a list of texts as sources, got str"),
        ({"sources": ["a", 3], "question": "q"}, r"got int \(source 1\)"),
        ({"sources": ["a", " \n"], "question": "q"}, r"got an empty one \(source 1\)"),
        ({"sources": ["a"]}, "Expected a text for {question}"),
        ("a question", "Expected a mapping with the sources"),
    ],
)
def test_bad_inputs_have_one_line(x, message):
    with pytest.raises(MaskerError, match=message) as caught:
        Prompt(TEMPLATE).mask(x)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"template": "no place"}, "sources"),
        ({"level": "letter"}, "as level, got 'letter'"),
        ({"item": "-"}, "text.* once in item"),
        ({"numbers": "drop"}, "as numbers"),
        ({"graph": "star"}, "as graph"),
        ({"separator": 3}, "a text as separator"),
        ({"tokenizer": 3}, "chat template"),
        ({"sources": []}, "at least one source"),
    ],
)
def test_bad_options_have_one_line(options, message):
    with pytest.raises(MaskerError, match=message) as caught:
        Prompt(**{"template": TEMPLATE, **options})
    assert "\n" not in str(caught.value)


def test_one_source_and_five_hundred():
    single = Prompt("{sources}").mask({"sources": ["alone"]})
    assert single.graph.d == 1
    assert "level=" in single.advice
    five_hundred = Prompt("{sources}", level="document").mask({"sources": [f"fact {k}" for k in range(500)]})
    assert five_hundred.graph.d == 500
    assert five_hundred.rows(lc.Coalitions.from_sets(500, [[3, 499]])) == ["fact 3\n\nfact 499"]
