"""Files: what is saved comes back, files of version 0.1 are read, and others are refused."""

import json
import time

import numpy as np
import pytest

import lcshap as lc
from lcshap.core import io
from lcshap.core.serialize import to_dict
from lcshap.core.views import KINDS
from support import NAMED_GRAPHS, table_game

GRAPH = lc.Graph.grid((2, 3), names=["a", "b", "a", "<script>", "ü", "文"])


def explained(outputs=None, method=None):
    return (method or lc.LShapley(1, interactions=True)).explain(table_game(6, seed=1, outputs=outputs)[0], GRAPH)


METHODS = [
    lc.LShapley(1, interactions=True),
    lc.SampleShapley(12),  # one pair: its standard errors are infinite
    lc.GraphKernelSHAP(30),
    lc.DeletionPath(20, flip_below=0.0),
]


class TestRoundTrip:
    @pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
    @pytest.mark.parametrize("outputs", [None, 2])
    def test_load_gives_back_what_was_saved(self, method, outputs, tmp_path):
        e = explained(outputs, method)
        back = lc.load(e.save(tmp_path / "e.json"))
        assert back == e
        assert type(back) is type(e)
        assert back.scores.tobytes() == e.scores.tobytes()
        assert back.ranking.tolist() == e.ranking.tolist()
        assert back.graph == e.graph
        assert back.provenance["parameters"] == e.provenance["parameters"]
        json.loads((tmp_path / "e.json").read_text(), parse_constant=lambda c: pytest.fail(f"{c} is not valid JSON"))

    @pytest.mark.parametrize("name", NAMED_GRAPHS)
    def test_any_graph(self, name, tmp_path):
        graph = NAMED_GRAPHS[name]
        e = lc.LShapley(1, interactions=True).explain(table_game(graph.d)[0], graph)
        assert lc.load(e.save(tmp_path / "e.json")) == e

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            ("no json", "Expected an explanation saved by lcshap"),
            ("[1, 2]", "Expected an explanation saved by lcshap"),
            ('{"format": "other"}', "Expected an explanation saved by lcshap"),
            ('{"format": "lcshap-explanation", "version": 99}', "version 3 or lower, got .* version 99"),
            ('{"format": "lcshap-explanation", "version": 1, "class": "os.system", "graph": {}}', "is damaged"),
            ('{"format": "lcshap-explanation", "version": 1, "class": "Explanation", "graph": {"d": 2}}', "is damaged"),
        ],
    )
    def test_bad_files(self, content, says, tmp_path):
        (tmp_path / "x.json").write_text(content)
        with pytest.raises(lc.errors.FileFormatError, match=says):
            lc.load(tmp_path / "x.json")

    def test_binary_files(self, tmp_path):
        (tmp_path / "x.json").write_bytes(b"\x80\x04\x95pickle")
        with pytest.raises(lc.errors.FileFormatError):
            lc.load(tmp_path / "x.json")


def array(values, kind="int64"):
    """An array as files hold it."""
    numbers = np.array(values, kind)
    return {"array": numbers.ravel().tolist(), "shape": list(numbers.shape), "type": numbers.dtype.name}


# What lcshap 0.1 wrote as the view of an explanation with two units.
OLD_VIEWS = {
    "text": {"text": "so good", "spans": array([[0, 2], [3, 7]]), "labels": array([0, 1])},
    "bytes": {"bytes": array([1, 2, 255], "uint8"), "spans": array([[0, 2], [2, 3]]), "labels": array([0, 1])},
    "image": {
        "image": array([[[0], [255]]], "uint8"),
        "reference": array([[[9], [9]]], "uint8"),
        "labels": array([[0, 1]]),
    },
    "series": {"series": array([[0.5], [1.5]], "float64"), "channels": ["x"], "labels": array([[0], [1]])},
    "table": {"columns": ["age", "id", "sex"], "values": array([70.5, 7, 1], "float64"), "labels": array([0, -1, 1])},
    "molecule": {"block": "no real block", "labels": array([0, 1])},
}


