"""From pairs to Shapley values, against a process written down anew and against exact values."""

from dataclasses import replace
from math import comb

import numpy as np
import pytest
from residual_oracles import scale_by_search

import lcshap as lc
from lcshap.estimators.graph_kernel import posterior as module
from lcshap.estimators.graph_kernel.design import choose_pairs
from lcshap.estimators.graph_kernel.fit import fit_odd_kernels
from lcshap.estimators.graph_kernel.hyperparameters import OddHyperparameters
from lcshap.estimators.graph_kernel.odd_kernel import KernelTerms
from lcshap.estimators.graph_kernel.posterior import score_posterior, single_unit_effects, unseen_value_stderr
from lcshap.estimators.graph_kernel.tuning import SIZES


def test_the_mean_and_the_deviation_are_those_of_a_normal_distribution():
    d, n = 9, 30
    kept = np.concatenate([np.ones((1, d), bool), choose_pairs(d, n - 1, seed=2)])
    odd = np.tanh(np.where(kept, 1.0, -1.0) @ np.linspace(-1, 2, d))
    hyperparameters = OddHyperparameters(kept, KernelTerms(d))
    (kernel,) = fit_odd_kernels(hyperparameters, odd)
    K, C = kernel.covariance(kept, kept) + kernel.white * np.eye(n), kernel.score_covariances(kept)
    inverse = np.linalg.inv(K)
    posterior = score_posterior(kept, odd, hyperparameters)
    scores, error = posterior.scores, posterior.stderr
    np.testing.assert_allclose(scores, C @ inverse @ odd, atol=1e-6)
    squared_residuals = []
    for i in range(1, n):  # leave one out, by leaving it out
        is_other = np.arange(n) != i
        weights = np.linalg.solve(K[np.ix_(is_other, is_other)], K[is_other, i])
        squared_residuals.append((odd[i] - weights @ odd[is_other]) ** 2 / (K[i, i] - weights @ K[is_other, i]))
    variance = scale_by_search(kept, np.array(squared_residuals)) * (
        kernel.score_variances - np.diag(C @ inverse @ C.T)
    )
    np.testing.assert_allclose(error, 1.2 * np.sqrt(variance), rtol=1e-4)


def by_hand(kept, odd, kernel):
    """Mean and variance of the scores under one prior, by matrices written down."""
    K, C = kernel.covariance(kept, kept) + kernel.white * np.eye(len(kept)), kernel.score_covariances(kept)
    inverse = np.linalg.inv(K)
    squared_residuals = (inverse @ odd)[1:] ** 2 / np.diag(inverse)[1:]
    return C @ inverse @ odd, scale_by_search(kept, squared_residuals) * (
        kernel.score_variances - np.diag(C @ inverse @ C.T)
    )


def test_two_priors_are_averaged_by_their_variances():
    d = 9
    kept = np.concatenate([np.ones((1, d), bool), choose_pairs(d, 17, seed=2)])
    worth = np.linspace(0, 2, d)
    odd = np.tanh(np.where(kept, 1.0, -1.0) @ worth)
    hyperparameters = OddHyperparameters(kept, KernelTerms(d))
    kernels = fit_odd_kernels(hyperparameters, odd, effects=worth**2)
    (first_scores, first_variances), (second_scores, second_variances) = (
        by_hand(kept, odd, kernel) for kernel in kernels
    )
    share = first_variances.mean() ** -3 / (first_variances.mean() ** -3 + second_variances.mean() ** -3)
    posterior = score_posterior(kept, odd, hyperparameters, effects=worth**2)
    scores, error = posterior.scores, posterior.stderr
    mean = share * first_scores + (1 - share) * second_scores
    np.testing.assert_allclose(scores, mean, atol=1e-5)
    difference = np.mean((first_scores - second_scores) ** 2) / 4
    np.testing.assert_allclose(
        error, 1.2 * np.sqrt(share * first_variances + (1 - share) * second_variances + difference), rtol=1e-3
    )


