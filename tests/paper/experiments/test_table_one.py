"""The paper's Table 1 and what stands beside it."""

from lcshap.paper.experiments.table_one import HEAD, PAPER, for_people, lines


def test_the_papers_line_and_our_own():
    about = {"model": "mnist-cnn", "accuracy": 0.99, "train": 6, "test": 7, "weights": "abc"}
    paper, here = lines("mnist", about)
    assert dict(zip(HEAD, paper, strict=True)) == {"study": "mnist", "source": "paper", **PAPER["mnist"]._asdict()}
    assert dict(zip(HEAD, here, strict=True)) == {
        "study": "mnist",
        "source": "here",
        "classes": None,
        "train": 6,
        "test": 7,
        "words": None,
        "model": "mnist-cnn",
        "parameters": None,
        "accuracy": 0.99,
    }


def test_newsgroups_stand_in_for_questions():
    paper, here = lines("newsgroups", {})
    assert paper == ("yahoo", "paper", *PAPER["yahoo"])
    assert here[:2] == ("newsgroups", "here")


def test_cells_for_people():
    assert for_people([("imdb", "paper", *PAPER["imdb"])]) == [
        ["imdb", "paper", "2", "25,000", "25,000", "325.6", "WordCNN", "351,002", "90.10 %"]
    ]
    assert for_people([("x", "here", *[None] * 7)]) == [["x", "here", *["–"] * 7]]
