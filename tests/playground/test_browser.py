"""The page in a real browser, against a real server on loopback."""

import base64
import json
import re
import threading
import time
from importlib.resources import files

import crashing_model
import numpy as np
import pytest
from playground_client import explain, unit, wait_for_text, wait_until

import lcshap as lc
from lcshap.paper.networks.demo import SENTENCE, demo_text

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
RUN_AXE = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
TEXT = "a good film with a good plot, not bad at all"


def demo(visit, **options):
    model, masker, _ = demo_text()
    return visit(lc.Explainer(model, masker), [SENTENCE, TEXT], **options)


# -- a text -----------------------------------------------------------------------------------------------------------


def test_type_run_click_and_compare_the_predicted_change(visit):
    page = demo(visit)
    page.locator("#prediction meter").first.wait_for()
    assert "98.7 %" in page.locator("#prediction").inner_text()
    assert "512 model calls" in page.locator("#cost").inner_text()
    explain(page)
    assert page.locator("#picture .unit").count() == 9
    unit(page, 8).click()
    page.locator("#answer meter").first.wait_for()
    model, masker, text = demo_text()
    game = lc.Explainer(model, masker).game(text)
    full, without = game.evaluate(lc.Coalitions.from_sets(9, [range(9), range(8)]))
    e = lc.Explainer(model, masker, "shapley")(text)
    sentence = page.locator("#change").inner_text().replace("−", "-")
    predicted, actual = map(float, re.findall(r"[-+]\d+\.\d+", sentence))
    assert predicted == pytest.approx(-e.scores[8], abs=1e-3)
    assert actual == pytest.approx(without - full, abs=1e-3)
    assert "The predicted class has changed" in sentence
    assert "masked" in unit(page, 8).get_attribute("class")
    unit(page, 8).click()  # restore
    assert page.locator("#change").inner_text() == ""
    assert "masked" not in unit(page, 8).get_attribute("class")


