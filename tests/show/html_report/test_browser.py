"""The page in a real browser, opened from disk. Each test ends with a check that nothing was logged or loaded."""

import re
from dataclasses import replace

import numpy as np
import pytest
from fuzz.payloads import PAYLOADS, check_page, explanations
from scipy import special
from showing import made, text_view

import lcshap as lc
from lcshap.core.explanation import Explanation
from lcshap.show.words import unit_names

TEXT = "A good plot, but poor actors. The end was great! Not bad"
TEXTS = [TEXT, "bad film", "a great film", "poor plot and bad end", "good fun"]
NASTY = [
    "<script>window.ran = 1; alert(1)</script>",
    '" onmouseover="window.ran=1',
    "</style><style>*{display:none}</style>",
    "</script><img src=x onerror=window.ran=1>",
]


def text(page, selector):
    return page.locator(selector).inner_text()


def texts(page, selector):
    return page.locator(selector).all_inner_texts()


def labels(page, selector):
    """Texts of a drawing."""
    return page.locator(selector).all_text_contents()


def number(string):
    """The last number in a text, which has a typographic minus."""
    return float(re.findall(r"[+−]?[\d.]+(?:e[−+]?\d+)?", string)[-1].replace("−", "-"))


def slide(page, step):
    page.locator("#slider").fill(str(step))


def colour(page, selector, name="background-color"):
    return page.locator(selector).first.evaluate(f"(e) => getComputedStyle(e).getPropertyValue('{name}')")


