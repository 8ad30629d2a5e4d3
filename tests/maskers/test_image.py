"""Images against loops over pixels: units, graphs, references, layouts, dtypes, memory, errors."""

import importlib
import itertools
import sys
import tracemalloc

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

import lcshap as lc
from lcshap.errors import MaskerError, MissingExtraError
from lcshap.maskers.base import blend
from lcshap.maskers.image import Image

RNG = np.random.default_rng(0)
LAYOUTS = {"grey": (5, 7), "last": (5, 7, 3), "first": (3, 5, 7), "one": (5, 7, 1)}
REGIONS = np.array([[9, 9, 9, 4, 4, 4, 4], [9, 2, 2, 4, 4, 7, 7], [9, 2, 2, 2, 7, 7, 7], [9, 9, 2, 2, 7, 70, 70]])
REGIONS = np.vstack([REGIONS, [9, 9, 9, 2, 2, 70, 2]])  # the 2 in the corner is a piece apart


def picture(shape, dtype):
    values = np.random.default_rng(1).random(shape)
    return (255 * values).astype(dtype) if np.dtype(dtype).kind in "iu" else values.astype(dtype)


def coalitions(d, n=9):
    """Random ones, ∅ and V, some stored by what they keep and some by what they lack."""
    kept = RNG.random((n, d)) < RNG.random((n, 1))
    kept[0], kept[1] = False, True
    sets = lc.Coalitions.from_dense(kept)
    lacking = lc.Coalitions.from_dense(~kept)
    lacking = lc.Coalitions(d, lacking.indices, lacking.offsets, np.ones(n, bool))
    all_coalitions = lc.Coalitions.concat([sets, lacking])
    assert all_coalitions.removed.any()
    return all_coalitions


def at(channels, r, c):
    """Where all channels of a pixel are."""
    return (slice(None), r, c) if channels == "first" else (r, c)


def check_rows(masked, labels, x, reference, channels):
    """Pixel by pixel: x where the pixel's unit is kept, the reference elsewhere."""
    sets = coalitions(masked.graph.d)
    rows = masked.rows(sets)
    assert rows.shape == (len(sets), *x.shape)
    assert rows.dtype == x.dtype
    expected = np.full_like(rows, 99)
    for row, kept in zip(expected, sets, strict=True):
        for r, c in itertools.product(*map(range, labels.shape)):
            source = x if labels[r, c] in kept else reference
            row[at(channels, r, c)] = source[at(channels, r, c)]
    np.testing.assert_array_equal(rows, expected)


def touching(labels, diagonal):
    """Region adjacency by comparing all pairs of pixels."""
    pixels = list(np.ndindex(*labels.shape))
    pairs = set()
    for (r, c), (s, t) in itertools.combinations(pixels, 2):
        near = max(abs(r - s), abs(c - t)) == 1 if diagonal else abs(r - s) + abs(c - t) == 1
        if near and labels[r, c] != labels[s, t]:
            pairs.add(tuple(sorted((int(labels[r, c]), int(labels[s, t])))))
    return sorted(pairs)


def edges(graph):
    return [tuple(edge) for edge in graph.edges.tolist()]


# -- units and graphs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_pixels(layout, dtype, diagonal):
    x = picture(LAYOUTS[layout], dtype)
    masked = Image(diagonal=diagonal).mask(x)
    channels = {"grey": None, "one": "last"}.get(layout, layout)
    assert masked.channels == channels
    assert masked.graph == lc.Graph.grid((5, 7), diagonal, [f"({r}, {c})" for r in range(5) for c in range(7)])
    assert masked.rows_per_call == 1
    labels = np.arange(35).reshape(5, 7)
    np.testing.assert_array_equal(masked.labels, labels)
    reference = np.empty_like(x)
    values = x[None, ..., None] if layout == "grey" else x[None] if channels == "last" else np.moveaxis(x, 0, 2)[None]
    mean = [np.mean([float(v) for v in values[..., k].ravel()]) for k in range(values.shape[-1])]
    mean = np.rint(mean) if dtype == np.uint8 else np.array(mean)
    for r, c in np.ndindex(5, 7):
        reference[at(channels, r, c)] = mean.astype(dtype)[0] if layout == "grey" else mean.astype(dtype)
    np.testing.assert_allclose(masked.reference, reference, rtol=1e-6)
    check_rows(masked, labels, x, masked.reference, channels)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("patch", [1, 2, 3, 5, (2, 7), (5, 1), (4, 3), 50])
