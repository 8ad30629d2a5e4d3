"""Photographs prepared for models: against Pillow, PyTorch and written-out loops; gradients against differences."""

import importlib

import numpy as np
import pytest

import lcshap as lc
from lcshap.adapters import ImageModel
from lcshap.adapters.image_model import _resize

RNG = np.random.default_rng(0)
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def capture_inputs(rows, **options):
    """What the model is given."""
    inputs = []
    ImageModel(lambda x: inputs.append(x) or np.zeros(len(x)), "output", **options).predict(rows)
    return inputs[0]


def photos(*shape, dtype=np.uint8):
    return RNG.integers(0, 256, shape).astype(dtype)


# -- preparing --------------------------------------------------------------------------------------------------------


def test_the_usual_normalisation():
    rows = photos(2, 6, 8, 3)
    prepared = capture_inputs(rows, channels="first", scale=1 / 255, mean=MEAN, std=STD)
    expected = ((rows / 255 - MEAN) / STD).transpose(0, 3, 1, 2)
    assert prepared.dtype == np.float32
    assert prepared.flags.c_contiguous
    np.testing.assert_allclose(prepared, expected, atol=1e-6)
    np.testing.assert_array_equal(
        prepared, capture_inputs(rows.transpose(0, 3, 1, 2), scale=1 / 255, mean=MEAN, std=STD)
    )


def test_without_options_images_do_not_change():
    for rows in (photos(2, 6, 8, 3), photos(2, 6, 8), photos(2, 3, 6, 8), photos(2, 6, 8, 3, dtype=np.float64)):
        prepared = capture_inputs(rows)
        assert prepared.dtype == rows.dtype
        np.testing.assert_array_equal(prepared, rows)


def test_grey_and_transparent_images():
    grey = photos(2, 6, 8)
    assert capture_inputs(grey, channels="first").shape == (2, 1, 6, 8)
    assert capture_inputs(grey, channels="last").shape == (2, 6, 8, 1)
    np.testing.assert_array_equal(capture_inputs(grey, colours=3, channels="first"), np.stack([grey] * 3, axis=1))
    assert capture_inputs(grey, mean=MEAN, std=STD, scale=1 / 255, channels="first").shape == (2, 3, 6, 8)
    clear = photos(2, 6, 8, 4)
    np.testing.assert_array_equal(capture_inputs(clear), clear[..., :3])
    np.testing.assert_array_equal(capture_inputs(photos(2, 6, 8, 2), colours=3).shape, (2, 6, 8, 3))


@pytest.mark.parametrize("size", [(224, 224), (5, 300), (900, 700), (400, 20)])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_sizes_as_in_pillow(size, dtype):
    pillow = importlib.import_module("PIL.Image")
    photo = importlib.import_module("skimage.data").coffee()
    (resized,) = capture_inputs(photo[None].astype(dtype), size=size)
    expected = np.asarray(pillow.fromarray(photo).resize(size[::-1], pillow.Resampling.BILINEAR))
    assert resized.dtype == dtype
    assert resized.shape == (*size, 3)
    assert np.abs(resized.astype(float) - expected).max() < 1.001  # Pillow rounds after each axis
    np.testing.assert_array_equal(capture_inputs(photo[None], size=photo.shape[:2])[0], photo)


def test_the_adjoint_of_resizing():
    x, y = RNG.random((13, 9, 2)), RNG.random((5, 20, 2))
    assert (_resize(x, (5, 20)) * y).sum() == pytest.approx((x * _resize(y, (13, 9), adjoint=True)).sum(), rel=1e-5)


# -- as a model -------------------------------------------------------------------------------------------------------


def small_net(torch):
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3),
        torch.nn.Tanh(),
        torch.nn.AdaptiveAvgPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(16, 3),
    )
    return net.double()


def test_it_forwards_the_properties_of_its_model():
    inner = lc.adapters.CallableModel(lambda x: x.mean(axis=(1, 2, 3)), "output")
    inner.classes, inner.batch_size = ["a"], 7
    inner.cost = lambda calls: f"{calls} coins"
    model = ImageModel(inner, size=4)
    assert (model.kind, model.classes, model.batch_size, model.cost(3)) == ("output", ["a"], 7, "3 coins")
    with pytest.raises(lc.errors.ModelError, match="does not declare what its numbers are"):
        ImageModel(lambda x: x)


def test_the_explanation_is_of_the_photograph():
    torch = importlib.import_module("torch")
    net, photo = small_net(torch), photos(80, 90, 3)
    model = ImageModel(net, "logits", size=32, channels="first", scale=1 / 255, mean=MEAN, std=STD)
    e = lc.explain(model, photo, lc.maskers.Image(patch=45), method="shapley")
    assert e.view.image.dtype == np.uint8
    np.testing.assert_array_equal(e.view.image, photo)
    with torch.no_grad():
        logits = net(torch.tensor(model.prepare(photo[None])).double())[0]
    assert e.full_value == pytest.approx(float(logits.log_softmax(0).max()), abs=1e-6)
    pillow = importlib.import_module("PIL.Image")
    other = lc.explain(model, pillow.fromarray(photo), lc.maskers.Image(patch=45), method="shapley")
    np.testing.assert_array_equal(other.scores, e.scores)


