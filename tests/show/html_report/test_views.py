"""Pinning, comparing, scales, links and files, in a real browser."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from showing import answer

import lcshap as lc

TEXTS = ["A good plot, but poor actors. Great end", "bad film, good end", "a great film", "good good fun"]


def number(text):
    return float(re.findall(r"[+−]?[\d.]+(?:e[−+]?\d+)?", text)[0].replace("−", "-"))


def cells(page, selector):
    return [row.split("\t") for row in page.locator(f"{selector} tbody tr").all_inner_texts()]


def saved(page, name):
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Save as {name}").click()
    return Path(download.value.path()).read_bytes()


class TestPin:
    def test_score_by_every_method_interactions_and_other_samples(self, show, explain):
        pairs, exact = explain(TEXTS), explain(TEXTS, lc.Shapley(), curve=False)
        page = show({"pairs": pairs, "exact": exact})
        page.locator('#picture [data-unit="1"]').click()
        by_method, interactions, others = page.locator("#pinned table").all()
        rows = [row.split("\t") for row in by_method.locator("tbody tr").all_inner_texts()]
        assert [row[0] for row in rows] == ["pairs, for", "exact, for"]
        assert [number(row[2]) for row in rows] == pytest.approx([e[0].scores[1] for e in (pairs, exact)], rel=1e-3)
        matrix = pairs[0].interactions.toarray()
        values_by_partner = {
            row.split("\t")[0]: number(row.split("\t")[1]) for row in interactions.locator("tbody tr").all_inner_texts()
        }
        assert values_by_partner == pytest.approx(
            {pairs[0].names[j]: matrix[1, j] for j in (0, 2) if matrix[1, j]}, rel=1e-3
        )
        there = [row.split("\t") for row in others.locator("tbody tr").all_inner_texts()]
        assert {row[0] for row in there} == {TEXTS[1], TEXTS[3]}
        others.get_by_role("button", name=TEXTS[3]).click()
        assert page.locator("#picture").inner_text() == TEXTS[3]
        assert page.locator("#pinned h3").inner_text().startswith("Unit “good")
        page.get_by_role("button", name="Close").click()
        assert page.locator("#pinned").is_hidden()

    def test_with_the_keyboard_and_from_the_table(self, show, explain):
        page = show(explain(TEXTS))
        page.locator("#picture").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        assert page.locator("#pinned h3").inner_text() == "Unit “A”"
        page.locator("#top [data-pin]").first.click()
        assert page.locator("#top [aria-pressed=true]").count() == 1


class TestCompare:
    def test_two_samples_and_two_methods(self, show, explain):
        one, other = explain(TEXTS[:2]), explain(TEXTS[:2], lc.Shapley(), curve=False)
        page = show({"one": one, "other": other})
        page.locator("#keep").click()
        page.get_by_label("other", exact=True).check()
        assert page.locator("#kept-picture").inner_text() == TEXTS[0]
        boxes = [page.locator(name).bounding_box() for name in ("#picture", "#kept-picture")]
        assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
        note = page.locator("#kept .note").first.inner_text()
        from scipy.stats import spearmanr

        expected = spearmanr(one[0].scores.round(9), other[0].scores.round(9)).statistic
        assert note == f"one · for · rank correlation of the two {expected:.3g}"
        page.locator("#rows .sample").nth(1).click()
        assert page.locator("#picture").inner_text() == TEXTS[1]
        assert page.locator("#kept-picture").inner_text() == TEXTS[0]
        page.locator("#drop").click()
        assert page.locator("#kept").is_hidden()


class TestScales:
    def test_numbers_and_threshold(self, show, explain):
        e = explain(TEXTS[0])
        page = show(e)
        page.locator("#scale").select_option(label="% of all |scores|")
        best = int(np.abs(e.scores).argmax())
        expected = 100 * e.scores[best] / np.abs(e.scores).sum()
        assert number(cells(page, "#top")[0][2]) == pytest.approx(expected, rel=1e-3)
        page.locator("#scale").select_option(label="scores")
        page.locator("#threshold").select_option(label="50 % of the largest")
        large = np.abs(e.scores) >= 0.5 * np.abs(e.scores).max()
        assert len(cells(page, "#top")) == large.sum()
        fills = page.locator("#picture .unit").evaluate_all("(all) => all.map((e) => e.style.backgroundColor)")
        assert [fill != "rgb(255, 255, 255)" for fill in fills] == large.tolist()

    def test_one_scale_for_all_samples(self, show, explain):
        explanations = explain(TEXTS)
        page = show(explanations)
        limit = max(np.abs(e.scores).max() for e in explanations)
        page.locator("#alike").check()
        assert number(page.locator("#legend span").last.inner_text()) == pytest.approx(limit, rel=1e-2)


class TestLinks:
    def test_a_link_restores_the_view(self, show, explain):
        page = show({"one": explain(TEXTS), "other": explain(TEXTS, lc.Shapley(), curve=False)})
        page.locator("#keep").click()
        page.fill("#search", "good")
        page.get_by_label("other", exact=True).check()
        page.locator("#rows .sample").nth(1).click()
        page.locator("#scale").select_option(label="% of the largest")
        page.locator('#picture [data-unit="1"]').click()
        page.locator("#slider").fill("2")
        page.mouse.move(0, 0)
        before = page.locator("body").inner_text()
        address = page.url
        assert "sample=1" in address
        page.goto("about:blank")
        page.goto(address)
        assert page.locator("body").inner_text() == before
        assert page.locator("#step").inner_text().startswith("2 of 4")
        page.evaluate("location.hash = ''")
        page.wait_for_timeout(100)
        assert page.input_value("#search") == ""
        assert page.locator("#picture").inner_text() == TEXTS[0]

    @pytest.mark.parametrize(
        "hash", ["sample=99&scale=x&sort=y&step=-3&view=z", "kept={}&pin=1e9&__proto__=1", "kept=[1&step=NaN", "%%%"]
    )
    def test_a_link_of_another_page_does_no_harm(self, show, explain, hash):
        page = show(explain(TEXTS))
        page.evaluate("(hash) => { location.hash = hash; }", hash)
        page.wait_for_timeout(50)
        assert page.locator("#picture").inner_text() == TEXTS[0]


class TestFiles:
    def test_csv_and_json(self, show, explain):
        e = explain(TEXTS[0], lc.SampleShapley(60))
        page = show([e, explain(TEXTS[1], lc.SampleShapley(60))], names=["=1+1", "b"])
        rows = list(csv.DictReader(io.StringIO(saved(page, "CSV").decode("utf-8-sig"))))
        assert [row["unit"] for row in rows] == list(e.names)
        np.testing.assert_allclose([float(row["score"]) for row in rows], e.scores, rtol=1e-5, atol=1e-9)
        np.testing.assert_allclose([float(row["stderr"]) for row in rows], e.stderr, rtol=1 / 256)
        saved_view = json.loads(saved(page, "JSON"))
        assert (saved_view["text"], saved_view["output"]) == (TEXTS[0], "for")
        assert [unit["unit"] for unit in saved_view["units"]] == list(e.names)
        page.get_by_role("button", name="Data set").click()
        rows = list(csv.DictReader(io.StringIO(saved(page, "CSV").decode("utf-8-sig"))))
        assert [row["name"] for row in rows] == ["'=1+1", "b"]  # no formula for a spreadsheet
        assert float(rows[0]["full"]) == pytest.approx(e.full_value, rel=1e-5)

    def test_outputs_are_columns(self, show):
        e = answer()
        rows = list(csv.reader(io.StringIO(saved(show(e), "CSV").decode("utf-8-sig"))))
        assert rows[0] == ["unit", "It", "lives", "in (1)", "Primorye", "in (2)", "a", "wood"]
        np.testing.assert_allclose([[float(x) for x in row[1:]] for row in rows[1:]], e.scores, rtol=1e-5)

    def test_drawings(self, show, explain):
        page = show(explain(TEXTS[0]))
        source = saved(page, "SVG").decode()
        words = re.findall(r"<text[^>]*>([^<]*)</text>", source)
        assert " ".join(TEXTS[0].split()) in " ".join(words)
        fills = set(re.findall(r'<rect[^>]*fill="(rgb[^"]*)"', source))
        assert "rgb(33, 102, 172)" in fills or "rgb(179, 88, 6)" in fills
        from PIL import Image

        image = Image.open(io.BytesIO(saved(page, "PNG"))).convert("RGB")
        colours = {colour for _, colour in image.getcolors(1 << 20)}
        assert image.width > 800
        assert {(33, 102, 172), (179, 88, 6)} & colours
        assert (255, 255, 255) in colours

    def test_a_drawing_of_the_data_set_has_its_numbers_and_names(self, show, explain):
        page = show(explain(TEXTS, target=None), labels=["for"] * len(TEXTS))
        page.get_by_role("button", name="Data set").click()
        buttons = page.locator("#dataset td button, #dataset th button").all_inner_texts()
        assert len(buttons) > 4
        words = re.findall(r"<text[^>]*>([^<]*)</text>", saved(page, "SVG").decode())
        assert not set(buttons) - set(words)

    def test_pixels_and_heat_maps_are_in_drawings(self, show):
        e = lc.Explanation(np.ones(4), 0.0, 4.0, lc.Graph.grid((2, 2)), 9, view=lc.maskers.Image().mask(np.eye(2)).view)
        assert saved(show(e), "SVG").count(b"data:image/png") >= 2
        assert saved(show(answer()), "SVG").count(b"<rect") > 60


def test_keys_in_the_list_and_in_the_dump(show, explain):
    page = show(explain([f"{text} {k}" for text in TEXTS for k in range(10)], curve=False))
    page.locator("#rows").focus()
    page.keyboard.press("End")
    assert page.locator("#picture").inner_text() == "good good fun 9"
    page.keyboard.press("Home")
    page.keyboard.press("PageDown")
    assert 3 < int(page.locator("#rows .chosen").get_attribute("data-sample")) < 20
    model = lambda rows: np.asarray(rows).sum(axis=1)  # noqa: E731
    dump = show(lc.Explainer(model, lc.maskers.Bytes(64), lc.FeatureAblation(), kind="output")(bytes(range(256)) * 40))
    box = dump.locator(".dump")
    box.focus()
    dump.keyboard.press("PageDown")
    dump.wait_for_timeout(300)
    assert box.evaluate("(box) => box.scrollTop") > 100
    dump.keyboard.press("End")
    dump.wait_for_timeout(500)
    assert dump.locator(".dump .line:last-child .offset").text_content() == "0027f0"
