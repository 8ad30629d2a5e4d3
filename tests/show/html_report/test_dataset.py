"""The data set of a report: labels, predictions and leading units, as the index has them and as the page shows them."""

import re

import numpy as np
import pytest
from showing import made, text_view

import lcshap as lc
from lcshap.show.html_report.dataset import LeadingUnits, check_labels, describe_sample

TEXTS = ["a good plot", "a bad film", "good fun, bad end", "a great film", "poor plot and good end"]
LABELS = ["for", "against", "for", "for", "for"]


def names(page):
    return page.locator("#rows .title").all_inner_texts()


class TestIndex:
    def test_predictions_and_losses_are_the_models_own(self, write, explain, opinion):
        page = write(explain(TEXTS, target=None), labels=LABELS, names=["one", None, "three", "four", "five"])
        shares = opinion.predict_proba(TEXTS)
        order = list(opinion.classes_)
        for sample, label, share in zip(page.samples, LABELS, shares, strict=True):
            assert sample["predicted"] == order[int(share.argmax())]
            assert sample["confidence"] == pytest.approx(share.max(), rel=1e-5)
            assert sample["label"] == label
            assert sample["loss"] == pytest.approx(-np.log(share[order.index(label)]), rel=1e-4)
        assert [sample["name"] for sample in page.samples] == ["one", TEXTS[1], "three", "four", "five"]

    def test_what_is_not_known_is_left_out(self):
        assert describe_sample(made([1.0]), None) == {}
        value = {"value": "prob", "targets": ["yes"]}
        assert describe_sample(made([0.9], provenance=value), "no") == {
            "predicted": "yes", "confidence": 0.9, "label": "no"
        }  # fmt: skip
        assert describe_sample(made([0.3], provenance=value), None) == {}
        assert describe_sample(made([1.0], provenance={"prediction": [["b", None]]}), "b") == {
            "predicted": "b", "label": "b"
        }  # fmt: skip
        assert describe_sample(made([1.0], provenance={"prediction": 5}), None) == {}

    def test_leading_units_are_sums_over_samples(self):
        leading = LeadingUnits()
        for words, scores in (("Good, bad", [1.0, -2.0]), ("good good film", [0.5, 0.25, 0.0])):
            leading.add(0, "for", made(scores, words.split(), text_view(words)))
        leading.add(0, "for", made(np.ones(4), view=lc.maskers.Image().mask(np.eye(2)).view))  # pixels have no names
        (group,) = leading.packed()
        assert group == {
            "method": 0, "output": "for", "samples": 2, "for": [["good", 1.75, 3, 2]], "against": [["bad", -2.0, 1, 1]]
        }  # fmt: skip

    def test_bad_labels_and_names(self, write, explain):
        explanations = explain(TEXTS[:2])
        for options, message in (
            ({"labels": ["for"]}, "Expected 2 labels, one for each input, got 1."),
            ({"names": "ab"}, "Expected a list of names, one for each input, got str."),
            ({"labels": [0, 1]}, "Expected labels that are names of classes such as '.*', got '0'"),
        ):
            with pytest.raises(lc.errors.ShowError, match=message):
                write(explanations, **options)
        assert check_labels(None, [1, None], 2) == ([None, None], ["1", None])


class TestPage:
    @pytest.fixture
    def page(self, show, explain):
        return show(explain(TEXTS, target=None), labels=LABELS)

    def test_the_confusion_matrix_lists_its_samples(self, page, opinion):
        predictions = opinion.predict(TEXTS)
        page.get_by_role("button", name="Data set").click()
        assert page.locator("#one").is_hidden()
        right = int(np.sum(predictions == LABELS))
        assert f"The model classifies {right} of the 5 samples" in page.locator("#dataset").inner_text()
        for label in ("against", "for"):
            for predicted in ("against", "for"):
                there = [
                    text for text, *pair in zip(TEXTS, LABELS, predictions, strict=True) if pair == [label, predicted]
                ]
                samples = "1 sample" if len(there) == 1 else f"{len(there)} samples"
                button = page.get_by_role("button", name=f"{samples} of {label}, predicted as {predicted}", exact=True)
                assert button.inner_text() == str(len(there))
                button.click()
                assert names(page) == there
                assert button.get_attribute("aria-pressed") == "true"
                button.click()
        assert names(page) == TEXTS

    def test_filters_and_sorting(self, page, opinion):
        predictions, shares = opinion.predict(TEXTS), opinion.predict_proba(TEXTS)
        page.get_by_label("Right or wrong").select_option(label="wrong")
        assert names(page) == [
            t for t, s, true_label in zip(TEXTS, predictions, LABELS, strict=True) if s != true_label
        ]
        page.get_by_label("Right or wrong").select_option(label="all")
        page.get_by_label("True class").select_option(label="against")
        assert names(page) == ["a bad film"]
        page.get_by_label("True class").select_option(label="all")
        order = list(opinion.classes_)
        keys = {"loss": [-np.log(p[order.index(true_label)]) for p, true_label in zip(shares, LABELS, strict=True)]}
        keys["confidence"] = shares.max(axis=1)
        for key, numbers in keys.items():
            page.select_option("#sort", label=key)
            sorted_numbers = [numbers[TEXTS.index(name)] for name in names(page)]
            np.testing.assert_allclose(sorted_numbers, sorted(numbers, reverse=True), rtol=1e-5)

    def test_the_list_and_the_sample_show_the_prediction_and_whether_it_is_right(self, show, explain, opinion):
        page = show(explain(TEXTS, target="against"), labels=LABELS)  # one class is explained, whatever is predicted
        for k, (prediction, share) in enumerate(
            zip(opinion.predict(TEXTS), opinion.predict_proba(TEXTS).max(axis=1), strict=True)
        ):
            row, right = page.locator("#rows .sample").nth(k), prediction == LABELS[k]
            row.click()
            note = row.locator(".note").inner_text()
            assert note.startswith(f"{'✓' if right else '✗'} {prediction} {100 * share:.1f} %")
            assert note.endswith("" if right else f", is {LABELS[k]}")
            page.select_option("#sort", label="loss")  # its number takes the place of the probability
            assert re.fullmatch(r"loss [\d.]+ · [✓✗] \w+(, is \w+)?", row.locator(".note").inner_text())
            page.select_option("#sort", label="order")
            fact = page.locator('[data-fact="true class"]').inner_text()
            assert fact == f"{LABELS[k]}: the prediction is {'right' if right else 'wrong'}"

    def test_a_leading_unit_lists_the_samples_that_have_it(self, page):
        page.get_by_role("button", name="Data set").click()
        page.locator("#dataset .link", has_text=re.compile("^good$")).first.click()
        assert names(page) == [t for t in TEXTS if "good" in t]
        page.get_by_role("button", name="Remove the filter").click()
        assert names(page) == TEXTS
        page.locator("#rows .sample").nth(1).click()
        assert page.locator("#picture").inner_text() == TEXTS[1]
        assert page.locator("#dataset").is_hidden()
