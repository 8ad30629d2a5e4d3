"""Environments for the peers: virtual environments of other Pythons, with pinned versions."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

NEWEST = (  # xgboost-cpu is xgboost without what graphics cards need
    "shapiq==1.8.0",
    "shap==0.54.1",
    "lightshap==0.1.13",
    "lime==0.2.0.1",
    "lightgbm==4.7.0",
    "xgboost-cpu==3.4.1",
    "scikit-learn==1.9.1",
)
SHAPLEIG = (
    "torch==2.13.0",
    "botorch==0.18.1",
    "gpytorch==1.15.2",
    "scikit-learn==1.9.1",
    "tqdm",
    "requests",
    "pandas",
    "matplotlib",
    "colour",
)

OVERRIDE = "import typing, typing_extensions; typing.override = typing_extensions.override\n"  # new in Python 3.12


def find_python(given: str) -> str:
    """A Python by path, by name on the path, or by version from pyenv."""
    if Path(given).is_file():
        return given
    found = shutil.which(f"python{given}")
    if found and subprocess.run([found, "--version"], capture_output=True, check=False).returncode == 0:
        return found
    for path in sorted((Path.home() / ".pyenv/versions").glob(f"{given}*/bin/python"), reverse=True):
        return str(path)
    raise SystemExit(f"Expected a Python {given}, got none. Give its path, or install it: pyenv install {given}.")


def make_environment(given: str, folder: Path) -> Path:
    """Make an environment, or complete one, and print what is in it.

    Python 3.12 and newer get all of shapiq 1.8.0 but ShaplEIG, which needs botorch, and that torch. Where pip has torch
    for processors only on 3.11, ShaplEIG gets an environment of 3.11: shapiq 1.8.0 asks for 3.12, but it runs.
    """
    python = find_python(given)
    told = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, check=True)
    major, minor = map(int, told.stdout.split())
    home = folder / f"peers{major}{minor}"
    if not home.exists():
        subprocess.run([python, "-m", "venv", str(home)], check=True)
    pip = [str(home / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    if (major, minor) >= (3, 12):
        subprocess.run([*pip, *NEWEST], check=True)
    else:
        subprocess.run([*pip, *SHAPLEIG], check=True)
        subprocess.run([*pip, "--no-deps", "--ignore-requires-python", NEWEST[0]], check=True)
        (packages,) = home.glob("lib/python*/site-packages")
        (packages / "override.pth").write_text(OVERRIDE)
    subprocess.run([pip[0], "list", "--format", "freeze", "--disable-pip-version-check"], check=True)
    return home
