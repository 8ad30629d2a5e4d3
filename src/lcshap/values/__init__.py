r"""Value functions: from the outputs of a model to the number v(S) that is distributed among the units.

With P(.|x_S) the class probabilities on the masked input, and c a class fixed at the full input x:

=====================  ==============================================================
``log_prob``           :math:`\log P(c \mid x_S)`, as in the paper's experiments
``expected_log_prob``  :math:`\sum_y P(y \mid x) \log P(y \mid x_S)`, as in its theorems
``prob``               :math:`P(c \mid x_S)`
``log_odds``           :math:`\log P(c \mid x_S) - \log (1 - P(c \mid x_S))`
``output``             the outputs as they are: a regression, a margin, a raw logit
=====================  ==============================================================

For a model with several labels that do not exclude each other ("multilabel"), c is a label and P(c) is the probability
of that label; ``expected_log_prob`` is summed over the labels, with both outcomes of each.

A `Loss` is a value too: the distance of the prediction from the true class or number, which is passed with each input.

Everything is computed in float64. If absent units take the values of M background rows, the *probabilities* are
averaged over these rows before the logarithm is taken. Only a `Loss` can be averaged after it is computed, with
``average="after"``.
"""

from .loss import LOSSES, FixedLoss, Loss
from .value import VALUES, FixedValue, Value
from .value_options import explains_output, find_value

__all__ = ["LOSSES", "VALUES", "FixedLoss", "FixedValue", "Loss", "Value", "explains_output", "find_value"]