class TestText:
    def test_units_are_coloured_by_their_scores(self, show, explain):
        e = explain(TEXT)
        page = show(e, palette="paper")
        assert text(page, "#picture") == TEXT
        assert texts(page, "#picture .unit") == list(e.names)
        limit = np.abs(e.scores).max()
        for i, score in enumerate(e.scores):
            share = round(255 * (1 - abs(score) / limit))
            expected = (share, share, 255) if score > 0 else (255, share, share)
            rgb = colour(page, f'#picture [data-unit="{i}"]')
            np.testing.assert_allclose([int(channel) for channel in re.findall(r"\d+", rgb)], expected, atol=1)

    def test_hovering_tells_score_and_rank(self, show, explain):
        e = explain(TEXT)
        page = show(e)
        for i in (2, 5):
            page.hover(f'#picture [data-unit="{i}"]')
            tip = text(page, "#tip")
            rank = e.by_magnitude().tolist().index(i) + 1
            assert tip.startswith(f"{e.names[i]}: ")
            assert tip.endswith(f"rank {rank} of {len(e.names)}")
            assert number(tip.partition(", rank")[0]) == pytest.approx(e.scores[i], rel=1e-5)
            assert page.locator(".marked").inner_text() == e.names[i]
        page.hover("h1")
        assert text(page, "#tip") == ""

    def test_a_finger_tells_them_too(self, show, explain):
        e = explain(TEXT)
        page = show(e, width=390)
        for i in (1, 3):
            for event in ("pointerdown", "pointerup", "pointerleave"):
                page.dispatch_event(f'#picture [data-unit="{i}"]', event, {"pointerType": "touch"})
            assert text(page, "#tip").startswith(f"{e.names[i]}: ")
        page.dispatch_event("h1", "pointerdown", {"pointerType": "touch"})
        assert text(page, "#tip") == ""

    def test_standard_errors_are_told(self, show, explain):
        e = explain(TEXT, lc.SampleShapley(200), curve=False)
        page = show(e)
        page.hover('#picture [data-unit="2"]')
        assert number(text(page, "#tip").partition(", rank")[0]) == pytest.approx(e.stderr[2], rel=0.06)

    def test_words_of_any_script_are_numbered_and_ranked_as_python_does(self, show):
        words = ["très,", "très", "好", "—", "он", "🎉", "он", "très", "bien", "très"]
        scores = np.array([1.0, 1.0 + 1e-12, 0.5, -1.0 - 2e-12, 0.25, 2.0, -0.25 - 1e-12, 0.1, 0.05, 1.0 + 3e-12])
        errors = np.where(np.arange(10) % 3, 0.01, 9.0)
        e = made(scores, words, text_view(" ".join(words)), stderr=errors, dof=9)
        page = show(e, palette="paper")
        names = unit_names(e)
        assert names[1] == "très (1)"
        assert texts(page, "#top tbody th") == [names[unit] for unit in e.by_magnitude()]
        for unit in range(10):
            page.hover(f'#picture [data-unit="{unit}"]')
            assert text(page, "#tip").startswith(f"{names[unit]}: ")
            rgb = [int(channel) for channel in re.findall(r"\d+", colour(page, f'#picture [data-unit="{unit}"]'))]
            share = abs(scores[unit]) / 2 * (0.3 if e.insignificant[unit] else 1)
            assert min(rgb) == pytest.approx(255 * (1 - share), abs=2)
        assert e.insignificant.any()
        assert not e.insignificant.all()

    def test_sentences_add_scores_up(self, show, explain):
        e = explain(TEXT)
        page = show(e)
        page.get_by_label("sentences").check()
        assert texts(page, "#picture .unit") == ["A good plot, but poor actors.", "The end was great!", "Not bad"]
        sums = [e.scores[:6].sum(), e.scores[6:10].sum(), e.scores[10:].sum()]
        for k, total in enumerate(sums):
            page.hover(f'#picture .unit[data-unit="{k}"]')
            assert number(text(page, "#tip").partition(", rank")[0]) == pytest.approx(total, rel=1e-4)
        assert page.locator("#pairs").is_disabled()
        slide(page, 14)
        assert page.locator("#picture .masked").count() == len(e.names)
        page.get_by_label("words").check()
        assert texts(page, "#picture .unit") == list(e.names)

    def test_interactions(self, show, explain):
        e = explain("a great good plot, poor bad great end")
        page = show(e)
        assert page.locator(".arcs path").count() == 0
        assert page.locator("#interactions").is_hidden()
        page.locator("#pairs").check()
        pairs = {(a, b): e.interactions.toarray()[a, b] for a, b in e.graph.edges.tolist()}
        largest = max(map(abs, pairs.values()))
        assert largest > 0.1
        assert page.locator(".arcs path").count() == sum(abs(v) >= 0.02 * largest for v in pairs.values())
        (a, b), value = max(pairs.items(), key=lambda pair: abs(pair[1]))
        names = ["a", "great (1)", "good", "plot,", "poor", "bad", "great (2)", "end"]
        assert texts(page, "#interactions tbody tr:first-child th") == [f"{names[a]} + {names[b]}"]
        first = text(page, "#interactions tbody tr:first-child td.number")
        assert number(first) == pytest.approx(value, rel=1e-3)
        page.locator("#pairs").uncheck()
        assert page.locator(".arcs path").count() == 0

    def test_interactions_in_doubt_have_no_arcs_and_faint_bars(self, show, explain):
        e = explain("a great good plot, poor bad great end")
        errors = e.interactions.copy()
        errors.data = np.where(np.abs(errors.data) == np.abs(errors.data).max(), 5.0, 1e-3)  # the largest is in doubt
        e = replace(e, interaction_stderr=errors, dof=20)
        page = show(e)
        page.locator("#pairs").check()
        pairs = {(a, b): e.interactions.toarray()[a, b] for a, b in e.graph.edges.tolist()}
        sure = {pair: v for pair, v in pairs.items() if errors.toarray()[pair] < 1}
        largest = max(map(abs, pairs.values()))
        n_arcs = sum(abs(v) >= 0.02 * largest and abs(v) > 1e-3 * special.stdtrit(20, 0.975) for v in sure.values())
        assert page.locator(".arcs path").count() == n_arcs < len(pairs)
        written = texts(page, "#interactions td.number")
        assert any(cell.endswith(" ± 5") for cell in written)
        assert all(" ± " in cell for cell in written)
        assert page.locator("#interactions .bar i[style*=opacity]").count() >= 1
        held = sum(abs(v) <= special.stdtrit(20, 0.975) * errors.toarray()[pair] for pair, v in pairs.items())
        legend = f"Faint, and without an arc: the 95 % interval includes zero ({held} of {len(pairs)} pairs)."
        assert legend in text(page, "#interactions")

    def test_a_score_of_zero_has_no_side(self, show):
        page = show(made([1.0, 0.0, -1.0], ["for", "zero", "against"], text_view("for zero against")))
        bar_classes = page.locator("#top .bar i").evaluate_all("(all) => all.map((bar) => bar.className)")
        assert sorted(bar_classes) == ["", "negative", "positive"]

    def test_rounding_errors_are_no_interactions(self, show, explain):
        e = explain(TEXT)
        page = show(replace(e, interactions=e.interactions * 1e-15))
        page.locator("#pairs").check()
        assert page.locator("#interactions").is_visible()
        assert page.locator(".arcs path").count() == 0

    def test_offsets_beyond_the_basic_plane(self, show):
        view = lc.maskers.Text().mask("👩‍👩‍👧 says 𝒳 good 中文").view
        names = ["👩‍👩‍👧", "says", "𝒳", "good", "中", "文"]
        e = Explanation(np.arange(6.0), 0.0, 15.0, lc.Graph.chain(6, names=names), 9, view=view)
        assert texts(show(e), "#picture .unit") == names


