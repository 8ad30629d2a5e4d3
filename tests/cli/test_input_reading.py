"""From options to inputs, maskers, models and targets."""

import struct
import zlib

import numpy as np
import PIL.Image
import pytest
from command import explained, fails, module, run
from PIL import Image as Picture

from lcshap.paper.networks.demo import demo_digits


def test_targets_values_and_classes():
    digits = ("--model", "demo-digits", "--method", "feature-ablation", "--units", "patch=4")
    assert explained(*digits).provenance["targets"] == ["3"]
    eight = explained(*digits, "--target", 8)  # the class of that name, not the ninth
    assert eight.provenance["targets"] == ["8"]
    model, _, image = demo_digits()
    logits = model.predict(image[None])[0].astype(float)
    assert eight.full_value == pytest.approx(logits[1] - np.logaddexp(*logits), abs=1e-6)
    assert explained(*digits, "--target", 1).provenance["targets"] == ["8"]
    assert explained(*digits, "--target", 3, "--target", 8).scores.shape == (49, 2)
    assert explained(*digits, "--target", "all").scores.shape == (49, 2)
    assert explained(*digits, "--target", 8, "--against", 3).provenance["targets"] == [["8", "3"]]
    assert explained(*digits, "--target", 0, "--against", 1).provenance["targets"] == [["3", "8"]]
    assert explained(*digits, "--value", "prob").provenance["value"] == "prob"
    names = explained("--model", "demo-text", "--classes", "thumb down, thumb up", "--target", "thumb up")
    assert names.provenance["targets"] == ["thumb up"]
    fails("explain", *digits, "--against", 8, code=2, match="Expected one --target with --against, got 0")
    fails(
        "explain",
        *digits,
        "--target",
        3,
        "--target",
        8,
        "--against",
        8,
        code=2,
        match="one --target with --against, got 2",
    )
    fails("explain", *digits, "--target", 12, code=2, match="Expected a target from 0 to 1, got 12")
    fails("explain", *digits, "--kind", "output", code=1, match="Expected kind=.*, got kind=.output")
    assert "explains log_prob of 3, 8" in run("explain", *digits, "--target", 3, "--target", 8)[0]


def test_texts_from_files_and_standard_input(workdir):
    (workdir / "review.txt").write_bytes("\ufeffGood film. Très bad end.".encode())
    module(workdir, "own", "def count(texts):\n    return [float(len(t)) for t in texts]\n")
    model = ("--model", "own:count", "--kind", "output", "--method", "feature-ablation")
    assert explained(*model, "--file", "review.txt").names == ("Good", "film.", "Très", "bad", "end.")
    assert explained(*model, "--file", "-", text="one two").names == ("one", "two")
    sentences = explained(*model, "--file", "review.txt", "--units", "sentence")
    assert sentences.names == ("Good film.", "Très bad end.")
    masked = explained(*model, "--text", "ab c", "--units", "character", "--absent", "____")
    assert masked.scores.tolist() == [-3, -3, -3]
    (workdir / "latin.txt").write_bytes("Très".encode("latin-1"))
    fails("explain", *model, "--file", "latin.txt", code=1, match="Expected a text in UTF-8, got latin.txt")
    fails(
        "explain", *model, "--file", "none.txt", code=2, match="Expected a file, got 'none.txt', which does not exist"
    )
    fails("explain", *model, "--file", ".", code=2, match="Expected a file that can be read, got")
    fails("explain", *model, "--text", "", code=1, match="nothing to explain")
    fails("explain", *model, "--text", "a", "--units", "pixel", code=2, match="Choose one of word, sentence, character")


