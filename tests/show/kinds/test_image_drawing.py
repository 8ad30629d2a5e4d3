"""Images in the terminal, in HTML and on the page."""

import base64
import io

import numpy as np
import pytest
from PIL import Image as Picture
from showing import Fragment, explain, made, runs, unpack
from showing import read_html as read

import lcshap as lc
from lcshap.maskers import Image
from lcshap.show.kinds.image_drawing import encode_png, image_html
from lcshap.show.notebook import to_html
from lcshap.show.palette import find_palette
from lcshap.show.styling import ClassStyling
from lcshap.show.terminal import render_explanation


def heat_map(e, width, dark):
    """The colours of the scores' picture, read back from the codes."""
    rows = []
    for line in render_explanation(e, width, colour=True, dark=dark).splitlines():
        if "▀" in line:
            pieces = runs(line[line.index("   ") + 3 :])
            top = [ink for text, ink, _ in pieces for _ in text]
            below = [back for text, _, back in pieces for _ in text]
            rows += [top, below]
    return [row for row in rows if None not in row]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("height", [4, 5])
def test_an_image_is_a_heat_map_of_its_scores(height, dark):
    weights = np.random.default_rng(0).normal(size=(height, 6))
    e = explain(lambda rows: (rows * weights).sum(axis=(1, 2)), Image(reference=0.0), np.ones((height, 6)))
    assert np.allclose(e.scores, weights.ravel())
    heat = heat_map(e, 15, dark)  # six columns for each of the two pictures
    limit, palette = np.abs(weights).max(), find_palette("default")
    assert heat == [[palette.colour(w, limit, dark) for w in row] for row in weights.tolist()]


def test_large_images_are_averaged_and_small_ones_enlarged():
    image = np.zeros((100, 200))
    image[:50] = 1.0
    e = explain(lambda rows: rows[:, :50].mean(axis=(1, 2)), Image(patch=50, reference=0.0), image)
    heat = heat_map(e, 83, True)
    assert (len(heat), len(heat[0])) == (20, 40)
    paper, blue = np.array(find_palette("default").colour(0, 1, True)), find_palette("default").colour(1, 1, True)
    white = paper + 0.6 * (255 - paper)  # a photograph is seen in its grey, and under the strongest colour
    assert heat[0] == [tuple(np.rint(0.25 * white + 0.75 * np.array(blue)).astype(int).tolist())] * 40
    assert heat[-1] == [tuple(np.rint(paper - 0.6 * paper).astype(int).tolist())] * 40
    small = explain(lambda rows: rows[:, 0, 0], Image(reference=0.0), np.eye(2))
    assert len(heat_map(small, 80, True)) == 8


def test_an_image_without_colour():
    image = np.array([[1.0, 0, 0], [1, 0, 0]])
    e = explain(lambda rows: rows[:, :, 0].sum(axis=1) - 0.0, Image(reference=0.0), image)
    assert "█     #··" in render_explanation(e, 9)


def pictures(e):
    sources = [image["src"].partition(",")[2] for image in read(to_html(e)).all("img")]
    return [np.asarray(Picture.open(io.BytesIO(base64.b64decode(source)))) for source in sources]


def test_an_image_and_its_scores_are_png_files():
    image = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    e = explain(lambda rows: rows[:, 0, 0, 0] * 1.0 - rows[:, 4, 6, 1], Image(reference=0), image)
    picture, scores = pictures(e)
    assert np.array_equal(picture, image)
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
    assert np.array_equal(np.asarray(Picture.open(io.BytesIO(encode_png(image)))), image)


def test_images_have_the_colours_of_the_palette():
    e = explain(lambda rows: rows[:, 0, 0] * 1.0, Image(reference=0), np.full((2, 2), 255, np.uint8))
    page = Fragment(image_html(e, e.view, ClassStyling(find_palette("paper"))))
    _, heat = (base64.b64decode(picture["src"].partition(",")[2]) for picture in page.all("img"))
    assert tuple(np.asarray(Picture.open(io.BytesIO(heat)))[0, 0]) == find_palette("paper").positive
    assert "blue" not in page.all("img")[1]["alt"]


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (np.array([[0, 7], [200, 255]], np.uint8), [0, 7, 200, 255]),
        (np.array([[0.0, 0.2], [0.4, 0.5]]), [0, 51, 102, 128]),
        (np.array([[-1.0, 0.0], [1.0, 3.0]]), [0, 64, 128, 255]),
        (np.arange(12, dtype=np.uint8).reshape(2, 2, 3), list(range(12))),
        (np.array([[False, True], [True, True]]), [0, 255, 255, 255]),
    ],
)
def test_pixels_on_the_page(write, image, expected):
    view = lc.maskers.Image(reference=0, channels="last").mask(image).view
    page = write(made([1.0, 2.0, 3.0, 4.0], None, view))
    picture = page.sample()["picture"]
    assert unpack(picture["image"]).tolist() == expected
    assert (picture["height"], picture["width"], picture["channels"]) == (2, 2, len(expected) // 4)


@pytest.mark.parametrize(("reference", "expected"), [(9, [9]), (np.array([[1, 2], [3, 4]]), [1, 2, 3, 4])])
def test_reference(write, reference, expected):
    view = lc.maskers.Image(reference=reference).mask(np.zeros((2, 2), np.uint8)).view
    picture = write(made([1.0, 2.0, 3.0, 4.0], None, view)).sample()["picture"]
    assert unpack(picture["reference"]).tolist() == expected


def test_labels_of_patches(write):
    view = lc.maskers.Image(patch=2).mask(np.zeros((4, 4))).view
    page = write(made([1.0, 2.0, 3.0, 4.0], None, view))
    labels = unpack(page.pool(page.sample()["picture"]["labels"])).reshape(4, 4)
    assert labels.tolist() == [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3], [2, 2, 3, 3]]