@pytest.mark.parametrize("layout", ["last", "first", "grey", "clear"])
def test_gradients(layout):
    torch = importlib.import_module("torch")
    shape = {"last": (9, 7, 3), "first": (3, 9, 7), "grey": (9, 7), "clear": (9, 7, 4)}[layout]
    model = ImageModel(small_net(torch), "logits", size=(6, 8), channels="first", scale=1 / 255, mean=MEAN, std=STD)
    row, weights = photos(*shape, dtype=np.float64), np.array([[1.0, -0.5, 0.25]])
    gradient = model.gradient(row[None], weights)[0]
    assert gradient.shape == row.shape

    def value(x):
        logits = model.predict(x[None])[0].astype(float)
        return weights[0] @ (logits - np.logaddexp.reduce(logits))

    for place in list(np.ndindex(*shape))[::17]:
        step = np.zeros(shape)
        step[place] = 4.0 if row[place] < 128 else -4.0
        slope = (value(row + step) - value(row - step)) / (2 * step[place]) if 4 < row[place] < 251 else None
        if slope is not None:
            assert gradient[place] == pytest.approx(slope, abs=2e-5)


def test_integer_photographs_have_gradients():
    torch = importlib.import_module("torch")
    model = ImageModel(small_net(torch), "logits", channels="first", scale=1 / 255)
    e = lc.explain(model, photos(12, 12, 3), lc.maskers.Image(patch=4), method="saliency")
    assert np.isfinite(e.scores).all()
    assert (e.scores != 0).any()


# -- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 0}, "Expected size as a number of pixels, or a height and a width, got 0"),
        ({"size": (3, 4, 5)}, "Expected size"),
        ({"channels": "middle"}, 'Expected channels="first", "last" or None'),
        ({"scale": 0}, "Expected scale as a number above 0"),
        ({"scale": True}, "Expected scale"),
        ({"mean": "imagenet"}, "Expected mean as a number or one for each channel, got 'imagenet'"),
        ({"mean": [np.nan]}, "Expected mean"),
        ({"std": 0.0}, "Expected std above 0"),
        ({"mean": MEAN, "std": [1.0]}, "for each of 1 or 3 colours"),
        ({"mean": MEAN, "colours": 1}, "for each of 1 or 3 colours"),
        ({"colours": 2}, "for each of 1 or 3 colours"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(lc.errors.ModelError, match=message):
        ImageModel(lambda x: x, "output", **options)


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (
            photos(1, 5, 6, 3),
            {"mean": MEAN, "std": STD},
            r"Expected images from 0 to 1 for mean=\[0\.485, 0\.456, 0\.406\], got uint8. Set scale=1/255",
        ),
        (RNG.random((1, 5, 6, 3)), {"scale": 1 / 255}, r"got float64 from .* Leave scale out"),
        (RNG.normal(size=(1, 5, 6, 3)), {"scale": 1.0}, "brings between 0 and 1"),
        (300.0 + RNG.random((1, 5, 6, 3)), {"scale": 1 / 255}, "brings between 0 and 1"),
        (photos(1, 5, 6, 3, dtype=np.uint16) * 200, {"scale": 1 / 255}, "set scale=1/65535"),
        (photos(1, 5, 6, 2), {"mean": MEAN, "scale": 1 / 255, "colours": 3}, None),
        (photos(1, 5, 6, 3), {"colours": 1}, "Expected images with 1 channels, got 3"),
        (photos(1, 3, 6, 3), {"size": 4}, r"1 to 4 channels, got shape \(3, 6, 3\)"),
        (photos(1, 6, 6, 6), {"size": 4}, "1 to 4 channels"),
        (photos(1, 2, 3, 6, 3), {"size": 4}, r"got uint8 \(1, 2, 3, 6, 3\)"),
    ],
)
def test_images_that_cannot_be_meant(rows, options, message):
    if message is None:
        assert capture_inputs(rows, **options).shape == (1, 5, 6, 3)
        return
    with pytest.raises(lc.errors.ModelError, match=message) as error:
        capture_inputs(rows, **options)
    assert "\n" not in str(error.value)


def test_black_rows_of_floats_are_no_mistake():
    assert not capture_inputs(np.zeros((2, 5, 6, 3)), scale=1 / 255).any()


def test_the_error_of_a_model_describes_its_rows():
    torch = importlib.import_module("torch")
    model = ImageModel(small_net(torch), "logits", scale=1 / 255)
    with pytest.raises(
        lc.errors.ModelError,
        match=r"accepts float32 images of shape \(20, 20, 3\), got an error from it: RuntimeError.*channels=",
    ):
        model.predict(photos(1, 20, 20, 3))


@pytest.mark.parametrize("size", [None, 4])
def test_black_and_white_is_as_bright_as_the_same_image_in_grey(size):
    bits = RNG.random((2, 8, 8)) > 0.5
    grey = np.where(bits, 255, 0).astype(np.uint8)
    options = {"scale": 1 / 255, "size": size, "colours": 3, "channels": "last"}
    np.testing.assert_allclose(capture_inputs(bits, **options), capture_inputs(grey, **options), atol=0.5 / 255)