def test_patches_need_not_divide_the_image(layout, patch):
    x = picture(LAYOUTS[layout], np.float32)
    masked = Image(patch=patch).mask(x)
    p, q = patch if isinstance(patch, tuple) else (patch, patch)
    rows, columns = -(-5 // p), -(-7 // q)
    names = [f"patch ({r}, {c})" for r in range(rows) for c in range(columns)]
    assert masked.graph == lc.Graph.grid((rows, columns), names=names)
    labels = np.array([[(r // p) * columns + c // q for c in range(7)] for r in range(5)])
    np.testing.assert_array_equal(masked.labels, labels)
    check_rows(masked, labels, x, masked.reference, masked.channels)
    assert edges(masked.graph) == touching(labels, False)


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_regions_with_any_numbers(layout, diagonal):
    x = picture(LAYOUTS[layout], np.float64)
    masked = Image(labels=REGIONS, diagonal=diagonal).mask(x)
    assert masked.graph.names == ("region 2", "region 4", "region 7", "region 9", "region 70")
    numbers = [2, 4, 7, 9, 70]
    labels = np.array([[numbers.index(n) for n in row] for row in REGIONS])
    np.testing.assert_array_equal(masked.labels, labels)
    assert edges(masked.graph) == touching(labels, diagonal)
    check_rows(masked, labels, x, masked.reference, masked.channels)


@pytest.mark.parametrize("diagonal", [False, True])
def test_regions_at_random(diagonal):
    for seed in range(10):
        regions = np.random.default_rng(seed).integers(-3, 8, (6, 5)) * 11
        masked = Image(labels=regions, diagonal=diagonal).mask(np.zeros((6, 5)))
        assert edges(masked.graph) == touching(masked.labels, diagonal)
        named = np.array([int(name.split()[1]) for name in masked.graph.names])
        np.testing.assert_array_equal(named[masked.labels], regions)


def test_regions_that_meet_at_a_corner_only():
    regions = [[0, 1], [1, 0]]
    assert edges(Image(labels=np.array(regions)).mask(np.zeros((2, 2))).graph) == [(0, 1)]
    regions = np.array([[0, 1], [2, 3]])
    assert edges(Image(labels=regions).mask(np.zeros((2, 2))).graph) == [(0, 1), (0, 2), (1, 3), (2, 3)]
    assert len(Image(labels=regions, diagonal=True).mask(np.zeros((2, 2))).graph.edges) == 6
    assert Image(labels=regions > 1).mask(np.zeros((2, 2))).graph.names == ("region 0", "region 1")


@pytest.mark.parametrize("layout", ["grey", "last", "first", "one", "four"])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_superpixels(layout, dtype):
    importlib.import_module("skimage")
    height, width = 48, 64
    r, c = np.mgrid[:height, :width]
    grey = 0.2 + 0.6 * ((r > 23) ^ (c > 31)) + 0.05 * np.sin(r + 2 * c)  # four quarters
    x = {
        "grey": grey,
        "last": np.stack([grey, 1 - grey, grey], axis=-1),
        "first": np.stack([grey, 1 - grey, grey]),
        "one": grey[..., None],
        "four": np.stack([grey] * 4, axis=-1),
    }[layout]
    x = (255 * x).astype(dtype) if dtype == np.uint8 else x.astype(dtype)
    masked = Image(units="superpixel", segments=12).mask(x)
    assert masked.labels.shape == (height, width)
    assert 4 <= masked.graph.d <= 24
    assert masked.graph.names == tuple(f"region {i}" for i in range(masked.graph.d))
    assert masked.graph == Image(labels=masked.labels).mask(x).graph
    quarter = 2 * (r > 23) + (c > 31)
    inside = sum(np.bincount(quarter[masked.labels == i]).max() for i in range(masked.graph.d))
    assert inside > 0.85 * height * width  # regions follow the edges of the picture
    check_rows(masked, masked.labels, x, masked.reference, masked.channels)
    repeated = Image(units="superpixel", segments=12).mask(x)
    np.testing.assert_array_equal(repeated.labels, masked.labels)


def test_superpixels_need_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "skimage", None)
    monkeypatch.setitem(sys.modules, "skimage.segmentation", None)
    with pytest.raises(MissingExtraError, match=r'pip install "lcshap\[image\]"'):
        Image(units="superpixel").mask(np.zeros((8, 8)))
    Image(labels=REGIONS, units="superpixel").mask(np.zeros((5, 7)))  # nothing to find


def test_a_single_superpixel_is_no_explanation(monkeypatch):
    segmentation = importlib.import_module("skimage.segmentation")
    monkeypatch.setattr(segmentation, "slic", lambda image, **options: np.zeros(image.shape[:2], int))
    with pytest.raises(MaskerError, match="Expected about 100 regions from SLIC, got one"):
        Image(units="superpixel").mask(np.zeros((5, 7, 3)))
    assert Image(units="superpixel", segments=1).mask(np.zeros((5, 7, 3))).graph.d == 1


# -- references -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.float64])
def test_references(layout, dtype):
    x = picture(LAYOUTS[layout], dtype)
    count = 1 if layout in ("grey", "one") else 3
    axes = {"grey": (0, 1), "first": (1, 2)}.get(layout, (0, 1))
    colour = [10.0, 20.5, 30.25][:count]
    shaped = np.array(colour).reshape((count, 1, 1) if layout == "first" else (count,))
    image_reference = picture(x.shape, np.float64)[::-1] * 200
    sigma = [0.0 if layout != "grey" and axis not in axes else 0.5 for axis in range(x.ndim)]  # a tenth of 5
    low, high = x.min(axis=axes, keepdims=True), x.max(axis=axes, keepdims=True)
    cases = {
        "mean": (np.broadcast_to(x.mean(axis=axes, keepdims=True, dtype=np.float64), x.shape), "mean"),
        "number": (np.full(x.shape, 7.75), 7.75),
        "colour": (np.broadcast_to(shaped, x.shape), tuple(colour)),
        "array": (image_reference, image_reference),
        "blur": (gaussian_filter(x.astype(np.float64), sigma), "blur"),
    }
    for expected, reference in cases.values():
        masked = Image(patch=2, reference=reference).mask(x)
        expected = np.rint(expected).astype(dtype) if np.dtype(dtype).kind in "iu" else expected.astype(dtype)
        np.testing.assert_array_equal(masked.reference, expected)
        assert masked.reference.dtype == masked.rows(coalitions(12)).dtype == dtype
        check_rows(masked, masked.labels, x, expected, masked.channels)
    noise = Image(reference="noise", seed=3).mask(x)
    assert ((noise.reference >= low) & (noise.reference <= high)).all()
    assert len(np.unique(noise.reference)) > x.size / 3
    np.testing.assert_array_equal(noise.reference, Image(reference="noise", seed=3).mask(x).reference)
    assert (noise.reference != Image(reference="noise", seed=4).mask(x).reference).any()
    check_rows(noise, noise.labels, x, noise.reference, noise.channels)


def test_blur_spares_the_channels_and_wipes_out_detail():
    x = np.zeros((20, 30, 2))
    x[10, 15, 0] = 1.0
    blurred = Image(reference="blur").mask(x).reference
    assert blurred[..., 1].max() == 0
    assert blurred[..., 0].sum() == pytest.approx(1)
    assert blurred[..., 0].max() < 0.05


def test_the_mean_of_many_small_floats_is_exact_enough():
    x = np.full((300, 300), 0.1, np.float16)
    assert Image(patch=100).mask(x).reference.flat[0] == np.float16(0.1)


def test_black_and_white():
    x = np.array([[True, True], [True, False]])
    rows = Image().mask(x).rows(lc.Coalitions.from_sets(4, [[], [3]]))
    assert rows.dtype == bool
    assert rows.tolist() == [[[True, True], [True, True]], [[True, True], [True, False]]]


# -- inputs -----------------------------------------------------------------------------------------------------------


def test_where_the_channels_are():
    assert Image().mask(np.zeros((3, 8, 9))).channels == "first"
    assert Image().mask(np.zeros((8, 9, 4))).channels == "last"
    assert Image(channels="last").mask(np.zeros((3, 8, 9))).labels.shape == (3, 8)
    assert Image(channels="first").mask(np.zeros((3, 3, 3))).labels.shape == (3, 3)
    assert Image(channels="first").mask(np.zeros((8, 9))).channels is None
    for shape in [(3, 8, 3), (8, 9, 10), (2, 2, 2), (4, 8, 1)]:
        with pytest.raises(MaskerError, match='Give channels="last" or channels="first"'):
            Image().mask(np.zeros(shape))


def test_the_masked_image_is_a_copy():
    x = np.zeros((3, 3))
    masked = Image(reference=1).mask(x)
    x[:] = 5
    assert masked.rows(lc.Coalitions.from_sets(9, [range(9)])).max() == 0


def test_pillow_images_lists_and_transposed_arrays():
    pillow = importlib.import_module("PIL.Image")
    x = picture((6, 8, 3), np.uint8)
    np.testing.assert_array_equal(Image().mask(pillow.fromarray(x)).x, x)
    assert Image().mask([[1, 2], [3, 4]]).graph.d == 4
    masked = Image(patch=3).mask(x.transpose(1, 0, 2))
    check_rows(masked, masked.labels, x.transpose(1, 0, 2), masked.reference, "last")


def test_no_coalitions_no_rows():
    assert Image(channels="last").mask(np.zeros((4, 6, 3))).rows(lc.Coalitions.from_sets(24, [])).shape == (0, 4, 6, 3)


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
@pytest.mark.parametrize("shape", [(224, 224, 3), (3, 224, 224)])
@pytest.mark.parametrize("patch", [None, 16])
def test_memory_of_a_batch(shape, patch, dtype):
    masked = Image("pixel", patch=patch).mask(picture(shape, dtype))
    sets = lc.Coalitions.from_dense(RNG.random((64, masked.graph.d)) < 0.5)
    tracemalloc.start()
    try:
        rows = masked.rows(sets)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    overhead = masked.x.size * np.dtype(np.intp).itemsize + 16 * len(sets.indices)  # the map, the coalitions unpacked
    assert peak < (1.5 if dtype == np.float32 else 2.5) * rows.nbytes + overhead
    if dtype == np.float32:
        assert peak < 3 * rows.nbytes


# -- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"units": "word"}, "Expected .auto., .pixel. or .superpixel. as units, got 'word'"),
        ({"channels": "middle"}, "Expected .last., .first., .none. or None as channels, got 'middle'"),
        (
            {"reference": "median"},
            r'Expected "mean", "black", "blur", "noise", a colour or an array as reference, got.*median',
        ),
        ({"patch": 0}, "Expected patch as a number of pixels, or a height and a width, got 0"),
        ({"patch": 2.0}, "Expected patch as a number of pixels, or a height and a width, got"),
        ({"patch": True}, "Expected patch as a number of pixels, or a height and a width, got"),
        ({"patch": (2, 3, 4)}, "Expected patch as a number of pixels, or a height and a width, got"),
        ({"patch": (2, -1)}, "Expected patch as a number of pixels, or a height and a width, got"),
        ({"patch": 2, "units": "superpixel"}, "Expected patch, or superpixels or labels, got patch together with them"),
        ({"patch": 2, "labels": REGIONS}, "Expected patch, or superpixels or labels, got patch together with them"),
        ({"labels": REGIONS * 1.0}, "Expected labels as integers, got float64"),
        ({"segments": 0}, "Expected segments as an integer of at least 1, got 0"),
    ],
)
def test_fields_are_checked(fields, message):
    with pytest.raises(MaskerError, match=message):
        Image(**fields)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.zeros(5), r"Expected one image of shape \(H, W\), \(H, W, C\) or \(C, H, W\), got \(5,\)"),
        (
            np.zeros((2, 5, 5, 3)),
            r"Expected one image of shape \(H, W\), \(H, W, C\) or \(C, H, W\), got \(2, 5, 5, 3\)",
        ),
        (np.zeros((0, 5)), r"Expected an image with pixels, got shape \(0, 5\)"),
        (np.array([["a", "b"]]), "Expected an image of real numbers, got <U1"),
        (np.zeros((2, 2), complex), "real numbers"),
        (np.array([[0.0, 1.0], [np.nan, 0.0]]), r"an image with nan at \(1, 0\)"),
        (np.array([[0.0, np.inf]]), r"an image with inf at \(0, 1\)"),
    ],
)
def test_what_is_no_image(x, message):
    with pytest.raises(MaskerError, match=message):
        Image().mask(x)


