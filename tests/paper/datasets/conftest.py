import pytest


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("LCSHAP_DATA", raising=False)
