"""The page as a whole: one file, safe, small."""

import base64
import hashlib
import re
from dataclasses import replace

import numpy as np
import pytest
from showing import NASTY, made, text_view

import lcshap as lc
from lcshap.core.explanation import Explanation
from lcshap.core.printable import printable
from lcshap.show.html_report import report
from lcshap.show.palette import PALETTES, rgb_to_hex


class TestSafety:
    def test_nothing_but_the_own_script_and_style_is_allowed(self, write, explain):
        page = write(explain("good plot"))
        policy = next(a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        assert rules["default-src"] == "'none'"
        running = {tag: t for tag, a, t in page.texts if a.get("type") != "application/json" and tag != "title"}
        for tag, rule in (("script", "script-src"), ("style", "style-src")):
            digest = base64.b64encode(hashlib.sha256(running[tag].encode()).digest()).decode()
            assert rules[rule] == f"'sha256-{digest}'"
        assert not any(name == "style" or name.startswith("on") for _, a in page.tags for name in a)
        assert not any("src" in a or a.get("href", "#").startswith("#") is False for _, a in page.tags)
        assert set(re.findall(r"https?://[^\s\"']+", page.source)) == {"http://www.w3.org/2000/svg"}
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", page.source)

    @pytest.mark.parametrize("nasty", NASTY)
    def test_any_text_anywhere_stays_text(self, write, nasty):
        harmless = write(made([1.0], ["x"], text_view("x"))).tags
        e = made(
            [1.0],
            [nasty],
            replace(text_view("x"), text=nasty),
            {"method": nasty, nasty: {nasty: nasty}, "targets": [nasty], "masker": nasty, "versions": {nasty: nasty}},
            curve={"percents": np.array([0.0]), "counts": np.array([0]), "values": np.zeros(1), "what": nasty},
        )
        page = write(e, title=nasty)
        assert [tag for tag, a in page.tags if not a.get("id", "").startswith("pool")] == [
            tag for tag, a in harmless if not a.get("id", "").startswith("pool")
        ]
        assert page.blocks["index"]["title"] == nasty
        assert page.blocks["index"]["methods"] == [printable(nasty)]
        assert page.samples[0]["text"] == nasty
        assert page.samples[0]["entries"][0][1] == printable(nasty)
        assert page.pool(page.samples[0]["names"]) == [printable(nasty)]
        entry = page.sample()["entries"][0]
        assert page.pool(entry["curve"]["said"])["what"] == nasty
        assert [nasty, f"{nasty} = {nasty}"] in page.pool(entry["made"])[0]
        data = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page.source)
        assert len(data) == len(page.blocks)
        assert not any(re.search("[<>&\u2028\u2029]", block) for block in data)