class TestMasking:
    def test_the_slider_masks_words_and_tells_what_the_model_says(self, show, explain, opinion):
        e = explain(TEXT)
        page = show(e)
        assert page.locator("#step").get_attribute("aria-live") == "polite"
        stops = sorted({int(count) for count in e.curve["counts"]})  # each number of units once
        assert page.locator("#slider").get_attribute("max") == str(len(stops) - 1)
        for step, count in enumerate(stops):
            slide(page, step)
            gone = set(np.argsort(-e.scores, kind="stable")[:count].tolist())
            assert set(texts(page, "#picture .masked")) == {e.names[i] for i in gone}
            remaining_text = " ".join(name for i, name in enumerate(e.names) if i not in gone)
            step_text = text(page, "#step")
            assert step_text.startswith(f"{count} of {len(e.names)} units masked (")
            assert "%): probability of for " in step_text
            chance = opinion.predict_proba([remaining_text])[0, list(opinion.classes_).index("for")]
            assert number(step_text.removesuffix(" %")) == pytest.approx(100 * chance, abs=0.06)

    def test_without_a_curve_there_are_no_values(self, show, explain):
        page = show(explain(TEXT, curve=False))
        assert page.locator("#slider").get_attribute("max") == "12"  # as many as there are words
        slide(page, 6)
        assert text(page, "#step") == "6 of 12 units masked (50 %)"
        assert page.locator("#picture .masked").count() == 6
        assert "curve=True" in text(page, "#curve")

    def test_the_curve(self, show, explain):
        e = explain(TEXT)
        page = show(e)
        distinct_steps = [k for k, count in enumerate(e.curve["counts"]) if not k or count > e.curve["counts"][k - 1]]
        assert page.locator("#curve circle:not(.now)").count() == len(distinct_steps) == 11
        height = page.locator("#curve circle:not(.now)").evaluate_all(
            "(all) => all.map((c) => Number(c.getAttribute('cy')))"
        )
        chances = 1 / (1 + np.exp(-e.curve["values"][distinct_steps]))  # the scale of all values of the page
        assert np.corrcoef(height, chances)[0, 1] == pytest.approx(-1)
        slide(page, 6)
        assert float(page.locator("#curve .now").get_attribute("cy")) == pytest.approx(height[6])


class TestSentences:
    def test_one_sentence_first(self, show, explain):
        e = explain(TEXT)
        page = show([e, *explain(TEXTS[1:3])])
        lead = text(page, "#lead")
        assert re.match(r"The model (predicts|gives) for (\()?[\d.]+ %", lead)
        assert texts(page, "#lead em")[0] == "for"
        assert texts(page, "#lead em")[1] == e.top(1, sign=1)[0][0]
        assert texts(page, "#lead em")[2] == e.top(1, sign=-1)[0][0]
        assert text(page, "#legend").split()[0] == "against"
        page.locator("#rows .sample").nth(1).click()
        assert text(page, "#lead") != lead

    def test_a_large_residual_is_explained(self, show):
        game, graph = lc.Game(lambda kept: 1.0 * kept.all(axis=1), 3), lc.Graph.chain(3)
        page = show({"out": lc.FeatureAblation().explain(game, graph), "all": lc.Shapley().explain(game, graph)})
        assert text(page, "#note").startswith("The scores add up to +3, but all units together change the value by +1")
        page.get_by_label("all", exact=True).check()
        assert page.locator("#note").is_hidden()

    def test_errors_stand_beside_scores(self, show, explain):
        e = explain(TEXT, lc.SampleShapley(200))
        page = show(e)
        cells = texts(page, "#top tbody td:nth-child(3)")
        assert all(" ± " in cell for cell in cells)


