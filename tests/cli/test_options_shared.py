"""Options as dataclasses: each field is an option."""

from dataclasses import fields, is_dataclass
from typing import get_type_hints

import pytest

from lcshap.cli import options_alone
from lcshap.cli import options_shared as options

GROUPS = [
    member
    for member in [*vars(options).values(), *vars(options_alone).values()]
    if isinstance(member, type) and is_dataclass(member)
]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_every_option_is_described(group):
    hints = get_type_hints(group, include_extras=True)
    assert hints
    for f in fields(group):
        (option,) = hints[f.name].__metadata__
        assert option.help, f.name


def test_options_that_are_not_set_are_none():
    settings = options.MethodSettings()
    assert (settings.budget, settings.seed, options.MethodOption().goal) == (None, None, None)
