r"""Gaussian-process regression on pairs of coalitions, for the scores and interactions of `GraphKernelSHAP`.

A game v is evaluated on pairs of a coalition S and its complement. Each pair gives two numbers, the *odd half*
:math:`f(S) = [v(S) - v(V \setminus S)] / 2` and the *even half* :math:`g(S) = [v(S) + v(V \setminus S)] / 2`. Shapley
values are a linear function of f alone, and Shapley interaction indices of g alone. Each half is the target of a
Gaussian-process regression over coalitions. Coalitions are vectors of signs, +1 for a unit that is kept and -1 for one
that is absent.

These are the steps, with their modules:

1. ``design``: the pairs to evaluate. They are chosen by a ``greedy_search`` that lowers the posterior variance of the
   Shapley values under a ``fixed_kernel``, which does not depend on v. The search uses fixed-point numbers, so that
   it chooses the same pairs on every processor.
2. ``odd_kernel`` and ``even_kernel``: the covariance functions of f and g, and in closed form their covariances with
   Shapley values and interaction indices.
3. ``hyperparameters`` and ``evidence``: the logarithms of the variances and inverse length scales of a kernel, the
   marginal likelihood of the values that were observed, and its maximum by Gauss-Newton steps (type-II maximum
   likelihood with log-normal priors).
4. ``fit``: which hyperparameters are fitted for one input, and from which start. ``unit_variances`` is the regression
    with heavy tails that estimates which units matter before the kernel is fitted.
5. ``posterior``: mean and variance of the Shapley values given f, a correction by weighted least squares if there are
   more pairs than the process takes, and the calibration of standard errors by leave-one-out residuals. ``exact`` has
   the cases in which no process is needed.
6. ``interactions``: mean and variance of the interaction indices given g.
7. ``estimator``: all of this as an `lcshap.core.estimate.Estimator`.

``many_units`` takes the place of inverse matrices if there are hundreds of units or more. ``tuning`` has the numbers
that were tuned, each with its reason.
"""
