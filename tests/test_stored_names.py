"""Names of classes that are in the keys of stores and in manifests: a class that is moved or renamed keeps them."""

import importlib
import pkgutil
from dataclasses import dataclass

from torch import nn

import lcshap
from lcshap.adapters import fingerprint, scalarisers
from lcshap.adapters.base import Model
from lcshap.core.digest import class_name, digest, stored_name
from lcshap.maskers.base import Masked, Masker
from lcshap.paper.networks.encoders import Encoder

# The names in version 0.2, each with the classes of the package that it derives from, because fingerprints have these
# too. Of masked inputs only the class itself counts. Add a line for a new class; never change one.
NAMES = """
adapters.base.Model
adapters.callable.CallableModel < adapters.base.Model
adapters.causal_lm.CausalLMModel < adapters.base.Model
adapters.difference.DifferenceModel < adapters.base.Model
adapters.image.ImageModel < adapters.base.Model
adapters.isolated.IsolatedModel < adapters.base.Model
adapters.jax.JaxModel < adapters.base.Model
adapters.keras.KerasModel < adapters.base.Model
adapters.onnx.OnnxModel < adapters.base.Model
adapters.openai_compatible.OpenAICompatible < adapters.remote.RemoteModel < adapters.base.Model
adapters.remote.RemoteModel < adapters.base.Model
adapters.scalarisers.EmbeddingSimilarity
adapters.scalarisers.ExactMatch
adapters.scalarisers.RougeL
adapters.scalarisers.TokenF1
adapters.sklearn.SklearnModel < adapters.base.Model
adapters.text_answers.TextAnswerModel < adapters.base.Model
adapters.text_tasks.AnswerModel < adapters.text_tasks.TextTask < adapters.base.Model
adapters.text_tasks.FillMaskModel < adapters.text_tasks.TextTask < adapters.base.Model
adapters.text_tasks.TextTask < adapters.base.Model
adapters.text_tasks.TokenModel < adapters.text_tasks.TextTask < adapters.base.Model
adapters.text_tasks.ZeroShotModel < adapters.base.Model
adapters.torch.TorchModel < adapters.base.Model
adapters.transformers.TransformersModel < adapters.base.Model
asking.parts.PartsModel < adapters.base.Model
explainer.zoom.Parts
explainer.zoom._Given < maskers.base.Masker
maskers.base.Masked
maskers.base.Masker
maskers.bytes.Bytes < maskers.base.Masker
maskers.bytes.MaskedBytes
maskers.drawn_background.DrawnBackground
maskers.graph_nodes.GraphNodes < maskers.base.Masker
maskers.graph_nodes.MaskedGraphNodes
maskers.image.Image < maskers.base.Masker
maskers.image.MaskedImage
maskers.masked_table.MaskedFrame
maskers.masked_table.MaskedTabular
maskers.molecule.MaskedMolecule
maskers.molecule.Molecule < maskers.base.Masker
maskers.prompt.MaskedPrompt
maskers.prompt.Prompt < maskers.base.Masker
maskers.series.MaskedSeries
maskers.series.Series < maskers.base.Masker
maskers.subwords.MaskedSubwords
maskers.subwords.Subwords < maskers.base.Masker
maskers.tabular.Tabular < maskers.base.Masker
maskers.text.MaskedText
maskers.text.Text < maskers.base.Masker
maskers.tokens.MaskedTokens
maskers.tokens.Tokens < maskers.base.Masker
paper.networks.blanks.Blanks < maskers.base.Masker
paper.networks.blanks.MaskedBlanks
paper.networks.encoders.Characters < paper.networks.encoders._Padded < paper.networks.encoders.Encoder
paper.networks.encoders.Encoder
paper.networks.encoders.Pixels < paper.networks.encoders.Encoder
paper.networks.encoders.Words < paper.networks.encoders._Padded < paper.networks.encoders.Encoder
paper.networks.encoders._Padded < paper.networks.encoders.Encoder
paper.networks.modules.BiLSTM
paper.networks.modules.CharCNN
paper.networks.modules.CifarCNN
paper.networks.modules.MnistCNN
paper.networks.modules.WordCNN
""".strip().splitlines()


def classes():
    """All classes of the package."""
    kinds = set()
    for module in pkgutil.walk_packages(lcshap.__path__, "lcshap."):
        if not module.name.endswith("__main__"):
            kinds |= {kind for kind in vars(importlib.import_module(module.name)).values() if isinstance(kind, type)}
    return [kind for kind in kinds if kind.__module__.startswith("lcshap.")]


def line(kind):
    """A line of `NAMES`."""
    bases = kind.__mro__[:1] if issubclass(kind, Masked) else kind.__mro__
    names = [".".join(stored_name(base)) for base in bases if base.__module__.startswith("lcshap.")]
    return " < ".join(name.removeprefix("lcshap.") for name in names)


def test_classes_keep_their_stored_names():
    missing = set(NAMES) - set(map(line, classes()))
    assert not missing, (
        f"Stores of version 0.2 know these classes by other names: {sorted(missing)}. Give each class that was moved "
        'or renamed its first full name: __stored_name__ = "lcshap.<module>.<class>".'
    )


def test_new_classes_are_listed():
    kinds = (Masked, Masker, Model, Encoder, nn.Module)
    new = {line(kind) for kind in classes() if issubclass(kind, kinds) or kind.__module__ == scalarisers.__name__}
    assert not new - set(NAMES), f"Add to NAMES, because stores will know them by these names: {new - set(NAMES)}."


@dataclass(frozen=True)
class Before:
    x: int


@dataclass(frozen=True)
class After:
    __stored_name__ = f"{__name__}.Before"
    x: int


@dataclass(frozen=True)
class Derived(After):
    pass


def test_a_class_that_was_renamed_has_the_same_keys():
    assert class_name(After) == class_name(Before) == (f"{__name__}.Before",)
    assert digest(After(1)) == digest(Before(1)) != digest(Derived(1))
    assert stored_name(Derived) == (__name__, "Derived")  # the name is that of one class alone


def test_a_class_and_a_function_of_the_package_that_were_renamed_have_the_same_fingerprint(monkeypatch):
    reader = fingerprint.FingerprintReader
    kind, function = reader().kind(scalarisers.TokenF1), reader().read(scalarisers.p_yes)
    for renamed in (scalarisers.TokenF1, scalarisers.p_yes):
        name = ".".join(stored_name(renamed))
        monkeypatch.setattr(renamed, "__module__", "lcshap.elsewhere")
        assert reader().read(renamed) not in (kind, function)
        monkeypatch.setattr(renamed, "__stored_name__", name, raising=False)
    assert reader().kind(scalarisers.TokenF1) == kind
    assert reader().read(scalarisers.p_yes) == function
