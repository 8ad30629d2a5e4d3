import base64
import io
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image as Picture

import lcshap as lc
from lcshap.maskers import Bytes, Image, Series, Tabular, Text
from lcshap.show.notebook import png, to_html
from lcshap.show.palette import find_palette

EVIL = (
    "<script>alert(1)</script>",
    '"onmouseover="alert(1)',
    "</style><img src=x onerror=alert(1)>",
    "</title></textarea><svg/onload=alert(1)>",
    "'><b>&amp;</b>",
    "\x00\x1b[2J\ud800",
)
TAGS = {"div", "style", "p", "strong", "span", "pre", "img", "table", "tbody", "tr", "th", "td"}
TAGS |= {"svg", "rect", "polyline"}
ATTRIBUTES = {"class", "style", "title", "alt", "src", "scope", "role", "aria-label", "x", "y", "width", "height"}
ATTRIBUTES |= {"viewbox", "preserveaspectratio", "points", "fill", "stroke", "stroke-width", "vector-effect"}


class Page(HTMLParser):
    """What a browser would see: elements with their attributes, and the text outside of the style element."""

    def __init__(self, source):
        super().__init__()
        self.elements, self.text, self.open = [], "", []
        self.feed(source)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag != "img":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.text += data

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def read(source):
    """A page, checked: known elements and attributes only, all pictures inline, one root."""
    page = Page(source)
    assert {tag for tag, _ in page.elements} <= TAGS
    for _, attributes in page.elements:
        assert set(attributes) <= ATTRIBUTES
        assert attributes.get("src", "data:image/png;base64,").startswith("data:image/png;base64,")
    assert page.elements[0] == ("div", {"class": "lcshap"})
    source.encode("utf-8")
    return page


def explain(model, masker, x, method=None, **options):
    return lc.Explainer(model, masker, method or lc.FeatureAblation(), kind="output", **options)(x)


def length(texts):
    return [float(len(text)) for text in texts]


@pytest.mark.parametrize("evil", EVIL)
def test_what_users_write_shows_as_text(evil):
    text = f"good {evil} end"
    page = read(to_html(explain(length, Text(), text)))
    assert evil.replace("\x00", "␀").replace("\x1b", "␛").replace("\ud800", "�") in page.text
    names = lc.Graph.chain(2, names=[evil, "b"])
    e = lc.Shapley().explain(lc.Game(lambda kept: kept @ [1.0, 2.0], 2), names)
    e = replace(e, provenance={"method": evil, "value": evil, "targets": [evil]})
    assert read(to_html(e)).text.count(evil[:1].replace("\x00", "␀")) >= 4
    several = lc.Shapley().explain(lc.Game(lambda kept: kept @ [[1.0, 0], [2.0, 1]], 2), names)
    read(to_html(replace(several, provenance={"method": evil, "value": evil, "targets": [evil, "other"]})))
    series = Series(window=2, channels="last", names=[evil, "b"])
    read(to_html(explain(lambda rows: rows.sum(axis=(1, 2)), series, np.ones((4, 2)))))
    table = Tabular(np.zeros(2), names=[evil, "b"])
    read(to_html(explain(lambda rows: rows.sum(axis=1), table, np.ones(2))))


def test_styles_stay_inside():
    style = re.search(r"<style>(.*?)</style>", to_html(explain(length, Text(), "a b")), re.DOTALL)[1]
    rules = re.findall(r"([^{}]+)\{[^}]*\}", style)
    assert len(rules) > 5
    assert all(part.strip().startswith(".lcshap") for rule in rules for part in rule.split(","))


def test_words_have_colours_by_their_scores():
    page = read(
        to_html(explain(lambda texts: [t.count("good") - 2.0 * t.count("bad") for t in texts], Text(), "good bad end"))
    )
    marks = [m for m in page.all("span")]
    assert [m["title"] for m in marks] == ["+1.000", "-2.000", "+0.000"]
    strengths = [float(re.search(r"([\d.]+)\)$", m["style"])[1]) for m in marks]
    assert strengths[2] == 0
    assert strengths[0] == pytest.approx(strengths[1] / 2, abs=1e-3)
    palette = find_palette("default")
    assert str(palette.dark_negative)[1:-1].replace(" ", "") in marks[1]["style"]
    assert "explains output of 0" in page.text
    assert "v(∅) = 0 → v(V) = -1; scores sum to -1, residual 0; 5 calls" in page.text


