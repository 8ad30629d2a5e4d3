import pytest

import bulk_models
from lcshap.bulk import dataset_run as run


@pytest.fixture
def in_process(monkeypatch):
    """Runs over data sets take place in this process."""
    monkeypatch.setattr(run, "make_engine", lambda name, work, **options: bulk_models.InProcess(work))


@pytest.fixture(scope="session")
def reference_run(tmp_path_factory):
    """An uninterrupted run by one worker, which others are compared with."""
    out = tmp_path_factory.mktemp("whole") / "out"
    run.explain_dataset(bulk_models.TEXTS, bulk_models.explainer, out, workers=1, shard_rows=6)
    return out
