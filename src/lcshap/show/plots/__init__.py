"""Figures, drawn with matplotlib, one kind in a file. `lcshap.plots` lists the public ones."""
