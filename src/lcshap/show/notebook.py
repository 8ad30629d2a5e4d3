"""An explanation in a notebook: a piece of HTML without scripts, readable on light and on dark pages."""

from __future__ import annotations

import html

import numpy as np

from ..core.explanation import Explanation
from ..core.views import PromptView
from . import flips, words
from .drawings import drawing_of
from .faint import FADED
from .heat import FEW_OUTPUTS, heat_of
from .notebook_pictures import background
from .pairs import largest_pairs, note
from .palette import limit_of
from .prompts import sides_html
from .sentences import lead_parts, residual_note

_STYLE = """
.lcshap{font-size:.95em;line-height:1.6;max-width:60em}
.lcshap p{margin:.4em 0}
.lcshap .lcshap-small{font-size:.85em;opacity:.8}
.lcshap .lcshap-text{white-space:pre-wrap;overflow-wrap:anywhere}
.lcshap .lcshap-text span{border-radius:.2em;padding:.1em 0}
.lcshap pre{line-height:1.35;overflow-x:auto;background:none;color:inherit;margin:.4em 0}
.lcshap img{image-rendering:pixelated;margin-right:1em;vertical-align:top;border:1px solid rgba(128,128,128,.4)}
.lcshap table{border-collapse:collapse;border:none;margin:.4em 0}
.lcshap th,.lcshap td{border:none;background:none;padding:.1em .6em;text-align:right;font-weight:normal;
font-variant-numeric:tabular-nums;white-space:nowrap}
.lcshap th:first-child{text-align:left;max-width:20em;overflow:hidden;text-overflow:ellipsis}
.lcshap th[scope=col]{white-space:normal;min-width:5em;max-width:12em;vertical-align:bottom}
.lcshap .lcshap-heat th[scope=col]{min-width:0}
.lcshap td.lcshap-bar{min-width:20em;padding:.1em 0}
.lcshap td.lcshap-bar div{height:1em}
.lcshap .lcshap-heat tr:first-child th{padding:.2em 0;vertical-align:bottom}
.lcshap .lcshap-heat tr:first-child span{display:inline-block;writing-mode:vertical-rl;transform:rotate(180deg);
max-height:11em;overflow:hidden}
.lcshap .lcshap-heat td{min-width:1.3em;padding:0}
"""


def to_html(e: Explanation, top: int = 10) -> str:
    """What a notebook shows for an explanation: the input with its scores, bars of the largest ones, and the totals.

    Everything that comes from users or models is escaped, and nothing is a script.

    >>> import lcshap as lc
    >>> g = lc.Graph.chain(2, names=["<b>", "a"])
    >>> page = to_html(lc.Shapley().explain(lc.Game(lambda kept: kept @ [1.0, -1.0], 2), g))
    >>> "<b>" in page, "&lt;b&gt;" in page
    (False, True)
    """
    method = words.method(e)
    head = f"<strong>{html.escape(method)}</strong>{html.escape(words.heading(e).removeprefix(method))}"
    said = _sentence(lead_parts(e))
    parts = [f"<style>{_STYLE}</style>", f"<p>{said}</p>" if said else "", f"<p>{head}</p>"]
    flip = _sentence(flips.flip_parts(e))
    flip = f"<p>{flip}</p>" if flip else ""
    if isinstance(e.view, PromptView) and e.view.answer:
        parts.append(sides_html(e, e.view))
    if e.scores.ndim == 2:
        few = e.scores.shape[1] <= FEW_OUTPUTS
        parts += [_table(e, top), flip, _small(_note(e, top))] if few else [_heat(e), flip]
    else:
        answered = isinstance(e.view, PromptView) and e.view.answer  # the prompt is there, beside its answer
        draw = None if answered else drawing_of(e.view).notebook
        parts += [
            "" if draw is None else draw(e, e.view),
            _bars(e, top),
            _interactions(e),
            flip,
            _small(words.ending(e)),
            _small(residual_note(e)),
            _small(words.faint(e)),
        ]
    return f'<div class="lcshap">{"".join(parts)}</div>'


def _sentence(parts: list[str]) -> str:
    """A sentence of which every second part is a name."""
    marked = (f"<em>{html.escape(part)}</em>" if k % 2 else html.escape(part) for k, part in enumerate(parts))
    return "".join(marked)


def _small(text: str) -> str:
    return f'<p class="lcshap-small">{html.escape(text)}</p>' if text else ""


