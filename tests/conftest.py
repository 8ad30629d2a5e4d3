"""Settings for all tests."""

import os
import shutil

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # tests are small, and run side by side
    os.environ.setdefault(name, "1")
os.environ.setdefault("KERAS_BACKEND", "jax")

import pytest
from hypothesis import settings

settings.register_profile("lcshap", deadline=None)  # a busy machine is no defect
settings.load_profile("lcshap")


def pytest_addoption(parser):
    parser.addoption("--one-case", action="store_true", help="run the first case of each parametrised test only")


def pytest_collection_modifyitems(config, items):
    """Leave out all cases but the first of each test, where --one-case asks for it: most lines in little time."""
    if config.getoption("--one-case"):
        first = {}
        for item in items:
            first.setdefault(item.nodeid.partition("[")[0], item)
        kept = set(first.values())
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = [item for item in items if item in kept]


# A real browser: one for all tests of a process, which can run no second driver.
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@pytest.fixture(scope="session")
def chromium():
    """A browser for all tests of a run."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        pytest.fail(f"these tests need a browser ({error}): pip install playwright, and install chromium")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.fail("these tests need a browser: apt install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=[*ARGUMENTS, "--disable-sync"])
        yield browser
        browser.close()
