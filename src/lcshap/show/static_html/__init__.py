"""Explanations as HTML without scripts, for notebooks and for pages in browsers that run none.

`explanation.explanation_html` writes an explanation; `pictures` draws its input and `prompt` an answer beside its
prompt. What differs between a notebook and a page, such as how a colour is written, is a `styling.Styling`.
"""