class TestReport:
    def test_returns_where_it_wrote(self, tmp_path):
        path = report(made([1.0]), str(tmp_path / "one.htm"))
        assert path == tmp_path / "one.htm"
        assert path.read_text(encoding="utf-8").startswith("<!doctype html>")

    def test_titles(self, write):
        assert [t for tag, _, t in write(made([1.0])).texts if tag == "title"] == ["Explanation"]
        assert write([made([1.0]), made([2.0])]).blocks["index"]["title"] == "2 explanations"
        assert write(made([1.0]), title="Mine & yours").blocks["index"]["title"] == "Mine & yours"

    @pytest.mark.parametrize("name", PALETTES)
    def test_palettes(self, write, name):
        style = next(t for tag, _, t in write(made([1.0]), palette=name).texts if tag == "style")
        palette = PALETTES[name]
        for colour in (palette.positive, palette.negative, palette.dark_positive, palette.dark_negative):
            assert rgb_to_hex(colour) in style

    def test_a_thousand_texts_of_300_words_are_small(self, tmp_path):
        draw = np.random.default_rng(0)
        words = ["".join(draw.choice(list("abcdefghij"), 6)) for _ in range(500)]
        graph = lc.Graph.chain(300)
        masker, explanations = lc.maskers.Text(), []
        for _ in range(200):  # a fifth of them
            view = masker.mask(" ".join(draw.choice(words, 300))).view
            scores = draw.normal(size=300)
            explanations.append(Explanation(scores, 0.0, scores.sum(), graph, 900, {"method": "Shapley()"}, view=view))
        assert report(explanations, tmp_path / "many.html").stat().st_size < 10_000_000 / 5

    def test_names_of_pixels_are_stored_once(self, tmp_path):
        draw, masker = np.random.default_rng(0), lc.maskers.Image("pixel")
        images = [draw.integers(0, 256, (28, 28), dtype=np.uint8) for _ in range(21)]
        views = [masker.mask(image).view for image in images]
        names = masker.mask(images[0]).graph.names
        sizes = [
            report([made(draw.normal(size=784), names, view) for view in some], tmp_path / "x.html").stat().st_size
            for some in (views[:1], views)
        ]
        assert (sizes[1] - sizes[0]) / 20 < 10_000

    @pytest.mark.parametrize(
        ("explanations", "message"),
        [
            ([], "Expected at least one explanation to report, got none"),
            ({"a": []}, "Expected at least one explanation to report, got none"),
            ([np.zeros(3)], "Expected explanations, as an Explainer returns them, got ndarray"),
            ({"a": ["text"]}, "Expected explanations, as an Explainer returns them, got str"),
        ],
    )
    def test_what_is_no_explanation(self, tmp_path, explanations, message):
        with pytest.raises(lc.errors.ShowError, match=message):
            report(explanations, tmp_path / "page.html")

    def test_a_set_without_explanations_has_a_page_that_says_so(self, tmp_path):
        page = lc.Explanations().to_html(tmp_path / "empty.html").read_text(encoding="utf-8")
        assert "<p>No explanations.</p>" in page
        assert "<title>No explanations</title>" in page
        assert "%%" not in page
        failed = lc.Explanations([lc.errors.ModelError("no answer")])
        assert "<h1>run 7 &lt;b&gt;</h1>" in failed.to_html(tmp_path / "failed.html", title="run 7 <b>").read_text()
        with pytest.raises(lc.errors.ShowError, match="Expected 0 labels, one for each input, got 1"):
            lc.Explanations().to_html(tmp_path / "empty.html", labels=["a"])

    def test_other_bad_input(self, tmp_path):
        with pytest.raises(
            lc.errors.ShowError, match=r"Expected a file name that ends in \.html for a report, got 'page\.pdf'"
        ):
            report(made([1.0]), tmp_path / "page.pdf")
        with pytest.raises(lc.errors.ShowError, match="Expected one of the palettes default, paper, shap, got 'pink'"):
            report(made([1.0]), tmp_path / "page.html", palette="pink")
        with pytest.raises(lc.errors.ShowError, match="Expected explanations, as an Explainer returns them, got int"):
            report(5, tmp_path / "page.html")


def test_the_title_says_which_classes_are_explained(tmp_path):
    def logits(texts):
        return [[1.0 * t.count("bad"), 1.5 * t.count("good")] for t in texts]

    options = {"kind": "logits", "classes": ["neg", "pos"]}
    texts = ["a good film", "good fun", "a bad film"]
    mixed = lc.Explainer(logits, lc.maskers.Text(), lc.Shapley(), **options)(texts)
    page = report(mixed, tmp_path / "mixed.html").read_text("utf-8")
    assert "<title>3 explanations: 2 of pos, 1 of neg</title>" in page
    assert "<title>2 explanations</title>" in report(mixed[:2], tmp_path / "one.html").read_text("utf-8")


def test_inputs_of_a_set_that_failed_are_left_out_with_their_labels(tmp_path):
    explainer = lc.Explainer(lambda texts: [1.0 * len(t) for t in texts], lc.maskers.Text(), kind="output")
    xs = explainer(["to be", "", "or not"], errors="keep")
    page = xs.to_html(tmp_path / "all.html", names=["first", "second", "third"]).read_text(encoding="utf-8")
    assert "first" in page
    assert "third" in page
    assert "second" not in page.split("<script")[2]
    explained = report(xs[[0, 2]], tmp_path / "explained.html", names=["first", "third"]).read_text(encoding="utf-8")
    assert page == explained


def test_sets_by_method_leave_out_inputs_that_failed(tmp_path):
    explainer = lc.Explainer(lambda texts: [1.0 * len(t) for t in texts], lc.maskers.Text(), kind="output")
    xs = explainer(["to be", "", "or not"], errors="keep")
    both = report({"mine": xs, "yours": xs}, tmp_path / "both.html").read_bytes()
    assert both == report({"mine": xs.explained, "yours": xs.explained}, tmp_path / "both.html").read_bytes()