class TestPrinting:
    def test_the_data_set_is_printed_where_it_is_shown_and_units_have_names(self, show, explain):
        page = show(explain(TEXTS))
        page.get_by_role("button", name="Data set").click()
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        assert texts(page, "#prints h2") == ["Data set", *TEXTS]
        assert page.locator("#prints #dataset").count() == 1
        names = page.locator("#prints #top th button, #prints #top td button")
        assert names.count() >= len(TEXTS)
        assert all(name.is_visible() for name in names.all())
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        page.emulate_media(media="screen")
        assert page.locator("#dataset").is_visible()

    def test_all_samples_are_printed_in_light_colours(self, show, explain, tmp_path):
        samples = explain(TEXTS)
        page = show(samples, dark=True)
        page.locator("#rows .sample").nth(2).click()
        slide(page, 1)
        before = page.locator("#sample").inner_html()
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        assert page.locator("#columns").is_hidden()
        assert texts(page, "#prints h2") == TEXTS
        assert [t.replace("\n", " ") for t in texts(page, "#prints #picture")] == TEXTS
        assert colour(page, "body") == "rgb(255, 255, 255)"
        styles = page.locator("#prints .unit").evaluate_all("(all) => all.map((e) => e.style.backgroundColor)")
        assert len(set(styles)) > 4
        assert "rgb(22, 24, 28)" not in styles  # that of the dark page
        assert colour(page, "#prints .unit", "print-color-adjust") == "exact"
        wide = page.locator("#prints main").first.bounding_box()["width"]
        assert wide > 0.9 * page.evaluate("innerWidth")
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        page.emulate_media(media="screen")
        assert page.locator("#prints").inner_html() == ""
        assert page.locator("#sample").inner_html() == before
        assert len(page.pdf(path=tmp_path / "page.pdf")) > 1000
        assert page.locator("#sample").inner_html() == before

    def test_many_samples_are_printed_in_short(self, show, explain, tmp_path):
        long_texts = [f"a  good plot {k}, and a great end but poor actors" for k in range(24)]
        page = show(explain(long_texts), names=["mine", *[None] * 23])
        data = page.pdf(path=tmp_path / "many.pdf", format="A4")
        assert len(re.findall(rb"/Type\s*/Page\b", data)) <= 7  # one page a sample in full
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        assert texts(page, "#prints h2") == ["mine"]  # names that are the beginning of the text are not said twice
        method = "LShapley(order=1, context='absent', interactions=True)"
        assert texts(page, "#prints > p") == [f"24 samples, explained by {method}."]
        assert texts(page, "#prints #picture") == long_texts
        assert page.locator("#prints #curve").first.is_hidden()
        assert page.locator("#prints main").first.locator("#top tbody tr:visible").count() == 6
        page.evaluate("dispatchEvent(new Event('afterprint'))")

    def test_pictures_are_printed(self, show):
        masker = lc.maskers.Image()
        images = [np.full((4, 4), k, np.uint8) for k in (0, 255)]
        samples = [explain_image(masker, image) for image in images]
        page = show(samples)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        ink = page.locator("#prints canvas:first-child").evaluate_all(
            "(all) => all.map((c) => c.getContext('2d').getImageData(0, 0, 1, 1).data[0])"
        )
        assert ink[::2] == [0, 255]


def explain_image(masker, image):
    e = lc.Explanation(np.ones(16), 0.0, 16.0, lc.Graph.grid((4, 4)), 9, {"method": "x"})
    return replace(e, view=masker.mask(image).view)


