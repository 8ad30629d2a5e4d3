r"""Value functions: from the outputs of a model to the number v(S) that is distributed among the units.

With P(.|x_S) the class probabilities on the masked input, and c a class fixed at the full input x:

=====================  ==============================================================
``log_prob``           :math:`\log P(c \mid x_S)`, as in the paper's experiments
``expected_log_prob``  :math:`\sum_y P(y \mid x) \log P(y \mid x_S)`, as in its theorems
``prob``               :math:`P(c \mid x_S)`
``log_odds``           :math:`\log P(c \mid x_S) - \log (1 - P(c \mid x_S))`
``output``             the outputs as they are: a regression, a margin, a raw logit
=====================  ==============================================================

Of a model with several labels that do not exclude each other ("multilabel"), c is a label and P(c) the probability of
that label alone; ``expected_log_prob`` is summed over the labels, yes and no of each.

A `Loss` is a value too: how far the prediction is from the true class or number, which is passed with each input.

Everything is computed in float64. Where absent units take the values of M background rows, the *probabilities* are
averaged over these rows, then the log is taken, never the other way round. Only a `Loss` can be averaged after it is
taken, with ``average="after"``.
"""

from .loss import LOSSES, FixedLoss, Loss
from .value import VALUES, FixedValue, Value
from .value_options import find_value, says_output

__all__ = ["LOSSES", "VALUES", "FixedLoss", "FixedValue", "Loss", "Value", "find_value", "says_output"]