def test_effects_of_single_units():
    d, rng = 5, np.random.default_rng(1)
    v = rng.normal(size=2**d)
    number = 1 << np.arange(d)
    kept = np.ones((9, d), bool)
    kept[1:6] = np.eye(d, dtype=bool)
    kept[2] = ~kept[2]  # the pair of unit 1, by its other half
    kept[6:] = [[1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 1, 0, 1, 1]]
    plus, minus = v[kept @ number], v[~kept @ number]
    gained = np.array([v[number[j]] - v[0] for j in range(d)]) ** 2
    lost = np.array([v[-1] - v[-1 - number[j]] for j in range(d)]) ** 2
    expected = gained / gained.mean() + lost / lost.mean()
    np.testing.assert_allclose(single_unit_effects(kept, plus, minus), expected)
    fewer = np.delete(np.arange(9), 3)  # without unit 2
    units = [0, 1, 3, 4]
    expected = gained[units] / gained[units].mean() + lost[units] / lost[units].mean()
    effects = single_unit_effects(kept[fewer], plus[fewer], minus[fewer])
    np.testing.assert_allclose(effects[units], expected)
    assert effects[2] == pytest.approx(np.median(expected))
    assert single_unit_effects(kept[4:], plus[4:], minus[4:]) is None
    assert single_unit_effects(kept, 0 * plus, 0 * minus) is None


def test_effects_of_single_units_lower_the_error_where_units_differ():
    """A game that saturates: with four calls a unit, a prior in which all units are alike misses most."""
    d, without, with_them = 12, [], []
    every = (np.arange(2**d)[:, None] >> np.arange(d)) & 1 == 1
    for seed in range(6):
        values = 1 - np.exp(-(every @ np.random.default_rng(seed).exponential(size=d)))
        game = lc.Game(lambda kept, values=values: values[kept @ (1 << np.arange(d))], d)
        truth = lc.Shapley().explain(game, lc.Graph.complete(d)).scores
        kept = np.concatenate([np.ones((1, d), bool), choose_pairs(d, 2 * d - 1, seed)])
        odd = (game.fn(kept) - game.fn(~kept)) / 2
        without.append(score_posterior(kept, odd, OddHyperparameters(kept, KernelTerms(d))).scores - truth)
        with_them.append(lc.GraphKernelSHAP(4 * d, seed=seed).explain(game, lc.Graph.complete(d)).scores - truth)
    assert np.mean(np.square(with_them)) < 0.5 * np.mean(np.square(without))


def test_intervals_of_a_game_that_is_rough_where_few_units_are_kept():
    """Its coalitions of one unit have all been seen, so that they say nothing about what is unknown."""
    d, covered, ratios = 10, [], []
    every = (np.arange(2**d)[:, None] >> np.arange(d)) & 1 == 1
    size = every.sum(axis=1)
    rough = np.exp(2 * np.abs(np.log((size + 0.5) / (d - size + 0.5))))
    for seed in range(12):
        rng = np.random.default_rng(seed)
        values = every @ rng.normal(size=d) + 0.01 * rough * rng.normal(size=2**d)
        game = lc.Game(lambda kept, values=values: values[kept @ (1 << np.arange(d))], d)
        truth = lc.Shapley().explain(game, lc.Graph.complete(d)).scores
        e = lc.GraphKernelSHAP(320, seed=seed).explain(game, lc.Graph.complete(d))
        lower, upper = e.interval()
        covered.append((lower <= truth) & (truth <= upper))
        ratios.append(np.mean(e.stderr**2) / np.mean((e.scores - truth) ** 2))
    assert 0.88 <= np.mean(covered) <= 0.995
    assert np.median(ratios) < 4


def test_more_pairs_than_the_process_takes_only_add(monkeypatch):
    """The error falls on and does not jump where the process ends and least squares go on."""
    d = 16
    chain = lc.Graph.chain(d)
    monkeypatch.setattr(module, "SIZES", replace(SIZES, process_pairs=64))
    errors = {}
    for calls in (100, 128, 132, 200, 500, 2000, 8000):
        squared_errors = []
        for seed in range(6):
            rng = np.random.default_rng(seed)
            hidden, readout = rng.normal(size=(d, 8)), rng.normal(size=8)
            v = lc.Game(lambda kept, h=hidden, o=readout: np.maximum(kept @ h, 0) @ o, d)
            truth = lc.Shapley().explain(v, chain).scores
            e = lc.GraphKernelSHAP(calls, seed=100 + seed).explain(v, chain)
            assert abs(e.residual) < 1e-9
            squared_errors.append(np.mean((e.scores - truth) ** 2))
        errors[calls] = np.sqrt(np.mean(squared_errors))
    assert errors[132] < 1.1 * errors[128]
    assert errors[500] < errors[132]
    assert errors[2000] < 0.7 * errors[500]
    assert errors[8000] < 0.7 * errors[2000]