def old_file(view, path=False):
    """A file of version 1 by hand."""
    graph = {"d": 2, "edges": [[0, 1]], "names": ["so", "good"], "kind": "chain", "shape": [2]}
    content = {"format": "lcshap-explanation", "version": 1, "class": "PathExplanation" if path else "Explanation"}
    content |= {"graph": graph, "scores": array([0.25, -1.5], "float64"), "base_value": 0.5, "full_value": -0.75}
    content |= {"calls": 4, "stderr": None, "freedom": None, "interactions": None, "view": view, "curve": None}
    record = {"method": "Shapley()", "name": "shapley", "parameters": {}, "masker": "Text(units='word')"}
    content["provenance"] = {**record, "value": "log_prob", "targets": ["sci - fi"]}
    if path:
        content |= {"path": array([1]), "path_values": array([0.0, 1.0], "float64"), "order": array([1, 0])}
        content |= {"flipped": True, "flip_set": [1], "rounds": 3}
        content["provenance"]["name"] = "insertion-path"
    return content


class TestSaving:
    def test_halves_of_characters_come_back(self, tmp_path):
        e = lc.Explanation(np.ones(1), 0.0, 1.0, lc.Graph.chain(1, names=["a\ud800ü"]), 2, {"method": "\udfff"})
        back = lc.load(e.save(tmp_path / "e.json"))
        assert back == e
        assert back.names == ("a\ud800ü",)

    @pytest.mark.parametrize("value", [object(), np.nan, np.inf, {1: {2, 3}}], ids=("object", "nan", "inf", "set"))
    def test_what_cannot_be_saved_leaves_the_old_file(self, value, tmp_path):
        explained().save(tmp_path / "e.json")
        before = (tmp_path / "e.json").read_bytes()
        e = lc.Explanation(np.ones(1), 0.0, 1.0, lc.Graph.chain(1), 2, {"method": value})
        with pytest.raises(lc.errors.OptionError, match="Expected an explanation with finite numbers"):
            e.save(tmp_path / "e.json")
        assert (tmp_path / "e.json").read_bytes() == before
        assert [path.name for path in tmp_path.iterdir()] == ["e.json"]


class TestLargeArrays:
    """Of more than a thousand numbers: as the base64 of their bytes."""

    @staticmethod
    def photograph(side, kind="uint8"):
        draw = np.random.default_rng(0)
        view = lc.maskers.Image().mask(draw.integers(0, 256, (side, side, 3)).astype(kind)).view
        scores = draw.normal(size=side * side)
        return lc.Explanation(scores, 0.0, 1.0, lc.Graph.grid((side, side)), 9, {"method": "x"}, view=view)

    def test_a_photograph_is_small_and_comes_back(self, tmp_path):
        e = self.photograph(224)
        path = e.save(tmp_path / "e.json")
        assert path.stat().st_size < 2_500_000  # 7.9 MB as lists
        back = lc.load(path)
        assert back == e
        assert back.view == e.view
        assert back.scores.tobytes() == e.scores.tobytes()

    @pytest.mark.parametrize("kind", ["float32", "float64", "int64", "uint8"])
    def test_types_come_back(self, kind, tmp_path):
        e = self.photograph(20, kind)
        back = lc.load(e.save(tmp_path / "e.json"))
        assert back == e
        assert back.view.image.dtype == kind
        assert back.view.labels.dtype == np.intp

    def test_files_of_version_2_are_lists(self, tmp_path):
        e = self.photograph(40)
        content = {**to_dict(e), "version": 2}
        content["graph"]["edges"] = e.graph.edges.tolist()
        content["scores"] = array(e.scores, "float64")
        for name in ("image", "reference", "labels"):
            content["view"][name] = array(getattr(e.view, name), getattr(e.view, name).dtype)
        assert io.from_dict(content) == e

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"array": "AAAA"}, r"at scores.array: expected base64 of 12,800 bytes, got 4 characters"),
            ({"shape": [2**31 - 1]}, r"at scores.array: expected base64 of 17,179,869,176 bytes"),
            ({"array": "*" * 17068}, r"at scores.array: expected base64, got something else"),
            ({"array": "é" * 17068}, r"at scores.array: expected base64, got something else"),
            ({"array": "/" * 17066 + "8="}, "at scores.array: expected finite numbers"),
            ({"type": "object"}, "at scores.type: expected one of"),
        ],
    )
    def test_damaged_ones_are_refused(self, change, says):
        content = to_dict(self.photograph(40))
        content["scores"] |= change
        with pytest.raises(lc.errors.FileFormatError, match=says):
            io.from_dict(content, "x.json")

    def test_truth_values_are_zeros_and_ones(self):
        flags = np.ones(1200, bool)
        content = to_dict(lc.Explanation(np.ones(1), 0.0, 1.0, lc.Graph.chain(1), 2, {"flags": flags}))
        assert io.from_dict(content).provenance["flags"].tolist() == [True] * 1200
        content["provenance"]["flags"]["array"] = "AgIC" * 400
        with pytest.raises(
            lc.errors.FileFormatError, match=r"at provenance.flags.array: expected base64 of 1,200 bytes of"
        ):
            io.from_dict(content, "x.json")

    def test_edges_are_checked_as_always(self):
        content = to_dict(self.photograph(40))
        edges = content["graph"]["edges"]
        edges["array"] = edges["array"][:-8] + "AAAAAAA="[:8]
        with pytest.raises(lc.errors.FileFormatError, match=r"at graph.edges"):
            io.from_dict(content, "x.json")


