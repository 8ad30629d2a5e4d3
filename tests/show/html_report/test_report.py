"""What is written: read back from the file by other means than the page's own."""

import ast
import base64
import hashlib
import json
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import lcshap as lc
from lcshap.core.explanation import Explanation
from lcshap.show.html_report import report
from lcshap.show.html_report.settings import python, rows
from lcshap.show.palette import PALETTES, hexadecimal

TYPES = {"u1": np.uint8, "u2": np.uint16, "i2": np.int16, "u4": np.uint32, "i4": np.int32, "f4": np.float32}
NASTY = [
    "<script>alert(1)</script>",
    '"onmouseover=alert(1) x="',
    "</style><style>*{color:red}</style>",
    "</script><img src=x onerror=alert(1)>",
    "<!--<script>",
    "&lt;b&gt; \u2028 \u2029 \x00 \ud800 %%data%%",
]


class Page(HTMLParser):
    """The elements of a page, and its blocks of JSON by id."""

    def __init__(self, path):
        super().__init__()
        self.path, self.source = path, path.read_text(encoding="utf-8")
        self.tags, self.texts, self.open = [], [], None
        self.feed(self.source)
        self.blocks = {a["id"]: json.loads(t) for tag, a, t in self.texts if a.get("type") == "application/json"}

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style", "title"):
            self.texts.append([tag, dict(attrs), ""])
            self.open = tag

    def handle_endtag(self, tag):
        self.open = None if tag == self.open else self.open

    def handle_data(self, data):
        if self.open:
            self.texts[-1][2] += data

    @property
    def samples(self):
        return self.blocks["index"]["samples"]

    def sample(self, i=0):
        return self.blocks[f"sample-{i}"]

    def pool(self, i):
        return self.blocks[f"pool-{i}"]


def unpack(text):
    return np.frombuffer(base64.b64decode(text[2:]), TYPES[text[:2]])


@pytest.fixture
def write(tmp_path):
    return lambda explanations, **options: Page(report(explanations, tmp_path / "page.html", **options))


def made(scores, names=None, view=None, provenance=None, **more):
    """An explanation without a model."""
    scores = np.asarray(scores, float)
    graph = lc.Graph.chain(len(scores), names=names or [f"unit {i}" for i in range(len(scores))])
    base, full = (0.0, float(scores.sum())) if scores.ndim == 1 else (np.zeros(scores.shape[1]), scores.sum(axis=0))
    record = {"method": "Shapley()", **(provenance or {})}
    return Explanation(scores, base, full, graph, 7, provenance=record, view=view, **more)


def text_view(text, units="word"):
    return lc.maskers.Text(units=units).mask(text).view


class TestNumbers:
    def test_scores_ranking_and_values(self, write, explain):
        e = explain("a good plot, but poor actors")
        page = write(e)
        entry = page.sample()["entries"][0]
        np.testing.assert_array_equal(unpack(entry["scores"]), e.scores.astype(np.float32))
        assert unpack(entry["ranking"]).tolist() == e.ranking.tolist()
        assert (entry["base"], entry["full"]) == pytest.approx((e.base_value, e.full_value), rel=1e-5)
        assert entry["residual"] == pytest.approx(float(e.residual), rel=1e-5)
        assert entry["curve"]["values"] == pytest.approx(e.curve["values"].tolist(), rel=1e-5)
        assert entry["curve"]["counts"] == e.curve["counts"].tolist()
        assert entry["curve"]["what"] == "log-odds of for"
        assert page.samples[0]["entries"] == [
            [0, "for", entry["full"], entry["residual"], pytest.approx(np.abs(e.scores).max(), rel=1e-5), e.calls]
        ]

    def test_ranks_that_float32_cannot_tell(self, write):
        e = made([1.0, 1.0 + 1e-12, 1.0 + 2e-12])
        assert unpack(write(e).sample()["entries"][0]["ranking"]).tolist() == [2, 1, 0]

    def test_the_order_of_a_path(self, write, explain):
        e = explain("good good bad film", lc.DeletionPath(40), curve=False)
        assert unpack(write(e).sample()["entries"][0]["ranking"]).tolist() == e.order.tolist()

    def test_interactions(self, write, explain):
        e = explain("a good plot and bad actors")
        entry = write(e).sample()["entries"][0]
        pairs = unpack(entry["pairs"]).reshape(-1, 2).tolist()
        assert sorted(pairs) == e.graph.edges.tolist()
        expected = [e.interactions.toarray()[i, j] for i, j in pairs]
        np.testing.assert_allclose(unpack(entry["interactions"]), expected, rtol=1e-6)

    def test_what_is_not_finite(self, write):
        entry = write(made([np.inf, 1.0, np.nan], stderr=np.array([np.inf, 1, 2]))).sample()["entries"][0]
        assert entry["full"] == "NaN"
        assert entry["largest"] == 1
        np.testing.assert_array_equal(unpack(entry["stderr"]), [np.inf, 1, 2])
        assert write(made([np.inf, 1.0])).sample()["entries"][0]["full"] == "Infinity"

    def test_saved_and_loaded_it_gives_the_same_page(self, explain, tmp_path):
        e = explain("great plot. poor end")
        loaded = lc.load(e.save(tmp_path / "e.json"))
        assert report(loaded, tmp_path / "a.html").read_bytes() == report(e, tmp_path / "b.html").read_bytes()


