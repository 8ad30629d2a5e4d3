"""Follow pages of the documentation as a stranger would, in a new virtual environment, and print how long it takes.

    python docs/site/stranger.py [PAGE ...]

It builds the wheel, and for each page it makes a virtual environment, installs what the page says, and runs the code of
the page, each in a folder outside the repository. The table it prints is in docs/measurements.md.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from pages import ROOT, blocks

PAGES = ("docs/tutorial.md", "docs/howto/torch.md", "docs/howto/trees.md")
_INSTALL = re.compile(r'pip install "(?:lcshap|\.)\[([\w,]+)\]"([\w -]*)')


def timed(command: list[str], folder: Path) -> float:
    """The seconds that a command takes in a folder; its output is shown where it fails."""
    start = time.monotonic()
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"MPLBACKEND": "Agg"}
    done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return time.monotonic() - start


def follow(page: Path, wheel: Path, folder: Path) -> tuple[float, float]:
    """The seconds to install what a page needs, and to run its code."""
    folder.mkdir()
    venv.create(folder / "venv", with_pip=True)
    python = str(folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python")
    found = _INSTALL.search(page.read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit(f"Expected a line with pip install in {page.name}, got none.")
    install = timed([python, "-m", "pip", "install", "-q", f"{wheel}[{found[1]}]", *found[2].split()], folder)
    code = "\n".join(block.code for block in blocks(page) if block.language == "python")
    (folder / "page.py").write_text(code, encoding="utf-8")
    return install, timed([python, "page.py"], folder)


def main() -> None:
    """Print a row for each page."""
    pages = [ROOT / page for page in sys.argv[1:] or PAGES]
    with tempfile.TemporaryDirectory() as work:
        timed([sys.executable, "-m", "build", "--wheel", "--outdir", f"{work}/dist", str(ROOT)], Path(work))
        (wheel,) = Path(work, "dist").glob("*.whl")
        print("| page | install | run its code |\n|---|---|---|", flush=True)
        for number, page in enumerate(pages):
            install, run = follow(page, wheel, Path(work, str(number)))
            print(f"| {page.relative_to(ROOT)} | {install:.0f} s | {run:.0f} s |", flush=True)


if __name__ == "__main__":
    main()
