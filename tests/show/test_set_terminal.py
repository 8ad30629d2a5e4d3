import pytest
from explanation_sets import array_set, failed, odd_explanations, row_explanations, text_explanations

import lcshap as lc
from lcshap.errors import ShowError
from lcshap.show.set_terminal import render_set
from lcshap.show.terminal_text import display_width


@pytest.mark.parametrize("width", [60, 80, 120])
def test_lines_fit_the_terminal(width):
    for xs in (lc.Explanations([*text_explanations(), failed()]), array_set(9, 30)[0], lc.Explanations()):
        assert all(display_width(line) <= width for line in render_set(xs, width).splitlines())


def test_a_summary_is_printed(capsys):
    lc.Explanations([*text_explanations(), failed()]).show(2)
    printed = capsys.readouterr().out
    assert "4 explanations by Shapley() of output 0; 1 input failed" in printed
    assert "mean |score| over 3 inputs" in printed
    assert "Expected a text, got nothing." in printed
    assert printed.count("█") > 2
    with pytest.raises(ShowError, match="top"):
        lc.Explanations().show(0)


def test_sets_of_all_kinds_are_printed(capsys):
    for xs in (lc.Explanations(odd_explanations()), array_set(4, outputs=2)[0], lc.Explanations(row_explanations(3))):
        xs.show()
        assert "explanations" in capsys.readouterr().out


def test_methods_are_printed_side_by_side(capsys):
    explainer = lc.Explainer(lambda texts: [1.0 * len(t) for t in texts], lc.maskers.Text(), kind="output")
    explainer.compare("to be or not", ["shapley", lc.LShapley(1)]).show()
    head, *_ = capsys.readouterr().out.splitlines()
    assert head.split() == ["shapley", "l-shapley"]
    lc.Comparison().show()
    assert capsys.readouterr().out == "No explanations\n"
    lc.Comparison(list(row_explanations(1, 2))).show()
    assert "Shapley()" in capsys.readouterr().out