class TestSamples:
    def entries(self, page):
        methods = page.blocks["index"]["methods"]
        return [[(methods[m], output) for m, output, *_ in sample["entries"]] for sample in page.samples]

    def test_methods_of_one_input_are_one_sample(self, write, explain):
        texts = ["good plot", "bad plot"]
        page = write(explain(texts, lc.LShapley(1)) + explain(texts, lc.Shapley()))
        one = [("LShapley(order=1, context='absent', interactions=False)", "for"), ("Shapley()", "for")]
        assert self.entries(page) == [one, one]
        assert [sample["text"] for sample in page.samples] == texts

    def test_names_given_for_methods(self, write, explain):
        texts = ["good plot", "bad plot"]
        page = write({"ours": explain(texts, lc.LShapley(1)), "exact": explain(texts[0], lc.Shapley())})
        assert self.entries(page) == [[("ours", "for"), ("exact", "for")], [("ours", "for")]]

    def test_outputs_and_targets(self, write, explain):
        both = explain("good plot", lc.Shapley(), target="all", curve=False)
        single = explain("good plot", lc.Shapley(), target=("for", "against"), curve=False)
        page = write([both, single])
        assert self.entries(page) == [[("Shapley()", name) for name in ("against", "for", "for - against")]]
        for k, entry in enumerate(page.sample()["entries"][:2]):
            np.testing.assert_array_equal(unpack(entry["scores"]), both.scores[:, k].astype(np.float32))
            assert entry["full"] == pytest.approx(both.full_value[k], rel=1e-5)
        nameless = made([[1.0, 2.0], [3.0, 4.0]])
        assert self.entries(write(nameless)) == [[("Shapley()", "output 0"), ("Shapley()", "output 1")]]
        alike = made([[1.0, 2.0], [3.0, 4.0]], provenance={"targets": ["x", "x"]})
        assert self.entries(write(alike)) == self.entries(write(nameless))
        picked = both.output(1)
        assert self.entries(write(picked)) == [[("Shapley()", "for")]]

    def test_the_same_method_again_is_another_sample(self, write, explain):
        twice = [explain("good plot", m) for m in (lc.Shapley(), lc.LShapley(1), lc.Shapley(), lc.LShapley(1))]
        assert [len(sample) for sample in self.entries(write(twice))] == [2, 2]

    def test_inputs_without_a_view(self, write):
        game = lc.Game(lambda kept: kept @ np.array([1.0, 2.0, 4.0]), 3)
        other = lc.Game(lambda kept: kept @ np.array([1.0, 2.0, 5.0]), 3)
        graph = lc.Graph.chain(3, names=["a", "b", "c"])
        page = write([m.explain(g, graph) for g in (game, other) for m in (lc.Shapley(), lc.LShapley(1))])
        assert [len(sample) for sample in self.entries(page)] == [2, 2]
        assert [sample["kind"] for sample in page.samples] == ["bars", "bars"]
        assert page.pool(page.samples[0]["names"]) == ["a", "b", "c"]

    def test_images_differ_by_their_pixels(self, write):
        masker, model = lc.maskers.Image(), lambda x: np.asarray(x).sum(axis=(1, 2))
        images = [np.zeros((2, 2)), np.array([[0.0, 0.0], [0.0, 1.0]])]
        page = write(lc.Explainer(model, masker, lc.Shapley(), kind="output")([*images, images[0]]))
        assert len(page.samples) == 3  # the first again, by the same method
        assert len({sample["names"] for sample in page.samples}) == 1


