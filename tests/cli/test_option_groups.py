"""Options as dataclasses: each field is an option."""

from dataclasses import fields
from inspect import Parameter, signature

import lcshap as lc
from lcshap.cli import option_groups as declare
from lcshap.cli import options_alone
from lcshap.cli import options_shared as options


def test_fields_of_groups_become_options():
    seen = []

    @declare.grouped_options
    def command(pages: options_alone.ReportOptions, settings: options.MethodSettings) -> None:
        """What it does."""
        seen.append((pages, settings))

    names = [f.name for group in (options_alone.ReportOptions, options.MethodSettings) for f in fields(group)]
    assert list(signature(command).parameters) == names
    assert signature(command).parameters["files"].default is Parameter.empty
    assert command.__doc__ == "What it does."
    arguments = dict.fromkeys(names) | {"files": ["e.json"], "seed": 4}
    command(**arguments)
    ((pages, settings),) = seen
    assert (pages.files, settings.seed, settings.budget) == (["e.json"], 4, None)


def test_wrong_usage_is_an_error_of_an_option():
    assert issubclass(declare.UsageError, lc.errors.OptionError)
