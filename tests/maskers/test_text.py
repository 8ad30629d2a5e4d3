import re

import numpy as np
import pytest
from distinct_keys import coalition_keys, kept_rows
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lcshap import Coalitions, Graph
from lcshap.errors import MaskerError, PlanError
from lcshap.maskers.cutting import UNSPACED
from lcshap.maskers.text import Text
from lcshap.maskers.text_keys import text_keys

PAPER = "It is not heartwarming or entertaining. It just sucks."
FAMILY, THUMB, FLAGS = "👩‍👩‍👧", "👍🏽", "🇩🇪🇫🇷"
SCOTLAND = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
CLUSTERS = f"e\u0301 n\u0303\u0323 {FAMILY} {THUMB} {SCOTLAND} 🇩🇪 ❤️ 1️⃣ 🏳️‍🌈 👩🏽‍🚀 각 \u1112\u1161\u11ab नि กำ".split()
BLANKS = [" ", " ", "  ", "\n", "\n\n", "\t", "\r\n", "\u3000", "\u200b", ". ", "! "]
SNIPPETS = [*BLANKS, *CLUSTERS, *f"{FLAGS} a It don't U.S. 3.5% — ( 中 文。 「日 ก็ שלום مرحبا 한국어 \u200d".split()]
TEXTS = st.text(max_size=30) | st.lists(st.sampled_from(SNIPPETS), max_size=15).map("".join)
UNITS = st.sampled_from(["word", "sentence", "character"])


def units(text, *args, **options):
    return list(Text(*args, **options).mask(text).graph.names)


def rows(masked, sets):
    return masked.rows(Coalitions.from_sets(masked.graph.d, sets))


def mask_or_skip(recipe, text):
    try:
        return recipe.mask(text)
    except MaskerError:
        assume(False)


def batch(draw, d):
    """Coalitions, some stored by what they keep, some by what they lack."""
    sets = [*draw(st.lists(st.frozensets(st.integers(0, d - 1)), max_size=8)), range(d), []]
    stored = Coalitions.from_sets(d, sets)
    removed = draw(st.lists(st.booleans(), min_size=len(sets), max_size=len(sets)))
    return Coalitions(d, stored.indices, stored.offsets, np.array(removed))


def delete_naively(text, spans, present, words):
    """Unit by unit; between two that stay, the widest gap that was between them, or a space if they are words."""
    row, before = "", None
    for k, (start, end) in enumerate(spans):
        if present[k]:
            if before is not None:
                gaps = [text[spans[j][1] : spans[j + 1][0]] for j in range(before, k)]
                gap = max(gaps, key=lambda gap: (gap.count("\n"), len(gap), gap))
                far = words and k > before + 1 and not UNSPACED.search(text[slice(*spans[before])] + text[start:end])
                row += gap or " " * far
            elif k == 0:
                row += text[:start]
            row += text[start:end]
            before = k
    return row + text[spans[-1][1] :] if before == len(spans) - 1 else row


def replace_naively(text, spans, present, token):
    row, at = "", 0
    for (start, end), is_present in zip(spans, present, strict=True):
        row += text[at:start] + (text[start:end] if is_present else token)
        at = end
    return row + text[at:]


def no_blanks(text):
    return re.sub(r"[\s\u200b\ufeff]", "", text)


# -- properties, for any text ---------------------------------------------------------------------------------------


@settings(max_examples=400, deadline=None)
@given(TEXTS, UNITS)
def test_units_and_gaps_make_up_the_text_and_all_units_give_it_back(text, kind):
    masked = mask_or_skip(Text(kind), text)
    at, rebuilt = 0, ""
    for (start, end), name in zip(masked.spans, masked.graph.names, strict=True):
        assert at <= start < end
        assert text[start:end] == name
        assert no_blanks(text[at:start]) == ""
        rebuilt += text[at:start] + name
        at = end
    assert no_blanks(text[at:]) == ""
    assert rebuilt + text[at:] == text
    everything = Coalitions(masked.graph.d, np.empty(0, np.int32), np.zeros(2, np.int64), np.array([True]))
    assert masked.rows(everything) == rows(masked, [range(masked.graph.d)]) == [text]
    assert rows(masked, [[]]) == [""]


