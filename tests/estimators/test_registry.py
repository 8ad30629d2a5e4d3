"""One entry for each method, also for those of other packages."""

import inspect
import pkgutil
import subprocess
import sys
import textwrap
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar

import pytest

import lcshap as lc
from lcshap.estimators.registry import MethodEntry, MethodRegistry


@pytest.fixture
def registry():
    """A registry of its own, so that tests leave no method behind."""
    return MethodRegistry("lcshap.estimators")


def make(method_name="half", **attributes):
    """A method of somebody else."""
    texts = {"name": method_name, "summary": "Half of it.", "choose": "Choose it never.", "cost_in_words": "d + 2"}
    body = {"__module__": "elsewhere", **texts, **attributes}
    body = {key: value for key, value in body.items() if value is not None}
    return type("Half", (lc.FeatureAblation,), body)


class TestOwnMethods:
    def test_every_file_with_a_method_is_found(self):
        files = {m.name for m in pkgutil.iter_modules(lc.estimators.__path__)}
        assert {e.method.__module__.rpartition(".")[2] for e in lc.METHODS.built_in()} <= files
        assert len(lc.METHODS.built_in()) >= 17

    def test_a_new_file_is_all_that_a_new_method_takes(self, tmp_path, monkeypatch):
        (tmp_path / "rooms").mkdir()
        (tmp_path / "rooms" / "__init__.py").touch()
        (tmp_path / "rooms" / "half.py").write_text(textwrap.dedent(PLUGIN).partition("class Thief")[0])
        monkeypatch.syspath_prepend(tmp_path)
        assert "half" in MethodRegistry("rooms")
        assert list(MethodRegistry("rooms")) == ["half"]  # FeatureAblation, which it imports, is of another file

    def test_who_comes_while_it_is_searched_waits(self):
        for _ in range(20):
            registry = MethodRegistry("lcshap.estimators")
            with ThreadPoolExecutor(8) as pool:
                assert set(pool.map(registry.get, ["shapley"] * 8)) == {lc.Shapley}

    def test_every_method_has_a_static_name(self):
        """The message says which line to add, so that `lc.YourMethod` exists and is known to type checkers."""
        for entry in lc.METHODS.built_in():
            name, module = entry.method.__name__, entry.method.__module__.rpartition(".")[2]
            line = f"from .estimators.{module} import {name} as {name}"
            assert getattr(lc, name, None) is entry.method, f"add to src/lcshap/_public.py: {line}"

    def test_the_description_of_a_method_is_in_its_file(self):
        for entry in lc.METHODS.built_in():
            local_classes = [c for c in entry.method.__mro__ if c.__module__ == entry.method.__module__]
            for text in ("name", "summary", "choose", "cost_in_words"):
                assert any(text in vars(c) for c in local_classes), (
                    f"{entry.method.__name__} says nothing of its {text}"
                )
            assert entry.summary == inspect.getdoc(entry.method).splitlines()[0].replace("`", "")
            assert entry.summary.endswith(".")
            assert entry.choose.startswith("Choose it ")
            assert entry.choose.endswith(".")

    def test_signatures(self):
        signatures = {e.name: e.signature for e in lc.METHODS.built_in()}
        assert signatures["shapley"] == "Shapley()"
        assert signatures["dividend-c-shapley"] == "DividendCShapley(max_size)"
        assert signatures["sampled-l-shapley"] == "SampledLShapley(budget)"
        assert {e.name for e in lc.METHODS.built_in() if e.sampled} >= {"lime", "kernel-shap", "sampled-c-shapley"}
        assert not lc.METHODS.entry("myerson").sampled


class TestLookingUp:
    def test_it_is_a_mapping_in_alphabetical_order(self):
        assert list(lc.METHODS) == sorted(lc.METHODS)
        assert len(lc.METHODS) == len(list(lc.METHODS))
        assert lc.METHODS["lime"] is lc.METHODS.get("lime") is lc.get_method("lime") is lc.LIME
        assert "lima" not in lc.METHODS
        assert lc.METHODS.get("lima") is None
        assert repr(lc.METHODS).startswith(f"<{len(lc.METHODS)} methods: additive-shap, banzhaf-surrogate, ")

    def test_an_unknown_name(self):
        with pytest.raises(KeyError):
            lc.METHODS["lima"]
        with pytest.raises(
            lc.errors.MethodError, match=r"got 'lima'\. Did you mean 'lime'\? The methods are additive-shap, "
        ):
            lc.get_method("lima")
        with pytest.raises(lc.errors.MethodError, match=r"got 'xyz'\. The methods are"):
            lc.get_method("xyz")


