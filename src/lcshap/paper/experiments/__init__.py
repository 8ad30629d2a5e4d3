"""The experiments of the paper, and tests of its theorems on small models."""
