"""Every way to run a method gives the same, and no option is ignored."""

import time

import numpy as np
import pytest

import lcshap as lc

TEXT = "a good story and a dull end"
WORTH = {"good": 2.0, "dull": -1.0, "story": 0.5}


def model(texts):
    return [sum(WORTH.get(w, 0.1) for w in t.split()) + 0.7 * t.count("good story") for t in texts]


def explainer(method="auto", fn=model, **options):
    options.setdefault("batch_size", 32)  # else it is searched for, and the record differs
    return lc.Explainer(fn, lc.maskers.Text(), method, kind="output", **options)


class TestTheSameThroughEveryDoor:
    def test_lime_with_selected_features(self):
        method = lc.LIME(40, features=2)
        explain = explainer(method)
        game = explain.game(TEXT)
        explanations = [
            explain(TEXT),
            explain.many([TEXT])[0],
            explain.compare(TEXT, [method])[0],
            method.explain(game, game.graph),
            lc.run(method.plan(game.graph), game),
            list(explain.stream(TEXT))[-1],
        ]
        for e in explanations:
            assert np.count_nonzero(e.scores) == 2
            assert e.scores.tolist() == explanations[0].scores.tolist()
            assert e.stderr is None

    def test_compare_takes_names(self):
        names = ["shapley", "auto", "kernel-shap", lc.LShapley(1)]
        explanations = explainer(budget=40, seed=3).compare(TEXT, names)
        assert [e.provenance["name"] for e in explanations] == [
            "shapley",
            "graph-kernel-shap",
            "kernel-shap",
            "l-shapley",
        ]
        assert explanations[2].provenance["parameters"] == {"budget": 40, "seed": 3}
        assert explanations[0].scores.tolist() == explainer("shapley")(TEXT).scores.tolist()

    def test_compare_wants_a_list(self):
        with pytest.raises(lc.errors.OptionError, match="Put it in brackets"):
            explainer().compare(TEXT, "shapley")

    def test_locality(self):
        explain = explainer()
        locality = explain.locality(TEXT, [lc.LShapley(1)], budget=100)
        game = explain.game(TEXT)
        assert locality.distances == lc.locality(game, game.graph, [lc.LShapley(1)], budget=100).distances
        with pytest.raises(lc.errors.OptionError, match=r"got Explainer and str.*explainer.locality\(x\)"):
            lc.locality(explain, TEXT)

    def test_previews_of_every_method(self):
        graph = lc.maskers.Text().mask(TEXT).graph
        for kind in lc.METHODS.values():
            method = kind.examples()[0]
            if "budget" in method.parameters and method.parameters["budget"] < 2 * graph.d:
                continue
            preview = explainer(method).preview(TEXT)
            assert str(method.for_graph(graph)) in preview
            assert f"{method.cost(graph).calls:,}" in preview

    def test_stream_tolerance_and_top(self):
        explain = explainer("sample-shapley", budget=120)
        calls = [e.calls for e in explain.stream(TEXT)]
        assert len(calls) > 1
        assert calls == sorted(calls)
        assert list(explain.stream(TEXT))[-1] == explain(TEXT)
        loose = explainer("sample-shapley", budget=120, tolerance=5.0)(TEXT)
        assert loose.provenance["stopped"] == "tolerance"
        assert loose.calls < calls[-1]
        first = explainer("sample-shapley", budget=120, top=1)([TEXT, TEXT])
        assert [e.provenance["stopped"] for e in first] == ["top", "top"]
        with pytest.raises(lc.errors.MethodError, match="fixed number of calls"):
            explainer("shapley", tolerance=1.0)(TEXT)


