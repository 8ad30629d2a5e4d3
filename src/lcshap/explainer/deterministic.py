"""An explainer that leaves nothing to the clock."""

from __future__ import annotations

from dataclasses import replace

from ..errors import OptionError
from .explainer import Explainer


def make_deterministic(explainer: Explainer, batch_size: int) -> Explainer:
    """The same explainer, whose results depend on the inputs alone and not on how fast the machine is.

    Batches have a fixed size instead of the one that turns out fastest, and a budget in seconds is refused. Nothing
    else in an explainer depends on the clock.

    Parameters
    ----------
    explainer : the explainer to settle. It is not changed; its model is shared.
    batch_size : rows in a batch, unless the explainer has a batch size of its own.

    Returns
    -------
    A new `Explainer`. It shows no progress.

    Raises
    ------
    OptionError : for a budget in seconds.

    Examples
    --------
    >>> import lcshap as lc
    >>> explainer = lc.Explainer(lambda texts: [len(t) for t in texts], lc.maskers.Text(), kind="output")
    >>> make_deterministic(explainer, 64).engine.size.search_finished
    True
    """
    if explainer.selector.seconds is not None:
        raise OptionError(
            f"Expected a budget in calls, such as 400 or '4d', got {explainer.budget!r}. What fits into some seconds "
            "differs from run to run."
        )
    size = explainer.execution.batch_size or explainer.adapter.batch_size or batch_size
    execution = replace(explainer.execution, batch_size=size, progress=False)
    return replace(explainer, model=explainer.adapter, execution=execution)
