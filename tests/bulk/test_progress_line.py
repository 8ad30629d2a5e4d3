from lcshap.bulk.progress_line import ProgressLine


def test_the_line_says_rate_time_left_and_errors(capsys):
    line = ProgressLine(1000, 200, 1, show=True)
    line.advance(100, 1)
    assert "300 of 1,000 inputs (30 %)" in capsys.readouterr().err
    assert line.text(10.0) == "300 of 1,000 inputs (30 %), 10.0/s, 1 min 10 s left, 2 errors"
    line.close()
    assert capsys.readouterr().err == "\r\033[K"


def test_without_a_total_or_a_terminal(capsys):
    line = ProgressLine(None, 0, 0)
    line.advance(5, 1)
    line.close()
    assert line.text(2.0) == "5 inputs, 2.5/s, 1 error"
    assert capsys.readouterr().err == ""
