"""Options as dataclasses: each field is an option."""

from dataclasses import fields
from inspect import Parameter, signature

import lcshap as lc
from lcshap.cli import declare, options, options_alone


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


def test_wrong_usage_is_an_error_of_an_option():
    assert issubclass(declare.UsageError, lc.OptionError)