@pytest.mark.parametrize(
    ("reference", "dtype", "message"),
    [
        (np.zeros((5, 7)), float, r"Expected a reference of shape \(5, 7, 3\), as the image has, got \(5, 7\)"),
        (np.zeros((3, 5, 7)), float, r"Expected a reference of shape \(5, 7, 3\), as the image has, got \(3, 5, 7\)"),
        ((1.0, 2.0), float, "Expected a colour of 3 numbers, one for each channel of the image, got 2"),
        (("red", "green", "blue"), float, "Expected a reference of numbers, got <U5"),
        (np.nan, float, "NaN or infinite"),
        (300, np.uint8, "Expected a reference from 0 to 255, as an image of uint8 has, got numbers from 300 to"),
        (-1, np.uint8, "from -1 to -1"),
        (
            (0.5, 0.25, 0.0),
            np.uint8,
            r"Expected a reference on the scale of the image, which is uint8, got numbers from 0\.0 to.*scaled",
        ),
    ],
)
def test_references_that_do_not_fit(reference, dtype, message):
    with pytest.raises(MaskerError, match=message):
        Image(reference=reference).mask(np.zeros((5, 7, 3), dtype))


def test_labels_of_another_size():
    with pytest.raises(
        MaskerError, match=r"Expected labels of shape \(7, 5\), the height and width of the image, got \(5, 7\)"
    ):
        Image(labels=REGIONS).mask(np.zeros((7, 5, 3)))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float16", "float32", "float64", "longdouble", ">f4"])
