"""What the settings have to satisfy among each other."""

from lcshap.estimators.graph_kernel.tuning import DESIGN, EVEN_PRIORS, FIT, ODD_PRIORS, SIZES


def test_each_step_takes_no_more_pairs_than_the_one_after_it():
    assert SIZES.shared_pairs <= SIZES.shared_pairs_many <= SIZES.evidence_pairs <= SIZES.process_pairs
    assert SIZES.min_process_pairs <= SIZES.process_pairs


def test_pairs_are_chosen_for_all_numbers_of_units_that_are_not_many():
    limits = [units for units, _ in DESIGN.candidates_per_pair]
    assert limits == sorted(limits)
    assert limits[-1] == SIZES.many_units


def test_priors_are_proper():
    for priors in (ODD_PRIORS, EVEN_PRIORS):
        for prior in (priors.inverse_length, priors.white, priors.product, priors.low_order, priors.term):
            assert prior.median > 0
            assert prior.deviation > 0
        assert priors.low < 0 < priors.high
    assert FIT.steps_units_slow <= FIT.steps_units <= FIT.steps
