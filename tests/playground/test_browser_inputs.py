"""Inputs of all kinds in a real browser, and what is hostile or large."""

import base64
import io
import json
import re

import numpy as np
import pytest
from PIL import Image
from playground_client import XSS, explain, unit, wait_for_text

import lcshap as lc

# -- other inputs -----------------------------------------------------------------------------------------------------


class Means:
    """The mean of each image, and the last images that it saw."""

    def __call__(self, images):
        self.seen = images
        return images.mean(axis=(1, 2))


@pytest.fixture
def squares(visit):
    """A page of an image of 4 by 4 patches, of which patch k has the colour 10 k; and its model."""
    image = np.kron(10 * np.arange(16).reshape(4, 4), np.ones((8, 8), int)).astype(np.uint8)

    def squares(**options):
        model = Means()
        masker = lc.maskers.Image(patch=8, reference="black")
        page = visit(lc.Explainer(model, masker, kind="output"), [image], **options)
        explain(page)
        return page, model, image

    return squares


def patch(page, row, column, number=0):
    """The middle of a patch of one of the canvases, on the screen."""
    box = page.locator("#picture canvas").nth(number).bounding_box()
    return box["x"] + (column + 0.5) * box["width"] / 4, box["y"] + (row + 0.5) * box["height"] / 4


def test_drag_over_an_image(squares):
    page, model, image = squares()
    page.mouse.move(*patch(page, 1, 0))
    page.mouse.down()
    page.mouse.move(*patch(page, 2, 1), steps=4)
    page.locator("#band").wait_for()
    page.mouse.up()
    wait_for_text(page, "#change", "Actual change of")
    expected = image.copy()
    expected[8:24, 0:16] = 0  # patches 4, 5, 8 and 9
    np.testing.assert_array_equal(model.seen[-1], expected)
    assert page.locator("#band").is_hidden()


def swipe(page, *places):
    """A finger that goes from place to place."""
    session = page.context.new_cdp_session(page)
    points = lambda place: [{"x": place[0], "y": place[1]}]  # noqa: E731
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points(places[0])})
    for place in places[1:]:
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points(place)})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_drag_with_a_finger(squares, visit, explainer):
    page, model, image = squares(width=390, height=844, touch=True)
    page.locator("#picture canvas").first.scroll_into_view_if_needed()
    (x, y), end = patch(page, 1, 1), patch(page, 1, 2)
    swipe(page, (x, y), (x + 15, y), (x + 25, y), end)
    wait_for_text(page, "#change", "Actual change of")
    expected = image.copy()
    expected[8:16, 8:24] = 0
    np.testing.assert_array_equal(model.seen[-1], expected)
    page = visit(explainer, width=390, height=844, touch=True)
    explain(page)
    unit(page, 0).scroll_into_view_if_needed()
    boxes = [unit(page, number).bounding_box() for number in (0, 1, 2)]
    swipe(page, *[(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes])
    wait_for_text(page, "#change", "Actual change of")
    assert page.locator("#picture .masked").count() == 3


def test_a_patch_is_replaced_by_a_colour(squares):
    page, model, image = squares()
    page.mouse.click(*patch(page, 0, 3))
    page.select_option("#replacement", "")
    page.fill("#colour", "#ffffff")
    page.click("#replace button")
    wait_for_text(page, "#change", re.compile("^Actual change of .*[0-9]"))
    expected = image.copy()
    expected[:8, 24:] = 255
    np.testing.assert_array_equal(model.seen[-1], expected)
    pixel = "() => [...document.querySelector('#picture canvas').getContext('2d').getImageData(28, 3, 1, 1).data]"
    assert page.evaluate(pixel) == [255, 255, 255, 255]
    page.select_option("#replacement", "mean")
    page.click("#replace button")
    wait_for_text(page, "#history", "by mean")
    page.click("#undo")
    page.click("#undo")
    assert page.evaluate(pixel) == [0, 0, 0, 255]  # gone
    page.click("#undo")
    assert page.evaluate(pixel) == [30, 30, 30, 255]


def test_a_series(visit):
    seen = []

    def model(rows):
        seen.append(rows)
        return rows.sum(axis=(1, 2))

    series = np.arange(24, dtype=np.float32).reshape(12, 2)
    masker = lc.maskers.Series(window=3, reference=0.0, channels="last", names=["up", "down"])
    page = visit(lc.Explainer(model, masker, kind="output"), [series])
    explain(page)
    page.locator("#picture [data-unit='1']").first.click()
    page.fill("#replacement", "-1")
    page.click("#replace button")
    wait_for_text(page, "#change", re.compile("^Actual change of .*[0-9]"))
    expected = series.copy()
    expected[3:6] = -1
    np.testing.assert_array_equal(seen[-1][-1], expected)
    page.fill("#text", "\n".join(f"{k},{k * k}" for k in range(9)))
    wait_for_text(page, "#cost", "3 units")
    explain(page)
    np.testing.assert_array_equal(seen[-1][-1][:, 1].max(), 64)
    box = page.locator("#chart svg").nth(1).bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 5, box["y"] + box["height"] / 2, steps=9)
    page.mouse.up()
    lines = [line.split() for line in page.input_value("#text").split("\n")]
    assert [line[0] for line in lines] == [str(k) for k in range(9)]
    assert len({line[1] for line in lines}) == 1  # a flat line was drawn
    page.fill("#text", "1 2\n3")
    wait_for_text(page, "#error", "same number of values")