@settings(max_examples=400, deadline=None)
@given(st.data(), TEXTS, UNITS, st.sampled_from(["delete", "[MASK]", ""]))
def test_rows_are_those_of_a_naive_masker(data, text, kind, absent):
    spans = mask_or_skip(Text(kind), text).spans
    roles = data.draw(st.lists(st.sampled_from("uuupd"), min_size=len(spans), max_size=len(spans)))
    assume("u" in roles)
    role = dict(zip(spans, roles, strict=True))
    recipe = Text(kind, absent, pin=lambda _, *span: role[span] == "p", drop=lambda _, *span: role[span] == "d")
    masked = recipe.mask(text)
    assert list(masked.spans) == [span for span in spans if role[span] == "u"]
    coalitions = batch(data.draw, masked.graph.d)
    expected, lengths = [], []
    for kept in coalitions:
        present_spans = {masked.spans[i] for i in kept} | {span for span in spans if role[span] == "p"}
        present = [span in present_spans for span in spans]
        naive = delete_naively(text, spans, present, kind == "word") if absent == "delete" else None
        expected.append(replace_naively(text, spans, present, absent) if naive is None else naive)
        lengths.append(sum(end - start for start, end in present_spans))
        if naive is not None:
            assert no_blanks(naive) == no_blanks("".join(text[s:e] for s, e in sorted(present_spans)))
    assert masked.rows(coalitions) == expected
    total = sum(end - start for start, end in masked.pieces.tolist())
    assert masked.distinct(coalitions).lengths(coalitions).tolist() == (
        lengths if absent == "delete" else [total] * len(lengths)
    )


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_characters_never_cut_what_unicode_keeps_together(text):
    masked = mask_or_skip(Text("character"), text)
    starts = {start for start, _ in masked.spans}
    for i in range(1, len(text)):
        if re.match(r"[\u0301\u20e3\ufe0f\U0001f3fb-\U0001f3ff]", text[i]) and text[i - 1].isprintable():
            assert i not in starts


@settings(max_examples=50, deadline=None)
@given(st.data(), TEXTS, st.sampled_from(["delete", "[MASK]"]))
def test_rows_and_keys_are_the_same_however_many_are_made_at_once(data, text, absent):
    masked = mask_or_skip(Text("character", absent), text)
    coalitions = batch(data.draw, masked.graph.d)
    rows = masked.rows(coalitions)
    keys = coalition_keys(masked, coalitions)
    assert keys == text_keys(rows)
    assert kept_rows(masked, coalitions) == rows
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lcshap.maskers.text._MAX_LETTERS", 2 * len(text))
        assert masked.rows(coalitions) == rows
        assert coalition_keys(masked, coalitions) == keys
        kept = 2 * len(text) >= len(rows) * masked._max_row_letters
        assert kept_rows(masked, coalitions) == (rows if kept else None)


# -- what a word, a sentence, a character is ------------------------------------------------------------------------


def test_the_sentence_of_the_paper_has_nine_words():
    masked = Text().mask(PAPER)
    assert masked.graph == Graph.chain(9, PAPER.split())
    assert masked.graph.names[5] == "entertaining."


