import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import ByT5Tokenizer, PreTrainedTokenizerFast

from lcshap import Coalitions, Graph
from lcshap.errors import MaskerError, PlanError
from lcshap.maskers.subwords import Subwords
from lcshap.maskers.text import Text

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PIECES = [*"abcdefghijklmnopqrstuvwxyz.,!?'👍中文שלום", "good", "film", "the", "is"]
VOCABULARY = [*SPECIAL, *PIECES, *(f"##{piece}" for piece in [*PIECES, "ing"])]
NAMES = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
INPUTS = ["input_ids", "token_type_ids", "attention_mask"]


def wordpiece(**options):
    """A tokenizer as that of BERT, over letters and four words."""
    vocabulary = {token: number for number, token in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **{**NAMES, "model_input_names": INPUTS, **options})


def unigram(tokens, **options):
    """Tokens that may hold spaces, and no special ones but those given."""
    tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0), *((token, -1.0) for token in tokens)], unk_id=0))
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **options)


TOKENIZER = wordpiece()


def rows(masked, sets):
    return masked.rows(Coalitions.from_sets(masked.graph.d, sets))


def tokens(masked, sets):
    """The rows of ids as words, with "-" after those that are not attended to."""
    return [
        " ".join(VOCABULARY[i] + "-" * (not a) for i, a in zip(row["input_ids"], row["attention_mask"], strict=True))
        for row in rows(masked, sets)
    ]


def test_a_text_is_cut_and_deleted_as_by_text():
    for units in ("word", "sentence", "character"):
        text = "It isn't good. 很好 👍🏽 e\u0301t\u00e9 שלום"
        masked, plain = Subwords(TOKENIZER, units).mask(text), Text(units).mask(text)
        assert masked.graph == plain.graph
        sets = [[0, 1], [1], [], range(plain.graph.d)]
        assert rows(masked, sets) == rows(plain, sets)
    masked = Subwords(TOKENIZER, splitter=r"\w+", pin={"is"}, drop={"the"}, graph="ring").mask("the film is so good!")
    assert masked.graph == Graph.ring(3, ["film", "so", "good"])
    assert rows(masked, [[0, 2], [], [0, 1, 2]]) == ["film is good!", "is !", "film is so good!"]


def test_a_pair_is_two_graphs_and_rows_are_pairs():
    masked = Subwords(TOKENIZER).mask(("is the film good", "the film!"))
    assert masked.graph == Graph.from_edges(
        6, [(0, 1), (1, 2), (2, 3), (4, 5)], ["is", "the", "film", "good", "the", "film!"]
    )
    assert rows(masked, [[0, 3, 5], [], range(6), [4]]) == [
        ("is good", "film!"),
        ("", ""),
        ("is the film good", "the film!"),
        ("", "the"),
    ]
    lacking = Coalitions.from_table(6, np.array([[0, 5], [1, 2]]), removed=True)
    assert masked.rows(lacking) == [("the film good", "the"), ("is good", "the film!")]
    assert Subwords(TOKENIZER, graph="complete").mask(("a b c", "d e")).graph.edges.tolist() == [
        [0, 1],
        [0, 2],
        [1, 2],
        [3, 4],
    ]


@pytest.mark.parametrize("absent", ["delete", "mask", "attention"])
def test_one_side_of_a_pair_may_be_empty(absent):
    for pair in (("", "good film"), ("good film", "  \u200b")):
        masked = Subwords(TOKENIZER, absent=absent).mask(pair)
        assert masked.graph == Graph.chain(2, ["good", "film"])
        (row,) = rows(masked, [[0, 1]])
        if absent == "delete":
            assert row == pair
        else:
            assert row["input_ids"].tolist() == TOKENIZER([pair])["input_ids"][0]
    for nothing in ("", "  \n", ("", " "), ("\u200b", "")):
        with pytest.raises(MaskerError, match="nothing to explain"):
            Subwords(TOKENIZER, absent=absent).mask(nothing)


