"""Models that can be read are explained exactly by default, from every entry point, and without shap."""

import sys

import numpy as np
import pytest
from command import explained, module, run

import lcshap as lc
from bulk_models import InProcess
from lcshap.bulk import dataset_run
from lcshap.playground.requests import Column
from lcshap.playground.run_queue import Run
from lcshap.playground.session import Session

pd = pytest.importorskip("pandas")
ensemble = pytest.importorskip("sklearn.ensemble")
from sklearn import linear_model, pipeline  # noqa: E402
from sklearn.feature_extraction.text import CountVectorizer  # noqa: E402

X = np.random.default_rng(0).normal(size=(60, 12)).round(3)
Y = X[:, 0] * X[:, 1] + X[:, 2]
COLUMNS = [f"c{number}" for number in range(12)]
TEXT = "a good film not a bad film but a good long film with a good end"
TEXTS = [TEXT, "a bad film", "good fun with a long end", "not good", "not bad"]
EXPLAINER = """
import numpy as np, lcshap as lc
def explainer():
    import test_models
    return lc.Explainer(test_models.model, test_models.masker, model_name="m")
"""


def boosting_machine():
    options = {"interactions": [(0, 1)], "max_rounds": 20, "outer_bags": 1, "n_jobs": 1}
    return pytest.importorskip("interpret.glassbox").ExplainableBoostingRegressor(**options)


MODELS = {
    "tree-shap": lambda: ensemble.RandomForestRegressor(5, max_depth=4, random_state=0),
    "linear-shap": linear_model.Ridge,
    "additive-shap": boosting_machine,
}


@pytest.fixture(autouse=True)
def without_shap(monkeypatch):
    """No entry point imports shap."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "shap"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "shap", None)


@pytest.fixture
def of_words():
    return pipeline.make_pipeline(CountVectorizer(), linear_model.Ridge()).fit(TEXTS, [1.0, -1.0, 2.0, 0.5, 0.0])


@pytest.fixture
def as_module(tmp_path, monkeypatch):
    """Makes a model the attribute `model` of a module that the command and workers can import."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(dataset_run, "make_engine", lambda name, work, **options: InProcess(work))

    def save(model, masker):
        module(tmp_path, "test_models", "model = masker = None\n")
        module(tmp_path, "test_factory", EXPLAINER)
        import test_models

        test_models.model, test_models.masker = model, masker

    yield save
    for name in ("test_models", "test_factory"):
        sys.modules.pop(name, None)


def playground(explainer, x):
    (e,) = Session(explainer).explain(Run(), x, [Column()], lambda estimate: None).explanations.values()
    return e


@pytest.mark.parametrize("name", MODELS)
def test_rows_of_tables(name, as_module):
    model = MODELS[name]().fit(X, Y)
    explainer = lc.Explainer(model, X[:8])
    xs = explainer(X[20:23])
    others = {
        "many": explainer.many(X[20:23])[0],
        "one": explainer(X[20]),
        "explain": lc.explain(model, X[20], X[:8]),
        "compare": explainer.compare(X[20], ["auto"])[0],
        "stream": next(iter(explainer.stream(X[20]))),
        "playground": playground(explainer, X[20]),
    }
    pd.DataFrame(X[20:23], columns=COLUMNS).to_csv("rows.csv", index=False)
    as_module(model, lc.maskers.Tabular(X[:8], names=COLUMNS))
    words = ("--model", "test_models:model", "--background", 3)  # rows of the file itself
    run("bulk", "rows.csv", *words, "--model-name", "m", "--out", "run")
    of_commands = [explained(*words, "--csv", "rows.csv", "--row", 0), next(iter(lc.bulk.load("run")))]
    lc.bulk.explain_dataset("rows.csv", "test_factory:explainer", "other")
    others["bulk"] = next(iter(lc.bulk.load("other")))
    assert xs[0].provenance["name"] == name
    for entry, e in others.items():
        assert e.provenance["name"] == name, entry
        assert e.stderr is None, entry
        np.testing.assert_allclose(e.scores, xs[0].scores, rtol=0, atol=1e-12, err_msg=entry)
    for e in of_commands:
        assert (e.provenance["name"], e.stderr) == (name, None)
        assert abs(e.residual) < 1e-9


def test_texts(of_words, as_module):
    explainer = lc.Explainer(of_words, lc.maskers.Text())
    e = explainer(TEXT)
    assert e.provenance["name"] == "linear-shap"
    as_module(of_words, lc.maskers.Text())
    others = {
        "many": explainer(TEXTS)[0],
        "explain": lc.explain(of_words, TEXT),
        "playground": playground(explainer, TEXT),
        "command": explained("--model", "test_models:model", "--text", TEXT),
    }
    pd.DataFrame({"text": TEXTS}).to_csv("texts.csv", index=False)
    run("bulk", "texts.csv", "--column", "text", "--model", "test_models:model", "--model-name", "m", "--out", "run")
    others["bulk command"] = next(iter(lc.bulk.load("run")))
    lc.bulk.explain_dataset("texts.csv", "test_factory:explainer", "other", column="text")
    others["bulk"] = next(iter(lc.bulk.load("other")))
    for entry, other in others.items():
        assert other.provenance["name"] == "linear-shap", entry
        assert other.stderr is None, entry
        np.testing.assert_allclose(other.scores, e.scores, rtol=0, atol=1e-12, err_msg=entry)


def test_shap_is_no_part_of_the_extra_for_tables():
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert extras["table"] == ["lcshap[pandas,plot,sklearn]"]
    assert not any("shap>" in need for name in ("pandas", "plot", "sklearn") for need in extras[name])