class TestNoOptionIsIgnored:
    @pytest.mark.parametrize(
        ("options", "says"),
        [
            (
                {"method": lc.GraphKernelSHAP(56), "budget": 400},
                "Expected budget once, got GraphKernelSHAP.*, which has its own, and budget=400",
            ),
            (
                {"method": lc.GraphKernelSHAP(56), "seed": 1},
                "Expected seed once, got GraphKernelSHAP.*, which has its own, and seed=1",
            ),
            (
                {"method": lc.Shapley(), "seed": 1},
                r"Expected a method that samples with a seed, got Shapley\(\), which is deterministic",
            ),
            (
                {"method": "shapley", "seed": 1},
                "Expected a method that samples with a seed, got shapley, which is deterministic",
            ),
            (
                {"method": lc.Shapley(), "goal": "fair"},
                r"Expected method='auto' with goal='fair', got Shapley\(\), which answers a question of its own",
            ),
            (
                {"method": "kernel-shap", "goal": "necessary"},
                "Expected method='auto' with goal='necessary', got kernel-shap, which answers a question of its own",
            ),
            ({"method": lc.Shapley(), "goal": "nonsense"}, "Expected one of .* as goal"),
            ({"goal": "nonsense"}, "Expected one of .* as goal"),
            ({"batch_size": 0}, "Expected batch_size as an integer of at least 1"),
            ({"max_calls": 0}, "Expected max_calls as an integer of at least 1"),
            ({"seed": -1}, "Expected seed as an integer of at least 0"),
            ({"seed": 1.5}, "Expected seed as an integer of at least 0"),
            ({"budget": "5x"}, "Expected a budget such as 300"),
            ({"budget": "9" * 400 + "d"}, "Expected a budget such as 300"),
            ({"tolerance": 0}, "Expected a positive tolerance"),
            ({"top": 0}, "Expected top as an integer of at least 1"),
            ({"confidence": 1.0}, "Expected a confidence between 0 and 1"),
            ({"method": "magic"}, "name of a method, got 'magic'"),
            ({"method": 3}, "Expected a method, its name or 'auto', got 3"),
            ({"store": {}}, "Expected a store"),
        ],
    )
    def test_refused_before_the_model_is_called(self, options, says):
        with pytest.raises(lc.errors.OptionError, match=says):
            explainer(**options)

    @pytest.mark.parametrize("method", ["shapley", lc.Shapley()])
    def test_a_budget_that_cannot_be_kept_names_the_cost(self, method):
        asked = []
        with pytest.raises(
            lc.errors.BudgetError, match=r"Expected a budget of at least 128 calls for Shapley\(\) on 7 units, got 5"
        ) as info:
            explainer(method, lambda texts: asked.extend(texts) or model(texts), budget=5)(TEXT)
        assert info.value.min_calls == 128
        assert not asked
        assert explainer(method, budget=128)(TEXT).calls == 128

    def test_an_explainer_is_frozen_and_has_a_repr(self):
        explain = explainer(lc.LShapley(2), batch_size=8)
        with pytest.raises(AttributeError):
            explain.execution.batch_size = 9
        assert (
            repr(explain)
            == "Explainer(model, Text(), LShapley(order=2), kind='output', execution=Execution(batch_size=8))"
        )

    def test_everything_after_the_method_goes_by_name(self):
        with pytest.raises(TypeError):
            lc.Explainer(model, lc.maskers.Text(), "auto", "fair")


class Steady:
    """A model that takes the same time for every row."""

    def __init__(self, seconds):
        self.seconds, self.rows = seconds, 0

    def __call__(self, texts):
        self.rows += len(texts)
        time.sleep(self.seconds * len(texts))
        return model(texts)


@pytest.fixture
def virtual_time(monkeypatch):
    """Time passes only while the model sleeps, so that the load of the machine does not matter."""
    now = [1000.0]

    def sleep(seconds):
        now[0] += seconds

    monkeypatch.setattr(time, "sleep", sleep)
    for clock in ("monotonic", "perf_counter"):
        monkeypatch.setattr(time, clock, lambda: now[0])


@pytest.mark.usefixtures("virtual_time")
class TestSeconds:
    def test_rows_that_are_timed_are_kept_and_counted(self):
        steady = Steady(0.002)
        e = explainer(fn=steady, budget="0.6s")("one two three four five six seven eight nine ten eleven twelve")
        assert e.rows == steady.rows
        assert e.provenance["chosen"]["seconds"] == 0.6
        assert 100 < e.calls <= 300

    def test_too_few_seconds_are_answered_in_seconds(self):
        with pytest.raises(
            lc.errors.BudgetError,
            match=r"Expected a budget for at least .* calls, about .* s, got 0\.02 s.*Give more seconds",
        ):
            explainer(fn=Steady(0.01), budget="0.02s")("one two three four five six seven eight nine ten eleven twelve")
        with pytest.raises(
            lc.errors.BudgetError,
            match=r"Expected a budget for at least 4,096 calls, about .* s, got 0\.1 s.*Give more seconds",
        ):
            explainer("shapley", Steady(0.005), budget="0.1s")(
                "one two three four five six seven eight nine ten eleven twelve"
            )

    def test_a_path_ends_in_time(self):
        steady = Steady(0.002)
        e = explainer(fn=steady, budget="0.5s", goal="necessary")(" ".join(f"w{i}" for i in range(40)))
        assert e.rows == steady.rows <= 260

    def test_calls_need_no_model_and_seconds_do(self):
        assert "graph" in explainer(budget="4d").preview(TEXT).lower()
        assert "0.5 s" in explainer(budget="0.5s").preview(TEXT)


class TestEqualRows:
    def test_equal_texts_are_evaluated_once(self):
        asked = []
        e = explainer("shapley", lambda texts: asked.extend(texts) or model(texts))("very very bad")
        assert e.calls == 8
        assert len(asked) == len(set(asked)) == e.rows == 6

    def test_a_column_that_equals_its_reference(self):
        rows = []
        fn = lambda x: rows.extend(map(tuple, x)) or x.sum(axis=1)  # noqa: E731
        e = lc.Explainer(fn, lc.maskers.Tabular([0.0, 1.0, 2.0]), "shapley", kind="output")([5.0, 1.0, 7.0])
        assert (e.calls, e.rows) == (8, 4)
        assert len(rows) == len(set(rows)) == 4
        assert e.scores == pytest.approx([5, 0, 5])

    def test_background_rows_count(self):
        background = np.arange(6.0).reshape(3, 2)
        e = lc.Explainer(lambda x: x.sum(axis=1), lc.maskers.Tabular(background), "shapley", kind="output")([9.0, 9.0])
        assert (e.calls, e.rows) == (4, 10)  # the full input is one row