def test_a_bomb_is_refused_on_the_page(visit, tmp_path):
    page = visit(
        lc.Explainer(lambda rows: [0.0] * len(rows), lc.maskers.Image(patch=4), kind="output"), [np.zeros((8, 8))]
    )
    file = io.BytesIO()
    Image.new("1", (9000, 9000)).save(file, "PNG")
    (tmp_path / "bomb.png").write_bytes(file.getvalue())
    assert len(file.getvalue()) < 50_000
    page.set_input_files("#file", tmp_path / "bomb.png")
    wait_for_text(page, "#error", "at most 4,000,000 pixels")


def test_a_row_of_a_lightgbm_table(visit):
    lightgbm = pytest.importorskip("lightgbm")
    draw = np.random.default_rng(0)
    table = draw.normal(size=(300, 4))
    forest = lightgbm.LGBMClassifier(n_estimators=10, verbose=-1).fit(table, table[:, 0] + table[:, 1] > 0)
    masker = lc.maskers.Tabular(table[:10], names=["age", "dose", "weight", "height"])
    page = visit(lc.Explainer(forest, masker), [table[0]])
    page.fill("#cell-0", "2.5")
    page.fill("#cell-1", "1")
    page.locator("#prediction meter").first.wait_for()
    explain(page)
    assert page.locator("#picture tbody tr").count() == 4
    page.locator("#picture tbody tr").first.click()
    page.locator("#answer meter").first.wait_for()
    page.fill("#replacement", "-2.5")
    page.locator("#replace button").click()
    wait_for_text(page, "#change", "Actual change of")
    page.fill("#cell-2", "heavy")
    wait_for_text(page, "#error", "Expected a number")


def test_a_smiles(visit):
    model = lambda rows: [float(row.count("O")) for row in rows]  # noqa: E731
    page = visit(lc.Explainer(model, lc.maskers.Molecule(), kind="output"), ["CCO"])
    page.fill("#text", "CC(=O)Oc1ccccc1C(=O)O")
    wait_for_text(page, "#cost", "13 units")
    explain(page)
    assert page.locator("#picture circle").count() == 13
    page.locator("#picture [data-unit='2']").last.click(force=True)
    page.locator("#answer .prediction").wait_for()
    wait_for_text(page, "#replace-reason", "Edit the SMILES instead")
    assert page.locator("#replace").is_hidden()


# -- what is hostile or large -----------------------------------------------------------------------------------------


def test_texts_are_texts(visit, explainer):
    """Forty attacks in one run each way: typed, as an example, as a class, in the link."""
    page = visit(lc.Explainer(explainer.model, lc.maskers.Text(), kind="logits", classes=XSS[:2]), XSS)
    for text in XSS:
        page.fill("#text", f"good {text}")
    page.fill("#text", " ".join(text.replace(" ", "\u00a0") for text in XSS))
    wait_for_text(page, "#cost", "units")
    explain(page, 60)
    for number in range(0, 40, 7):
        unit(page, number).hover()
        unit(page, number).click()
    page.fill("#replacement", XSS[2])
    page.locator("#replace button").click()
    page.locator("#answer meter").first.wait_for()
    for text in XSS[:6]:
        link = base64.urlsafe_b64encode(json.dumps({"input": {"text": text}, "ways": [{"method": text}]}).encode())
        page.goto(f"{page.playground.url.partition('?')[0]}#{link.decode()}")
        page.reload()
        page.wait_for_timeout(50)
    assert page.evaluate("window.hit") is None


def test_a_megabyte_is_typed_and_pasted(visit, explainer, model):
    """It does not get into the box, or is not sent, and the page says why; then everything goes on."""
    page = visit(explainer)
    page.locator("#prediction meter").first.wait_for()
    sizes = []
    page.on("request", lambda request: sizes.append(len(request.post_data or "")))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("navigator.clipboard.writeText('so good '.repeat(125000))")
    for put in (lambda: page.keyboard.press("Control+V"), lambda: page.keyboard.insert_text("so good " * 125_000)):
        page.fill("#text", "so good")
        wait_for_text(page, "#cost", "2 units")
        page.focus("#text")
        put()
        wait_for_text(page, "#error", "at most 20,000 characters, got 1,000,000")
        assert page.input_value("#text") == "so good"
    assert max(sizes, default=0) < 1000
    page.fill("#text", "good" * 3_000)  # piece by piece it gets there, and is not sent
    page.keyboard.insert_text("good" * 3_000)
    wait_for_text(page, "#error", "at most 20,000 characters, got 24,000")
    assert len(page.input_value("#text")) == 24_000
    page.click("#run")
    assert page.locator("#result").is_hidden()  # nothing was run
    assert max(sizes) < 13_000
    page.fill("#text", "so very good")
    wait_for_text(page, "#cost", "3 units")
    explain(page)
    assert page.locator("#error").is_hidden()
    assert model.rows < 20
