"""Reviews, news, questions and posts in every form that the readers take."""

import io
import sys
import tarfile

import numpy as np
import pytest
from data_files import as_csv, parquet, write

from lcshap.errors import MissingExtraError
from lcshap.paper.datasets import DataError, load


def check_reviews(dataset):
    assert sorted(zip(dataset.inputs, dataset.labels.tolist(), strict=True)) == [("Awful.", 0), ("Très bon<br />!", 1)]
    assert dataset.classes == ("negative", "positive")
    assert dataset.labels.dtype == np.int64
    assert dataset.name == "imdb"


@pytest.mark.parametrize("inside", ["aclImdb", "."])
def test_reviews_in_folders(tmp_path, inside):
    write(tmp_path / inside / "test/pos/3_9.txt", "Très bon<br />!".encode())
    write(tmp_path / inside / "test/neg/0_1.txt", b"Awful.")
    write(tmp_path / inside / "test/urls_pos.txt", b"no review")
    dataset = load("imdb", tmp_path, "test")
    check_reviews(dataset)
    assert str(tmp_path) in dataset.source


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
    dataset = load("agnews", tmp_path, "test")
    assert dataset.inputs == ['Up Shares "rise", \\so', "Talks They talk", "Goal", "A B"]
    assert dataset.labels.tolist() == [2, 0, 1, 3]
    assert dataset.classes == ("World", "Sports", "Business", "Sci/Tech")


@pytest.mark.parametrize("name", ["agnews_train.csv", "agnews_train_sample.csv.gz"])
def test_news_in_a_table(tmp_path, name):
    write(tmp_path / name, as_csv(("label", "text", "source"), (4, "Chips", "x"), (1, "Talks", "y")))
    dataset = load("agnews", tmp_path)
    assert dataset.inputs == ["Chips", "Talks"]
    assert dataset.labels.tolist() == [1, 0]
    assert dataset.classes == ("World", "Sci/Tech")  # those that are there


def test_questions(tmp_path):
    write(tmp_path / "yahoo_answers_csv/train.csv", as_csv((10, "Who?", "", "I\\nthink"), (1, "Why?", "so", "Because")))
    dataset = load("yahoo", tmp_path, classes=("Society & Culture", 9))
    assert dataset.inputs == ["Who? I\nthink", "Why? so Because"]
    assert dataset.labels.tolist() == [1, 0]
    assert dataset.classes == ("Society & Culture", "Politics & Government")


def test_a_file_of_another_data_set(tmp_path):
    write(tmp_path / "train.csv", as_csv((1, "a", "b"), (5, "a", "b")))
    with pytest.raises(DataError, match="Expected a class from 1 to 10 and 3 texts in row 1 of"):
        load("yahoo", tmp_path)
    with pytest.raises(DataError, match="Expected a class from 1 to 4 and 2 texts in row 2 of"):
        load("agnews", tmp_path)
    write(tmp_path / "agnews_test.csv", as_csv(("words", "label"), ("a", 1)))
    with pytest.raises(DataError, match="Expected a column text in"):
        load("agnews", tmp_path, "test")


POSTS = {"sci.med/59": "From: a\nSubject: b\n\nDr\xe9 says\n\nno.\n", "rec.autos/1": "Newsgroups: x\r\n\r\nA car"}


def check_posts(dataset):
    assert dataset.inputs == ["A car", "Dré says\n\nno."]
    assert dataset.labels.tolist() == [0, 1]
    assert dataset.classes == ("rec.autos", "sci.med")


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


def test_labels_of_reviews():
    texts = load("imdb", split="test")
    words = np.array([["awful" in text.lower(), "wonderful" in text.lower()] for text in texts.inputs])
    assert texts.labels[words[:, 0] & ~words[:, 1]].mean() < 0.2
    assert texts.labels[words[:, 1] & ~words[:, 0]].mean() > 0.7
