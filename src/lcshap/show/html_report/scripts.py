"""The script of a page: modules of JavaScript joined in one text, so that the page needs no second file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources

_IMPORT_LINE = re.compile(r'^import \{[^}]*\} from "\./(\w+\.js)";\n', re.M)
_EXPORT_KEYWORD = re.compile(r"^export (?=(?:async )?function |const |let |class )", re.M)


def join_modules(*entries: str, packages: Sequence[str] = (f"{__package__}.modules",)) -> str:
    """Join modules and everything that they import into one classic script.

    The modules are ordinary ones, which import names from each other and run by themselves where a server sends them.
    Here the lines that import are left out, and each module comes after those that it imports. So a name may stand at
    the top of one module only, which a test checks.

    Parameters
    ----------
    entries : the names of the files that are run.
    packages : the packages whose files they are; a file is taken from the first package that has it.

    Returns
    -------
    The script.

    Examples
    --------
    >>> script = join_modules("numbers.js")
    >>> "export" in script, "function format(" in script
    (False, True)
    """
    modules: dict[str, str] = {}

    def add(name: str) -> None:
        if name in modules:
            return
        source = read_file(name, next(p for p in packages if resources.files(p).joinpath(name).is_file()))
        modules[name] = ""  # keeps the place free while what it imports comes first
        for imported in _IMPORT_LINE.findall(source):
            add(imported)
        del modules[name]
        modules[name] = _EXPORT_KEYWORD.sub("", _IMPORT_LINE.sub("", source)).strip("\n")

    for entry in entries:
        add(entry)
    return '"use strict";\n\n' + "\n\n".join(modules.values()) + "\n"


def read_file(name: str, package: str = __package__) -> str:
    """A file of a package as text."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")
