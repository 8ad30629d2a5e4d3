"""What users get wrong, end to end: each a clear error or the right answer, and nothing finished is lost."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

import lcshap as lc
from lcshap.adapters import CallableModel, TorchModel
from lcshap.core.table_method import TableMethod

TEXT = "one two three four five six"
WORDS = TEXT.split()
TABLE_METHODS = [name for name, kind in lc.METHODS.items() if issubclass(kind, TableMethod)]
MORE = ("saliency", "gradient-input", "receptive-shapley", *TABLE_METHODS)  # methods that need more than values


def worth(texts):
    """No sum over words: neighbours count too."""
    return [sum((WORDS.index(w) + 1.0) ** 2 for w in t.split()) + 3.0 * t.count("three four") for t in texts]


class Breaks:
    """A model that fails after some rows, once or for good."""

    def __init__(self, after, error=None):
        self.left, self.error, self.rows = after, error or RuntimeError("the server is gone"), []

    def __call__(self, texts):
        if self.left is not None and len(self.rows) + len(texts) > self.left:
            raise self.error
        self.rows += texts
        return worth(texts)

    def mend(self):
        self.left = None


class TestTexts:
    model = staticmethod(lambda texts: [[0.0, float(len(t))] for t in texts])

    @pytest.mark.parametrize("text", ["", "   \n\t "])
    def test_empty(self, text):
        with pytest.raises(
            lc.errors.MaskerError, match=r"Expected a text with at least one word, got .*nothing to explain"
        ):
            lc.explain(self.model, text, kind="logits")

    @pytest.mark.parametrize("method", sorted({*lc.METHODS} - {*MORE, "lime"}))
    def test_one_word_has_all_of_the_value(self, method):
        e = lc.explain(self.model, "word", method=method, kind="logits", target=1, budget=8)
        share = 1 / 3 if method == "c-shapley" else 1.0  # its printed weights are 2 / ((s + 1)(s + 2)), s = 1
        assert e.scores == pytest.approx([share * (e.full_value - e.base_value)])
        assert e.full_value == pytest.approx(-np.log1p(np.exp(-4)))

    def test_one_word_under_a_penalty(self):
        e = lc.explain(self.model, "word", method=lc.LIME(8), kind="logits", target=1)
        assert 0 < e.scores[0] < e.full_value - e.base_value

    def test_one_word_and_nothing_to_choose(self):
        assert lc.explain(self.model, "word", kind="logits").names == ("word",)

    def test_longer_than_the_model_takes(self):
        positions = torch.nn.Embedding(16, 4)
        ids = list(range(1, 21))

        class Limited(torch.nn.Module):
            def forward(self, x):
                return positions(torch.arange(x.shape[1])).sum(dim=(0, 1)) * x.float()[:, :2]

        with pytest.raises(lc.errors.ModelError, match=r"failed on the full input: IndexError"):
            lc.Explainer(Limited(), lc.maskers.Tokens(), lc.LShapley(1), kind="logits")(ids)
        with pytest.raises(lc.errors.MaskerError, match="Expected at most 16 tokens, the length of rows, got 20"):
            lc.Explainer(Limited(), lc.maskers.Tokens(length=16), lc.LShapley(1), kind="logits")(ids)


class TestOutputs:
    def test_logits_of_a_model_of_kind_probabilities(self):
        with pytest.raises(lc.errors.ModelError, match=r'Expected probabilities from the model, .*set kind="logits"'):
            lc.explain(lambda texts: [[3.0, -1.0] for _ in texts], TEXT, kind="probabilities")
        close = lambda texts: [[0.6, 0.6] for _ in texts]  # noqa: E731
        with pytest.raises(lc.errors.ModelError, match="Expected probabilities that sum to 1 from the model"):
            lc.explain(close, TEXT, kind="probabilities")

    def test_the_first_bad_coalition_is_named(self):
        bad = lambda texts: [[0.9, 0.4] if t == "two" else [0.5, 0.5] for t in texts]  # noqa: E731
        with pytest.raises(
            lc.errors.ModelError, match=r"Expected probabilities that sum to 1 .*\(the coalition \{1\}\)"
        ):
            lc.explain(bad, TEXT, method=lc.Shapley(), kind="probabilities", batch_size=5)
        nan = lambda texts: [np.nan if t == "two five" else 0.0 for t in texts]  # noqa: E731
        with pytest.raises(
            lc.errors.ModelError, match=r"failed on the coalition \{1, 4\}: Expected finite numbers .*nan"
        ):
            lc.explain(nan, TEXT, method=lc.Shapley(), kind="output", batch_size=7)

    def test_it_is_named_among_many_inputs_and_background_rows(self):
        background = np.zeros((3, 4))
        rows = np.arange(8.0).reshape(2, 4)
        nan = CallableModel(lambda x: np.where((x[:, 0] == 4) & (x[:, 1:] == 0).all(axis=1), np.nan, 0.0), "output")
        with pytest.raises(lc.errors.ModelError, match=r"the coalition \{0\}"):
            lc.Explainer(nan, lc.maskers.Tabular(background), lc.Shapley(), batch_size=10)(list(rows))

    def test_another_number_of_outputs_later(self):
        changes = lambda texts: np.zeros((len(texts), 2 if TEXT in texts else 3))  # noqa: E731
        with pytest.raises(lc.errors.ModelError, match="Expected 2 outputs, as at the full input, got 3"):
            lc.explain(changes, TEXT, method=lc.Shapley(), kind="logits")
        sizes = lambda texts: np.zeros((len(texts), 2 if len(texts) in (1, 16) else 3))  # noqa: E731
        with pytest.raises(lc.errors.ModelError, match="Expected 2 outputs, as at the full input, got 3"):
            lc.explain(sizes, TEXT, method=lc.Shapley(), kind="logits", batch_size=16)

    def test_no_such_class(self):
        three = lambda texts: np.zeros((len(texts), 3))  # noqa: E731
        with pytest.raises(lc.errors.ModelError, match="Expected a target from 0 to 2, got 3"):
            lc.explain(three, TEXT, kind="logits", target=3)
        with pytest.raises(lc.errors.ModelError, match="Expected a target from 0 to 2, got -1"):
            lc.explain(three, TEXT, kind="logits", target=-1)
        with pytest.raises(lc.errors.ModelError, match="Expected the name of a class as the target, got 'dog'"):
            lc.explain(three, TEXT, kind="logits", target="dog", classes=["cat", "cow", "hen"])

    def test_classes_of_the_model_name_the_targets(self):
        X = np.random.default_rng(0).normal(size=(60, 3))
        model = LogisticRegression().fit(X, np.where(X[:, 0] > 0, "yes", "no"))
        explain = lambda target: lc.Explainer(model, lc.maskers.Tabular(X[0]), lc.Shapley(), target=target)(X[1])  # noqa: E731
        assert explain("yes").scores.tolist() == explain(1).scores.tolist()
        assert explain("all").provenance["targets"] == ["no", "yes"]
        assert explain(("yes", "no")).provenance["targets"] == [["yes", "no"]]


class TestArrays:
    def test_nan_in_a_table(self):
        X = np.random.default_rng(0).normal(size=(20, 3))
        model = LogisticRegression().fit(X, X[:, 0] > 0)
        broken = X[0].copy()
        broken[1] = np.nan
        for background, x in ((X[:5], broken), (np.stack([X[0], broken]), X[3])):
            with pytest.raises(
                lc.errors.ModelError, match=r"contains NaN.*was given missing values: fill them in before"
            ):
                lc.Explainer(model, lc.maskers.Tabular(background), lc.Shapley())(x)
        with pytest.raises(
            lc.errors.MaskerError, match="one row of every column of the background, got none in column 1"
        ):
            lc.maskers.Tabular(np.stack([broken, broken]))
        infinite = np.where(np.isnan(broken), np.inf, broken)
        with pytest.raises(
            lc.errors.MaskerError, match="Expected finite numbers in x, got an infinite one in column '1'"
        ):
            lc.Explainer(model, lc.maskers.Tabular(X[:5]), lc.Shapley())(infinite)

    def test_an_image_of_another_size_than_its_reference(self):
        model = CallableModel(lambda x: x.sum(axis=(1, 2)), "output")
        explainer = lc.Explainer(model, lc.maskers.Image(reference=np.zeros((4, 4))), lc.FeatureAblation())
        with pytest.raises(
            lc.errors.MaskerError, match=r"Expected a reference of shape \(4, 5\), as the image has, got \(4, 4\)"
        ):
            explainer(np.ones((4, 5)))

    @pytest.mark.parametrize(
        ("x", "options", "error", "says"),
        [
            (
                np.zeros((0, 0, 3), np.uint8),
                {},
                lc.errors.MaskerError,
                r"Expected an image with pixels, got shape \(0, 0, 3\)",
            ),
            (np.zeros((1, 1, 3), np.uint8), {}, lc.errors.MaskerError, 'Give channels="last" or channels="first"'),
            (np.full((70, 70, 3), np.nan), {}, lc.errors.MaskerError, r"got an image with nan at \(0, 0, 0\)"),
            (np.zeros((1, 1, 70, 70, 3)), {}, lc.errors.MaskerError, r"Expected one image .*, got \(1, 1, 70, 70, 3\)"),
            (
                np.zeros((70, 70, 3), np.uint8),
                {"colours": 1},
                lc.errors.ModelError,
                "Expected images with 1 channels, got 3",
            ),
            (np.full((70, 70, 3), 0.5), {"scale": 1 / 255}, lc.errors.ModelError, "which look scaled already"),
            (
                np.full((70, 70, 3), -2.5),
                {"scale": 1 / 255},
                lc.errors.ModelError,
                "brings between 0 and 1, got float64 from",
            ),
            (np.zeros((70, 70, 3), np.uint8), {"mean": 0.5}, lc.errors.ModelError, "got uint8. Set scale=1/255"),
        ],
    )
    def test_images_that_are_none(self, x, options, error, says):
        model = lc.adapters.ImageModel(lambda rows: rows.mean(axis=(1, 2, 3)), "output", **options)
        with pytest.raises(error, match=says) as caught:
            lc.Explainer(model, lc.maskers.Image()).one(x)
        assert "\n" not in str(caught.value)

    def test_an_image_of_one_pixel_is_one_unit(self):
        model = CallableModel(lambda rows: rows.sum(axis=(1, 2, 3)), "output")
        for masker in (
            lc.maskers.Image(channels="last", reference=0),
            lc.maskers.Image(patch=9, channels="last", reference=0),
        ):
            assert lc.explain(model, np.ones((1, 1, 3)), masker).scores.tolist() == [3.0]

    def test_coalitions_of_another_input(self):
        some = lc.Coalitions.from_sets(3, [[0]])
        for masker, x in ((lc.maskers.Image(), np.ones((2, 2))), (lc.maskers.Tabular([0.0, 0.0]), [1.0, 2.0])):
            with pytest.raises(
                lc.errors.PlanError,
                match=r"Expected coalitions over the .* units of the input, got coalitions over 3 units",
            ):
                masker.mask(x).rows(some)

    def test_dropout_is_off_and_training_mode_is_restored(self):
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 2)).train()
        x = np.arange(4.0)
        a, b = (lc.Explainer(net, lc.maskers.Tabular(np.zeros(4)), lc.Shapley(), kind="logits")(x) for _ in range(2))
        assert a.scores.tolist() == b.scores.tolist()
        assert all(module.training for module in net.modules())


class TestFailure:
    def explainer(self, model, method, **options):
        return lc.Explainer(model, lc.maskers.Text(), method, kind="output", batch_size=8, **options)

    @pytest.mark.parametrize("method", [lc.Shapley(), lc.GraphKernelSHAP(40), lc.DeletionPath(30)], ids=str)
    def test_finished_answers_are_kept_and_not_computed_again(self, method):
        model = Breaks(after=20)
        explainer = self.explainer(model, method)
        with pytest.raises(lc.errors.ModelError, match=r"failed on .*server") as info:
            explainer(TEXT)
        assert "Call again with store=error.store" in info.value.__notes__[0]
        before = list(model.rows)
        assert TEXT in before
        model.mend()
        model.rows.clear()
        e = explainer(TEXT, store=info.value.store)
        assert not set(before) & set(model.rows)
        uninterrupted = self.explainer(Breaks(None), method)(TEXT)
        assert e.scores.tolist() == uninterrupted.scores.tolist()
        assert e.calls == uninterrupted.calls

    def test_ctrl_c(self):
        model = Breaks(after=20, error=KeyboardInterrupt())
        explainer = self.explainer(model, lc.Shapley())
        with pytest.raises(KeyboardInterrupt) as info:
            explainer(TEXT)
        model.mend()
        assert isinstance(info.value, lc.errors.Interrupted)
        assert abs(explainer(TEXT, store=info.value.store).residual) < 1e-9
        assert len(model.rows) == len(set(model.rows))

    def test_ctrl_c_in_a_path_stops_the_methods_after_it(self):
        methods = [lc.FeatureAblation(), lc.DeletionPath(60), lc.InsertionPath(60)]
        model = Breaks(after=14, error=KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            self.explainer(model, "auto").compare(TEXT, methods)
        assert len(model.rows) <= 14

    def test_many_inputs_some_of_them_finished(self):
        model = Breaks(after=14)
        explainer = self.explainer(model, lc.Shapley())
        texts = ["one two", TEXT]
        with pytest.raises(lc.errors.ModelError) as info:
            explainer(texts)
        short, long = info.value.explanations
        assert long is None
        assert short.scores == pytest.approx([1.0, 4.0])
        assert short.provenance["model"] == "CallableModel"
        model.mend()
        again = explainer(texts, store=info.value.store)
        assert again[0].scores.tolist() == short.scores.tolist()
        assert abs(again[1].residual) < 1e-9

    def test_part_of_a_batch_is_kept_if_the_error_has_answers(self):
        received = []

        class Remote(CallableModel):
            def predict(self, rows):
                received.extend(rows)
                answers = np.array(worth(rows))[:, None]
                if len(received) > 12 and len(rows) > 3 and self.down:
                    answers[3:] = np.nan
                    raise lc.errors.ModelError("lost", answers=answers)
                return answers

        model = Remote(worth, "output")
        model.down = True
        explainer = lc.Explainer(model, lc.maskers.Text(), lc.Shapley(), batch_size=8)
        with pytest.raises(lc.errors.ModelError, match="lost") as info:
            explainer(TEXT)
        model.down = False
        explainer(TEXT, store=info.value.store)
        repeated = [t for t in set(received) if received.count(t) > 1]
        assert len(repeated) == 5  # those that were lost


def test_float32_logits_do_not_round_small_differences_to_zero():
    """The log of a softmax in single precision cannot see a change that the logits show."""
    logits = lambda x: np.stack([x.sum(axis=1) * 1e-3 + 20, 0 * x[:, 0]], axis=1).astype(np.float32)  # noqa: E731
    x = np.ones(5)
    masker = lc.maskers.Tabular(np.zeros(5))
    model = CallableModel(logits, "logits")
    e = lc.Explainer(model, masker, lc.FeatureAblation(), target=0, value="log_prob")(x)
    single = torch.log_softmax(torch.tensor(logits(np.array([x, [0, 1, 1, 1, 1]]))), dim=1)[:, 0]
    assert single[0] == single[1]
    assert (e.scores > 0).all()


def test_a_torch_adapter_reports_the_wrong_shape():
    net = TorchModel(torch.nn.Linear(3, 2).double(), "logits")
    with pytest.raises(lc.errors.ModelError, match=r"failed on .*mat1 and mat2"):
        lc.Explainer(net, lc.maskers.Tabular(np.zeros(4)), lc.Shapley())(np.ones(4))
