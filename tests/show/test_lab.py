"""Explanations and figures in a real JupyterLab, in a real browser."""

import contextlib
import socket
import subprocess
import sys
import time
import urllib.request

import nbformat
import pytest

CELLS = {
    "import lcshap as lc\n"
    "model = lambda texts: [t.count('good') - 2.0 * t.count('bad') for t in texts]\n"
    "explainer = lc.Explainer(model, lc.maskers.Text(), lc.Shapley(), kind='output')\n"
    "e = explainer('a good plot with a bad end')": 0,
    "e": 0,
    "e.plot()": 1,
    "e.plot();": 1,
    "for kind in ('bars', 'waterfall'):\n    e.plot(kind)": 2,
    "import matplotlib.pyplot as plt\ne.plot('bars')": 1,
    "e.plot('bars', ax=plt.gca());": 1,
}


@pytest.fixture
def lab(tmp_path):
    """The address of a JupyterLab with a notebook."""
    pytest.importorskip("jupyterlab")
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), tmp_path / "tour.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [
        "--no-browser",
        f"--port={port}",
        "--ServerApp.ip=127.0.0.1",
        "--IdentityProvider.token=",
        "--allow-root",
    ]
    command = [sys.executable, "-m", "jupyterlab", *options, f"--ServerApp.root_dir={tmp_path}"]
    with (tmp_path / "lab.log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait_for(f"http://127.0.0.1:{port}/api")
            yield f"http://127.0.0.1:{port}/lab/tree/tour.ipynb"
        finally:
            server.terminate()
            server.wait()


def _wait_for(address, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError), urllib.request.urlopen(address):
            return
        time.sleep(0.5)
    pytest.fail("JupyterLab did not start")


@pytest.mark.filterwarnings("ignore")
def test_every_cell_shows_its_pictures(lab, chromium):
    with contextlib.closing(chromium.new_page(viewport={"width": 1200, "height": 3000})) as page:
        page.goto(lab)
        page.wait_for_selector("text=| Idle", timeout=90_000)
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_text("Run All Cells", exact=True).click()
        last = page.locator(".jp-Notebook .jp-CodeCell").nth(len(CELLS) - 1)
        last.locator(".jp-OutputArea img").wait_for(timeout=90_000)
        cells = page.locator(".jp-Notebook .jp-CodeCell").all()
        assert [cell.locator(".jp-OutputArea img").count() for cell in cells] == list(CELLS.values())
        widths = [image.bounding_box()["width"] for image in page.locator(".jp-OutputArea img").all()]
        assert min(widths) > 300
        output = cells[1].locator(".jp-OutputArea").inner_text()
        assert "The model's output is -1. good raises it most (+1), bad lowers it most (-2)." in output
