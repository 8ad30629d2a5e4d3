"""The notebook runs from the first cell to the last, and shows what it should."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient


@pytest.mark.filterwarnings("ignore")
def test_the_notebook():
    path = Path(__file__).parents[2] / "examples" / "tour.ipynb"
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]
    printed = "".join(o.text for o in shown if o.output_type == "stream" and o.name == "stdout")
    html = [o.data["text/html"] for o in shown if "text/html" in o.get("data", {})]
    assert "of held-out reviews right" in printed
    assert "calls instead of 8,192" in printed
    assert "tour.html" in printed
    assert any("sucks" in part and "<script" not in part for part in html)
    assert not [o for o in shown if o.output_type == "error"]