def test_bars_stand_where_scores_are():
    g = lc.Graph.chain(4, names=list("abcd"))
    e = lc.Shapley().explain(lc.Game(lambda kept: kept @ [3.0, -1.0, 0.5, 0.25], 4), g)
    page = read(to_html(e, top=3))
    found = [re.findall(r"(?:left|width):([\d.]+)%", d["style"]) for d in page.all("div") if "style" in d]
    assert [[float(n) for n in pair] for pair in found] == [[25, 75], [0, 25], [25, 12.5]]
    assert "1 others+0.250" in page.text


def pictures(e):
    sources = [image["src"].partition(",")[2] for image in read(to_html(e)).all("img")]
    return [np.asarray(Picture.open(io.BytesIO(base64.b64decode(source)))) for source in sources]


def test_an_image_and_its_scores_are_png_files():
    image = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    e = explain(lambda rows: rows[:, 0, 0, 0] * 1.0 - rows[:, 4, 6, 1], Image(reference=0), image)
    shown, scores = pictures(e)
    assert np.array_equal(shown, image)
    assert scores.shape == (5, 7, 3)
    palette, largest = find_palette("default"), max(int(image[0, 0, 0]), int(image[4, 6, 1]))
    ends = {(0, 0): (palette.positive, image[0, 0, 0]), (4, 6): (palette.negative, image[4, 6, 1])}
    for place, (colour, score) in ends.items():
        share = score / largest
        faded = 255 - 0.25 * (255 - image[place].mean())
        assert np.abs(scores[place] - (faded * (1 - share) + np.array(colour) * share)).max() <= 1
    elsewhere = scores[2, 3].astype(int)
    assert elsewhere.max() == elsewhere.min() >= 190


def test_large_images_are_made_smaller():
    e = explain(lambda rows: rows.mean(axis=(1, 2)), Image(patch=300), np.random.default_rng(0).random((600, 900)))
    assert [picture.shape for picture in pictures(e)] == [(171, 256, 3)] * 2


def test_png_is_lossless():
    image = np.random.default_rng(1).integers(0, 256, (13, 9, 3)).astype(np.uint8)
    assert np.array_equal(np.asarray(Picture.open(io.BytesIO(png(image)))), image)


def test_a_series_is_drawn_over_its_windows():
    series = np.array([[0.0, 5], [1, 5], [2, 5], [3, 5], [4, 5]])
    masker = Series(window=2, channels="last", names=["up", "flat"])
    page = read(to_html(explain(lambda rows: rows[:, :2].sum(axis=(1, 2)), masker, series)))
    lines = [line["points"].split() for line in page.all("polyline")]
    heights = [[float(point.split(",")[1]) for point in line] for line in lines]
    assert heights[0] == [36, 28, 20, 12, 4]
    assert len(set(heights[1])) == 1
    boxes = [(float(box["x"]), int(box["width"])) for box in page.all("rect")]
    assert boxes == [(-0.5, 2), (1.5, 2), (3.5, 1)] * 2
    assert page.text.index("up") < page.text.index("flat")


def test_bytes_are_a_dump():
    data = b"GIF89a<script>" + bytes(30)
    page = read(to_html(explain(lambda rows: (rows == 60).sum(axis=1), Bytes(window=8, padding=256), data)))
    assert data[:16].hex(" ") in page.text
    assert "GIF89a<script>.." in page.text


def test_several_outputs_are_a_table():
    g = lc.Graph.chain(3, names=["a", "b", "c"])
    weights = np.array([[1.0, -4.0], [2.0, 0.0], [0.1, 0.1]])
    e = lc.Shapley().explain(lc.Game(lambda kept: kept @ weights + [0, 7.0], 3), g)
    page = read(to_html(replace(e, provenance={**e.provenance, "targets": ["no", "yes"]}), top=2))
    assert re.search(r"noyesa\+1.000-4.000b\+2.000\+0.000v\(∅\)07v\(V\)3.13.1residual00", page.text)
    assert "8 calls; 1 other units are not shown" in page.text