class TestSwitches:
    def test_methods(self, show, explain):
        ours, exact = explain(TEXTS[:2]), explain(TEXTS[:2], lc.Shapley())
        page = show({"ours": ours, "exact": exact})
        fact = '#facts [data-fact="{}"]'
        for label, by_method in (("exact", exact), ("ours", ours)):
            page.get_by_label(label, exact=True).check()
            assert number(text(page, fact.format("residual"))) == pytest.approx(
                float(by_method[0].residual), rel=0.01, abs=1e-9
            )
            assert text(page, fact.format("calls")) == f"{by_method[0].calls:,}"
            top = number(text(page, "#top tbody tr:first-child td:nth-child(3)"))
            assert abs(top) == pytest.approx(np.abs(by_method[0].scores).max(), rel=1e-3)
        page.get_by_label("exact").check()
        page.locator("#rows .sample").nth(1).click()
        assert page.get_by_label("exact").is_checked()
        assert text(page, fact.format("calls")) == str(exact[1].calls)

    def test_outputs(self, show, explain):
        e = explain("good plot", lc.Shapley(), target="all", curve=False)
        page = show(e)
        for k, name in enumerate(["against", "for"]):
            page.get_by_label(name, exact=True).check()
            assert text(page, '#facts [data-fact="explains"]') == f"log_prob of {name}"
            full_value, _ = text(page, '#facts [data-fact="full value"]').split(" (")
            assert number(full_value) == pytest.approx(e.full_value[k], rel=1e-5)

    def test_a_path_says_what_flips_the_decision(self, show):
        graph = lc.Graph.chain(3, names=["<b>", "a", "c"])
        game = lc.Game(lambda kept: kept @ np.array([3.0, 0.0, 1.0]), 3)
        path = lc.DeletionPath(8, flip_below=0.5).explain(game, graph)
        page = show({"path": path, "other": lc.Shapley().explain(game, graph)})
        assert text(page, "#flip") == "Without <b>, c, the decision changes."
        assert texts(page, "#flip em") == ["<b>", "c"]
        page.get_by_label("other", exact=True).check()
        assert page.locator("#flip").is_hidden()

    def test_methods_with_the_keyboard(self, show, explain):
        page = show({"ours": [explain("good plot")], "exact": [explain("good plot", lc.Shapley())]})
        page.get_by_label("ours", exact=True).focus()
        page.keyboard.press("ArrowRight")
        assert page.get_by_label("exact").is_checked()
        assert page.evaluate("document.activeElement.value") == "1"

    def test_dark(self, show, explain):
        page = show(explain(TEXT))
        assert colour(page, "body") == "rgb(255, 255, 255)"
        page.get_by_role("button", name="Switch to dark").click()
        assert colour(page, "body") == "rgb(22, 24, 28)"
        best = int(np.argmax(np.abs(explain(TEXT).scores)))
        assert colour(page, f'#picture [data-unit="{best}"]') in ("rgb(92, 160, 224)", "rgb(230, 140, 60)")
        page.get_by_role("button", name="Switch to light").click()
        assert colour(page, "body") == "rgb(255, 255, 255)"

    def test_dark_by_the_system(self, show, explain):
        page = show(explain(TEXT), dark=True)
        assert colour(page, "body") == "rgb(22, 24, 28)"
        page.emulate_media(color_scheme="light")
        assert colour(page, "body") == "rgb(255, 255, 255)"

    def test_settings(self, show, explain):
        page = show(explain(TEXT, lc.GraphKernelSHAP(60, seed=7)))
        page.locator("summary").click()
        assert ["seed", "7"] in [row.split("\t") for row in texts(page, "#made tbody tr")]
        page.evaluate("() => { navigator.clipboard.writeText = async (text) => { window.taken = text; }; }")
        page.get_by_role("button", name="Copy").click()
        assert text(page, "#copied") == "Copied"
        assert "(budget=60, order=2, seed=7, interactions=False)," in page.evaluate("window.taken")