def test_image_files(workdir):
    model, _, grey = demo_digits()
    Picture.fromarray(grey).save("digit.png")
    Picture.fromarray(np.dstack([grey, grey // 2, grey])).save("colour.png")
    digits = ("--model", "demo-digits", "--method", "feature-ablation")
    e = explained(*digits, "--image", "digit.png", "--units", "patch=7", "--absent", 0)
    assert e.provenance["targets"] == ["3"]
    assert len(e.scores) == 16
    assert np.array_equal(e.view.image[..., 0], grey)
    covered = grey.copy()
    covered[7:14, 14:21] = 0
    logits = model.predict(np.stack([grey, covered])).astype(float)
    log_prob = logits[:, 0] - np.logaddexp(logits[:, 0], logits[:, 1])
    assert e.scores[6] == pytest.approx(log_prob[0] - log_prob[1], abs=1e-6)
    assert len(explained(*digits, "--image", "digit.png").scores) == 784
    fails("explain", *digits, "--image", "colour.png", code=1, match=r"Expected images of shape \(28, 28\), got uint8")
    module(workdir, "means", "def model(rows):\n    return rows.reshape(len(rows), -1).mean(axis=1)\n")
    means = ("--model", "means:model", "--kind", "output", "--method", "feature-ablation", "--units", "patch=28")
    full = {
        (): np.dstack([grey, grey // 2, grey]).mean(),
        ("--scale",): np.dstack([grey, grey // 2, grey]).mean() / 255,
        ("--scale", "--channels-first"): np.dstack([grey, grey // 2, grey]).mean() / 255,
        ("--grey",): np.asarray(Picture.fromarray(np.dstack([grey, grey // 2, grey])).convert("L")).mean(),
    }
    for options, expected in full.items():
        e = explained(*means, "--image", "colour.png", "--absent", 0, *options)
        assert e.full_value == pytest.approx(expected, rel=1e-5)
        assert e.base_value == 0
    regions = explained(*means[:-2], "--image", "colour.png", "--units", "superpixel=6", "--absent", "blur")
    assert 2 <= len(regions.scores) <= 12
    (workdir / "no.png").write_bytes(b"not an image")
    fails(
        "explain",
        *digits,
        "--image",
        "no.png",
        code=1,
        match=r"Expected an image, got no.png, which cannot be read as one\.$",
    )
    fails("explain", *digits, "--image", "none.png", code=2, match="which does not exist")
    fails(
        "explain",
        *digits,
        "--image",
        "digit.png",
        "--units",
        "patch=big",
        code=2,
        match="at least 1 for --units patch=N, got 'big'",
    )
    fails("explain", *digits, "--image", "digit.png", "--units", "word", code=2, match="Choose one of pixel, patch=N")


def test_preprocessing_of_photographs(workdir):
    photo = np.random.default_rng(0).integers(0, 256, (80, 100, 3), np.uint8)
    Picture.fromarray(photo).save("photo.png")
    module(
        workdir,
        "means",
        "def model(rows):\n    assert rows.shape[1:] == (3, 24, 32)\n    return rows.mean(axis=(1, 2, 3))\n",
    )
    means = ("--model", "means:model", "--kind", "output", "--method", "feature-ablation", "--image", "photo.png")
    preprocessing = ("--scale", "--channels-first", "--size", "24x32", "--mean", "0.5,0.4,0.3", "--std", "0.25")
    e = explained(*means, *preprocessing)
    assert e.full_value == pytest.approx((photo.mean() / 255 - 0.4) / 0.25, abs=0.05)
    assert e.provenance["model"] == "ImageModel"
    assert 20 < len(e.scores) < 150  # superpixels
    assert "8,000 pixels are more than 4,096" in e.provenance["units"]
    assert np.array_equal(np.rint(255 * e.view.image), photo)
    fails("explain", *means, code=1, match="wrap it in lcshap.adapters.ImageModel")
    fails("explain", *means, "--size", "big", code=2, match="Expected a --size such as 224 or 224x320, got 'big'")
    fails("explain", *means, "--mean", "1,,2", code=2, match="Expected a --mean such as 0.5 or 0.485,0.456,0.406")
    fails("explain", "--model", "demo-text", "--size", 4, code=2, match="Expected an image for --size")


def test_photographs_of_phones_are_turned_upright(workdir):
    grey = demo_digits()[2]
    sideways = Picture.fromarray(np.rot90(grey))
    exif = sideways.getexif()
    exif[0x0112] = 6  # turn by 90 degrees clockwise to look at it
    sideways.save("phone.png", exif=exif)
    e = explained(
        "--model", "demo-digits", "--method", "feature-ablation", "--image", "phone.png", "--units", "patch=14"
    )
    assert np.array_equal(e.view.image[..., 0], grey)


def test_series_bytes_tokens_and_molecules(workdir):
    module(
        workdir,
        "sums",
        "def numbers(rows):\n    return rows.reshape(len(rows), -1).sum(axis=1)\n"
        "def oxygen(texts):\n    return [float(t.count('O')) for t in texts]\n",
    )
    model = ("--model", "sums:numbers", "--kind", "output", "--method", "feature-ablation")
    (workdir / "s.csv").write_text("x,y\n" + "\n".join(f"{t},{10 * t}" for t in range(8)))
    e = explained(*model, "--series", "s.csv", "--units", "window=4", "--absent", 0)
    assert e.scores.tolist() == [11 * (0 + 1 + 2 + 3), 11 * (4 + 5 + 6 + 7)]
    assert e.view.channels == ("x", "y")
    (workdir / "one.csv").write_text("\n".join(map(str, range(64))))
    assert len(explained(*model, "--series", "one.csv", "--absent", "interpolate").scores) == 32
    (workdir / "f.bin").write_bytes(bytes([1, 2, 3, 4, 5]))
    e = explained(*model, "--bytes", "f.bin", "--units", "window=2")
    assert e.scores.tolist() == [3, 7, 5]
    assert len(explained(*model, "--bytes", "f.bin").scores) == 5
    assert explained(*model, "--tokens", "12 7, 31").scores.tolist() == [12, 7, 31]
    assert explained(*model, "--tokens", "12 7 31", "--absent", 5).scores.tolist() == [7, 2, 26]
    oxygen = explained("--model", "sums:oxygen", "--kind", "output", "--smiles", "CCO", "--method", "feature-ablation")
    assert oxygen.scores.tolist() == [0, 0, 1]
    fails("explain", *model, "--tokens", "a b", code=2, match="Expected integers with spaces between for --tokens")
    fails("explain", *model, "--tokens", "1", "--absent", "pad", code=2, match="Expected an integer for --absent")


def bomb(width, height):
    """A PNG whose header says that it is large."""
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * (-(-width // 8) + 1) * height, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        for name, content in chunks
    )


@pytest.mark.parametrize(("side", "says"), [(9000, "at most 50,000,000 pixels, got .* 9,000 x 9,000"), (14_000, "x")])
def test_images_of_too_many_pixels_are_refused_by_their_header(workdir, side, says, monkeypatch):
    (workdir / "x.png").write_bytes(bomb(side, side))
    convert = PIL.Image.Image.convert
    monkeypatch.setattr(PIL.Image.Image, "convert", lambda *args: pytest.fail("decoded"))
    options = ("explain", "--model", "demo-digits", "--units", "patch=28", "--image", "x.png")
    fails(*options, code=1, match=says)
    (workdir / "x.png").write_bytes(bomb(28, 28))
    fails(*options, "--max-pixels", 783, code=1, match="at most 783 pixels")
    monkeypatch.setattr(PIL.Image.Image, "convert", convert)
    run(*options, "--max-pixels", 784)
