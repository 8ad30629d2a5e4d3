"""The notebook runs from the first cell to the last and shows what it should; it is stored with what it showed."""

import base64
import io
from pathlib import Path

import nbformat
import numpy as np
import pytest
from matplotlib.image import imread
from nbclient import NotebookClient

PATH = Path(__file__).parents[2] / "examples" / "tour.ipynb"


def stored():
    return nbformat.read(PATH, as_version=4)


def pictures(cell):
    """The pictures that a cell shows, as arrays of pixels."""
    found = [o.data["image/png"] for o in cell.get("outputs", []) if "image/png" in o.get("data", {})]
    return [imread(io.BytesIO(base64.b64decode(data))) for data in found]


def check(notebook):
    """Every cell that plots shows one picture with something on it, and no cell failed."""
    plots = [cell for cell in notebook.cells if cell.cell_type == "code" and "plot" in cell.source]
    assert len(plots) == 5
    for cell in plots:
        (picture,) = pictures(cell)
        assert picture.shape[1] > 400
        assert len(np.unique(np.rint(255 * picture[..., :3]).reshape(-1, 3), axis=0)) > 50
    shown = [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]
    assert not [o for o in shown if o.output_type == "error"]
    return shown


def test_the_notebook_is_stored_with_its_pictures():
    check(stored())
    text = PATH.read_text(encoding="utf-8")
    assert "/home/" not in text
    assert "/tmp/" not in text
    assert len(text) < 2_000_000


@pytest.mark.filterwarnings("ignore")
def test_the_notebook():
    notebook = stored()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = check(notebook)
    printed = "".join(o.text for o in shown if o.output_type == "stream" and o.name == "stdout")
    html = [o.data["text/html"] for o in shown if "text/html" in o.get("data", {})]
    assert "of held-out reviews right" in printed
    assert "calls instead of 8,192" in printed
    assert "tour.html" in printed
    assert any("sucks" in part and "<script" not in part for part in html)
