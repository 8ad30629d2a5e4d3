"""Keywords in the wrong place, kinds that nobody needs to say, and names that there are not."""

import inspect
from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import SVC

import lcshap as lc


def lengths(texts):
    return [float(len(text)) for text in texts]


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        (
            {"order": 2},
            r"an option of Explainer, got 'order'\. It is a parameter of methods: write method=lc\.\w+\(order=...\)",
        ),
        ({"order": 2, "method": "l-shapley"}, r"a parameter of the method: write method=lc.LShapley\(order=...\)"),
        ({"methd": "lime"}, "an option of Explainer, got 'methd'. Did you mean 'method'"),
        ({"tolerence": 1}, r"got 'tolerence'. Did you mean stop=lc.Stop\(tolerance=...\)"),
        ({"zzz": 1}, "an option of Explainer, got 'zzz'. It has model, masker, method, "),
    ],
)
def test_an_option_that_there_is_not_is_one_clear_error(options, advice):
    with pytest.raises(lc.errors.OptionError, match=advice):
        lc.explain(lengths, "one two", kind="output", **options)
    with pytest.raises(lc.errors.OptionError, match=advice):
        lc.Explainer(lengths, lc.maskers.Text(), kind="output", **options)


def test_fields_of_groups_are_still_read_by_themselves():
    """Options of version 0.1 give the same explainer, and one of them beside its group changes this field alone."""
    text, old = (
        lc.maskers.Text(),
        {"tolerance": 0.1, "confidence": 0.9, "batch_size": 4, "max_calls": None, "check": True},
    )
    new = {"stop": lc.Stop(0.1, confidence=0.9), "execution": lc.Execution(4, None, check=True)}
    before, after = (lc.Explainer(lengths, text, kind="output", **options) for options in (old, new))
    assert (before.stop, before.execution) == (after.stop, after.execution) == (new["stop"], new["execution"])
    assert repr(before) == repr(after)
    assert "stop=Stop(tolerance=0.1, confidence=0.9), kind='output', execution=Execution(batch_size=4, " in repr(after)
    changed = replace(after, progress=False, top=2)
    assert changed.execution == lc.Execution(4, None, False, True)
    assert changed.stop == lc.Stop(0.1, 2, 0.9)
    usual = lc.Explainer(lengths, text, kind="output", tolerance=None, batch_size=None)
    assert repr(usual) == "Explainer(lengths, Text(), 'auto', kind='output')"
    e = lc.explain(lengths, "one two", kind="output", method="sample-shapley", budget=40, top=1)
    assert "stopped" in e.provenance


def test_the_signature_has_the_groups_alone():
    names = list(inspect.signature(lc.Explainer).parameters)
    assert {"stop", "execution"} < set(names)
    assert not {"tolerance", "top", "confidence", "batch_size", "max_calls", "model_name"} & set(names)
    assert len(names) <= 15


def test_groups_of_another_type_and_deadlines_are_refused():
    for options, message in (
        ({"stop": 0.1}, r"Expected stop as an lcshap.Stop, got 0\.1"),
        ({"execution": {"batch_size": 3}}, "Expected execution as an lcshap.Execution, got {'batch_size': 3}"),
        ({"stop": lc.Stop(deadline=3.0)}, 'Expected stop without a deadline, got one.*budget="30s"'),
    ):
        with pytest.raises(lc.errors.OptionError, match=message):
            lc.Explainer(lengths, lc.maskers.Text(), kind="output", **options)


def test_the_output_as_it_is_needs_no_kind():
    e = lc.explain(lengths, "one two", value="output", method="shapley")
    np.testing.assert_array_equal(e.scores, [3.5, 3.5])
    assert e.provenance["kind"] == "output"

    class Scorer:
        def predict(self, texts):
            return lengths(texts)

    assert lc.explain(Scorer(), "one two", value=lc.values.Value("output")).provenance["kind"] == "output"
    with pytest.raises(lc.errors.ModelError, match="does not declare what its numbers are"):
        lc.explain(lengths, "one two", value="prob")


def test_a_class_in_place_of_a_masker_or_a_model():
    with pytest.raises(lc.errors.MaskerError, match=r"Expected a masker, got the class Text\. .*Text\(\)"):
        lc.Explainer(lengths, lc.maskers.Text, kind="output")
    table = np.zeros((5, 3, 2))
    with pytest.raises(lc.errors.MaskerError, match=r"got ndarray of shape \(5, 3, 2\)\. .*Tabular\(background\)"):
        lc.Explainer(lengths, table, kind="output")
    with pytest.raises(lc.errors.ModelError, match=r"got the class SVC\. Create an instance: SVC\(\.\.\.\)"):
        lc.Explainer(SVC, lc.maskers.Text())


def test_an_unknown_label_is_refused_before_the_model_is_called():
    def never(texts):
        raise AssertionError

    for target in ("spam", ["ham", "spam"], ("ham", "spam")):
        with pytest.raises(lc.errors.ModelError) as error:
            lc.Explainer(never, lc.maskers.Text(), kind="logits", classes=["ham", "eggs"], target=target)
        assert str(error.value) == "Expected the name of a class as the target, got 'spam': the classes are ham, eggs"


def test_a_margin_names_the_predicted_class_which_scores_explain():
    x = np.random.default_rng(0).normal(size=(60, 3))
    svc = SVC(kernel="linear").fit(x, np.where(x[:, 0] > 0, "up", "down"))
    explainer = lc.Explainer(svc, lc.maskers.Tabular(np.zeros((1, 3))), lc.Shapley(), target="predicted")
    for row, name in ((np.array([1.0, 0, 0]), "up"), (np.array([-1.0, 0, 0]), "down")):
        e = explainer(row)
        assert (e.provenance["kind"], e.provenance["targets"]) == ("margin", [name])
        assert e.scores[0] > 0.5
        assert e.full_value == pytest.approx(abs(svc.decision_function(row[None])[0]))


@pytest.mark.parametrize("kind", ["multilabel", "multilabel-logits", "margin"])
def test_new_kinds_survive_a_file(kind, tmp_path):
    answers = {"multilabel": [[0.9, 0.2]], "multilabel-logits": [[2.0, -1.0]], "margin": [[-1.5]]}[kind]
    classes = ["toxic", "threat"]
    e = lc.explain(lambda texts: answers * len(texts), "one two", method="shapley", kind=kind, classes=classes)
    back = lc.load(e.save(tmp_path / "e.json"))
    assert back.provenance == e.provenance
    assert (back.provenance["kind"], back.provenance["targets"]) == (kind, ["toxic"])


@pytest.mark.parametrize(("target", "label"), [("toxic", "no longer predicts toxic"), ("polite", "predicts polite")])
def test_the_sentence_about_a_flip_names_the_label(target, label):
    def logits(texts):
        return [[4.0 * ("vile" in t) - 2, 3.0 - 5.0 * ("vile" in t)] for t in texts]

    options = {"kind": "multilabel-logits", "classes": ["toxic", "polite"], "target": target}
    e = lc.explain(logits, "a vile thing", method=lc.DeletionPath(20), **options)
    assert (e.flipped, e.flip_set) == (True, (1,))
    assert lc.show.flips.flip_sentence(e) == f"Without *vile*, the model {label}."