def test_masked_words_become_the_mask_token_token_for_token():
    masked = Subwords(TOKENIZER, absent="mask").mask("the filming, good?")
    assert masked.graph.names == ("the", "filming,", "good?")
    assert tokens(masked, [[0, 1, 2], [0, 2], [1], []]) == [
        "[CLS] the film ##ing , good ? [SEP]",
        "[CLS] the [MASK] [MASK] [MASK] good ? [SEP]",
        "[CLS] [MASK] film ##ing , [MASK] [MASK] [SEP]",
        "[CLS] [MASK] [MASK] [MASK] [MASK] [MASK] [MASK] [SEP]",
    ]
    sure = Subwords(TOKENIZER, absent="mask", pin={"the"}, drop={"good?"}).mask("the filming, good?")
    assert tokens(sure, [[0], []]) == [
        "[CLS] the film ##ing , [MASK] [MASK] [SEP]",
        "[CLS] the [MASK] [MASK] [MASK] [MASK] [MASK] [SEP]",
    ]


def test_unattended_words_become_padding_in_their_place():
    masked = Subwords(TOKENIZER, absent="attention").mask("the filming good")
    assert tokens(masked, [[0, 2], []]) == [
        "[CLS] the [PAD]- [PAD]- good [SEP]",
        "[CLS] [PAD]- [PAD]- [PAD]- [PAD]- [SEP]",
    ]
    without_pad = wordpiece(pad_token=None, eos_token="[SEP]")
    assert tokens(Subwords(without_pad, absent="attention").mask("the good"), [[1]]) == ["[CLS] [SEP]- good [SEP]"]


def test_token_types_distinguish_the_sides_of_a_pair():
    masked = Subwords(TOKENIZER, absent="mask").mask(("good", "the film"))
    (row,) = rows(masked, [[0, 2]])
    assert [VOCABULARY[i] for i in row["input_ids"]] == ["[CLS]", "good", "[SEP]", "[MASK]", "film", "[SEP]"]
    assert row["token_type_ids"].tolist() == [0, 0, 0, 1, 1, 1]
    untyped = wordpiece(model_input_names=["input_ids", "attention_mask"])
    assert set(rows(Subwords(untyped, absent="mask").mask("good"), [[0]])[0]) == {"input_ids", "attention_mask"}


def test_a_token_across_words_belongs_to_the_first():
    tokenizer = unigram(["New York", " is", " big", "!"], mask_token="<unk>")
    masked = Subwords(tokenizer, absent="mask").mask("New York is big!")
    assert masked.graph.names == ("New", "York", "is", "big!")
    token_ids = [row["input_ids"].tolist() for row in rows(masked, [[0], [1], [2], [3], range(4)])]
    assert token_ids == [[1, 0, 0, 0], [0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 4], [1, 2, 3, 4]]


def test_a_word_that_the_tokenizer_drops_is_still_a_unit():
    masked = Subwords(TOKENIZER, absent="mask").mask("good \x01 film")
    assert masked.graph.names == ("good", "\x01", "film")
    assert tokens(masked, [[0, 2], [0, 1, 2]]) == ["[CLS] good film [SEP]"] * 2
    assert tokens(masked, [[1]]) == ["[CLS] [MASK] [MASK] [SEP]"]
    assert tokens(Subwords(TOKENIZER, absent="mask").mask("\x01"), [[]]) == ["[CLS] [SEP]"]


SNIPPETS = [
    "good ",
    "filming",
    "👍🏽",
    " ",
    "\n",
    "e\u0301",
    "中文",
    "שלום ",
    "\x01",
    "isn't",
    "U.S. ",
    "\u200b",
    "ﬁ",
    "[SEP]",
]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(SNIPPETS), max_size=12).map("".join) | st.text(max_size=20),
    st.sampled_from(["word", "sentence", "character"]),
    st.randoms(use_true_random=False),
)
def test_rows_are_those_of_a_naive_masker(text, units, random):
    plain = Text(units)
    try:
        spans = plain.mask(text).spans
    except MaskerError:
        assume(False)
    kept = {i for i in range(len(spans)) if random.random() < 0.5}
    encoding = TOKENIZER.backend_tokenizer.encode(text)
    expected, attention = [], []
    for token, (start, end), side in zip(encoding.ids, encoding.offsets, encoding.sequence_ids, strict=True):
        inside = [i for at in range(start, end) for i, (s, e) in enumerate(spans) if s <= at < e and side is not None]
        present = not inside or inside[0] in kept
        expected.append(token if present else 4)
        attention.append(int(present))
    (row,) = rows(Subwords(TOKENIZER, units, "mask").mask(text), [kept])
    assert row["input_ids"].tolist() == expected
    assert set(row["attention_mask"].tolist()) == {1}
    (row,) = rows(Subwords(TOKENIZER, units, "attention").mask(text), [kept])
    assert row["attention_mask"].tolist() == attention
    assert rows(Subwords(TOKENIZER, units).mask(text), [kept]) == rows(plain.mask(text), [kept])