class TestCheck:
    def test_a_model_of_noise_is_found(self):
        rng = np.random.default_rng(0)
        noise = lambda texts: rng.normal(size=len(texts))  # noqa: E731
        assert explainer("shapley", noise)(TEXT).calls == 128  # without a word
        with pytest.raises(
            lc.errors.ModelError,
            match=r"Expected the same answer for the same row, got .* and then .* for the full input",
        ):
            explainer("shapley", noise, check=True)(TEXT)

    def test_rows_that_depend_on_their_batch(self):
        batch = lambda texts: [len(t) - np.mean([len(u) for u in texts]) for t in texts]  # noqa: E731
        with pytest.raises(lc.errors.ModelError, match="a row does not depend on the other rows of its batch"):
            explainer("shapley", batch, check=True)(TEXT)

    def test_a_good_model_passes_and_the_rows_are_counted(self):
        asked = []
        e = explainer("shapley", lambda texts: asked.extend(texts) or model(texts), check=True)(TEXT)
        assert len(asked) == e.rows > 128
        assert e.scores.tolist() == explainer("shapley")(TEXT).scores.tolist()


class TestManyInputs:
    def test_arrays_frames_and_generators(self):
        X = np.arange(12.0).reshape(4, 3)
        explain = lc.Explainer(lambda x: x.sum(axis=1), lc.maskers.Tabular(np.zeros(3)), "shapley", kind="output")
        for inputs in (X, list(X), tuple(X), iter(X), (row for row in X), X[:10]):
            assert [e.scores.tolist() for e in explain(inputs)] == [pytest.approx(row) for row in X]
        assert isinstance(explain(X[1]), lc.Explanation)
        assert explain(X[:0]) == []

    def test_images_in_a_stack(self):
        X = np.random.default_rng(0).random((3, 2, 2, 3))
        explain = lc.Explainer(
            lambda x: x.sum(axis=(1, 2, 3)), lc.maskers.Image(reference=0.0, channels="last"), "shapley", kind="output"
        )
        assert [e.scores.sum() for e in explain(X)] == [pytest.approx(x.sum()) for x in X]

    def test_one_bad_input_does_not_stop_the_others(self):
        with pytest.raises(
            lc.Unfinished,
            match=r"Input 1 cannot be explained: Expected a text with at least one word, got ''.*nothing",
        ) as info:
            explainer("shapley")([TEXT, "", "good"])
        assert [type(e).__name__ for e in info.value.explanations] == ["Explanation", "MaskerError", "Explanation"]
        kept = explainer("shapley")([TEXT, "", "good"], errors="keep")
        assert [type(e).__name__ for e in kept] == ["Explanation", "MaskerError", "Explanation"]
        assert kept[0] == info.value.explanations[0] == explainer("shapley")(TEXT)

    def test_a_model_that_fails_on_one_input(self):
        def picky(texts):
            if any("bad" in t for t in texts):
                raise RuntimeError("no bad words")
            return model(texts)

        texts = [TEXT, "a bad end", "good story"]
        kept = explainer("shapley", picky, batch_size=16)(texts, errors="keep")
        assert [isinstance(e, lc.Explanation) for e in kept] == [True, False, True]
        assert "input 1" in str(kept[1])
        assert "no bad words" in str(kept[1])
        assert kept[2] == explainer("shapley", batch_size=16)("good story")
        with pytest.raises(lc.errors.RunFailedError, match="input 1"):
            explainer("shapley", picky, batch_size=1)(texts)

    def test_all_bad_is_raised_as_it_is(self):
        with pytest.raises(lc.errors.MaskerError, match="nothing to explain"):
            explainer("shapley")(["", " "])
        with pytest.raises(lc.errors.OptionError, match="Expected errors='raise' or errors='keep', got"):
            explainer("shapley")([TEXT], errors="ignore")

    def test_inputs_are_finished_one_after_the_other(self, monkeypatch):
        from lcshap.explainer import job

        monkeypatch.setattr(job, "_WINDOW_ROWS", 64)
        rows = []

        def fails(texts):
            rows.extend(texts)
            if len(rows) > 1000:
                raise RuntimeError("gone")
            return model(texts)

        texts = [f"{TEXT} {i}" for i in range(20)]
        with pytest.raises(lc.errors.RunFailedError) as info:
            explainer("kernel-shap", fails, budget=64)(texts)
        done = [e is not None for e in info.value.explanations]
        assert sum(done) >= 1000 // 64 - 1
        assert done == sorted(done, reverse=True)
