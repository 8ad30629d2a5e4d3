"""Measures of the quality of explanations: the effect of masking the top units, and the reliability of scores.

======================================  =================================================================
`masking_curve`                         the paper's: log-odds while the top units are masked, or kept
`deletion_auc`, `insertion_auc`         area under the probability while units go, or come
`comprehensiveness`, `sufficiency`      probability lost without the top units, or with nothing else
`agreement`                             error and rank correlation against a reference, such as `Shapley`
`seed_stability`, `max_sensitivity`     how much scores change with the seed, or with the input
`paired_bootstrap`                      an interval for the difference of two methods
`quantus`                               explanations for the metrics of Quantus, a toolkit of its own
======================================  =================================================================
"""

from . import quantus
from .bootstrap import paired_bootstrap
from .masked_log_odds import MaskingCurve, masking_curve
from .probability_area import deletion_auc, insertion_auc
from .rationales import comprehensiveness, sufficiency
from .score_agreement import Agreement, agreement
from .stability import SeedStability, max_sensitivity, seed_stability

__all__ = [
    "Agreement",
    "MaskingCurve",
    "SeedStability",
    "agreement",
    "comprehensiveness",
    "deletion_auc",
    "insertion_auc",
    "masking_curve",
    "max_sensitivity",
    "paired_bootstrap",
    "quantus",
    "seed_stability",
    "sufficiency",
]