def test_blend_is_where_to_the_bit(dtype):
    rng = np.random.default_rng(0)
    x, reference = (rng.normal(size=(5, 7)) * 20).astype(dtype), (rng.normal(size=(5, 7)) * 20).astype(dtype)
    if np.dtype(dtype).kind == "f":
        x[0, :3], reference[1, :3] = [np.nan, -0.0, np.inf], [np.nan, -0.0, -np.inf]
    for array, filling in ((x, reference), (x.T, reference.T), (x[::2], reference[::2])):
        kept = rng.random((9, *array.shape)) < 0.5
        blended = blend(kept, array, filling)
        assert blended.dtype == array.dtype
        assert blended.tobytes() == np.where(kept, array, filling).astype(array.dtype).tobytes()


# -- photographs ------------------------------------------------------------------------------------------------------


def test_a_photograph_is_cut_into_superpixels_and_this_is_recorded():
    photo = importlib.import_module("skimage.data").astronaut()[::2, ::2][:224, :224]
    masked = Image().mask(photo)
    assert 60 <= masked.graph.d <= 120
    assert masked.choice.settings == {"units": "superpixel"}
    assert masked.graph == Image("superpixel").mask(photo).graph
    text = Image().preview(photo)
    assert f"50,176 pixels are more than 4,096, so they were cut into {masked.graph.d} superpixels" in text
    assert 'Image("pixel")' in text
    assert masked.key == Image("superpixel").mask(photo).key  # how it was chosen changes no row


