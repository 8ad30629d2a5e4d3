"""A run of the playground as Python that repeats it outside."""

from __future__ import annotations

from typing import Any

from ..core.explanation import Explanation
from ..show.html_report.python_snippet import python_snippet

_MODEL_LINE, _INPUT_LINE = "model = ...", "x = ..."
_NAN = 'float("nan")'
_MAX_LITERAL_LENGTH = 20_000  # A longer input is not written into the snippet.


def snippet(e: Explanation, x: Any, source: str | None = None) -> str:
    """Python that makes an explanation again.

    Parameters
    ----------
    e : the explanation.
    x : its input. Texts and lists of plain values are written down; of anything else a comment says what it is.
    source : lines that make `model`. By default a comment says what to put there.

    Returns
    -------
    The program, as a text.

    Examples
    --------
    >>> import lcshap as lc
    >>> e = lc.explain(lambda texts: [len(t) for t in texts], "to be", kind="output", method="shapley")
    >>> program = snippet(e, "to be", "from my_module import model").splitlines()
    >>> program[1:5]
    ['import lcshap as lc', 'from my_module import model', '', "x = 'to be'"]
    """
    lines = python_snippet(e.provenance, e.curve is not None).splitlines()
    head = lines.index("import lcshap as lc")
    body = [line for line in lines[head + 1 :] if line]
    literal = _literal(x)
    for number, line in enumerate(body):
        if line.startswith(_INPUT_LINE) and literal is not None:
            body[number] = f"x = {literal}"
    if source is not None:
        body = [line for line in body if not line.startswith(_MODEL_LINE)]
        return "\n".join([*lines[: head + 1], source, "", *body, ""])
    return "\n".join([*lines[: head + 1], "", *body, ""])


def _literal(x: Any) -> str | None:
    """An input as Python writes it; None where that would not give it back."""
    if isinstance(x, str):
        literal = repr(x)
    elif isinstance(x, list) and all(v is None or isinstance(v, str | int | float) for v in x):
        literal = f"[{', '.join(_NAN if v != v else repr(v) for v in x)}]"
    else:
        return None
    return literal if len(literal) <= _MAX_LITERAL_LENGTH else None
