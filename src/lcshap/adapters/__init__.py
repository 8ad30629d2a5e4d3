"""Models of all kinds behind one interface. `Explainer` finds the right one; make one yourself to set its options."""

from .base import Model
from .callable import CallableModel
from .causal_lm import CausalLMModel
from .difference import DifferenceModel
from .find import find_model
from .image_model import ImageModel
from .isolated import IsolatedModel
from .jax import JaxModel
from .keras import KerasModel
from .onnx import OnnxModel
from .openai_compatible import OpenAICompatible
from .remote import RemoteModel
from .sklearn import SklearnModel
from .text_answers import TextAnswerModel
from .text_tasks import AnswerModel, FillMaskModel, TokenModel, ZeroShotModel
from .torch import TorchModel
from .transformers import TransformersModel

__all__ = [
    "AnswerModel",
    "CallableModel",
    "CausalLMModel",
    "DifferenceModel",
    "FillMaskModel",
    "ImageModel",
    "IsolatedModel",
    "JaxModel",
    "KerasModel",
    "Model",
    "OnnxModel",
    "OpenAICompatible",
    "RemoteModel",
    "SklearnModel",
    "TextAnswerModel",
    "TokenModel",
    "TorchModel",
    "TransformersModel",
    "ZeroShotModel",
    "find_model",
]
