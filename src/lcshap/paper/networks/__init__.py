"""The paper's five models (``pip install "lcshap[torch]"``), how to train them, and two trained ones for demos.

`lcshap.paper.networks.demo` needs onnxruntime alone; everything else needs PyTorch, which is imported when it is used.
"""

from . import demo as demo
from .paper_model import MODELS, PaperModel, load, make, read_onnx

__all__ = ["MODELS", "PaperModel", "load", "make", "read_onnx"]
