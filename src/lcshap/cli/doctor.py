"""The installation: versions, extras, and the devices that models can run on."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from importlib import import_module, metadata

from ..core.explanation import package_versions

_DEVELOPMENT_EXTRAS = ("test", "docs")  # for developing the library


def extras() -> dict[str, list[str]]:
    """The packages of each extra, as the installed library declares them; empty if the library is not installed.

    >>> extras().get("plot", ["matplotlib"])
    ['matplotlib']
    """
    packages_by_extra: dict[str, list[str]] = {}
    try:
        declared = metadata.requires("lcshap") or []
    except metadata.PackageNotFoundError:  # it runs from its source code
        return packages_by_extra
    for line in declared:
        package, extra = re.match(r"[\w.-]+", line), re.search(r"""extra\s*==\s*['"]([\w-]+)['"]""", line)
        if package and extra and extra[1] not in _DEVELOPMENT_EXTRAS and package[0] != "lcshap":
            packages_by_extra.setdefault(extra[1], []).append(package[0])
    return packages_by_extra


def inspect_installation() -> Iterator[tuple[str, str]]:
    """Properties of the installation, as pairs of a name and a finding."""
    yield from package_versions().items()
    yield "system", f"{platform.system()} {platform.machine()}"
    for extra, packages in sorted(extras().items()):
        installed = {package: _version(package) for package in packages}
        if all(installed.values()):
            yield f"extra {extra}", ", ".join(f"{package} {version}" for package, version in installed.items())
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


def render_installation() -> str:
    """The findings as lines."""
    findings = list(inspect_installation())
    width = max(len(name) for name, _ in findings)
    return "\n".join(f"{name:<{width}}  {finding}" for name, finding in findings)