@pytest.mark.parametrize(
    "word", ["don't", "well-known", "3.5%", "U.S.", "jo.doe+x@example.org", "naïve", "(so", "한국어를"]
)
def test_words_that_stay_whole(word):
    assert units(f"a {word}\tb") == ["a", word, "b"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("我不喜欢。真的！", ["我", "不", "喜", "欢。", "真", "的！"]),
        ("他说：「很好」，对吧？", ["他", "说：", "「很", "好」，", "对", "吧？"]),
        ("我用Python3写了3.5%的code。", ["我", "用", "Python3", "写", "了", "3.5%", "的", "code。"]),
        ("コーヒーがか\u3099", ["コ", "ー", "ヒ", "ー", "が", "か\u3099"]),
        ("2024年 ok", ["2024", "年", "ok"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("هذا الفيلم ليس جيدا.", ["هذا", "الفيلم", "ليس", "جيدا."]),
        ("הסרט לא-טוב, נכון?", ["הסרט", "לא-טוב,", "נכון?"]),
        (f"so {FAMILY}{THUMB} !", ["so", FAMILY + THUMB, "!"]),
        ("zero\u200bwidth\u00a0space", ["zero", "width", "space"]),
        ("\ufeffword", ["word"]),
    ],
)
def test_words_of_other_scripts(text, words):
    assert units(text) == words


def test_sentences():
    assert units(PAPER, "sentence") == ["It is not heartwarming or entertaining.", "It just sucks."]
    assert units(' Is 3.5 "good?" Yes... no!)\nEnd', "sentence") == ['Is 3.5 "good?"', "Yes...", "no!)", "End"]
    assert units("不好。真的吗？！「是。」完", "sentence") == ["不好。", "真的吗？！", "「是。」", "完"]
    assert units("A title\n \nthen text\nand more", "sentence") == ["A title", "then text\nand more"]
    assert units("هل هو جيد؟ لا.", "sentence") == ["هل هو جيد؟", "لا."]


def test_long_runs_of_marks_and_blanks_take_no_time():
    for text in ("." * 200_000 + "x", "\n" + " " * 200_000 + "x", "a" + "'" * 200_000, "x" + " " * 200_000):
        assert len(units(text, "sentence")) == 1


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_characters_as_a_reader_counts_them(cluster):
    assert units(f"a{cluster}b {cluster}{cluster}", "character") == ["a", cluster, "b", cluster, cluster]


def test_flags_pair_up_and_joiners_join_only_pictures():
    assert units("🇩🇪🇫🇷🇮", "character") == ["🇩🇪", "🇫🇷", "🇮"]
    assert units("a\u200db", "character") == ["a\u200d", "b"]
    assert units("a\r\nb", "character") == ["a", "b"]


# -- splitters ------------------------------------------------------------------------------------------------------


def test_a_regular_expression_finds_the_units_and_other_text_stays():
    masked = Text(splitter=r"good|bad").mask("A good, or bad  film.")
    assert masked.graph.names == ("good", "bad")
    assert masked.spans == ((2, 6), (11, 14))
    assert rows(masked, [[], [0], [1], [0, 1]]) == [
        "A , or  film.",
        "A good, or  film.",
        "A , or bad  film.",
        "A good, or bad  film.",
    ]
    sets = Coalitions.from_sets(2, [[], [0]])
    assert masked.distinct(sets).lengths(sets).tolist() == [len("A") + len(", or") + len("film."), 14]
    assert units("a1 b2", splitter=re.compile(r"(\w)\d*")) == ["a1", "b2"]
    assert units("ab", splitter=r"b*") == ["b"]
    assert units("a b", splitter="(?s).") == ["a", " ", "b"]


def test_a_function_finds_the_units_as_offsets_of_a_tokenizer():
    def offsets(text):
        return np.array([(0, 0), (0, 5), (5, 9), (9, 10), (0, 0)])

    masked = Text(splitter=offsets, absent="_").mask("heartwarm!")
    assert masked.graph.names == ("heart", "warm", "!")
    assert masked.spans == ((0, 5), (5, 9), (9, 10))
    assert rows(masked, [[1], []]) == ["_warm_", "___"]


@pytest.mark.parametrize(
    "spans", [[(0, 2), (1, 3)], [(2, 3), (0, 1)], [(0, 9)], [(-1, 1)], [(2, 1)], [1, 2], [(0.5, 1)], None]
)
def test_impossible_spans(spans):
    with pytest.raises(MaskerError, match="the splitter"):
        Text(splitter=lambda text: spans).mask("abc")


# -- spacing --------------------------------------------------------------------------------------------------------


def test_spacing_of_what_stays_survives():
    masked = Text().mask("  One,  two three.\n\nFour 五六 seven!\n")
    assert masked.graph.names == ("One,", "two", "three.", "Four", "五", "六", "seven!")
    assert rows(masked, [[0, 1], [0, 2], [1, 2], [2, 3], [0, 6], [3, 5], [4, 6], [4, 5], [1], [6]]) == [
        "  One,  two",
        "  One,  three.",
        "two three.",
        "three.\n\nFour",
        "  One,\n\nseven!\n",
        "Four 六",
        "五 seven!\n",
        "五六",
        "two",
        "seven!\n",
    ]
    assert rows(Text().mask("用Python写3月5日"), [[1, 3, 5, 6], [1, 2], [0, 2], [2, 3]]) == [
        "Python 3 5日",
        "Python写",
        "用写",
        "写3",
    ]
    assert rows(Text("character").mask("hello world"), [[0, 5], [0, 2], [4, 6]]) == ["h w", "hl", "o o"]


def test_replacing_leaves_everything_in_place():
    masked = Text(absent="[MASK]").mask(" It  just\nsucks. ")
    assert rows(masked, [[], [1], [0, 2]]) == [
        " [MASK]  [MASK]\n[MASK] ",
        " [MASK]  just\n[MASK] ",
        " It  [MASK]\nsucks. ",
    ]
    sets = Coalitions.from_sets(3, [[], [1]])
    assert masked.distinct(sets).lengths(sets).tolist() == [sum(map(len, masked.graph.names))] * 2


# -- pins, drops, graphs ----------------------------------------------------------------------------------------------


def test_pinned_and_dropped_words_are_no_units():
    masked = Text(pin={"It"}, drop=lambda name, start, end: len(name) < 3 and start > 0).mask(
        "It is not so bad at all."
    )
    assert masked.graph == Graph.chain(3, ["not", "bad", "all."])
    assert rows(masked, [[], [0, 2], [0, 1, 2]]) == ["It", "It not all.", "It not bad all."]
    masked = Text(absent="_", pin=["It"], drop=("is",)).mask("It is bad")
    assert rows(masked, [[], [0]]) == ["It _ _", "It _ bad"]


def test_graphs_over_the_units():
    assert Text(graph="ring").mask(PAPER).graph == Graph.ring(9, PAPER.split())
    assert Text(graph="complete").mask(PAPER).graph == Graph.complete(9, PAPER.split())
    star = Text(graph=lambda n: Graph.tree([None] + [0] * (n - 1))).mask("a b c")
    assert star.graph == Graph.tree([None, 0, 0], ["a", "b", "c"])
    with pytest.raises(
        MaskerError, match=r"Expected a Graph of 3 units from the function graph, got Graph\.chain\(4\): 4 units, 3"
    ):
        Text(graph=lambda n: Graph.chain(n + 1)).mask("a b c")


def test_one_word():
    masked = Text().mask("word")
    assert masked.graph == Graph.chain(1, ["word"])
    assert rows(masked, [[], [0]]) == ["", "word"]
    assert rows(masked, []) == []


# -- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recipe", "text", "message"),
    [
        (Text(), "", r"Expected a text with at least one word, got ''.*nothing.*explain"),
        (Text(), " \n", r"Expected a text with at least one word, got ' \\n'"),
        (Text("sentence"), "\u200b", r"Expected a text with at least one sentence, got '\\u200b'"),
        (Text(splitter=r"\d"), "abc", r"Expected a text with something that the splitter finds, got 'abc'.*nothing"),
        (Text(), b"bytes", "Expected a text as str, got bytes"),
        (Text(), ["a", "b"], "Expected a text as str, got list"),
        (Text(), None, "Expected a text as str, got NoneType"),
        (
            Text(pin={"a"}, drop={"b"}),
            "a b",
            "Expected at least one unit that is neither pinned nor dropped, got none of 2",
        ),
        (Text(pin={"a"}, drop={"a"}), "a b", "Expected units that are pinned or dropped, got 'a' in both"),
    ],
)
def test_texts_that_cannot_be_cut(recipe, text, message):
    with pytest.raises(MaskerError, match=message):
        recipe.mask(text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"units": "words"}, "Expected one of 'word', 'sentence', 'character' as units, got 'words'"),
        ({"absent": None}, 'Expected "delete" or the string that replaces a unit as absent, got None'),
        (
            {"splitter": "("},
            r"Expected a regular expression as splitter, got '\(': missing \), unterminated subpattern",
        ),
        ({"splitter": re.compile(b"a")}, r"Expected a regular expression \(of str\) or a function as splitter, got"),
        ({"splitter": 3}, r"Expected a regular expression \(of str\) or a function as splitter, got"),
        ({"graph": "grid"}, "Expected .chain., .ring., .complete. or a function of d as graph, got 'grid'"),
        ({"pin": "not"}, r"such as \{'not'\}"),
        ({"drop": 3}, "a set of units"),
    ],
)
def test_invalid_parameters(options, message):
    with pytest.raises(MaskerError, match=message):
        Text(**options)


def test_coalitions_of_another_text():
    with pytest.raises(
        PlanError, match="Expected coalitions over the 3 units of the input, got coalitions over 2 units"
    ):
        Text().mask("a b c").rows(Coalitions.from_sets(2, [[0]]))
