"""Objects by the names that users write."""

import json
import sys

import pytest

from lcshap.core.imports import MalformedNameError, MissingObjectError, import_object


def test_objects_and_attributes_of_objects():
    assert import_object("json:loads") is json.loads
    assert import_object("json.decoder:JSONDecoder.decode") is json.JSONDecoder.decode


@pytest.mark.parametrize("name", ["", ":", "json", "json:", ":loads", "json.loads"])
def test_a_name_of_another_form(name):
    with pytest.raises(MalformedNameError, match=r"Expected package.module:object"):
        import_object(name)


@pytest.mark.parametrize(
    ("name", "attribute", "owner"), [("json:nothing", "nothing", json), ("json:loads.a.b", "a", json.loads)]
)
def test_an_object_that_is_missing(name, attribute, owner):
    with pytest.raises(MissingObjectError, match=f"has no attribute '{attribute}'") as info:
        import_object(name)
    assert (info.value.attribute, info.value.owner) == (attribute, owner)


def test_what_a_module_raises_is_raised_as_it_is(tmp_path, monkeypatch):
    (tmp_path / "raises_while_imported.py").write_text("import json\njson.nothing\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(AttributeError, match="nothing") as info:
        import_object("raises_while_imported:model")
    assert not isinstance(info.value, MissingObjectError)
    with pytest.raises(ModuleNotFoundError, match="no_such_module_at_all"):
        import_object("no_such_module_at_all:model")


def test_the_current_folder_comes_last(tmp_path, monkeypatch):
    (tmp_path / "stands_in_this_folder.py").write_text("model = 3\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != ""])
    assert import_object("stands_in_this_folder:model") == 3
    assert sys.path[-1] == ""