class TestList:
    def names(self, page):
        return texts(page, "#rows .title")

    def test_search(self, show, explain):
        page = show(explain(TEXTS))
        page.fill("#search", "PLOT")
        assert self.names(page) == [t for t in TEXTS if "plot" in t]
        assert text(page, "#found") == "2 of 5 samples"
        page.fill("#search", "nothing like it")
        assert self.names(page) == []
        page.fill("#search", "")
        assert self.names(page) == TEXTS

    def test_search_in_names_of_units(self, show):
        model = lambda rows: np.asarray(rows).sum(axis=1)  # noqa: E731
        samples = [
            lc.Explainer(model, lc.maskers.Tabular([0, 0], names=names), lc.Shapley(), kind="output")([[1, 2]])[0]
            for names in (["age", "dose"], ["age", "sex"])
        ]
        page = show(samples)
        page.fill("#search", "sex")
        assert self.names(page) == ["table 2"]

    def test_sort(self, show, explain):
        samples = explain(TEXTS)
        page = show(samples)
        keys = {
            "full value": lambda e: e.full_value,
            "|residual|": lambda e: abs(e.residual),
            "largest |score|": lambda e: np.abs(e.scores).max(),
            "calls": lambda e: e.calls,
        }
        for label, key in keys.items():
            page.select_option("#sort", label=label)
            values = [key(samples[TEXTS.index(name)]) for name in self.names(page)]
            np.testing.assert_allclose(values, sorted(map(key, samples), reverse=True), atol=1e-12)
        page.select_option("#sort", label="name")
        assert self.names(page) == sorted(TEXTS, key=str.lower)
        page.click("#direction")
        assert self.names(page) == sorted(TEXTS, key=str.lower)[::-1]

    def test_keyboard(self, show, explain):
        page = show(explain(TEXTS))
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        assert text(page, "#picture") == TEXTS[2]
        page.keyboard.press("ArrowUp")
        assert text(page, "#picture") == TEXTS[1]
        page.keyboard.press("/")
        page.keyboard.type("fun")
        assert page.input_value("#search") == "fun"
        page.keyboard.press("ArrowDown")
        assert text(page, "#picture") == "good fun"
        chosen = page.locator("#rows").get_attribute("aria-activedescendant")
        assert page.locator(f"#{chosen}").get_attribute("aria-selected") == "true"

    def test_units_with_the_keyboard(self, show, explain):
        page = show(explain(TEXT))
        page.focus("#picture")
        for key, name in (("ArrowRight", "A"), ("ArrowRight", "good"), ("ArrowLeft", "A"), ("ArrowLeft", "bad")):
            page.keyboard.press(key)
            assert text(page, "#tip").startswith(f"{name}: ")
        page.keyboard.press("Escape")
        assert text(page, "#tip") == ""

    def test_only_rows_in_sight_exist(self, show):
        views = [lc.maskers.Text().mask(f"text number {i}").view for i in range(1000)]
        graph = lc.Graph.chain(3)
        page = show([Explanation(np.full(3, i), 0.0, 3.0 * i, graph, 8, view=view) for i, view in enumerate(views)])
        assert page.locator("#rows .sample").count() < 50
        page.select_option("#sort", label="full value")
        page.locator("#rows").evaluate("(box) => { box.scrollTop = 0; }")
        page.locator("#rows .title", has_text=re.compile("^text number 999$")).click()
        assert text(page, "#picture") == "text number 999"

    def test_one_sample_needs_no_list(self, show, explain):
        assert show(explain(TEXT)).locator("#list").is_hidden()


