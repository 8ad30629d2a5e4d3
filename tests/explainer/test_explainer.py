"""Real models, real inputs: the Explainer end to end."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import lcshap as lc
from lcshap.adapters import CallableModel

GOOD = ["a good film", "a great and good story", "good fun", "what a great great end", "a fine film and good fun"]
BAD = ["a bad film", "an awful and bad story", "bad and dull", "what an awful dull end", "a dull film and bad fun"]
TEXT = "a good story and a dull end"


@pytest.fixture(scope="module")
def pipeline():
    """Word counts and logistic regression, one token a word (single letters too)."""
    model = make_pipeline(CountVectorizer(token_pattern=r"\S+"), LogisticRegression())
    return model.fit(GOOD + BAD, [1] * 5 + [0] * 5)


def coefficients(pipeline, text):
    words = pipeline[0].vocabulary_
    return np.array([pipeline[1].coef_[0][words[w]] if w in words else 0.0 for w in text.split()])


class TestALinearModel:
    """The margin of word counts is linear: with deletion each word's score is its coefficient, for every method whose
    weights sum to one and that has no penalty."""

    @pytest.mark.parametrize(
        "method",
        [
            lc.Shapley(),
            lc.Myerson(),
            *(lc.LShapley(k, c) for k in (0, 1, 2) for c in ("absent", "present", "both")),
            *(
                lc.CShapley(k, c, "myerson", m)
                for k in (1, 3)
                for c in ("absent", "both")
                for m in ("direct", "decomposed")
            ),
            lc.FeatureAblation(),
            lc.SampleShapley(14),
            lc.SampleShapley(40),
            lc.KernelSHAP(40),
            lc.GraphKernelSHAP(40),
            lc.RegressionCShapley(3),
            lc.RegressionCShapley(3, windows="removed"),
            lc.DividendCShapley(3),
            lc.DeletionPath(30),
            lc.InsertionPath(30),
            lc.SampledLShapley(60, order=3),
            lc.SampledCShapley(60, order=3),
        ],
        ids=str,
    )
    def test_scores_are_coefficients(self, pipeline, method):
        margin = lc.adapters.SklearnModel(pipeline, kind="output", method="decision_function")
        e = lc.Explainer(margin, lc.maskers.Text(), method, value="output")(TEXT)
        np.testing.assert_allclose(e.scores, coefficients(pipeline, TEXT), atol=1e-8)
        assert e.names == tuple(TEXT.split())

    def test_tf_idf_is_not_linear(self):
        model = make_pipeline(TfidfVectorizer(token_pattern=r"\S+"), LogisticRegression()).fit(
            GOOD + BAD, [1] * 5 + [0] * 5
        )
        margin = lc.adapters.SklearnModel(model, kind="output", method="decision_function")
        e = lc.Explainer(margin, lc.maskers.Text(), lc.Shapley(), value="output")(TEXT)
        assert abs(e.residual) < 1e-10
        assert abs(e.scores - coefficients(model, TEXT)).max() > 0.05
        assert e.scores[TEXT.split().index("good")] > 0 > e.scores[TEXT.split().index("dull")]


class TestExplainer:
    def test_probabilities_of_the_predicted_class_by_default(self, pipeline):
        e = lc.Explainer(pipeline, lc.maskers.Text(), lc.Shapley())(TEXT)
        p = pipeline.predict_proba([TEXT, ""])
        c = p[0].argmax()
        assert e.full_value == pytest.approx(np.log(p[0, c]))
        assert e.base_value == pytest.approx(np.log(p[1, c]))
        assert e.provenance["targets"] == [str(c)]
        assert e.provenance["value"] == "log_prob"
        assert e.provenance["kind"] == "probabilities"

    def test_many_inputs_share_batches_and_are_as_one_by_one(self, pipeline):
        rows = []

        def model(texts):
            rows.append(len(texts))
            return pipeline.predict_proba(texts)

        texts = [TEXT, "bad", "a great film", TEXT]
        for method in (lc.LShapley(1), lc.GraphKernelSHAP(30), lc.DeletionPath(14), "auto"):
            explainer = lc.Explainer(model, lc.maskers.Text(), method, kind="probabilities", batch_size=64)
            if method == lc.GraphKernelSHAP(30):
                texts = [TEXT, TEXT]
            rows.clear()
            together = explainer(texts)
            batches = len(rows)
            rows.clear()
            single = [explainer(text) for text in texts]
            assert batches < len(rows)
            for a, b in zip(together, single, strict=True):
                np.testing.assert_allclose(a.scores, b.scores, atol=1e-12)
                assert a.names == b.names
        assert explainer([]) == []

    def test_every_coalition_is_evaluated_once(self, pipeline):
        seen = []
        model = CallableModel(lambda texts: seen.extend(texts) or pipeline.predict_proba(texts), "probabilities")
        text = "all of these words differ from each other"
        e = lc.Explainer(model, lc.maskers.Text(), lc.LShapley(2))(text)
        assert len(seen) == len(set(seen)) == e.calls
        assert text in seen

    def test_several_methods_share_answers(self, pipeline):
        seen = []
        model = CallableModel(lambda texts: seen.extend(texts) or pipeline.predict_proba(texts), "probabilities")
        text = "all of these words differ from each other"
        methods = [lc.DeletionPath(30), lc.LShapley(1), lc.CShapley(2), lc.FeatureAblation(), lc.InsertionPath(30)]
        explanations = lc.Explainer(model, lc.maskers.Text()).compare(text, methods)
        assert (
            len(seen) == len(set(seen)) == explanations[0].provenance["together"] < sum(e.calls for e in explanations)
        )
        for method, e in zip(methods, explanations, strict=True):
            single = lc.Explainer(pipeline, lc.maskers.Text(), method)(text)
            np.testing.assert_allclose(e.scores, single.scores, atol=1e-12)
            assert e.calls == single.calls

    def test_several_targets_and_a_contrast(self, pipeline):
        make = lambda target: lc.Explainer(pipeline, lc.maskers.Text(), lc.LShapley(1), target=target)(TEXT)  # noqa: E731
        all_targets = make("all")
        assert all_targets.scores.shape == (7, 2)
        np.testing.assert_allclose(all_targets.output(1).scores, make(1).scores, atol=1e-12)
        contrast = make((1, 0))
        np.testing.assert_allclose(contrast.scores, all_targets.scores[:, 1] - all_targets.scores[:, 0], atol=1e-12)
        with pytest.raises(lc.LcshapError, match="2"):
            make(2)

    def test_names_goals_and_budgets(self, pipeline):
        make = lambda **o: lc.Explainer(pipeline, lc.maskers.Text(), **o)(TEXT)  # noqa: E731
        assert make(method="l-shapley").provenance["parameters"]["order"] == 1
        assert make(method="kernel-shap", budget="5d", seed=3).provenance["parameters"] == {"budget": 35, "seed": 3}
        auto = make(budget="6d", seed=2)
        assert auto.provenance["name"] == "graph-kernel-shap"
        assert auto.provenance["parameters"]["seed"] == 2
        assert auto.provenance["chosen"]["goal"] == "fair"
        assert make(goal="necessary").provenance["name"] == "deletion-path"
        assert make(goal="sufficient").provenance["name"] == "insertion-path"
        assert make(budget=200).provenance["name"] == "shapley"
        with pytest.raises(lc.errors.BudgetError, match="at least 14 calls"):
            make(budget=10)
        with pytest.raises(lc.errors.MethodError, match="got 'magic'"):
            make(method="magic")
        with pytest.raises(lc.errors.OptionError, match="Expected a method, its name or 'auto', got 3"):
            make(method=3)

    def test_background_rows_average_probabilities_before_the_log(self):
        rng = np.random.default_rng(0)
        X, w = rng.normal(size=(50, 4)), np.array([1.0, -2.0, 0.5, 0.0])
        model = LogisticRegression().fit(X, X @ w > 0)
        x, background = X[0], X[1:6]
        explainer = lc.Explainer(model, lc.maskers.Tabular(background), lc.Shapley(), value="log_prob", target=1)
        e = explainer(x)
        p = model.predict_proba(background)[:, 1].mean()
        assert e.base_value == pytest.approx(np.log(p))
        assert abs(e.residual) < 1e-12
        assert "5 background rows a call" in explainer.preview(x)
        assert "80 model rows" in explainer.preview(x)

    def test_token_sequences_one_or_many(self):
        worth = np.arange(10.0)
        model = CallableModel(lambda ids: worth[ids].sum(axis=1), "output")
        explainer = lc.Explainer(model, lc.maskers.Tokens(padding=0, length=6), lc.LShapley(1))
        assert explainer([3, 1, 2]).scores.tolist() == pytest.approx([3, 1, 2])
        assert explainer(np.array([3, 1])).scores.tolist() == pytest.approx([3, 1])
        assert [e.scores.tolist() for e in explainer([[3, 1], [2, 4, 5]])] == [
            pytest.approx([3, 1]),
            pytest.approx([2, 4, 5]),
        ]

    def test_one_line(self, pipeline):
        assert lc.explain(pipeline, TEXT, method="myerson").names == tuple(TEXT.split())
        count = lambda rows: (rows == 7).sum(axis=1)  # noqa: E731
        assert lc.explain(count, bytes([7] * 16 + [1] * 8), kind="output").scores.tolist() == pytest.approx([16, 0])
        with pytest.raises(lc.LcshapError, match="Expected a masker for an input of type int, got none"):
            lc.explain(pipeline, 3)

    def test_bad_input(self, pipeline):
        make = lc.Explainer(pipeline, lc.maskers.Text(), lc.Shapley())
        with pytest.raises(lc.LcshapError, match="Expected a text with at least one word, got ''"):
            make("")
        one_unit = make("good")
        assert one_unit.scores.tolist() == [pytest.approx(one_unit.full_value - one_unit.base_value)]
        with pytest.raises(lc.LcshapError, match="Expected a masker, got"):
            lc.Explainer(pipeline, "words")
        logits = lambda texts: np.array([[3.0, -1.0]] * len(texts))  # noqa: E731
        with pytest.raises(lc.LcshapError, match="logits"):
            lc.explain(logits, TEXT, kind="probabilities")
        with pytest.raises(lc.LcshapError, match="kind"):
            lc.explain(logits, TEXT)

    def test_a_failing_model_is_located_and_finished_work_is_kept(self):
        calls = []

        def fails(texts):
            calls.append(len(texts))
            if len(calls) > 3:
                raise RuntimeError("the server is gone")
            return [float(len(t)) for t in texts]

        with pytest.raises(
            lc.LcshapError, match=r"failed on a batch of 8 coalitions that starts with .*server"
        ) as error:
            lc.explain(fails, TEXT, method=lc.Shapley(), kind="output", batch_size=8)
        assert len(error.value.store) == 17  # two batches, and the full text before them


@pytest.fixture(scope="module")
def network():
    import torch

    torch.manual_seed(0)
    layers = (torch.nn.Conv2d(3, 4, 3), torch.nn.Tanh(), torch.nn.Flatten(), torch.nn.Linear(4 * 36, 5))
    return torch.nn.Sequential(*layers).double()


class TestImages:
    """A torch network on small images, by pixel, patch and region, by value and by gradient, and through ONNX."""

    x = np.random.default_rng(3).random((3, 8, 8))

    def test_units(self, network):
        for masker, d in (
            (lc.maskers.Image(channels="first"), 64),
            (lc.maskers.Image(patch=4, channels="first"), 4),
            (lc.maskers.Image(labels=np.arange(64).reshape(8, 8) // 20, channels="first"), 4),
        ):
            e = lc.Explainer(network, masker, lc.FeatureAblation(), kind="logits")(self.x)
            assert e.scores.shape == (d,)
            masked = masker.mask(self.x)
            gone = self.x.copy()
            gone[:, masked.labels == 2] = self.x.mean(axis=(1, 2))[:, None]
            assert e.scores[2] == pytest.approx(e.full_value - self.log_prob(network, gone), abs=1e-10)

    def log_prob(self, network, x):
        import torch

        with torch.no_grad():
            logs = torch.log_softmax(network(torch.tensor(np.stack([self.x, x]))), dim=1)
        return float(logs[1, logs[0].argmax()])

    def test_gradients_by_finite_differences(self, network):
        make = lambda method, **o: lc.Explainer(  # noqa: E731
            network, lc.maskers.Image(patch=4, channels="first", reference=0.0), method, kind="logits", **o
        )(self.x)
        e = make(lc.GradientInput())
        labels = lc.maskers.Image(patch=4, channels="first").mask(self.x).labels
        for unit in range(4):
            step = np.where(labels == unit, 1e-6, 0) * self.x
            slope = (self.log_prob(network, self.x + step) - self.log_prob(network, self.x - step)) / 2e-6
            assert e.scores[unit] == pytest.approx(slope, rel=1e-4)
        several = make(lc.Saliency(), target=[0, 3])
        assert several.scores.shape == (4, 2)
        assert (several.scores >= 0).all()

    def test_no_gradient(self, pipeline):
        with pytest.raises(lc.errors.MethodError, match="needs only values"):
            lc.explain(pipeline, TEXT, method=lc.Saliency())

    @pytest.mark.filterwarnings("ignore")
    def test_onnx_gives_the_same_scores(self, network, tmp_path):
        import copy

        import torch

        single = copy.deepcopy(network).float()
        x = self.x.astype(np.float32)
        path = str(tmp_path / "net.onnx")
        batch = {"input": {0: torch.export.Dim("batch")}}
        torch.onnx.export(single, (torch.zeros(2, 3, 8, 8),), path, dynamic_shapes=batch, verbose=False)
        masker = lc.maskers.Image(patch=2, channels="first")
        scores = [lc.Explainer(m, masker, lc.LShapley(1), kind="logits")(x).scores for m in (single, path)]
        np.testing.assert_allclose(scores[0], scores[1], atol=1e-4)

    def test_training_mode_is_left_as_it_was(self, network):
        import torch

        net = torch.nn.Sequential(torch.nn.Dropout(0.5), network)
        net.train()
        e = lc.Explainer(net, lc.maskers.Image(patch=4, channels="first"), lc.Shapley(), kind="logits")(self.x)
        assert net.training
        assert abs(e.residual) < 1e-10
        second_explanation = lc.Explainer(
            net, lc.maskers.Image(patch=4, channels="first"), lc.Shapley(), kind="logits"
        )(self.x)
        np.testing.assert_allclose(e.scores, second_explanation.scores, atol=1e-12)
