"""One sentence for every kind of explanation, and what a large residual means."""

import warnings

import numpy as np
import pytest

import lcshap as lc
from lcshap.show.flips import path_caption
from lcshap.show.sentences import doubt_note, lead_pieces, lead_sentence, residual_note
from lcshap.show.terminal import render_explanation

GRAPH = lc.Graph.chain(3, names=["it", "just", "sucks"])


def make_explanation(scores=(-0.38, 0.0, 0.89), base=-0.52, full=-0.0131, **record):
    return lc.Explanation(np.array(scores), base, full, GRAPH, 8, record)


@pytest.mark.parametrize(
    ("e", "says"),
    [
        (
            make_explanation(value="log_prob", targets=["negative"]),
            "The model predicts *negative* (98.7 %). *sucks* counts most for it (+0.89), *it* most against it (-0.38)"
            ", in log probability.",
        ),
        (
            make_explanation(value="log_odds", targets=["negative"], full=-2.0),
            "The model gives *negative* 11.9 %. *sucks* counts most for it (+0.89), *it* most against it (-0.38)"
            ", in log odds.",
        ),
        (
            make_explanation((-1.0, -2.0, 0.0), value="prob", targets=["7"], full=0.5),
            "The model predicts *7* (50.0 %). *just* counts most against it (-2), in probability.",
        ),
        (
            make_explanation(value="log_prob", targets=[["sci", "fi"]], full=1.0),
            "The model gives *sci* a higher probability than *fi*. "
            "*sucks* counts most for sci (+0.89), *it* most against it (-0.38), "
            "in log probability.",
        ),
        (
            make_explanation(value="output", targets=["0"], full=1234.5),
            "The model's output is 1,234. *sucks* raises it most (+0.89), *it* lowers it most (-0.38).",
        ),
        (
            make_explanation(value="output", targets=["price"], full=3.0),
            "The model's output *price* is 3. *sucks* raises it most (+0.89), *it* lowers it most (-0.38).",
        ),
        (
            make_explanation(value="expected_log_prob", targets=[]),
            "The value expected log prob goes from -0.52 to -0.0131. *sucks* raises it most (+0.89), "
            "*it* lowers it most (-0.38).",
        ),
        (
            make_explanation(value="output", kind="margin", targets=["2"], full=-3.0),
            "The model's margin of *2* is -3. *sucks* counts most for it (+0.89), *it* most against it (-0.38)"
            ", in margin.",
        ),
        (
            make_explanation(value="output", kind="logits", targets=["b"], prediction=[["b", 0.75], ["a", 0.25]]),
            "The model predicts *b* (75.0 %). *sucks* counts most for it (+0.89), *it* most against it (-0.38)"
            ", in logit.",
        ),
        (make_explanation((0.0, 1e-17, 0.0), full=1.0), "The value goes from -0.52 to 1. No unit changes it."),
        (make_explanation(value="log_prob", targets="nonsense"), None),
        (make_explanation(value=["x"], targets={"a": 1}, output=-3), None),
    ],
)
def test_sentences(e, says):
    sentence = lead_sentence(e)
    assert (
        sentence == says if says else sentence.endswith("*sucks* raises it most (+0.89), *it* lowers it most (-0.38).")
    )


def test_names_are_marked_cut_and_told_apart():
    g = lc.Graph.chain(2, names=["x" * 60, "x" * 60])
    e = lc.Explanation(np.array([1.0, -1.0]), 0.0, 0.0, g, 4, {})
    parts = lead_pieces(e)
    assert [len(name) for name in parts[1::2]] == [40, 40]
    assert lead_sentence(e, "<{}>".format).count("<") == 2


def test_errors_are_said():
    e = lc.Explanation(np.array([1.0, -1.0]), 0.0, 0.0, lc.Graph.chain(2), 4, {}, stderr=np.array([0.25, np.inf]))
    assert lead_sentence(e) == "The value goes from 0 to 0. *0* raises it most (+1 ± 0.25), *1* lowers it most (-1)."