class TestOtherInputs:
    def test_image(self, show):
        image = np.array([[0, 250, 0], [120, 0, 60]], np.uint8)
        model = lambda rows: np.asarray(rows, float).sum(axis=(1, 2)) / 255  # noqa: E731
        e = lc.Explainer(model, lc.maskers.Image(reference=30), lc.Shapley(), kind="output", curve=True)(image)
        page = show(e, palette="paper")
        read = """(canvas) => {
            const pen = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
            pen.drawImage(canvas, 0, 0);
            return Array.from(pen.getImageData(0, 0, canvas.width, canvas.height).data);
        }"""
        canvases = page.locator("canvas")
        pixels = np.array(canvases.nth(0).evaluate(read)).reshape(2, 3, 4)
        np.testing.assert_array_equal(pixels[..., 0], image)
        slide(page, 3)
        pixels = np.array(canvases.nth(0).evaluate(read)).reshape(2, 3, 4)
        np.testing.assert_array_equal(pixels[..., 1], [[0, 30, 0], [30, 0, 30]])
        heat = np.array(canvases.nth(1).evaluate(read)).reshape(2, 3, 4)
        assert heat[0, 1, 2] > heat[0, 1, 0] + 100  # blue: raises the output
        assert heat[0, 0, 0] > heat[0, 0, 2]  # red: lowers it
        box = canvases.nth(0).bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 4)
        assert text(page, "#tip").startswith(f"{e.names[1]}: +0.862745")

    def test_series(self, show):
        series = np.sin(np.arange(24.0)).reshape(12, 2)
        masker = lc.maskers.Series(window=4, by_channel=True, channels="last", names=["left", "right"])
        model = lambda rows: np.asarray(rows)[:, :, 0].sum(axis=1)  # noqa: E731
        e = lc.Explainer(model, masker, lc.Shapley(), kind="output")(series)
        page = show(e)
        assert labels(page, "#picture text.strong") == ["left", "right"]
        assert page.locator("#picture rect").count() == 6
        lines = page.locator("#picture polyline").evaluate_all(
            "(all) => all.map((line) => line.getAttribute('points').split(' ').map((p) => Number(p.split(',')[1])))"
        )
        np.testing.assert_allclose(np.corrcoef(lines[0], series[:5, 0])[0, 1], -1, atol=1e-6)
        slide(page, 3)
        assert page.locator("#picture g.masked rect").count() == 3

    def test_bytes(self, show):
        data = b"MZ\x00<script>" + bytes(range(256)) * 40
        model = lambda rows: (np.asarray(rows) == 77).sum(axis=1)  # noqa: E731
        e = lc.Explainer(model, lc.maskers.Bytes(64), lc.FeatureAblation(), kind="output")(data)
        page = show(e)
        first = text(page, ".dump .line >> nth=0").replace("\n", " ").split()
        assert first[0] == "000000"
        assert bytes.fromhex("".join(first[1:17])) == data[:16]
        assert page.locator(".dump .line").count() < 60
        page.locator(".dump").evaluate("(box) => { box.scrollTop = 1e9; }")
        last = page.locator(".dump .line").last
        last.wait_for()
        page.locator(".dump .line:last-child .offset", has_text="002800").wait_for()  # no eval: the policy forbids it
        slide(page, 20)
        assert set(texts(page, ".dump .line:last-child .byte.masked")) == {"··"}

    def test_table(self, show):
        masker = lc.maskers.Tabular([0, 0, 0], names=["age", "dose", "sex"], pin=["sex"])
        e = lc.Explainer(lambda rows: rows @ np.array([1.0, -2, 5]), masker, lc.Shapley(), kind="output")([[70, 4, 1]])[
            0
        ]
        page = show(e)
        rows = [row.split("\t")[:3] for row in texts(page, "#picture tbody tr")]
        assert rows == [["age", "70", "+70"], ["dose", "4", "−8"], ["sex", "1", "–"]]
        assert page.locator("#picture i.negative").count() == 1

    def test_molecule(self, show):
        model = lambda smiles: [1.0 * s.count("O") for s in smiles]  # noqa: E731
        e = lc.Explainer(model, lc.maskers.Molecule(), lc.LShapley(1), kind="output")("CC(=O)[O-]")
        page = show(e)
        assert sorted(filter(None, labels(page, "#picture .atom"))) == ["O", "O⁻"]
        assert page.locator("#picture .bond").count() == 4  # one of them double
        slide(page, 20)
        assert page.locator("#picture .bond.masked").count() == 4

    def test_bars(self, show):
        e = lc.Shapley().explain(lc.Game(lambda k: k @ np.array([3.0, -1.0]), 2), lc.Graph.chain(2, names=["a", "b"]))
        page = show(e)
        assert [row.split("\t")[:2] for row in texts(page, "#picture tbody tr")] == [["a", "+3"], ["b", "−1"]]
        widths = page.locator("#picture .bar i").evaluate_all(
            "(all) => all.map((i) => i.getBoundingClientRect().width)"
        )
        assert widths[0] == pytest.approx(3 * widths[1], abs=0.1)