def test_changes_are_those_of_the_shown_class_of_a_table(visit):
    """A linear model changes by exactly the scores, in each of its classes."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    table = np.random.default_rng(0).normal(size=(60, 3))
    model = linear_model.LogisticRegression().fit(table, (table[:, 0] > 0) + 1 * (table[:, 1] > 0.3))
    page = visit(lc.Explainer(model, lc.maskers.Tabular(table[:5], names=["a", "b", "c"])), [table[7]])
    explain(page)
    unit(page, 1).click()
    for name in "012":
        page.get_by_label(name, exact=True).first.check()
        wait_for_text(page, "#change", f"Actual change of logit of {name}:")
        predicted, actual = re.findall(r": ([-−+][\d.]+)\.", page.locator("#change").inner_text())
        assert predicted == actual
    page.click("#measure-locality")
    page.locator("#locality table").wait_for()


def test_undo_redo_history_and_replacing(visit, explainer, model):
    page = visit(explainer)
    explain(page)
    unit(page, 1).click()
    unit(page, 5).click()
    page.locator("#answer meter").first.wait_for()
    assert page.locator("#picture .masked").count() == 2
    page.click("#undo")
    assert page.locator("#picture .masked").count() == 1
    page.click("#redo")
    assert page.locator("#picture .masked").count() == 2
    page.click("#reset")
    assert page.locator("#picture .masked").count() == 0
    page.locator("#history summary").click()
    assert page.locator("#steps li").count() == 4
    page.locator("#steps button").nth(1).click()
    assert page.locator("#picture .masked").count() == 1
    page.click("#reset")
    unit(page, 8).click()
    page.fill("#replacement", "good")
    page.locator("#replace button").click()
    wait_for_text(page, "#change", "Actual change of")
    value = lambda text: -np.log1p(np.exp(-2 * model.score(text)))  # noqa: E731
    change = float(re.findall(r"[-+]\d+\.\d+(?:e-\d+)?", page.locator("#change").inner_text().replace("−", "-"))[0])
    assert change == pytest.approx(value(TEXT.replace("bad", "good")) - value(TEXT), rel=1e-2)


def test_drag_over_a_phrase(visit, explainer):
    page = visit(explainer)
    explain(page)
    first, last = unit(page, 3).bounding_box(), unit(page, 6).bounding_box()
    page.mouse.move(first["x"] + 5, first["y"] + 5)
    page.mouse.down()
    page.mouse.move(last["x"] + 5, last["y"] + 5, steps=5)
    page.mouse.up()
    page.locator("#answer meter").first.wait_for()
    masked = page.locator("#picture .masked").evaluate_all("all => all.map((e) => Number(e.dataset.unit))")
    assert masked == [3, 4, 5, 6]


def test_the_smallest_set_that_flips_and_what_must_stay(visit):
    page = demo(visit)
    explain(page)
    page.click("#flipset")
    wait_for_text(page, "#change", "The predicted class has changed")
    assert "Without sucks, the decision changes" in page.locator("#status").inner_text()
    assert page.locator("#picture .masked").count() == 1
    page.click("#muststay")
    wait_for_text(page, "#status", "enough")
    assert 0 < page.locator("#picture .masked").count() < 9


def test_columns_side_by_side_with_contrast_and_interactions(visit, explainer):
    page = visit(explainer)
    page.locator("#methods summary").click()
    page.select_option("#column-0-method", "graph-kernel-shap")
    page.check("#column-0-pairs")
    page.click("#add")
    page.select_option("#column-1-target", "yes")
    page.select_option("#column-1-against", "no")
    page.click("#add")
    page.select_option("#column-2-reference", "placeholder [MASK]")
    explain(page)
    titles = page.locator("#side-by-side h3").all_inner_texts()
    assert len(titles) == 3
    assert "why yes, not no" in titles[1]
    assert "[MASK]" in titles[2]
    assert page.locator("#side-by-side .pane .unit").count() == 33
    unit(page, 5).hover()
    assert "Interactions of" in page.locator("#partners").inner_text()
    assert page.locator("#picture .partner").count() > 0


def test_auto_offers_interactions(visit, explainer):
    page = visit(explainer)
    page.locator("#methods summary").click()
    page.check("#column-0-pairs")
    explain(page)
    unit(page, 1).hover()
    assert "Interactions of" in page.locator("#partners").inner_text()
    page.select_option("#column-0-method", "kernel-shap")
    assert page.locator("#column-0-pairs").count() == 0  # that one has none


def test_locality_and_how_it_is_cancelled(visit, explainer, model):
    page = visit(explainer)
    page.fill("#text", " ".join(["good", "film"] * 12))  # so long that not all coalitions are known after the run
    wait_for_text(page, "#cost", "24 units")
    explain(page)
    model.gate.clear()
    page.click("#measure-locality")
    page.click("#cancel")
    wait_for_text(page, "#status", "Cancelled")
    model.gate.set()
    wait_until(lambda: not page.playground.session.thread_pool.running)
    page.click("#measure-locality")
    page.locator("#locality table").wait_for()
    assert "LShapley" in page.locator("#locality").inner_text()


def test_save_and_reload_the_link(visit, explainer, tmp_path):
    page = visit(explainer)
    page.fill("#text", "a good é 漢字 film")
    wait_for_text(page, "#cost", "6 units")
    explain(page)
    for link, name in zip(page.locator("#saves a").all(), ("html", "json", "py"), strict=True):
        with page.expect_download() as download:
            link.click()
        download.value.save_as(tmp_path / f"saved.{name}")
    assert lc.load(tmp_path / "saved.json").view.text == "a good é 漢字 film"
    assert "lcshap" in (tmp_path / "saved.html").read_text()[:200]
    compile((tmp_path / "saved.py").read_text(), "saved.py", "exec")
    scores = page.locator("#top td.number").all_inner_texts()
    unit(page, 0).click()
    unit(page, 1).click()
    page.fill("#replacement", "<b>bad")
    page.click("#replace button")
    wait_for_text(page, "#picture", "<b>bad é 漢字 film")
    page.click("#undo")
    change = page.locator("#change").inner_text()
    page.reload()
    page.locator("#saves a").first.wait_for()
    assert page.input_value("#text") == "a good é 漢字 film"
    assert page.locator("#top td.number").all_inner_texts() == scores
    wait_for_text(page, "#change", change)  # the steps are there again, at the same one
    page.click("#redo")
    wait_for_text(page, "#picture", "<b>bad é 漢字 film")
    assert page.locator("#steps li").count() == 4


def test_a_link_of_an_earlier_version_is_read(visit, explainer):
    """The columns of a run are called `ways` in links, as in earlier versions."""
    content = {"input": {"text": "good bad film"}, "ways": [{"method": "l-shapley"}, {"method": "feature-ablation"}]}
    link = base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")
    page = visit(explainer)
    page.goto(f"{page.url.partition('#')[0]}#{link}")
    page.reload()
    page.locator("#saves a").first.wait_for()
    assert page.input_value("#text") == "good bad film"
    titles = page.locator("#side-by-side .pane h3").all_inner_texts()
    assert [title.partition("(")[0] for title in titles] == ["LShapley", "FeatureAblation"]


def test_two_browsers_at_once(visit, explainer, model):
    one = visit(explainer)
    two = visit(one.playground)
    two.fill("#text", "quite another bad text")
    one.click("#run")
    wait_for_text(two, "#cost", "4 units")
    two.click("#run")
    for page, count in ((one, 11), (two, 4)):
        page.locator("#saves a").first.wait_for()
        assert page.locator("#picture .unit").count() == count


# -- cancelling, and models that fail ---------------------------------------------------------------------------------


def test_cancel_stops_the_model(visit, explainer, model):
    model.pause = 0.002
    page = visit(explainer, [" ".join(f"w{k}" for k in range(60))])
    page.locator("#methods summary").click()
    page.select_option("#column-0-method", "sample-shapley")
    page.fill("#column-0-budget", "9000")
    page.locator("#methods summary").click()
    wait_for_text(page, "#cost", re.compile(r"[0-9],[0-9]{3} model"))
    page.click("#run")
    page.locator("#picture .unit").first.wait_for()
    page.click("#cancel")
    page.locator("#run").wait_for()
    assert "Cancelled" in page.locator("#status").inner_text()
    wait_until(lambda: not page.playground.session.thread_pool.running)
    before = model.rows
    time.sleep(0.3)
    assert model.rows == before < 9000


def test_a_model_that_raises_hangs_and_comes_back(visit, explainer, model):
    page = visit(explainer)
    page.locator("#prediction meter").first.wait_for()
    model.error = ValueError("<img src=x onerror='window.hit=1'> broken")
    page.click("#run")
    wait_for_text(page, "#error", "broken")
    model.error = None
    model.gate.clear()
    page.click("#run")
    wait_for_text(page, "#status", "·")  # it says that it waits
    page.click("#cancel")
    page.locator("#run").wait_for()
    model.gate.set()
    explain(page)
    assert page.locator("#error").is_hidden()


def test_a_model_that_crashes(visit):
    with lc.adapters.IsolatedModel(crashing_model.make, "logits") as model:
        page = visit(lc.Explainer(model, lc.maskers.Text(), classes=["no", "yes"]), ["a good film"])
        explain(page)
        page.fill("#text", "they die young")
        wait_for_text(page, "#error", "The model ended its process with exit code 3. It is started again.")
        page.click("#run")
        wait_for_text(page, "#error", "exit code 3")
        page.fill("#text", "all is good again")
        wait_for_text(page, "#cost", "4 units")
        explain(page)
        assert page.locator("#error").is_hidden()
        unit(page, 2).click()
        wait_for_text(page, "#change", "Actual change of")


def test_a_remote_model_that_crashes(visit):
    """A real service on loopback: it answers, its end is shown, and it answers again."""
    import http.server

    import httpx

    class Service(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            data = json.dumps([len(text) for text in texts]).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments):
            pass

    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    address = f"http://127.0.0.1:{service.server_port}/?key=secret123"
    threading.Thread(target=service.serve_forever, daemon=True).start()

    async def ask(texts):
        async with httpx.AsyncClient() as client:
            return (await client.post(address, json=list(texts))).json()

    with lc.adapters.RemoteModel(ask, "output", rows_per_request=4, price=0.001, retries=1, backoff=0.01) as remote:
        page = visit(lc.Explainer(remote, lc.maskers.Text()), ["to be or not to be"])
        wait_for_text(page, "#cost", "price 0.001")
        explain(page)
        service.shutdown()
        service.server_close()
        page.fill("#text", "that is the question here")
        page.locator("#error").wait_for()
        wrong = page.locator("#error").inner_text()
        assert "secret123" not in wrong
        assert "Connect" in wrong or "connect" in wrong
        unit(page, 0).click()  # what is known is still answered
        page.locator("#answer .prediction").wait_for()


def test_the_server_ends_while_the_page_is_open(visit, explainer):
    page = visit(explainer)
    page.locator("#prediction meter").first.wait_for()
    page.playground.close()
    page.fill("#text", "anybody there?")
    wait_for_text(page, "#error", "does not answer")


# -- for everybody ----------------------------------------------------------------------------------------------------


def test_accessible(visit, explainer):
    """One page with everything on it, wide and narrow, light and dark."""
    page = visit(explainer, [TEXT, "another"])
    page.locator("#methods summary").click()
    page.click("#add")
    explain(page)
    unit(page, 1).click()
    page.locator("#answer meter").first.wait_for()
    page.locator("#history summary").click()
    page.locator("#settings summary").click()
    page.click("#measure-locality")
    page.locator("#locality table").wait_for()
    page.evaluate(AXE)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            wait_for_text(page, "#theme", "Light" if scheme == "dark" else "Dark")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            violations = page.evaluate(RUN_AXE)
            messages = [
                (v["id"], [n["html"][:200] for n in v["nodes"]][:3], v["nodes"][0]["failureSummary"])
                for v in violations
            ]
            assert messages == []


def test_without_a_mouse(visit, explainer):
    page = visit(explainer)
    page.locator("#prediction meter").first.wait_for()
    page.focus("#run")
    page.keyboard.press("Enter")
    page.locator("#saves a").first.wait_for()
    page.focus("#picture")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.locator("#answer meter").first.wait_for()
    assert "masked" in unit(page, 1).get_attribute("class")
