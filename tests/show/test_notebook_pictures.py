"""Pictures in a notebook: colours, sizes and places."""

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image as Picture
from showing import explain
from showing import read_html as read

from lcshap.maskers import Bytes, Image, Series, Text
from lcshap.show.notebook import to_html
from lcshap.show.notebook_pictures import png
from lcshap.show.palette import find_palette


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


def test_photographs_stay_visible_under_their_colours():
    image = np.random.default_rng(0).integers(0, 256, (70, 70)).astype(np.uint8)
    e = explain(lambda rows: rows[:, :35].mean(axis=(1, 2)), Image(patch=35, reference=0), image)
    _, scores = pictures(e)
    blue = np.array(find_palette("default").positive)
    grey = 255 - 0.6 * (255 - image[..., None].astype(float))
    assert np.abs(scores[35:] - grey[35:]).max() <= 1  # no score: the photograph
    share = 0.75 * np.minimum(e.scores[e.view.labels[:35]] / e.scores.max(), 1)[..., None]
    assert np.abs(scores[:35] - (grey[:35] * (1 - share) + blue * share)).max() <= 1


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
