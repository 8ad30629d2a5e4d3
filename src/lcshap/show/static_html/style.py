"""The style sheet of HTML without scripts, which notebooks and pages share."""

from __future__ import annotations

from ..kinds import DRAWINGS

_INPUT_RULES = """
.lcshap{font-size:.95em;line-height:1.6;max-width:60em}
.lcshap p{margin:.4em 0}
.lcshap .lcshap-small{font-size:.85em;opacity:.8}
.lcshap .lcshap-text{white-space:pre-wrap;overflow-wrap:anywhere}
.lcshap .lcshap-text span{border-radius:.2em;padding:.1em 0}
.lcshap pre{line-height:1.35;overflow-x:auto;background:none;color:inherit;margin:.4em 0;padding:0;white-space:pre}
.lcshap figure{margin:.4em 0}
.lcshap svg{display:block;max-width:100%}
"""
_TABLE_AND_PROMPT_RULES = """\
.lcshap img{image-rendering:pixelated;margin-right:1em;vertical-align:top;border:1px solid rgba(128,128,128,.4)}
.lcshap table{border-collapse:collapse;border:none;margin:.4em 0;width:auto}
.lcshap th,.lcshap td{border:none;background:none;padding:.1em .6em;text-align:right;font-weight:normal;
font-variant-numeric:tabular-nums;white-space:nowrap;vertical-align:middle}
.lcshap th:first-child{text-align:left;max-width:20em;overflow:hidden;text-overflow:ellipsis}
.lcshap th[scope=col]{white-space:normal;min-width:5em;max-width:12em;vertical-align:bottom}
.lcshap .lcshap-heat th[scope=col]{min-width:0}
.lcshap td.lcshap-bar{min-width:min(20em,30vw);padding:.1em 0}
.lcshap td.lcshap-bar div{height:1em}
.lcshap td.lcshap-bar svg{width:min(20em,30vw);height:1em}
.lcshap .lcshap-heat tr:first-child th{padding:.2em 0;vertical-align:bottom}
.lcshap .lcshap-heat tr:first-child span{display:inline-block;writing-mode:vertical-rl;transform:rotate(180deg);
max-height:11em;overflow:hidden}
.lcshap .lcshap-heat td{min-width:1.3em;padding:0}
.lcshap .lcshap-sides{display:flex;flex-wrap:wrap;gap:1.5em}
.lcshap .lcshap-sides>div{white-space:pre-wrap;overflow-wrap:anywhere;min-width:0}
.lcshap .lcshap-prompt{flex:3 1 18em}
.lcshap .lcshap-answer{flex:2 1 12em}
.lcshap .lcshap-sides span{border-radius:.2em}
.lcshap .lcshap-answer span{cursor:default}
.lcshap .lcshap-answer span:hover{outline:2px solid currentColor}
.lcshap .lcshap-none{text-decoration:underline wavy #c33;text-underline-offset:.2em}
"""

# All rules are about elements within one of the class "lcshap".
STYLE = _INPUT_RULES + "".join(drawing.style for drawing in DRAWINGS.values()) + _TABLE_AND_PROMPT_RULES