def test_several_outputs_have_no_sentence_and_each_of_them_has():
    record = {"value": "log_prob", "targets": ["no", "yes"]}
    several_outputs = lc.Explanation(np.eye(3)[:, :2], np.log([0.5, 0.5]), np.log([0.25, 0.75]), GRAPH, 8, record)
    assert lead_sentence(several_outputs) == residual_note(several_outputs) == ""
    assert lead_sentence(several_outputs.output(0)).startswith("The model gives *no* 25.0 %.")
    assert lead_sentence(several_outputs.output(1)).startswith("The model predicts *yes* (75.0 %).")


def test_a_large_residual_has_a_sentence():
    assert residual_note(make_explanation((0.5, 0.0, 0.0), 0.0, 0.55)) == ""
    assert residual_note(make_explanation((0.5, 0.0, 0.0), 0.0, 0.5 + 1e-15)) == ""
    note = residual_note(make_explanation((0.5, 0.0, 0.0), 0.0, 2.0))
    assert note.startswith(
        "The scores add up to +0.5, but all units together change the value by +2. Joint effects of several units"
    )
    assert "are not included in the scores. Use the scores as a ranking" in note
    assert "are counted once for each of these units" in residual_note(make_explanation((2.0, 2.0, 2.0), 0.0, 2.0))
    assert residual_note(make_explanation((0.0, 0.0, 0.0), 1.0, 1.0)) == ""


def test_units_in_doubt_are_not_named():
    """A score of -0.001 ± 0.002 says nothing of the side on which its unit is."""
    g = lc.Graph.chain(3, names=["proline", "ash", "hue"])
    scores, error = np.array([0.35, -0.001, 0.0]), np.array([0.002, 0.002, 0.0])
    provenance = {"value": "log_prob", "targets": ["0"]}
    e = lc.Explanation(scores, -1.0, -0.65, g, 104, provenance, stderr=error, dof=40)
    assert "proline" in lead_sentence(e)
    assert "ash" not in lead_sentence(e)
    e = lc.Explanation(scores, -1.0, -0.65, g, 104, provenance, stderr=np.full(3, 1.0), dof=40)
    assert lead_sentence(e).endswith("The 95 % interval of every score includes zero. Use more calls.")
    e = lc.Explanation(scores, -1.0, -0.65, g, 104, provenance, stderr=np.full(3, np.inf), dof=40)
    assert "ash" in lead_sentence(e)  # the error is not known: nothing speaks against naming it
    e = lc.Explanation(np.zeros(3), -1.0, -1.0, g, 104, provenance, stderr=np.zeros(3), dof=40)
    assert lead_sentence(e).endswith("No unit changes it.")


def test_a_doubt_is_shown_everywhere():
    """In a terminal, in a notebook, below a figure and in a report."""
    e = make_explanation(doubt="The intervals may be\x1b too narrow.")
    assert "\x1b" not in doubt_note(e)
    assert doubt_note(e).endswith("too narrow.")
    assert doubt_note(make_explanation()) == doubt_note(make_explanation(doubt=3)) == ""
    several_outputs = lc.Explanation(np.eye(3)[:, :2], np.zeros(2), np.ones(2), GRAPH, 8, e.provenance)
    for shown in (e, several_outputs):
        assert doubt_note(e) in " ".join(render_explanation(shown).split())
        assert doubt_note(e) in shown._repr_html_()
    assert doubt_note(e) in path_caption(e)


@pytest.mark.parametrize(("probability", "limit"), [(1.0, 1), (0.0, 0)])
@pytest.mark.parametrize("value", ["prob", "log_prob", "log_odds"])
def test_saturated_probabilities_are_named_with_what_to_try(value, probability, limit):
    model = lambda texts: [[1 - probability, probability]] * len(texts)  # noqa: E731
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that these are labels, or below the lower bound
        e = lc.explain(model, "one two", kind="probabilities", value=value, target=1, method="shapley")
    sentence = lead_sentence(e)
    if value == "log_prob" and not limit:
        assert "No unit changes it" in sentence
        return
    assert f"No unit changes it, because its probability is rounded to {limit} with all units and without" in sentence
    assert 'kind="logits" and value="log_odds"' in sentence
    half = lc.explain(lambda texts: [[0.5, 0.5]] * len(texts), "one two", kind="probabilities", value=value, target=1)
    assert lead_sentence(half).endswith("No unit changes it.")
