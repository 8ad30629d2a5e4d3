"""What the readers of files share, and data sets that are taken apart."""

import numpy as np
from data_files import write

from lcshap.paper.datasets import DataError, Dataset
from lcshap.paper.datasets.base import first_file, first_folder, held_out, open_bytes, package_file


def test_taking_and_shuffling():
    texts = Dataset(list("abcdef"), np.arange(6), tuple("uvwxyz"), "letters", "here")
    other = texts.shuffled(3)
    assert other.inputs != texts.inputs
    assert [texts.inputs[k] for k in other.labels] == other.inputs
    assert other.inputs == texts.shuffled(3).inputs != texts.shuffled(4).inputs
    pixels, labels = np.random.default_rng(0).integers(0, 256, (5, 28, 28)), np.array([5, 3, 1, 3, 5])
    images = Dataset(pixels, labels, texts.classes, "images", "here")
    np.testing.assert_array_equal(images.take([4, 0]).inputs, pixels[[4, 0]])
    assert images.take([4, 1]).labels.tolist() == [5, 3]
    assert len(images) == 5


def test_one_item_in_five_is_held_out_by_its_content():
    items = [str(number).encode() for number in range(2000)]
    is_test = held_out(items)
    assert 0.17 < is_test.mean() < 0.23
    assert held_out(items[::-1]).tolist() == is_test.tolist()[::-1]
    assert held_out([items[7], items[7]]).tolist() == [is_test[7]] * 2


def test_the_first_file_or_folder_that_is_there(tmp_path):
    write(tmp_path / "b.csv.gz", b"zipped")
    write(tmp_path / "part/c-2.csv", b"two")
    (tmp_path / "a.csv").mkdir()  # no file
    assert first_file(tmp_path, "a.csv", "b.csv") == tmp_path / "b.csv.gz"
    assert first_file(tmp_path, "part/c-?.csv", "b.csv") == tmp_path / "part/c-2.csv"
    assert first_file(tmp_path, "d.csv") is None
    assert first_folder(tmp_path, "b.csv.gz", "part", "a.csv") == tmp_path / "part"
    assert first_folder(tmp_path, "other") is None
    with open_bytes(tmp_path / "b.csv.gz") as zipped, open_bytes(tmp_path / "part/c-2.csv") as plain:
        assert (zipped.read(), plain.read()) == (b"zipped", b"two")


def test_files_of_packages():
    assert package_file("numpy", "__init__.py").is_file()
    assert package_file("no_such_package", "data.csv") is None


def test_missing_data_is_a_missing_file():
    assert issubclass(DataError, FileNotFoundError)
