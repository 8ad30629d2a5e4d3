"""How good an explanation is: what happens to the model when the units that it ranks first go."""

from .masking import MaskingCurve, masking_curve

__all__ = ["MaskingCurve", "masking_curve"]
