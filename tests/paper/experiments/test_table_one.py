"""The paper's Table 1 and what stands beside it."""

from lcshap.paper.experiments.table_one import HEADER, PAPER, format_cells, table_lines


def test_the_papers_line_and_our_own():
    about = {"model": "mnist-cnn", "accuracy": 0.99, "train": 6, "test": 7, "weights": "abc"}
    paper, here = table_lines("mnist", about)
    assert dict(zip(HEADER, paper, strict=True)) == {"study": "mnist", "source": "paper", **PAPER["mnist"]._asdict()}
    assert dict(zip(HEADER, here, strict=True)) == {
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
    paper, here = table_lines("newsgroups", {})
    assert paper == ("yahoo", "paper", *PAPER["yahoo"])
    assert here[:2] == ("newsgroups", "here")


def test_cells_for_people():
    assert format_cells([("imdb", "paper", *PAPER["imdb"])]) == [
        ["imdb", "paper", "2", "25,000", "25,000", "325.6", "WordCNN", "351,002", "90.10 %"]
    ]
    assert format_cells([("x", "here", *[None] * 7)]) == [["x", "here", *["–"] * 7]]
