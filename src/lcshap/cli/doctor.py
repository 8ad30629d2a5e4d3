"""What is installed: versions, each extra, and what the models that are there can run on."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from importlib import import_module, metadata

from ..core.explanation import versions

_DEVELOPMENT = ("test", "docs")  # extras for working on the library, not with it


def extras() -> dict[str, list[str]]:
    """The packages that each extra asks for, as the installed library declares them; empty where it is not installed.

    >>> extras().get("plot", ["matplotlib"])
    ['matplotlib']
    """
    found: dict[str, list[str]] = {}
    try:
        declared = metadata.requires("lcshap") or []
    except metadata.PackageNotFoundError:  # run from its source
        return found
    for line in declared:
        package, extra = re.match(r"[\w.-]+", line), re.search(r"""extra\s*==\s*['"]([\w-]+)['"]""", line)
        if package and extra and extra[1] not in _DEVELOPMENT and package[0] != "lcshap":
            found.setdefault(extra[1], []).append(package[0])
    return found


def examine() -> Iterator[tuple[str, str]]:
    """What there is to know, as pairs of a name and what is found."""
    yield from versions().items()
    yield "system", f"{platform.system()} {platform.machine()}"
    for extra, packages in sorted(extras().items()):
        there = {package: _version(package) for package in packages}
        if all(there.values()):
            yield f"extra {extra}", ", ".join(f"{package} {version}" for package, version in there.items())
        else:
            yield f"extra {extra}", f'not installed: pip install "lcshap[{extra}]"'
    yield from _devices()


def _devices() -> Iterator[tuple[str, str]]:
    if _version("torch"):
        cuda = import_module("torch").cuda
        names = [cuda.get_device_name(i) for i in range(cuda.device_count())] if cuda.is_available() else []
        yield "torch runs on", ", ".join(["CPU", *names])
    if _version("onnxruntime"):
        providers = import_module("onnxruntime").get_available_providers()
        yield "onnxruntime runs on", ", ".join(name.removesuffix("ExecutionProvider") for name in providers)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def render() -> str:
    """The findings as lines."""
    found = list(examine())
    width = max(len(name) for name, _ in found)
    return "\n".join(f"{name:<{width}}  {what}" for name, what in found)
