"""Experiments on the claims of the paper, on models small enough to know everything about them."""
