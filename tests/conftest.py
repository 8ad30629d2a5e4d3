"""Settings for all tests."""

from hypothesis import settings

settings.register_profile("lcshap", deadline=None)  # a busy machine is no defect
settings.load_profile("lcshap")
