"""Options as dataclasses: each field is an option."""

from dataclasses import fields, is_dataclass
from inspect import Parameter, signature
from typing import get_type_hints

import pytest

import lcshap as lc
from lcshap.cli import declare, options, options_alone

GROUPS = [
    thing
    for thing in [*vars(options).values(), *vars(options_alone).values()]
    if isinstance(thing, type) and is_dataclass(thing)
]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_every_option_says_what_it_is_for(group):
    hints = get_type_hints(group, include_extras=True)
    assert hints
    for f in fields(group):
        (option,) = hints[f.name].__metadata__
        assert option.help, f.name


def test_a_function_of_groups_becomes_one_of_options():
    seen = []

    @declare.takes(options_alone.Pages, options.MethodSettings)
    def command(pages, settings):
        """What it does."""
        seen.append((pages, settings))

    names = [f.name for group in (options_alone.Pages, options.MethodSettings) for f in fields(group)]
    assert list(signature(command).parameters) == names
    assert signature(command).parameters["files"].default is Parameter.empty
    assert command.__doc__ == "What it does."
    given = dict.fromkeys(names) | {"files": ["e.json"], "seed": 4}
    command(**given)
    ((pages, settings),) = seen
    assert (pages.files, settings.seed, settings.budget) == (["e.json"], 4, None)


def test_what_was_not_given_can_be_told_from_what_was():
    settings = options.MethodSettings()
    assert (settings.budget, settings.seed, options.MethodOption().goal) == (None, None, None)


def test_wrong_usage_is_an_error_of_an_option():
    assert issubclass(declare.UsageError, lc.OptionError)
