"""The whole way with real models: edit, predict, run, cancel, run again, click, flip, save, and back by the link."""

import asyncio
import json
import re
from contextlib import ExitStack

import numpy as np
import pytest
from PIL import Image
from playground_client import wait_for_text, wait_until

import lcshap as lc
from lcshap.paper.networks.demo import SENTENCE, demo_digits, demo_text


@pytest.fixture
def opened():
    with ExitStack() as stack:
        yield stack


def text_case(opened, folder):
    model, masker, _ = demo_text()
    long = f"{SENTENCE} The plot is thin, but the music is great and so are all of the actors in this film."
    return lc.Explainer(model, masker), [SENTENCE], lambda page: page.fill("#text", long)


def digits_case(opened, folder):
    model, _, digit = demo_digits()
    Image.fromarray(digit[:, ::-1].copy()).resize((40, 40)).save(folder / "other.png")
    explainer = lc.Explainer(model, lc.maskers.Image(patch=4), value="log_odds")
    return explainer, [digit], lambda page: page.set_input_files("#file", folder / "other.png")


def table_case(opened, folder):
    lightgbm = pytest.importorskip("lightgbm")
    table = np.random.default_rng(0).normal(size=(300, 20))
    forest = lightgbm.LGBMClassifier(n_estimators=10, verbose=-1).fit(table, table[:, 0] + table[:, 1] > 0)
    return lc.Explainer(forest, lc.maskers.Tabular(table[:30])), [table[0]], lambda page: page.fill("#cell-0", "2.5")


def remote_case(opened, folder):
    async def ask(texts):
        await asyncio.sleep(0.002)
        return [[0.0, 2.0 * text.count("good") - text.count("bad") - 0.5] for text in texts]

    remote = opened.enter_context(lc.adapters.RemoteModel(ask, "logits", rows_per_request=16, in_flight=4, price=0.001))
    words = " ".join(f"w{k}" for k in range(20))
    return lc.Explainer(remote, lc.maskers.Text()), ["to be"], lambda page: page.fill("#text", f"good {words} bad")


CASES = {"text": text_case, "digits": digits_case, "table": table_case, "remote": remote_case}


@pytest.mark.parametrize("name", CASES)
def test_from_the_input_to_the_saved_explanation(visit, opened, tmp_path, name):
    explainer, examples, edit = CASES[name](opened, tmp_path)
    page = visit(explainer, examples)
    page.locator("#prediction meter").first.wait_for()
    edit(page)
    page.locator("#methods summary").click()
    page.select_option("#column-0-method", "sample-shapley")
    page.fill("#column-0-budget", "19000")
    page.locator("#column-0-budget").blur()
    wait_for_text(page, "#cost", re.compile(r"1\d,\d{3} model calls"))
    page.click("#run")
    page.locator("#picture > *").first.wait_for()
    page.click("#cancel")
    wait_for_text(page, "#status", "Cancelled")
    wait_until(lambda: not page.playground.session.thread_pool.running)
    page.select_option("#column-0-method", "auto")
    page.fill("#column-0-budget", "")
    page.locator("#column-0-budget").blur()
    page.click("#run")
    page.locator("#saves a").first.wait_for()
    assert page.locator("#picture canvas").count() == (3 if name == "digits" else 0)
    page.locator("#picture [data-unit], #picture canvas").first.click(force=True)
    wait_for_text(page, "#change", "Actual change of")
    page.click("#flipset")
    wait_for_text(page, "#status", "the decision changes")
    wait_for_text(page, "#change", "The predicted class has changed")
    with page.expect_download() as download:
        page.locator("#saves a").nth(1).click()
    saved = lc.load(download.value.path())
    change = page.locator("#change").inner_text()
    numbers = page.locator("#top td.number").all_inner_texts()
    page.reload()
    page.locator("#saves a").first.wait_for()
    wait_for_text(page, "#change", change)
    assert page.locator("#top td.number").all_inner_texts() == numbers
    result = page.locator("#saves a").nth(1).get_attribute("href").split("/")[3]
    (again,) = page.playground.session.get_run(result).explanations.values()
    np.testing.assert_array_equal(again.scores, saved.scores)
    assert json.dumps(again.names) == json.dumps(saved.names)