class TestPictures:
    @pytest.mark.parametrize("text", ["plain words here", "👩‍👩‍👧 two 𝒳𝒴 words", "中文很好 and 𠀀 more", " \n lead"])
    def test_spans_count_as_javascript_does(self, write, text):
        view = text_view(text)
        names = [text[s:e] for s, e in view["spans"]]
        page = write(made(np.arange(len(names)), names, view))
        wide = page.samples[0]["text"].encode("utf-16-le")
        spans = unpack(page.sample()["picture"]["spans"]).reshape(-1, 2)
        assert [wide[2 * s : 2 * e].decode("utf-16-le") for s, e in spans] == names
        assert "names" not in page.samples[0]

    def test_sentences(self, write):
        text = "It is bad. It just sucks! Really?\n\nYes"
        view = text_view(text)
        picture = write(made(np.zeros(len(view["spans"])), None, view)).sample()["picture"]
        expected = lc.maskers.Text(units="sentence").mask(text).spans
        assert unpack(picture["sentences"]).reshape(-1, 2).tolist() == [list(span) for span in expected]

    @pytest.mark.parametrize(("text", "units"), [("only one sentence.", "word"), ("One. Two.", "sentence")])
    def test_no_sentences_where_they_add_nothing(self, write, text, units):
        view = text_view(text, units)
        assert "sentences" not in write(made(np.zeros(len(view["spans"])), None, view)).sample()["picture"]

    def test_no_sentences_where_units_reach_over_them(self, write):
        view = lc.maskers.Text(splitter=r"\w+\W+\w+|\w+").mask("One two. Three. Four five six. Seven").view
        assert "sentences" not in write(made(np.zeros(len(view["spans"])), None, view)).sample()["picture"]

    def test_units_of_several_words(self, write, explain):
        e = explain("good plot. bad end").group([0, 0, 1, 1], names=["first", "second"])
        page = write(e)
        assert page.pool(page.samples[0]["names"]) == ["first", "second"]
        assert unpack(page.pool(page.sample()["picture"]["labels"])).tolist() == [0, 0, 1, 1]

    @pytest.mark.parametrize(
        ("image", "expected"),
        [
            (np.array([[0, 7], [200, 255]], np.uint8), [0, 7, 200, 255]),
            (np.array([[0.0, 0.2], [0.4, 0.5]]), [0, 51, 102, 128]),
            (np.array([[-1.0, 0.0], [1.0, 3.0]]), [0, 64, 128, 255]),
            (np.arange(12, dtype=np.uint8).reshape(2, 2, 3), list(range(12))),
            (np.array([[False, True], [True, True]]), [0, 255, 255, 255]),
        ],
    )
    def test_image(self, write, image, expected):
        view = lc.maskers.Image(reference=0, channels="last").mask(image).view
        page = write(made([1.0, 2.0, 3.0, 4.0], None, view))
        picture = page.sample()["picture"]
        assert unpack(picture["image"]).tolist() == expected
        assert (picture["height"], picture["width"], picture["channels"]) == (2, 2, len(expected) // 4)

    @pytest.mark.parametrize(("reference", "expected"), [(9, [9]), (np.array([[1, 2], [3, 4]]), [1, 2, 3, 4])])
    def test_reference(self, write, reference, expected):
        view = lc.maskers.Image(reference=reference).mask(np.zeros((2, 2), np.uint8)).view
        picture = write(made([1.0, 2.0, 3.0, 4.0], None, view)).sample()["picture"]
        assert unpack(picture["reference"]).tolist() == expected

    def test_labels_of_patches(self, write):
        view = lc.maskers.Image(patch=2).mask(np.zeros((4, 4))).view
        page = write(made([1.0, 2.0, 3.0, 4.0], None, view))
        labels = unpack(page.pool(page.sample()["picture"]["labels"])).reshape(4, 4)
        assert labels.tolist() == [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3], [2, 2, 3, 3]]

    def test_series(self, write):
        series = np.array([[0.5, 1.5, 2.5, 3.5], [9.0, 8.0, 7.0, 6.0]])
        view = lc.maskers.Series(window=2, by_channel=True, channels="first", names=["x", "y"]).mask(series).view
        page = write(made([1.0, 2.0, 3.0, 4.0], None, view))
        picture = page.sample()["picture"]
        assert unpack(picture["series"]).reshape(4, 2).T.tolist() == series.tolist()
        assert picture["channels"] == ["x", "y"]
        assert unpack(page.pool(picture["labels"])).reshape(4, 2).T.tolist() == [[0, 0, 1, 1], [2, 2, 3, 3]]

    def test_bytes(self, write):
        view = lc.maskers.Bytes(4).mask(bytes(range(10))).view
        picture = write(made([1.0, 2.0, 3.0], None, view)).sample()["picture"]
        assert unpack(picture["bytes"]).tolist() == list(range(10))
        assert unpack(picture["spans"]).tolist() == [0, 4, 4, 8, 8, 10]

    def test_table(self, write):
        view = lc.maskers.Tabular([0, 0, 0], names=["age", "dose", "sex"], pin=["dose"]).mask([70.5, 1 / 3, 1]).view
        page = write(made([1.0, 2.0], ["age", "sex"], view))
        picture = page.sample()["picture"]
        assert page.pool(picture["columns"]) == ["age", "dose", "sex"]
        assert picture["values"] == [70.5, 0.333333, 1.0]
        assert unpack(page.pool(picture["labels"])).tolist() == [0, -1, 1]

    def test_molecule(self, write):
        masked = lc.maskers.Molecule().mask("C[N+](C)(C)CC(=O)O")
        page = write(made(np.arange(8), None, masked.view))
        picture = page.sample()["picture"]
        symbols = ["", ["N", 0, 1], "", "", "", "", ["O", 0, 0], ["O", 1, 0]]
        assert picture["symbols"] == [s or ["", 0, 0] for s in symbols]
        bonds = unpack(picture["bonds"]).reshape(-1, 3).tolist()
        assert sorted(sorted(b[:2]) for b in bonds) == masked.graph.edges.tolist()
        assert [b[2] for b in bonds if set(b[:2]) == {5, 6}] == [2]
        places = unpack(picture["places"]).reshape(-1, 2)
        lengths = [np.hypot(*(places[a] - places[b])) for a, b, _ in bonds]
        assert len(np.unique(places, axis=0)) == 8
        assert max(lengths) < 1.2 * min(lengths)
        assert page.samples[0]["name"] == "C5H12NO2+"

    def test_molecule_without_rdkit(self, write, monkeypatch):
        view = lc.maskers.Molecule().mask("CCO").view
        monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
        page = write(made([1.0, 2.0, 3.0], ["C0", "C1", "O2"], view))
        assert page.sample()["picture"] == {"kind": "bars"}
        assert page.pool(page.samples[0]["names"]) == ["C0", "C1", "O2"]

    def test_a_kind_of_input_that_is_not_known(self, write):
        view = {"kind": "sound", "labels": np.arange(2)}
        assert write(made([1.0, 2.0], None, view)).sample()["picture"] == {"kind": "bars"}


