"""Settings for all tests."""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # tests are small, and run side by side
    os.environ.setdefault(name, "1")
os.environ.setdefault("KERAS_BACKEND", "jax")

from hypothesis import settings

settings.register_profile("lcshap", deadline=None)  # a busy machine is no defect
settings.load_profile("lcshap")
