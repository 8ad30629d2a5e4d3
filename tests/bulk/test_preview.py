import pytest

import lcshap as lc
from bulk_models import TEXTS, explainer
from lcshap.bulk import Preview, preview
from lcshap.bulk.preview import _spread
from lcshap.bulk.sources import open_source


def test_a_sample_says_what_all_would_take():
    """Calls are counted, money follows from rows and price, and nothing is written anywhere."""
    found = preview(TEXTS, "bulk_models:costly", sample=10, workers=3, price=0.5)
    picked = [row.x for row in _spread(open_source(TEXTS), 10)]
    expected = [e.calls for e in explainer().many(picked)]
    assert found.calls == sum(expected) / 10
    assert (found.total, found.sample, found.failed, found.workers) == (40, 10, 0, 3)
    assert found.hours == pytest.approx(40 * found.seconds / 3 / 3600)
    said = str(found)
    assert f"{found.rows * 0.5 * 40:,.2f} in all (price 0.5 a row)" in said
    assert f"about {round(found.rows * 40) * 0.01:.2f} for" in said


def test_the_sample_is_spread_over_the_data():
    assert [row.id for row in _spread(open_source(list(range(100))), 3)] == ["0", "50", "99"]
    assert len(list(_spread(open_source(["a", "b"]), 9))) == 2
    with pytest.raises(lc.OptionError, match=r"at least 1 input"):
        _spread(open_source(["a"]), 0)


def test_words():
    text = str(Preview(1_000_000, 32, 1, 600.0, 600.0, 25.0, 0.9, 4000.0, 8))
    assert "calls   600 ± 25 model calls an input, 600,000,000 in all" in text
    assert "time    0.9 s an input on one worker: 1 d 7 h in all by 8 workers" in text
    assert "disk    4.0 kB an input, 4,000 MB in all" in text
    assert "errors  1 of 32" in text
    assert "in all" not in str(Preview(None, 32, 1, 600.0, 900.0, 25.0, 0.9, 4000.0, 8))


def test_what_cannot_be_tried():
    with pytest.raises(lc.OptionError, match=r"read twice, got an iterator"):
        preview(iter(TEXTS), explainer)
    with pytest.raises(lc.BulkError, match=r"None of 3 inputs that were tried can be explained: .*nothing to explain"):
        preview(["", "", ""], explainer, workers=1)