def test_lengths_count_tokens():
    masked = Subwords(TOKENIZER, pin={"the"}).mask(("filming the good", "is bad!"))
    sets = [[0], [1, 2], [], [3], range(4)]
    token_ids = TOKENIZER(rows(masked, sets))["input_ids"]
    coalitions = Coalitions.from_sets(4, sets)
    lengths = masked.distinct(coalitions).lengths
    assert [len(ids) - 3 for ids in token_ids] == lengths(coalitions).tolist() == [3, 3, 1, 5, 9]
    lacking = Coalitions.from_table(4, np.array([[0], [3]]), removed=True)
    assert lengths(lacking).tolist() == [7, 5]
    fixed = Subwords(TOKENIZER, absent="mask").mask("filming the good")
    coalitions = Coalitions.from_sets(3, [[0], []])
    assert fixed.distinct(coalitions).lengths(coalitions).tolist() == [6, 6]


def test_a_text_that_is_too_long_is_refused_by_default():
    short = wordpiece(model_max_length=6)
    assert Subwords(short).mask("good film is the").graph.d == 4
    for masker in (Subwords(short), Subwords(short, absent="mask"), Subwords(TOKENIZER, max_length=6)):
        with pytest.raises(
            MaskerError, match="Expected an input of at most 6 tokens, got 8: 2 of 5 words, from 'filming' on, would be"
        ):
            masker.mask("good film the filming good")
    assert Subwords(TOKENIZER).mask("good " * 2000).graph.d == 2000
    dropped = Subwords(short, drop={"so"})
    assert dropped.mask("so good so film so is so the").graph.d == 4  # deleted words take no room
    with pytest.raises(
        MaskerError, match="Expected an input of at most 6 tokens, got 14: 3 of 4 words, from 'so' on, would be cut"
    ):
        Subwords(short, absent="mask", drop={"so"}).mask("so good so film so is so the")


@pytest.mark.parametrize("absent", ["delete", "mask", "attention"])
def test_truncation_leaves_out_whole_words_with_a_warning(absent):
    masker = Subwords(wordpiece(model_max_length=6), absent=absent, truncate=True)
    with pytest.warns(UserWarning, match=r"at most 6 tokens, got 8: 2 of 5 words, from 'filming' on, are cut"):
        masked = masker.mask("good film the filming good")
    assert masked.graph == Graph.chain(3, ["good", "film", "the"])
    (row,) = rows(masked, [[0, 1, 2]])
    if absent == "delete":
        assert row == "good film the"
    else:
        assert [VOCABULARY[i] for i in row["input_ids"]] == ["[CLS]", "good", "film", "the", "[SEP]"]
    with pytest.raises(
        MaskerError, match="Expected room for at least the first unit 'abcdefgh', got room for 4 tokens"
    ):
        masker.mask("abcdefgh good")


@pytest.mark.parametrize(
    ("pair", "kept"),
    [
        (("good " * 9, "film is"), (4, 2)),
        (("good film", "is " * 9), (2, 4)),
        (("good " * 9, "is " * 9), (3, 3)),
        (("good " * 9, ""), (6, 0)),
    ],
)
def test_the_longer_text_of_a_pair_is_cut_first(pair, kept):
    with pytest.warns(UserWarning, match=rf"{9 - kept[0] if kept[0] != 2 else 9 - kept[1]} of 9 words"):
        masked = Subwords(TOKENIZER, max_length=9, truncate=True).mask(pair)
    (row,) = rows(masked, [range(masked.graph.d)])
    assert tuple(len(text.split()) for text in row) == kept
    assert masked.graph.d == sum(kept)


