"""Exact values of tree ensembles for many rows, by the patterns of the conditions that rows satisfy."""
