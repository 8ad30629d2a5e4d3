"""An explanation as HTML without scripts: the input with its scores, bars of the largest ones, and the totals."""

from __future__ import annotations

import html

import numpy as np

from ...core.explanation import Explanation
from ...core.views import PromptView
from .. import flips, words
from ..faded_scores import FADED_STRENGTH, faded_scores
from ..heat_table import MAX_OUTPUT_COLUMNS, make_heat_table
from ..interaction_pairs import interaction_note, largest_pairs
from ..kinds import drawing_of
from ..palette import colour_limit
from ..sentences import doubt_note, lead_pieces, residual_note
from ..styling import Styling
from .prompt_html import sides_html


def explanation_html(
    explanation: Explanation,
    styling: Styling,
    *,
    top: int = 10,
    output: int | None = None,
    method: str = "",
    remark: str = "",
) -> str:
    """Write an explanation for an element of the class "lcshap".

    Parameters
    ----------
    explanation : of one output or of several.
    styling : how colours are written.
    top : how many units have a bar.
    output : the output to write, if the explanation has several; None: a table of all.
    method : the name of the method, if it is not to be called as it calls itself.
    remark : a sentence after the first one.

    Returns
    -------
    HTML. Everything that comes from users or models is escaped, and nothing is a script.
    """
    e, view = explanation if output is None else explanation.output(output), explanation.view
    own_name = words.method_text(e)
    about = words.heading(e).removeprefix(own_name)
    heading = f"<strong>{html.escape(method or own_name)}</strong>{html.escape(about)}"
    parts = [_paragraph(_sentence(lead_pieces(e)), html.escape(remark)), _paragraph(heading)]
    if isinstance(view, PromptView) and view.answer:
        parts.append(sides_html(explanation, view, styling, output or 0))
    elif e.scores.ndim == 1:
        parts.append(drawing_of(e.view).html(e, e.view, styling))
    flip = _paragraph(_sentence(flips.flip_pieces(e)))
    if e.scores.ndim == 1:
        notes = map(_small_paragraph, (words.totals_sentence(e), residual_note(e), words.faint_note(e), doubt_note(e)))
        parts += [_bar_table(e, top, styling), _interaction_table(e), flip, *notes]
    elif e.scores.shape[1] <= MAX_OUTPUT_COLUMNS:
        parts += [
            _output_table(e, top, styling),
            flip,
            _small_paragraph(_cost_note(e, top)),
            _small_paragraph(doubt_note(e)),
        ]
    else:
        parts += [_heat_table(e, styling), flip, _small_paragraph(doubt_note(e))]
    return "".join(parts)


def _paragraph(*sentences: str) -> str:
    text = " ".join(filter(None, sentences))
    return f"<p>{text}</p>" if text else ""


def _sentence(pieces: list[str]) -> str:
    """A sentence of which every second part is a name."""
    marked = (f"<em>{html.escape(piece)}</em>" if k % 2 else html.escape(piece) for k, piece in enumerate(pieces))
    return "".join(marked)


def _small_paragraph(text: str) -> str:
    return f'<p class="lcshap-small">{html.escape(text)}</p>' if text else ""


def _bar_table(e: Explanation, top: int, styling: Styling) -> str:
    """The units with the largest scores, each with a bar to the right of zero or to its left."""
    chosen, names, limit = words.top_units(e, top), words.unit_names(e), colour_limit([e.scores])
    lengths = np.where(np.isfinite(e.scores), e.scores, 0.0)[chosen].tolist()
    low, high = min([0.0, *lengths]), max([0.0, *lengths])
    span = (high - low) or 1.0
    rows = []
    for unit, score in zip(chosen, lengths, strict=True):
        start, width = 100 * (min(score, 0.0) - low) / span, 100 * abs(score) / span
        strength = float(np.copysign(FADED_STRENGTH * limit if e.insignificant[unit] else limit, score))
        rows.append(
            f'<tr><th scope="row">{html.escape(names[unit])}</th><td>{words.format_score(e, unit, limit)}</td>'
            f'<td class="lcshap-bar">{styling.bar(start, width, strength, limit)}</td></tr>'
        )
    if len(e.scores) > len(chosen):
        others_sum = words.format_signed(float(np.delete(e.scores, chosen).sum()), limit)
        others = words.others_text(len(e.scores) - len(chosen))
        rows.append(f'<tr><th scope="row">{others}</th><td>{others_sum}</td><td></td></tr>')
    return f"<table><tbody>{''.join(rows)}</tbody></table>"