@pytest.mark.parametrize(("d", "calls"), [(10, 40), (70, 140), (70, 280)])
@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_values_whose_squares_are_no_numbers(d, calls, size):
    worth = np.random.default_rng(0).normal(size=d)
    explanation, scaled = (
        lc.GraphKernelSHAP(calls).explain(lc.Game(lambda kept, s=s: s * np.tanh(kept @ worth), d), lc.Graph.chain(d))
        for s in (1.0, size)
    )
    np.testing.assert_allclose(scaled.scores / size, explanation.scores, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("d", [65, 130])
def test_sums_of_many_units_from_about_as_many_pairs(d):
    """Nothing is left to be noise, and least squares are not determined: the process still gives scores that add up."""
    worth = np.random.default_rng(1).normal(size=d)
    e = lc.GraphKernelSHAP(2 * d).explain(lc.Game(lambda kept: kept @ worth, d), lc.Graph.chain(d))
    assert e.scores.sum() == pytest.approx(worth.sum())
    assert np.corrcoef(e.scores, worth)[0, 1] > 0.7


def test_a_game_of_two_values_is_not_taken_to_be_known():
    """Weighted votes: the process explains all that it has seen, and is wrong about what it has not."""
    d, covered, widths = 11, [], []
    every = (np.arange(2**d)[:, None] >> np.arange(d)) & 1 == 1
    for seed in range(8):
        weights = np.random.default_rng(seed).exponential(size=d)
        values = 1.0 * (every @ weights > weights.sum() / 2)
        game = lc.Game(lambda kept, values=values: values[kept @ (1 << np.arange(d))], d)
        truth = lc.Shapley().explain(game, lc.Graph.complete(d)).scores
        low, high = lc.GraphKernelSHAP(8 * d, seed=seed).explain(game, lc.Graph.complete(d)).interval()
        covered.append((low <= truth) & (truth <= high))
        widths.append(high - low)
    assert np.mean(covered) > 0.85
    assert np.mean(widths) < 0.5  # and they still say something: scores sum to 1


def test_what_may_not_have_shown_up():
    kept = np.concatenate([np.ones((1, 6), bool), choose_pairs(6, 14, seed=1)])
    values = np.where(kept[:, 0], 1.0, 0.0)
    noise = unseen_value_stderr(kept, values, 1 - values)
    rows = {bytes(row) for row in kept} | {bytes(~row) for row in kept}
    for j in range(6):  # by hand: each pair that was not seen is off by a half, in thirty of fifteen cases
        weights = []
        for number in range(2**5):
            without_j = np.insert((number >> np.arange(5)) & 1 == 1, j, [False])
            weight = 1 / (6 * comb(5, without_j.sum()))
            with_j = without_j.copy()
            with_j[j] = True
            weights += [(with_j, weight), (without_j, -weight)]
        # v and its complement have the same odd part, with the other sign
        total = {bytes(row): 0.0 for row, _ in weights}
        for row, weight in weights:
            total[bytes(row)] += weight
            total[bytes(~row)] -= weight
        unseen_variance = sum(w**2 for row, w in total.items() if row not in rows) / 2
        assert noise[j] == pytest.approx(np.sqrt(30 / 15 * unseen_variance) / 2)
    nearly = values + 1e-4 * np.random.default_rng(1).random(15)  # a probability that is next to 0 or 1
    np.testing.assert_allclose(unseen_value_stderr(kept, nearly, 1 - nearly), noise, rtol=1e-2)
    far = np.where(np.arange(15) == 0, 1e6, values)  # V is far from all others: it has always been seen
    np.testing.assert_allclose(unseen_value_stderr(kept, far, 1 - values), noise)
    assert not unseen_value_stderr(kept, np.linspace(0, 1, 15), values).any()
    assert not unseen_value_stderr(kept, np.where(np.arange(15) == 0, 1e6, np.linspace(0, 1, 15)), values).any()
    assert not unseen_value_stderr(kept, np.ones(15), np.ones(15)).any()


def cliff(d, missing, seed):
    """A sum that is five times as strong if at most so many units are missing, and its Shapley values."""
    strength = np.random.default_rng(seed).normal(size=d)
    every = (np.arange(2**d)[:, None] >> np.arange(d)) & 1 == 1
    values = np.where(every.sum(axis=1) >= d - missing, 5.0, 1.0) * (every @ strength)
    game = lc.Game(lambda kept: values[kept @ (1 << np.arange(d))], d)
    return game, lc.Shapley().explain(game, lc.Graph.complete(d)).scores


def test_a_game_that_changes_near_the_full_input_has_wide_intervals_and_a_doubt():
    """16 calls a unit see a handful of the coalitions that matter most; without the doubt, 58 % of intervals hold."""
    d, covered = 12, []
    for seed in range(6):
        game, truth = cliff(d, 2, seed)
        e = lc.GraphKernelSHAP(16 * d, seed=seed).explain(game, lc.Graph.complete(d))
        low, high = e.interval()
        covered.append(np.mean((low <= truth) & (truth <= high)))
        assert "too narrow" in e.provenance["doubt"]
    assert np.mean(covered) > 0.85


@pytest.mark.parametrize("calls", [4, 8])
def test_a_sum_that_counts_from_a_number_of_units_on_has_wide_intervals_and_a_doubt(calls):
    d, covered = 16, []
    for seed in range(4):
        strength = np.random.default_rng(seed).normal(size=d)
        game = lc.Game(lambda kept, strength=strength: (kept.sum(axis=1) >= 12) * (kept @ strength), d)
        e = lc.GraphKernelSHAP(calls * d, seed=seed).explain(game, lc.Graph.complete(d))
        low, high = e.interval()
        others = (strength.sum() - strength) / (d - 1)
        truth = strength * 5 / 16 + others * 11 / 16  # with each of 16 sizes; 11 others when the threshold is reached
        covered.append(np.mean((low <= truth) & (truth <= high)))
        assert "too narrow" in e.provenance["doubt"]
    assert np.mean(covered) > 0.88


def test_a_game_that_changes_near_the_full_input_is_solved_with_more_calls():
    """From 24 calls a unit on, the prior has effects by size. The error without them is above 1 % here."""
    d = 12
    game, truth = cliff(d, 2, 0)
    e = lc.GraphKernelSHAP(64 * d).explain(game, lc.Graph.complete(d))
    assert np.abs(e.scores - truth).max() < 1e-3 * np.abs(truth).max()
    assert "doubt" not in e.provenance


@pytest.mark.parametrize("calls", [4, 8, 16, 32])
def test_smooth_games_raise_no_doubt(calls):
    d = 12
    for seed in range(3):
        weights = np.random.default_rng(seed).normal(size=(d, 6))
        game = lc.Game(lambda kept, weights=weights: np.tanh(kept @ weights).sum(axis=1), d)
        e = lc.GraphKernelSHAP(calls * d, seed=seed).explain(game, lc.Graph.complete(d))
        assert "doubt" not in e.provenance


def test_a_fit_to_some_coalitions_gets_noise_if_the_others_contradict_it():
    """A vote: half of the 1,023 pairs are explained without noise, which makes the left-out errors of all larger."""
    d = 16
    weights = np.random.default_rng(1).exponential(size=d)
    kept = np.concatenate([np.ones((1, d), bool), choose_pairs(d, 64 * d - 1, seed=1)])
    odd = np.where(kept @ weights > weights.sum() / 2, 0.5, -0.5)
    hyperparameters = OddHyperparameters(kept, KernelTerms(d, effects_by_size=True))
    (kernel,) = fit_odd_kernels(hyperparameters, odd)

    def evidence(white):
        K = kernel.covariance(kept, kept) + white * np.eye(len(kept))
        return -len(odd) * np.log(odd @ np.linalg.solve(K, odd)) - np.linalg.slogdet(K)[1]

    noisy = module._with_more_noise(kept, odd, kernel)
    assert noisy.white > 100 * kernel.white
    assert evidence(noisy.white) > max(evidence(max(kernel.white, 1e-6)), evidence(10 * noisy.white))


def test_a_fit_that_nothing_contradicts_gets_no_noise():
    d = 9
    kept = np.concatenate([np.ones((1, d), bool), choose_pairs(d, 60, seed=1)])
    odd = np.tanh(np.where(kept, 1.0, -1.0) @ np.linspace(-1, 2, d) / 4)
    (kernel,) = fit_odd_kernels(OddHyperparameters(kept, KernelTerms(d)), odd)
    assert module._with_more_noise(kept, odd, kernel).white <= 1e-3 * kernel.product