class TestSafety:
    @pytest.mark.parametrize("nasty", NASTY)
    def test_texts_are_shown_and_not_run(self, show, nasty):
        view = lc.maskers.Text().mask(nasty).view
        names = list(view.parts)
        record = {"method": nasty, "masker": nasty, nasty: nasty, "targets": [nasty], "versions": {nasty: nasty}}
        curve = {"percents": np.array([0.0, 100]), "counts": np.array([0, 1]), "values": np.ones(2), "what": nasty}
        graph = lc.Graph.chain(len(names), names=names)
        one = Explanation(np.ones(len(names)), 0.0, 1.0, graph, 5, provenance=record, view=view, curve=curve)
        grouped = one.group([0] * len(names), names=[nasty])
        page = show([one, grouped], title=nasty)
        assert page.title() == nasty
        assert text(page, "h1") == text(page, "h2") == text(page, "#picture") == nasty
        page.locator("summary").click()
        assert [nasty, nasty] in [row.split("\t") for row in texts(page, "#made tbody tr")]
        assert nasty in text(page, "#step")
        page.keyboard.press("Escape")
        page.locator("#rows").focus()
        page.keyboard.press("ArrowDown")
        page.hover("#picture .unit")
        assert text(page, "#tip").startswith(nasty)
        assert nasty in texts(page, "#top tbody th")
        page.fill("#search", nasty)
        assert page.evaluate("window.ran") is None
        assert page.locator("body img").count() == 0

    def test_an_injected_script_would_not_run(self, show, explain):
        """The policy itself: a script that gets into the page by other means is refused."""
        page = show(explain("good plot"))
        page.evaluate("""() => {
            const script = document.createElement("script");
            script.textContent = "window.ran = 1";
            document.body.append(script);
        }""")
        assert page.evaluate("window.ran") is None
        page.wait_for_function("window.violations.length")
        assert page.evaluate("window.violations.pop()").startswith("script-src")
        assert "Content Security Policy" in show.complaints.pop()


class TestReach:
    @pytest.mark.parametrize("width", [320, 390, 768])
    def test_nothing_is_wider_than_the_screen(self, show, explain, width):
        long = explain(["https://example.org/" + "a" * 300 + " is a very good plot. " + TEXT, "bad film"])
        data = lc.Explainer(
            lambda rows: np.asarray(rows).sum(axis=1), lc.maskers.Bytes(16), lc.FeatureAblation(), kind="output"
        )(b"x" * 100)
        series = lc.Explainer(
            lambda rows: np.asarray(rows).sum(axis=1), lc.maskers.Series(window=5), lc.Shapley(), kind="output"
        )(np.arange(40.0))
        page = show([*long, data, series], width=width)
        page.locator("summary").click()
        for _ in range(4):
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.locator("#rows").focus()
            page.keyboard.press("ArrowDown")

    def test_one_column_on_a_phone(self, show, explain):
        page = show(explain(TEXTS), width=390, height=844)
        boxes = [page.locator(name).bounding_box() for name in ("#list", "#sample", "#input", "#numbers")]
        assert all(box["width"] > 330 for box in boxes)
        assert boxes[0]["y"] < boxes[1]["y"] < boxes[3]["y"]

    def test_landmarks_names_and_headers(self, show, explain):
        page = show(explain(TEXTS) + explain(TEXTS, lc.Shapley()))
        for role in ("banner", "navigation", "main"):
            assert page.get_by_role(role).count() == 1
        for role, name in (
            ("searchbox", "Search"),
            ("slider", "Mask the units that count most for it"),
            ("listbox", "Samples"),
            ("combobox", "Sort"),
        ):
            assert page.get_by_role(role, name=re.compile(name)).count() == 1
        assert page.get_by_role("radiogroup").count() + page.get_by_role("group", name="Method").count() == 1
        assert page.get_by_role("columnheader", name="Score").count() == 1
        assert "Masking curve" in page.locator("#curve svg").get_attribute("aria-label")
        for handle in page.locator("svg, canvas").all():
            assert handle.get_attribute("aria-label") or handle.get_attribute("aria-hidden")

    def test_focus_is_seen(self, show, explain):
        page = show(explain(TEXTS))
        seen = []
        for _ in range(24):
            page.keyboard.press("Tab")
            seen.append(
                page.evaluate("[document.activeElement.id, getComputedStyle(document.activeElement).outlineStyle]")
            )
        assert {"search", "sort", "direction", "rows", "picture", "slider"} <= {name for name, _ in seen}
        assert all(style != "none" for name, style in seen if name)


@pytest.mark.parametrize("payload", [*PAYLOADS[:3], *PAYLOADS[28:30], "__proto__", "\u202egpj.exe", "\ud800 half"])
def test_hostile_strings_everywhere_do_nothing(chromium, tmp_path, payload):
    check_page(payload, list(explanations(payload).values()), tmp_path, chromium)
