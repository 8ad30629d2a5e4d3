"""Progress of a study: a function of one's own, lines in a terminal, or nothing."""

from toy_study import text_study

from lcshap.paper.experiments.reporter import duration, make_reporter
from lcshap.paper.experiments.reproduce import reproduce


def test_progress_is_printed_with_the_time_left(tmp_path, capsys):
    reproduce(text_study(), samples=2, out=tmp_path, methods=["feature-ablation"], progress=True)
    assert "toy: 2 of 2 samples, 0 s left" in capsys.readouterr().err


def test_by_default_only_on_a_terminal(capsys, monkeypatch):
    make_reporter("toy", None)(1, 2, 3.0)
    make_reporter("toy", False)(1, 2, 3.0)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    make_reporter("toy", None)(1, 2, 600.0)
    assert "toy: 1 of 2 samples, 10 min left" in capsys.readouterr().err


def test_a_function_of_ones_own():
    calls = []
    make_reporter("toy", lambda *numbers: calls.append(numbers))(1, 2, 3.0)
    assert calls == [(1, 2, 3.0)]


def test_durations():
    assert [duration(seconds) for seconds in (0, 119, 121, 7000, 7300)] == ["0 s", "119 s", "2 min", "117 min", "2.0 h"]
