import time

import numpy as np
import pytest

import lcshap as lc
from lcshap.errors import MaskerError, OptionError
from lcshap.playground import Limits
from lcshap.playground.requests import Column
from lcshap.playground.run_queue import CancelledError, Run
from lcshap.playground.session import Session

TEXT = "a good film with a good plot"


@pytest.fixture
def session(explainer):
    return Session(explainer, [TEXT])


def test_the_last_estimate_is_the_explanation(session, explainer):
    seen = []
    column = Column("graph-kernel-shap", budget=60)
    result = session.explain(Run(), TEXT, [column], seen.append)
    (e,) = result.explanations.values()
    alone = lc.Explainer(explainer.model, lc.maskers.Text(), lc.GraphKernelSHAP(60), kind="logits")(TEXT)
    np.testing.assert_allclose(e.scores, alone.scores, atol=1e-12)
    assert seen[-1]["calls"] == alone.calls


def test_the_options_of_the_explainer_are_kept(model):
    options = {"kind": "logits", "classes": ["no", "yes"], "target": "no", "value": "prob"}
    explainer = lc.Explainer(model, lc.maskers.Text(), lc.LShapley(2), **options)
    (e,) = Session(explainer).explain(Run(), TEXT, [Column()], lambda estimate: None).explanations.values()
    np.testing.assert_allclose(e.scores, explainer(TEXT).scores)
    assert e.provenance["targets"] == ["no"]


def test_the_predicted_change_can_be_compared_with_the_actual_one(session, model):
    """For a game that is a sum over words, removing one costs exactly its score."""
    explainer = lc.Explainer(lambda texts: [1.5 * t.count("good") for t in texts], lc.maskers.Text(), kind="output")
    session = Session(explainer)
    (e,) = session.explain(Run(), TEXT, [Column("shapley")], lambda estimate: None).explanations.values()
    for unit in range(7):
        answer = session.ask(Run(), TEXT, Column(), [unit], {})
        assert answer["before"]["values"][0] - answer["now"]["values"][0] == pytest.approx(e.scores[unit])


@pytest.fixture
def built(monkeypatch):
    """The explainers that were constructed."""
    constructed, construct = [], lc.Explainer.__post_init__
    monkeypatch.setattr(lc.Explainer, "__post_init__", lambda self: (constructed.append(self), construct(self))[1])
    return constructed


def test_requests_do_not_construct_explainers(session, built):
    def explain(text, *columns):
        session.explain(Run(), text, columns, lambda estimate: None)

    session.predict(Run(), TEXT, [Column()])
    assert len(built) == 1
    for text in (TEXT, "another good text"):
        session.predict(Run(), text, [Column(), Column("shapley"), Column("auto", budget="4d")])
        explain(text, Column(), Column("shapley"), Column("graph-kernel-shap", budget=60), Column(budget="6d"))
        for unit in range(3):
            session.ask(Run(), text, Column(), [unit], {0: "no"} if unit else {})
        session.locality(Run(), text, Column())
    assert len(built) == 1
    other = {"target": 0, "reference": "placeholder [MASK]"}
    explain(TEXT, Column("shapley", **other), Column("c-shapley", **other))
    assert len(built) == 2  # one for another target and another reference, whatever the methods are
    session.ask(Run(), TEXT, Column(**other), [1], {})
    session.locality(Run(), TEXT, Column(**other))
    assert len(built) == 2


def test_few_explainers_are_kept(session, monkeypatch):
    monkeypatch.setattr("lcshap.playground.session._MAX_EXPLAINERS", 2)
    session = Session(lc.Explainer(lambda texts: [[1.0] * 9] * len(texts), lc.maskers.Text(), kind="output"))
    for target in range(9):
        session.ask(Run(), TEXT, Column(target=target), [0], {})
    assert session._explainers.cache_info().currsize == 2


def test_a_method_of_the_page_does_not_take_the_options_of_the_explainer(model):
    options = {"kind": "logits", "interactions": True, "goal": "fair", "budget": 50, "seed": 3, "tolerance": 0.1}
    session = Session(lc.Explainer(model, lc.maskers.Text(), **options))
    columns = [Column("shapley"), Column("graph-kernel-shap", budget=40), Column("auto")]
    explanations = session.explain(Run(), TEXT, columns, lambda estimate: None).explanations.values()
    assert [e.interactions is None for e in explanations] == [True, True, False]  # "auto" still has them
    assert [e.calls for e in explanations][:2] == [2**7, 40]


def test_the_parts_of_a_model_are_evaluated_in_turn():
    def parts(rows):
        assert session.thread_pool.model_queue._queue[0] is run
        return np.asarray(rows)

    model = lc.adapters.CallableModel(lambda rows: np.sum(rows, axis=1), "output", parts=parts)
    session = Session(lc.Explainer(model, lc.maskers.Tabular(np.zeros(6))))
    run = Run()
    (e,) = session.explain(
        run, np.arange(6.0), [Column("receptive-shapley")], lambda estimate: None
    ).explanations.values()
    np.testing.assert_allclose(e.scores.sum(), 15.0)


def test_a_cancelled_run_does_not_call_the_model(session, model):
    run = Run()
    run.cancelled.set()
    with pytest.raises(CancelledError):
        session.predict(run, TEXT, [])
    assert model.rows == 0


def test_results_are_kept_for_a_while(explainer):
    session = Session(explainer, limits=Limits(kept_runs=2))
    names = [
        session.keep_run(session.explain(Run(), f"{TEXT} {k}", [Column()], lambda estimate: None)) for k in range(3)
    ]
    assert session.get_run(names[0]) is None
    assert session.get_run(names[2]).x == f"{TEXT} 2"


def test_limits(explainer):
    session = Session(explainer, limits=Limits(units=3, columns=1))
    with pytest.raises(MaskerError, match="at most 3 units"):
        session.predict(Run(), TEXT, [])
    with pytest.raises(OptionError, match="1 to 1 columns"):
        session.explain(Run(), "a b", [Column(), Column()], lambda estimate: None)


def test_a_persistent_store_is_used(model, tmp_path):
    path = tmp_path / "calls.db"
    options = {"kind": "logits", "store": path, "model_name": "test"}
    Session(lc.Explainer(model, lc.maskers.Text(), **options)).predict(Run(), TEXT, [])
    Session(lc.Explainer(model, lc.maskers.Text(), **options)).predict(Run(), TEXT, [])
    assert model.rows == 1


def test_the_first_answer_of_a_model_is_not_its_pace(monkeypatch):
    """Many models load something when they are first asked."""
    monkeypatch.setattr("lcshap.playground.session._WARM_UP_MIN_SECONDS", 0.02)
    asked = []

    def model(texts):
        time.sleep(0.1 if not asked else 0.0)
        asked.extend(texts)
        return [float(len(text)) for text in texts]

    session = Session(lc.Explainer(model, lc.maskers.Text(), kind="output"))
    prediction = session.predict(Run(), "to be or not", [Column()])
    assert asked == ["to be or not", ""]
    assert prediction["cost"]["seconds"] < 16 * 0.02
    assert prediction["outputs"] == [["output", 12.0]]
    session.predict(Run(), "to be", [Column()])
    assert asked[2:] == ["to be"]
