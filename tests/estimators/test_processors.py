"""The same coalitions and, nearly, the same scores on every processor and number of threads.

Each case is a process of its own, because BLAS and NumPy choose their code for the processor when they are loaded.
`OPENBLAS_CORETYPE` selects code for another type of processor, and `NPY_DISABLE_CPU_FEATURES` switches off
instructions.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PROGRAM = Path(__file__).with_name("processor_program.py")
AVX512 = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
CASES = {
    "Nehalem": {"OPENBLAS_CORETYPE": "Nehalem"},
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "SkylakeX": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "Zen": {"OPENBLAS_CORETYPE": "Zen"},
    "1 thread": {"OMP_NUM_THREADS": "1"},
    "4 threads": {"LCSHAP_TEST_THREADS": "4"},
    "NumPy without AVX-512": {"NPY_DISABLE_CPU_FEATURES": AVX512},
    "NumPy and BLAS without AVX": {
        "NPY_DISABLE_CPU_FEATURES": f"AVX2 FMA3 {AVX512}",
        "OPENBLAS_CORETYPE": "Nehalem",
    },
}
NEEDED = {"Haswell": "avx2", "SkylakeX": "avx512f", "Zen": "avx2"}  # instructions without which the code cannot run


def explain_everything(settings):
    """The coalitions and scores of all methods, as a process with these settings computes them."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("OPENBLAS", "OMP_", "MKL", "NPY_"))}
    command = [sys.executable, "-W", "ignore", str(PROGRAM)]
    output = subprocess.run(command, env=inherited | settings, capture_output=True, text=True, timeout=600, check=True)
    return json.loads(output.stdout)


@pytest.fixture(scope="module")
def here():
    return explain_everything({})


@pytest.mark.parametrize("case", CASES)
def test_same_result(here, case):
    cpu_flags = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    if case in NEEDED and NEEDED[case] not in cpu_flags:
        pytest.skip(f"this processor has no {NEEDED[case]}, which code for {case} needs")
    other = explain_everything(CASES[case])
    assert other["results"].keys() == here["results"].keys()
    assert len(here["results"]) > 150
    for name, (coalitions, scores) in here["results"].items():
        other_coalitions, other_scores = other["results"][name]
        assert other_coalitions == coalitions, name
        np.testing.assert_allclose(other_scores, scores, rtol=0, atol=1e-9 * np.abs(scores).max(), err_msg=name)
    if case == "Nehalem":  # the setting has an effect
        assert other["architectures"] == ["Nehalem"]
    if case == "4 threads":
        assert other["threads"] == [4]