def test_what_is_pinned_or_no_unit_is_cut_with_the_rest():
    masker = Subwords(TOKENIZER, splitter="good|film", pin={"film"}, max_length=4, truncate=True)
    with pytest.warns(UserWarning, match=r"1 of 2 units, from 'is' on"):
        masked = masker.mask("good film is good the")
    assert rows(masked, [[], [0]]) == ["film", "good film"]
    with pytest.warns(UserWarning, match="0 of 1 units, from 'is is is is' on"):
        assert rows(masker.mask("the good is is is is"), [[0]]) == ["the good"]


def test_slow_tokenizers_can_delete():
    slow = ByT5Tokenizer()
    assert rows(Subwords(slow).mask("good film"), [[1]]) == ["film"]
    with pytest.warns(UserWarning, match="1 of 2 words, from 'film' on"):
        assert Subwords(slow, max_length=8, truncate=True).mask("good film").graph.names == ("good",)
    for absent in ("mask", "attention"):
        with pytest.raises(
            MaskerError, match="Expected a fast tokenizer, which reports the positions of its tokens, got a slow one"
        ):
            Subwords(slow, absent=absent)


def test_tokenizers_without_the_tokens_that_are_needed():
    bare = wordpiece(pad_token=None, mask_token=None)
    with pytest.raises(
        MaskerError,
        match=r'Expected a tokenizer with a mask token, got one without.*absent="delete".*absent="attention"',
    ):
        Subwords(bare, absent="mask")
    with pytest.raises(MaskerError, match=r'Expected a tokenizer with a pad token, got one without.*absent="delete"'):
        Subwords(bare, absent="attention")
    assert Subwords(bare).mask("good").graph.d == 1
    inattentive = wordpiece(model_input_names=["input_ids"])
    with pytest.raises(
        MaskerError, match="Expected a tokenizer of a model that takes an attention mask, got another one"
    ):
        Subwords(inattentive, absent="attention")
    assert set(rows(Subwords(inattentive, absent="mask").mask("good"), [[0]])[0]) == {"input_ids"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"tokenizer": "bert-base-uncased"},
            r"Expected a tokenizer that AutoTokenizer\.from_pretrained loads, got str",
        ),
        ({"units": "line"}, "units"),
        ({"absent": "[MASK]"}, r"Expected .delete., .mask. or .attention. as absent, got '\[MASK\]'"),
        ({"splitter": "("}, "splitter"),
        ({"pin": 3}, "pin"),
        ({"max_length": 0}, "max_length"),
        ({"max_length": True}, "max_length"),
        ({"graph": "grid"}, "graph"),
    ],
)
def test_invalid_parameters(options, message):
    with pytest.raises(MaskerError, match=message):
        Subwords(**{"tokenizer": TOKENIZER, **options})


@pytest.mark.parametrize("x", [5, ("a",), ("a", "b", "c"), ("a", 5), None, b"a"])
def test_inputs_that_are_no_text(x):
    with pytest.raises(MaskerError, match="a str or a tuple of two"):
        Subwords(TOKENIZER).mask(x)


def test_a_list_is_many_inputs_and_a_tuple_is_one():
    masker = Subwords(TOKENIZER)
    assert [masker.is_many(x) for x in (["a"], ("a", "b"), "a")] == [True, False, False]
    assert "[MASK]" not in repr(masker)  # the record of an explanation does not hold the vocabulary


@pytest.mark.parametrize("absent", ["delete", "mask"])
def test_coalitions_of_another_input(absent):
    with pytest.raises(
        PlanError, match="Expected coalitions over the 3 units of the input, got coalitions over 2 units"
    ):
        Subwords(TOKENIZER, absent=absent).mask("a b c").rows(Coalitions.from_sets(2, [[0]]))
