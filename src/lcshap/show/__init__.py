"""Explanations for people: words, terminal, notebook, figures, web page."""