class TestVersion1:
    def test_there_is_a_file_of_every_kind(self):
        assert [*OLD_VIEWS, "prompt"] == list(KINDS)  # prompts are younger

    @pytest.mark.parametrize("kind", OLD_VIEWS)
    def test_views(self, kind, tmp_path):
        (tmp_path / "old.json").write_text(json.dumps(old_file({"kind": kind, **OLD_VIEWS[kind]})))
        e = lc.load(tmp_path / "old.json")
        assert type(e.view) is KINDS[kind]
        assert e.view.labels.ravel().tolist() == OLD_VIEWS[kind]["labels"]["array"]
        for name, stored in OLD_VIEWS[kind].items():
            content = getattr(e.view, name)
            expected = np.array(stored["array"]).reshape(stored["shape"]) if isinstance(stored, dict) else stored
            assert np.array_equal(content, expected)
        again = lc.load(e.save(tmp_path / "new.json"))
        assert again == e
        assert again.view == e.view
        assert json.loads((tmp_path / "new.json").read_text())["version"] == 3

    @pytest.mark.parametrize("kind", ["text", "bytes", "image", "series", "table"])
    def test_they_are_shown(self, kind, tmp_path, capsys):
        e = io.from_dict(old_file({"kind": kind, **OLD_VIEWS[kind]}))
        e.show()
        assert "Shapley() explains log_prob of sci - fi" in capsys.readouterr().out
        assert "sci - fi" in e._repr_html_()
        assert e.plot().figure is not None
        page = e.to_html(tmp_path / "e.html").read_text()
        assert "target=...,  # sci - fi" in page
        assert "...,  # Text(units='word')" in page

    def test_without_a_view(self):
        content = old_file(None)
        del content["view"], content["curve"]
        assert io.from_dict(content).view is None

    def test_paths(self):
        e = io.from_dict(old_file(None, path=True))
        assert (e.flipped, e.flip_set, e.removed) == (True, (1,), False)
        assert e.ranking.tolist() == [1, 0]


class TestViews:
    @pytest.mark.parametrize("kind", ["sound", None, 3])
    def test_kinds_that_are_not_known_are_refused(self, kind):
        with pytest.raises(
            lc.errors.FileFormatError,
            match=r"Expected x\.json to explain an input of kind text, bytes, .*, prompt, got",
        ):
            io.from_dict(old_file({"kind": kind, "labels": array([0, 1])}), "x.json")

    @pytest.mark.parametrize(
        "view",
        [
            {"labels": array([0, 1])},
            {"kind": "text", "labels": array([0, 1])},
            {"kind": "text", **OLD_VIEWS["text"], "labels": array([0])},
            {"kind": "image", **OLD_VIEWS["image"], "image": array([0])},
            "text",
            {"kind": ["text"]},
        ],
    )
    def test_damaged_ones_too(self, view):
        with pytest.raises(lc.errors.FileFormatError, match="is damaged"):
            io.from_dict(old_file(view), "x.json")

    def test_contrasts_stay_pairs(self, tmp_path):
        e = lc.Explanation(np.ones(2), 0.0, 2.0, lc.Graph.chain(2), 4, {"targets": ["a - b", ["a", "b"]]})
        assert lc.load(e.save(tmp_path / "e.json")).provenance["targets"] == ["a - b", ["a", "b"]]