def _interaction_table(e: Explanation) -> str:
    """The pairs of units that interact most, with standard errors."""
    rows = [
        f'<tr><th scope="row">{html.escape(name)}</th><td>{html.escape(text)}</td></tr>'
        for name, text in largest_pairs(e)
    ]
    return _small_paragraph(interaction_note(e)) + (f"<table><tbody>{''.join(rows)}</tbody></table>" if rows else "")


def _output_table(e: Explanation, top: int, styling: Styling) -> str:
    """Several outputs: a row a unit, a column an output."""
    outputs = [e.output(k) for k in range(e.scores.shape[1])]
    limits, drawn = [colour_limit([o.scores]) for o in outputs], [faded_scores(o) for o in outputs]
    names = words.unit_names(e)
    units = sorted(np.argsort(-np.max(np.abs(e.scores) / limits, axis=1), kind="stable")[:top].tolist())
    head = "".join(f'<th scope="col">{html.escape(target)}</th>' for target in words.output_names(e))
    rows = [f"<tr><td></td>{head}</tr>"]
    for unit in units:
        cells = [
            f"<td {styling.background(float(scores[unit]), limit)}>{words.format_score(o, unit, limit)}</td>"
            for o, scores, limit in zip(outputs, drawn, limits, strict=True)
        ]
        rows.append(f'<tr><th scope="row">{html.escape(names[unit])}</th>{"".join(cells)}</tr>')
    totals = [words.totals(o) for o in outputs]
    for name in (words.BASE_VALUE_NAME, words.full_value_name(e), "residual"):
        cells = [f"<td>{output_totals[name]}</td>" for output_totals in totals]
        rows.append(f'<tr><th scope="row">{name}</th>{"".join(cells)}</tr>')
    return f"<table><tbody>{''.join(rows)}</tbody></table>"


def _heat_table(e: Explanation, styling: Styling) -> str:
    """Many outputs, such as the tokens of an answer: a row an output, a column a unit, colours on one scale."""
    heat = make_heat_table(e)
    head = "".join(f'<th scope="col"><span>{html.escape(name)}</span></th>' for name in heat.names)
    rows = [f"<tr><td></td>{head}</tr>"]
    for output, scores in zip(heat.outputs, heat.scores, strict=True):
        titles = [f"{name}: {words.format_signed(x, heat.limit)}" for name, x in zip(heat.names, scores, strict=True)]
        cells = [
            f'<td {styling.background(score, heat.limit)} title="{html.escape(title)}"></td>'
            for title, score in zip(titles, scores.tolist(), strict=True)
        ]
        rows.append(f'<tr><th scope="row">{html.escape(output)}</th>{"".join(cells)}</tr>')
    against, favour = words.sign_labels(e)
    largest = words.format_signed(heat.limit, heat.limit)
    facts = [f"blue {favour}, orange {against}, up to {largest}", words.cost_text(e), heat.note]
    note = _small_paragraph("; ".join(filter(None, facts)))
    return f'<table class="lcshap-heat"><tbody>{"".join(rows)}</tbody></table>{note}'


def _cost_note(e: Explanation, top: int) -> str:
    n_hidden = len(e.scores) - top
    return words.cost_text(e) + (f"; {words.format_count(n_hidden, 'other unit')} not shown" if n_hidden > 0 else "")
