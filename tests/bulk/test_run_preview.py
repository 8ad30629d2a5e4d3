import pytest

import lcshap as lc
from bulk_models import TEXTS, explainer
from lcshap.bulk import Preview, preview
from lcshap.bulk.run_preview import _evenly_spaced_rows
from lcshap.bulk.sources import open_source


def test_the_cost_is_estimated_from_a_sample():
    """Calls are counted, money follows from rows and price, and nothing is written anywhere."""
    estimate = preview(TEXTS, "bulk_models:costly", sample=10, workers=3, price=0.5)
    sample = [row.x for row in _evenly_spaced_rows(open_source(TEXTS), 10)]
    expected = [e.calls for e in explainer().many(sample)]
    assert estimate.calls == sum(expected) / 10
    assert (estimate.total, estimate.sample, estimate.failed, estimate.workers) == (40, 10, 0, 3)
    assert estimate.hours == pytest.approx(40 * estimate.seconds / 3 / 3600)
    text = str(estimate)
    assert f"{estimate.rows * 0.5 * 40:,.2f} in all (price 0.5 a row)" in text
    assert f"about {round(estimate.rows * 40) * 0.01:.2f} for" in text


def test_the_sample_is_spread_over_the_data():
    assert [row.id for row in _evenly_spaced_rows(open_source(list(range(100))), 3)] == ["0", "50", "99"]
    assert len(list(_evenly_spaced_rows(open_source(["a", "b"]), 9))) == 2
    with pytest.raises(lc.errors.OptionError, match=r"at least 1 input"):
        _evenly_spaced_rows(open_source(["a"]), 0)


def test_text_of_a_preview():
    text = str(Preview(1_000_000, 32, 1, 600.0, 600.0, 25.0, 0.9, 4000.0, 8))
    assert "calls   600 ± 25 model calls an input, 600,000,000 in all" in text
    assert "time    0.9 s an input on one worker: 1 d 7 h in all by 8 workers" in text
    assert "disk    4.0 kB an input, 4,000 MB in all" in text
    assert "errors  1 of 32" in text
    assert "in all" not in str(Preview(None, 32, 1, 600.0, 900.0, 25.0, 0.9, 4000.0, 8))


def test_sources_that_cannot_be_sampled_are_refused():
    with pytest.raises(lc.errors.OptionError, match=r"read twice, got an iterator"):
        preview(iter(TEXTS), explainer)
    with pytest.raises(
        lc.errors.BulkError, match=r"None of 3 inputs that were tried can be explained: .*nothing to explain"
    ):
        preview(["", "", ""], explainer, workers=1)