class TestDoor:
    """Files of strangers: one error that says where, within no time and no memory."""

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"scores": array([0.25], "float64")}, r"at scores: expected an array of shape \(2,\) or .* got \(1,\)"),
            ({"scores": array([1, 2])}, r"at scores\.type: expected a type of floats, got 'int64'"),
            ({"scores": {"array": ["nan", 1], "shape": [2], "type": "float64"}}, "at scores.array: expected finite"),
            ({"scores": None}, "at scores: expected an array, got nothing"),
            ({"base_value": "0"}, "at base_value: expected a number, got '0'"),
            ({"base_value": True}, "at base_value: expected a number, got True"),
            ({"full_value": array([1.0, 2.0], "float64")}, r"at full_value: expected an array of shape \(\)"),
            ({"calls": -1}, "at calls: expected an integer of at least 0, got -1"),
            ({"freedom": 1.5}, "at freedom: expected an integer"),
            ({"rows": []}, "at rows: expected an integer"),
            ({"stderr": array([1.0], "float64")}, "at stderr"),
            ({"stderr": array([-1.0, 1.0], "float64")}, "at stderr: expected standard errors"),
            ({"interactions": array([1.0, 2.0], "float64")}, r"at interactions: expected an array of shape \(1,\)"),
            ({"provenance": [1]}, "at provenance: expected an object"),
            ({"curve": {"percents": array([0.0], "float64")}}, "at curve.counts: expected a value, got nothing"),
            ({"class": "PathExplanation"}, "at path: expected a value, got nothing"),
            ({"version": "2"}, "at version: expected an integer"),
        ],
    )
    def test_damage_is_named(self, change, says):
        with pytest.raises(lc.errors.FileFormatError, match=f"x.json is damaged {says}"):
            io.from_dict({**old_file(None), **change}, "x.json")

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"path": array([2])}, "at path: expected integers from 0 to 1"),
            ({"path": array([1, 1])}, "at path: expected each unit once"),
            ({"path_values": array([0.0], "float64")}, "at path_values"),
            ({"order": array([0])}, "at order"),
            ({"order": array([0, 0])}, "at order: expected each unit once"),
            ({"flipped": 1}, "at flipped: expected true or false"),
            ({"flip_set": [2]}, r"at flip_set\[0\]"),
            ({"flip_set": [1, 1]}, "at flip_set: expected each unit once"),
            ({"rounds": None}, None),
        ],
    )
    def test_paths(self, change, says):
        content = {**old_file(None, path=True), **change}
        if says is None:
            assert io.from_dict(content).rounds == 0
        else:
            with pytest.raises(lc.errors.FileFormatError, match=says):
                io.from_dict(content)

    def test_small_files_that_request_much_memory(self, tmp_path):
        content = old_file(None)
        content["graph"]["d"] = 300_000_000
        (tmp_path / "x.json").write_text(json.dumps(content))
        start = time.perf_counter()
        with pytest.raises(lc.errors.FileFormatError, match=r"graph\.names: expected a list of 300,000,000"):
            lc.load(tmp_path / "x.json")
        assert time.perf_counter() - start < 1

    def test_large_files(self, tmp_path):
        path = explained().save(tmp_path / "e.json")
        size = path.stat().st_size
        assert lc.load(path, max_bytes=size) == explained()
        with pytest.raises(lc.errors.FileFormatError, match=f"at most {size - 1:,} bytes"):
            lc.load(path, max_bytes=size - 1)

    def test_a_record_of_any_plain_data_is_shown(self, tmp_path, capsys):
        for value in (array([1.0, 2.0], "float64"), 5, "x", [1], {"a": 1}, None, True, [["a", "b"]], [["a"]], [[]]):
            keys = "method name parameters masker value targets output chosen versions classes graph model kind grouped"
            for key in keys.split():
                content = old_file({"kind": "text", **OLD_VIEWS["text"]})
                content["provenance"][key] = value
                e = io.from_dict(content)
                e.show()
                assert e._repr_html_()
                assert repr(e)
                e.to_html(tmp_path / "e.html")
        assert "Shapley()" in capsys.readouterr().out