@pytest.mark.parametrize("shape", [(66, 70), (66, 70, 3), (3, 66, 70)])
def test_rows_of_photographs(shape):
    x = picture(shape, np.uint8)
    masked = Image(patch=11).mask(x)
    check_rows(masked, masked.labels, x, masked.reference, masked.channels)


def test_pixels_of_a_photograph_on_request():
    masked = Image("pixel").mask(picture((224, 224, 3), np.uint8))
    assert masked.graph.d == 50_176
    assert masked.choice is None


def test_what_was_chosen_makes_the_same_units_again():
    photo = importlib.import_module("skimage.data").astronaut()
    model = lc.adapters.CallableModel(lambda rows: rows.mean(axis=(1, 2, 3)), "output")
    e = lc.explain(model, photo, method=lc.FeatureAblation())
    settings = e.provenance["masker"]["parameters"]
    assert settings["units"] == "superpixel"
    assert "262,144 pixels" in e.provenance["units"]
    repeated = Image(**settings).mask(photo)
    assert np.array_equal(repeated.labels, e.view.labels)
    assert np.array_equal(e.view.image, photo)
    assert "units   262,144 pixels" in lc.Explainer(model, Image()).preview(photo)


def test_batches_of_photographs_stay_small():
    sizes = []

    def model(rows):
        sizes.append(rows.nbytes)
        return rows[:, 0, 0, 0].astype(float)

    photo = picture((1024, 1024, 3), np.float32)  # 12 MB
    lc.explain(model, photo, Image(patch=128), kind="output", method=lc.LShapley(1), batch_size=64)
    assert max(sizes) <= 1 << 26
    assert len(sizes) > 10