def _bars(e: Explanation, top: int) -> str:
    """The units with the largest scores, each with a bar to the right of zero or to its left."""
    chosen, names, limit = words.leading(e, top), words.unit_names(e), limit_of([e.scores])
    low, high = min(0.0, e.scores[chosen].min()), max(0.0, e.scores[chosen].max())
    span = (high - low) or 1.0
    rows = []
    for unit in chosen:
        score = float(e.scores[unit])
        start, width = 100 * (min(score, 0.0) - low) / span, 100 * abs(score) / span
        strength = np.copysign(FADED * limit if e.faint[unit] else limit, score)
        bar = f"margin-left:{start:.1f}%;width:{width:.1f}%;{background(strength, limit)}"
        rows.append(
            f'<tr><th scope="row">{html.escape(names[unit])}</th><td>{words.score(e, unit, limit)}</td>'
            f'<td class="lcshap-bar"><div style="{bar}"></div></td></tr>'
        )
    if len(e.scores) > len(chosen):
        rest = words.signed(float(e.scores.sum() - e.scores[chosen].sum()), limit)
        others = words.others(len(e.scores) - len(chosen))
        rows.append(f'<tr><th scope="row">{others}</th><td>{rest}</td><td></td></tr>')
    return f"<table><tbody>{''.join(rows)}</tbody></table>"


def _interactions(e: Explanation) -> str:
    """The pairs of units that interact most, with standard errors."""
    rows = [
        f'<tr><th scope="row">{html.escape(name)}</th><td>{html.escape(text)}</td></tr>'
        for name, text in largest_pairs(e)
    ]
    return _small(note(e)) + (f"<table><tbody>{''.join(rows)}</tbody></table>" if rows else "")


def _table(e: Explanation, top: int) -> str:
    """Several outputs: a row a unit, a column an output."""
    outputs = [e.output(k) for k in range(e.scores.shape[1])]
    limits = [limit_of([o.scores]) for o in outputs]
    names = words.unit_names(e)
    units = sorted(np.argsort(-np.max(np.abs(e.scores) / limits, axis=1), kind="stable")[:top].tolist())
    head = "".join(f'<th scope="col">{html.escape(target)}</th>' for target in words.outputs(e))
    rows = [f"<tr><td></td>{head}</tr>"]
    for unit in units:
        cells = [
            f'<td style="{background(o.scores[unit], limit)}">{words.score(o, unit, limit)}</td>'
            for o, limit in zip(outputs, limits, strict=True)
        ]
        rows.append(f'<tr><th scope="row">{html.escape(names[unit])}</th>{"".join(cells)}</tr>')
    totals = [words.totals(o) for o in outputs]
    for name in ("v(∅)", "v(V)", "residual"):
        cells = [f"<td>{own[name]}</td>" for own in totals]
        rows.append(f'<tr><th scope="row">{name}</th>{"".join(cells)}</tr>')
    return f"<table><tbody>{''.join(rows)}</tbody></table>"


def _heat(e: Explanation) -> str:
    """Many outputs, such as the tokens of an answer: a row an output, a column a unit, colours on one scale."""
    heat = heat_of(e)
    head = "".join(f'<th scope="col"><span>{html.escape(name)}</span></th>' for name in heat.names)
    rows = [f"<tr><td></td>{head}</tr>"]
    for output, scores in zip(heat.outputs, heat.scores, strict=True):
        titles = [f"{name}: {words.signed(x, heat.limit)}" for name, x in zip(heat.names, scores, strict=True)]
        cells = [
            f'<td style="{background(score, heat.limit)}" title="{html.escape(title)}"></td>'
            for title, score in zip(titles, scores.tolist(), strict=True)
        ]
        rows.append(f'<tr><th scope="row">{html.escape(output)}</th>{"".join(cells)}</tr>')
    against, favour = words.sides(e)
    most = words.signed(heat.limit, heat.limit)
    said = [f"blue {favour}, orange {against}, up to {most}", words.cost(e), heat.note]
    return f'<table class="lcshap-heat"><tbody>{"".join(rows)}</tbody></table>{_small("; ".join(filter(None, said)))}'


def _note(e: Explanation, top: int) -> str:
    hidden = len(e.scores) - top
    return words.cost(e) + (f"; {words.count(hidden, 'other unit')} not shown" if hidden > 0 else "")
