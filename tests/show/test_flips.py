"""What is said of a path that changes the decision."""

import pytest

import lcshap as lc
from lcshap.show import flips

from .test_words import make_explanation, path


class TestFlips:
    def test_necessary(self):
        sentence = flips.flip_sentence(path(True, (0, 1, 2)))
        assert sentence == "Without *damn*, *stupid*, *idiot*, the decision changes."

    @pytest.mark.parametrize(
        ("flip_set", "expected"),
        [
            ((0, 2), "*damn*, *idiot* alone are enough for this decision."),
            ((1,), "*stupid* alone is enough for this decision."),
        ],
    )
    def test_sufficient(self, flip_set, expected):
        assert flips.flip_sentence(path(True, flip_set, removed=False)) == expected

    @pytest.mark.parametrize(
        ("e", "expected"),
        [
            (path(False, None), "The decision did not change while 3 units were removed."),
            (path(False, None, count=1), "The decision did not change while 1 unit was removed."),
            (path(False, None, removed=False), "The decision was not reached while 3 units were inserted."),
            (path(True, None), "The decision changed after 3 units were removed."),
            (path(True, (), count=0), "The full input does not lead to this decision."),
            (path(True, (), removed=False, count=0), "No unit is needed for this decision."),
            (path(None, None), ""),
            (make_explanation(), ""),
        ],
    )
    def test_no_set(self, e, expected):
        assert flips.flip_sentence(e) == expected

    def test_many_units_and_repeated_names(self):
        e = path(True, tuple(range(14)), count=14, names=["so"] * 14)
        assert flips.flip_sentence(e).startswith("Without *so (1)*, *so (2)*, ")
        assert flips.flip_sentence(e).endswith("*so (12)* and 2 others, the decision changes.")

    def test_names_are_marked_and_nothing_else(self):
        e = path(True, (0, 3), names=("<b>", "a", "b", "c\x1b"))
        assert flips.flip_sentence(e, lambda name: f"[{name}]") == "Without [<b>], [c␛], the decision changes."
        assert flips.flip_pieces(e)[1::2] == ["<b>", "c␛"]
        assert flips.flip_pieces(make_explanation()) == []

    def test_kept_in_files(self, tmp_path):
        for e in (path(True, (0, 1)), path(True, (2,), removed=False), path(False, None)):
            assert flips.flip_sentence(lc.load(e.save(tmp_path / "e.json"))) == flips.flip_sentence(e) != ""