class TestRegistering:
    def test_a_method_of_somebody_else(self, registry):
        half = make()
        assert registry.add(half) is half
        assert registry["half"] is half
        assert "half" in list(registry)
        assert half not in [e.method for e in registry.built_in()]
        assert registry.entry("half") == MethodEntry("half", half, "Half of it.", "Choose it never.", "d + 2")

    def test_the_same_class_again_is_no_mistake(self, registry):
        registry.add(make())
        reloaded = make()  # as after importlib.reload
        registry.add(reloaded)
        assert registry["half"] is reloaded

    def test_names_that_clash(self, registry):
        with pytest.raises(
            lc.errors.MethodError,
            match=r"'shapley' of elsewhere\.Half, which is the name of lcshap\.estimators\.shapley\.Shapley",
        ):
            registry.add(make("shapley"))
        assert registry["shapley"] is lc.Shapley

    @pytest.mark.parametrize("text", ["summary", "choose", "cost_in_words"])
    def test_what_is_missing_is_named(self, registry, text):
        with pytest.raises(
            lc.errors.MethodError,
            match=f"with the attribute {text}, got Half, which has none. Write a line in the class",
        ):
            registry.add(make(**{text: ""}))
        assert "half" not in registry

    @pytest.mark.parametrize("wrong", [42, "lime", int, lc.Shapley()])
    def test_what_is_no_method(self, registry, wrong):
        with pytest.raises(lc.errors.MethodError, match=r"Expected a class that inherits from lcshap\.Method"):
            registry.add(wrong)

    def test_an_explainer_finds_it_by_name(self, monkeypatch):
        monkeypatch.setattr(lc.METHODS, "_entries", {e.name: e for e in lc.METHODS.entries()})

        @lc.register_method
        @dataclass(frozen=True)
        class Everything(lc.Method):
            """All to the first unit."""

            name: ClassVar[str] = "everything"
            summary: ClassVar[str] = "All to the first unit."
            choose: ClassVar[str] = "Choose it in tests."
            cost_in_words: ClassVar[str] = "2"

            def _plan(self, graph, limit):
                import numpy as np

                operator = np.zeros((graph.d, 2))
                operator[0] = -1, 1
                return lc.Plan.linear(self, graph, lc.Coalitions.from_sets(graph.d, [[], range(graph.d)]), operator)

        length = lambda texts: [float(len(t)) for t in texts]  # noqa: E731
        e = lc.Explainer(length, lc.maskers.Text(), method="everything", kind="output")("ab cd")
        assert e.scores.tolist() == [5, 0]
        assert e.provenance["name"] == "everything"


PLUGIN = """
    from dataclasses import dataclass
    from typing import ClassVar
    import lcshap as lc

    @dataclass(frozen=True)
    class Half(lc.FeatureAblation):
        name: ClassVar[str] = "half"
        summary: ClassVar[str] = "Half of it."
        choose: ClassVar[str] = "Choose it never."
        cost_in_words: ClassVar[str] = "d + 2"

    class Thief(Half):
        name: ClassVar[str] = "shapley"
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a package, with its entry points, where Python finds installed ones."""

    def put(points):
        (tmp_path / "lcshap_half.py").write_text(textwrap.dedent(PLUGIN))
        info = tmp_path / "lcshap_half-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lcshap-half\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("\n".join(["[lcshap.methods]", *points]) + "\n")
        monkeypatch.syspath_prepend(tmp_path)
        return tmp_path

    yield put
    sys.modules.pop("lcshap_half", None)


class TestPlugins:
    def test_are_found_when_a_name_is_missed_or_all_are_listed(self, registry, install):
        install(["half = lcshap_half:Half"])
        assert registry["shapley"] is lc.Shapley
        assert "lcshap_half" not in sys.modules  # no plugin is loaded for a name that is known
        assert registry["half"].__module__ == "lcshap_half"
        assert "half" in list(MethodRegistry("lcshap.estimators"))

    @pytest.mark.parametrize(
        ("point", "says"),
        [
            ("half = lcshap_half:Nothing", "AttributeError"),
            ("half = lcshap_nothing:Half", "ModuleNotFoundError"),
            ("half = lcshap_half:lc", "MethodError: Expected a class"),
            ("half = lcshap_half:Thief", "MethodError: Expected a name that no other method has"),
        ],
    )
    def test_a_broken_one_is_named_and_left_out(self, registry, install, point, says):
        install([point])
        with pytest.warns(UserWarning, match=rf"'half' of the package lcshap-half .* is left out: {says}"):
            assert len(registry) == len(lc.METHODS.built_in())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert "half" not in registry  # said once
        assert registry["shapley"] is lc.Shapley

    def test_in_a_process_of_its_own(self, install):
        """Importing lcshap loads no plugin; a broken one beside a good one changes nothing but a warning."""
        folder = install(["bad = lcshap_half:Nothing", "half = lcshap_half:Half"])
        code = (
            f"import sys; sys.path.insert(0, {str(folder)!r})\n"
            "import lcshap as lc; print('lcshap_half' in sys.modules)\n"
            "print(lc.get_method('half')(), 'half' in list(lc.METHODS))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout == "False\nHalf() True\n"
        assert "The method 'bad' of the package lcshap-half (lcshap_half:Nothing) is left out" in done.stderr
