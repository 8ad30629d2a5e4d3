import numpy as np
import pytest

import lcshap as lc
from bulk_models import TEXTS, explainer, several
from lcshap.bulk import explain_dataset, load


def test_loaded_explanations_equal_those_of_the_explainer(tmp_path, in_process):
    explain_dataset(TEXTS[:6], explainer, tmp_path, shard_rows=3)
    expected = [e for k in (0, 3) for e in explainer().many(TEXTS[k : k + 3])]
    for number, (e, plain) in enumerate(zip(load(tmp_path), expected, strict=True)):
        assert (e.provenance.pop("row"), e.provenance.pop("id")) == (number, str(number))
        assert e == plain


def test_several_outputs(tmp_path, in_process):
    explain_dataset([[1.0, 2.0, 3.0], [0.5, 0.0, 1.0]], several, tmp_path)
    first, _ = load(tmp_path)
    assert first.scores.shape == (3, 2)
    assert np.allclose(first.scores.sum(axis=0), [6.0, 2.0])
    lc.report(list(load(tmp_path)), tmp_path / "page.html")


def test_a_damaged_part(tmp_path, in_process):
    explain_dataset(TEXTS[:6], explainer, tmp_path)
    path = tmp_path / "parts" / "part-000000.parquet"
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(lc.errors.BulkError, match=r"Expected a part as it was written"):
        list(load(tmp_path))
    with pytest.raises(lc.errors.OptionError, match=r"errors='skip' or 'raise'"):
        load(tmp_path, errors="ignore")
