"""Parameters that are no finite numbers are refused, however they are written."""

import pytest

import lcshap as lc
from lcshap.estimators.checks import is_finite


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 10**400, "1", None])
def test_only_numbers_that_fit_a_float(value):
    assert not is_finite(value)
    for make in (
        lambda: lc.LIME(20, ridge=value),
        lambda: lc.LIME(20, kernel_width=value),
        lambda: lc.RegressionCShapley(ridge=value),
    ):
        with pytest.raises(lc.errors.MethodError, match="finite"):
            make()


def test_a_threshold_too():
    with pytest.raises(lc.errors.MethodError, match="finite"):
        lc.DeletionPath(20, flip_below=10**400)


HUGE = 10**400


@pytest.mark.parametrize(
    "make",
    [
        lambda: lc.GraphKernelSHAP(HUGE),
        lambda: lc.KernelSHAP(HUGE),
        lambda: lc.LIME(HUGE),
        lambda: lc.SampleShapley(HUGE),
        lambda: lc.SampledLShapley(HUGE, order=3),
        lambda: lc.SampledCShapley(HUGE, order=3),
        lambda: lc.LShapley(HUGE),
        lambda: lc.CShapley(HUGE),
        lambda: lc.CShapley(None, max_size=HUGE),
        lambda: lc.DividendCShapley(HUGE),
        lambda: lc.DeletionPath(HUGE),
    ],
)
def test_huge_integers_are_refused_with_words(make):
    with pytest.raises((lc.errors.MethodError, lc.errors.PlanTooLargeError)):
        make().cost(lc.Graph.grid((30, 30)))
