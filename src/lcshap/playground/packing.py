"""Explanations as the page draws them: the blocks of a report, sent while they change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..core.explanation import Explanation
from ..core.views import TextView, View
from ..show.html_report.samples import collect_samples, pack_sample
from ..show.kinds import drawing_of
from ..show.pack import ContentPool


def pack_picture(view: View | None) -> dict[str, Any]:
    """What a picture needs of an input in which units were replaced, beside what it needs of the input as it was.

    >>> import lcshap as lc
    >>> pack_picture(lc.maskers.Text().mask("so good").view)["text"]
    'so good'
    """
    packed = drawing_of(view).pack(view, ContentPool())
    changed = {
        name: content for name, content in packed.items() if name not in ("labels", "columns")
    }  # Labels and columns do not change.
    return {**changed, "text": view.text} if isinstance(view, TextView) else changed


def pack_blocks(explanations: Mapping[str, Explanation]) -> dict[str, Any]:
    """The blocks of data that a report of one input has, by their names.

    Parameters
    ----------
    explanations : of one input, by the labels of their columns.

    Returns
    -------
    "index", "sample-0" and "pool-0", "pool-1" and so on, as `lcshap.report` embeds them in its page.

    Examples
    --------
    >>> import lcshap as lc
    >>> e = lc.explain(lambda texts: [len(t) for t in texts], "to be", kind="output")
    >>> sorted(pack_blocks({"Shapley": e}))
    ['index', 'pool-0', 'sample-0']
    """
    pool, methods = ContentPool(), dict[str, int]()
    sample = collect_samples(dict(explanations))[0]
    listed, content = pack_sample(sample, 0, methods, pool)
    index = {"title": "", "methods": list(methods), "samples": [listed]}
    blocks: dict[str, Any] = {"index": index, "sample-0": content}
    return blocks | {f"pool-{number}": json.loads(block) for number, block in enumerate(pool.blocks)}
