import pytest

from lcshap.errors import MaskerError
from lcshap.maskers.prompt_text import Template

CHAT = [{"role": "system", "content": "Be {tone}."}, {"role": "user", "content": "{sources}\n{question}"}]


def test_fields_are_filled_in_once():
    filled = Template.read("{sources} {a} {{b}} {not a field}").fill({"a": "{sources}{b}", "b": "x"})
    assert filled.with_sources("S{a}") == "S{a} {sources}{b} {x} {not a field}"


def test_messages_stay_messages_and_are_shown_with_their_roles():
    template = Template.read(CHAT)
    assert template.fields == ["tone", "sources", "question"]
    filled = template.fill({"tone": "kind", "question": "Why?"})
    assert filled.with_sources("A") == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "A\nWhy?"},
    ]
    start, text = filled.readable("A")
    assert text == "system: Be kind.\n\nuser: A\nWhy?"
    assert text[start] == "A"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("no place", "sources.* once in the template, got it 0 times"),
        ("{sources} {sources}", "got it 2 times"),
        ([], "Expected a text or a list of messages"),
        ([{"role": "user"}], "Expected a text or a list of messages"),
        (5, "Expected a text or a list of messages"),
    ],
)
def test_templates_that_cannot_be(template, message):
    with pytest.raises(MaskerError, match=message):
        Template.read(template)


def test_fields_that_are_missing_or_unknown():
    for fields, message in [({}, "got nothing"), ({"q": 3}, "got int"), ({"q": "", "r": ""}, "got 'r' too")]:
        with pytest.raises(MaskerError, match=message):
            Template.read("{sources} {q}").fill(fields)