class TestSafety:
    def test_nothing_but_the_own_script_and_style_is_allowed(self, write, explain):
        page = write(explain("good plot"))
        policy = next(a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        assert rules["default-src"] == "'none'"
        running = {tag: t for tag, a, t in page.texts if a.get("type") != "application/json" and tag != "title"}
        for tag, rule in (("script", "script-src"), ("style", "style-src")):
            digest = base64.b64encode(hashlib.sha256(running[tag].encode()).digest()).decode()
            assert rules[rule] == f"'sha256-{digest}'"
        assert not any(name == "style" or name.startswith("on") for _, a in page.tags for name in a)
        assert not any("src" in a or a.get("href", "#").startswith("#") is False for _, a in page.tags)
        assert set(re.findall(r"https?://[^\s\"']+", page.source)) == {"http://www.w3.org/2000/svg"}
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", page.source)

    @pytest.mark.parametrize("nasty", NASTY)
    def test_any_text_anywhere_stays_text(self, write, nasty):
        harmless = write(made([1.0], ["x"], text_view("x"))).tags
        e = made(
            [1.0],
            [nasty],
            {**text_view("x"), "text": nasty},
            {"method": nasty, nasty: {nasty: nasty}, "targets": [nasty], "masker": nasty, "versions": {nasty: nasty}},
            curve={"percents": np.array([0.0]), "counts": np.array([0]), "values": np.zeros(1), "what": nasty},
        )
        page = write(e, title=nasty)
        assert [tag for tag, a in page.tags if not a.get("id", "").startswith("pool")] == [
            tag for tag, a in harmless if not a.get("id", "").startswith("pool")
        ]
        assert page.blocks["index"]["title"] == nasty
        assert page.blocks["index"]["methods"] == [nasty]
        assert page.samples[0]["text"] == nasty
        assert page.samples[0]["entries"][0][1] == nasty
        assert page.pool(page.samples[0]["names"]) == [nasty]
        entry = page.sample()["entries"][0]
        assert entry["curve"]["what"] == nasty
        assert [nasty, f"{nasty} = {nasty}"] in entry["settings"]
        data = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page.source)
        assert len(data) == len(page.blocks)
        assert not any(re.search("[<>&\u2028\u2029]", block) for block in data)