def test_the_error_of_a_model_recommends_how_to_convert_the_photograph():
    torch = importlib.import_module("torch")
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 2, 3), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten())
    photo = picture((70, 70, 3), np.uint8)
    with pytest.raises(
        lc.errors.ModelError, match=r'uint8 images of shape \(70, 70, 3\).*channels="first", scale=1/255, size='
    ):
        lc.explain(net, photo, kind="logits")
    with pytest.raises(lc.errors.ModelError, match=r"ImageModel with size= or colours=, or give it prepare="):
        lc.explain(net, picture((2, 70, 70), np.float32), kind="logits")
    e = lc.explain(lc.adapters.ImageModel(net, "logits", channels="first", scale=1 / 255), photo)
    assert np.array_equal(e.view.image, photo)


# -- default units ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "size", [(1, 1), (8, 8), (5, 15), (9, 9), (28, 28), (32, 32), (1, 900), (64, 64), (20, 180)], ids=str
)
def test_a_small_image_takes_at_most_about_600_calls(size):
    x = np.random.default_rng(0).normal(size=size)
    masked = Image().mask(x)
    explainer = lc.Explainer(lambda images: images.sum(axis=(1, 2)), Image(), kind="output")
    e = explainer(x)
    assert e.calls <= 600 or e.graph.d <= 10
    assert masked.graph.d <= 75
    if size[0] * size[1] <= 75:
        assert masked.graph.d == x.size
        assert masked.choice is None
        return
    assert masked.graph.d >= 25
    assert f"were cut into {masked.graph.d} patches" in e.provenance["units"]
    assert 'Image("pixel") takes each pixel as a unit' in explainer.preview(x)
    patch = e.provenance["masker"]["parameters"]["patch"]
    np.testing.assert_array_equal(Image(patch=tuple(patch)).mask(x).labels, masked.labels)
    assert Image("pixel").mask(x).graph.d == x.size


def test_segments_are_superpixels_of_an_image_of_every_size():
    x = np.zeros((32, 32, 3))
    x[8:20, 8:20] = [0.9, 0.2, 0.1]
    masked = Image(segments=20).mask(x)
    np.testing.assert_array_equal(masked.labels, Image("superpixel", segments=20).mask(x).labels)
    assert 10 <= masked.graph.d <= 40
    assert masked.choice.reason.startswith("With segments=20, 1,024 pixels were cut into")
    for options in ({"units": "pixel"}, {"patch": 4}, {"labels": np.zeros((32, 32), int)}):
        with pytest.raises(MaskerError, match="Expected segments with superpixels, got segments=20 together with"):
            Image(segments=20, **options)