class TestSettings:
    def test_rows(self):
        e = lc.SampleShapley(30, seed=5).explain(lc.Game(lambda k: k.sum(axis=1) * 1.0, 3), lc.Graph.chain(3))
        found = dict(rows(e.provenance))
        assert found["seed"] == "5"
        assert found["method"] == "SampleShapley(budget=30, seed=5)"
        assert found["versions"].startswith("lcshap ")
        assert "parameters" not in found
        assert "draws nothing" in dict(rows(made([1.0], provenance={"parameters": {}}).provenance))["seed"]

    @pytest.mark.parametrize("method", [lc.GraphKernelSHAP(40, seed=3), lc.CShapley(2), lc.SampleShapley(40, seed=2)])
    @pytest.mark.parametrize("target", ["for", ("for", "against"), ["against", "for"]])
    def test_the_snippet_makes_the_same_scores(self, opinion, explain, method, target):
        text = "a good plot and poor actors"
        e = explain(text, method, target=target, curve=False, value="log_odds")
        assert run_snippet(e, {"model": opinion, "x": text}) == e

    def test_the_snippet_of_outputs_and_of_rescaled_scores(self):
        def length(texts):
            return [1.0 * len(t) ** 2 for t in texts]

        e = lc.Explainer(length, lc.maskers.Text(absent="_"), lc.LShapley(1), kind="output", curve=True)("one or two")
        assert run_snippet(e, {"model": length, "x": "one or two"}) == e
        assert run_snippet(e.rescaled(), {"model": length, "x": "one or two"}) == e.rescaled()

    def test_the_snippet_of_a_game(self):
        game, graph = lc.Game(lambda k: k.sum(axis=1) ** 2.0, 4), lc.Graph.ring(4)
        e = lc.LShapley(1).explain(game, graph)
        assert run_snippet(e, {"game": game, "graph": graph}) == e

    def test_what_a_repr_leaves_out_is_said(self):
        text = python({"masker": str(lc.maskers.Tabular([0, 0])), "method": "Shapley()"})
        assert "lc.maskers.Tabular(graph=None, names=None, pin=(), drop=()),  # with its background, if any" in text

    @pytest.mark.parametrize(
        "record",
        [
            {"method": "__import__('os').system('true')", "masker": "Text()\nimport os"},
            {"method": "LIME(print(1))", "masker": "os()"},
            {"method": "Shapley()", "versions": {"a\nimport os": "\rimport os"}, "graph": "x\nimport os"},
            {"masker": "Text(", "value": "f\nimport os", "targets": ["'),\nimport os"], "kind": "x'\nimport os"},
            {"masker": 5, "method": None, "model": "m\nimport os", "versions": "1.0\nimport os"},
        ],
    )
    def test_a_record_cannot_become_code(self, record):
        tree = ast.parse(python(record))
        assert [n.names[0].name for n in ast.walk(tree) if isinstance(n, ast.Import)] == ["lcshap"]
        calls = {ast.unparse(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
        assert calls <= {"lc.Explainer", "lc.Shapley", "explainer", "method.explain"}


def run_snippet(e, given):
    """Run the snippet of an explanation with what it leaves open."""
    lines = [line for line in python(e.provenance, e.curve is not None).splitlines()]
    lines = [line for line in lines if line.partition(" = ")[0] not in given]
    scope = dict(given)
    exec("\n".join(lines), scope)
    return scope["e"]


class TestReport:
    def test_returns_where_it_wrote(self, tmp_path):
        path = report(made([1.0]), str(tmp_path / "one.htm"))
        assert path == tmp_path / "one.htm"
        assert path.read_text(encoding="utf-8").startswith("<!doctype html>")

    def test_titles(self, write):
        assert [t for tag, _, t in write(made([1.0])).texts if tag == "title"] == ["Explanation"]
        assert write([made([1.0]), made([2.0])]).blocks["index"]["title"] == "2 explanations"
        assert write(made([1.0]), title="Mine & yours").blocks["index"]["title"] == "Mine & yours"

    @pytest.mark.parametrize("name", PALETTES)
    def test_palettes(self, write, name):
        style = next(t for tag, _, t in write(made([1.0]), palette=name).texts if tag == "style")
        for colour in vars(PALETTES[name]).values():
            assert hexadecimal(colour) in style

    def test_a_thousand_texts_of_300_words_are_small(self, tmp_path):
        draw = np.random.default_rng(0)
        words = ["".join(draw.choice(list("abcdefghij"), 6)) for _ in range(500)]
        graph = lc.Graph.chain(300)
        masker, explanations = lc.maskers.Text(), []
        for _ in range(200):  # a fifth of them
            view = masker.mask(" ".join(draw.choice(words, 300))).view
            scores = draw.normal(size=300)
            explanations.append(Explanation(scores, 0.0, scores.sum(), graph, 900, {"method": "Shapley()"}, view=view))
        assert report(explanations, tmp_path / "many.html").stat().st_size < 10_000_000 / 5

    def test_names_of_pixels_are_stored_once(self, tmp_path):
        draw, masker = np.random.default_rng(0), lc.maskers.Image()
        images = [draw.integers(0, 256, (28, 28), dtype=np.uint8) for _ in range(21)]
        views = [masker.mask(image).view for image in images]
        names = masker.mask(images[0]).graph.names
        sizes = [
            report([made(draw.normal(size=784), names, view) for view in some], tmp_path / "x.html").stat().st_size
            for some in (views[:1], views)
        ]
        assert (sizes[1] - sizes[0]) / 20 < 10_000

    @pytest.mark.parametrize(
        ("explanations", "message"),
        [
            ([], "there is nothing to report: give at least one explanation"),
            ({"a": []}, "there is nothing to report"),
            ([np.zeros(3)], "a report shows explanations, not ndarray"),
            ({"a": ["text"]}, "a report shows explanations, not str"),
        ],
    )
    def test_what_is_no_explanation(self, tmp_path, explanations, message):
        with pytest.raises(lc.MethodError, match=message):
            report(explanations, tmp_path / "page.html")

    def test_other_bad_input(self, tmp_path):
        with pytest.raises(lc.MethodError, match=r"ends in \.html, not 'page.pdf'"):
            report(made([1.0]), tmp_path / "page.pdf")
        with pytest.raises(lc.MethodError, match="there is no palette 'pink'"):
            report(made([1.0]), tmp_path / "page.html", palette="pink")
        with pytest.raises(
            lc.MethodError, match="a report shows explanations, not int: give what an Explainer returns"
        ):
            report(5, tmp_path / "page.html")
