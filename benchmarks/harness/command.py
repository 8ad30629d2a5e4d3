"""The command: sub-commands and their options."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import families as split
from . import sheets, tables
from .comparisons import Row, costs, head_to_head, masking, write_rows
from .contestants.base import everybody
from .environments import make_environment
from .game import Bench
from .printing import print_all
from .report import write_page
from .results import Results
from .runner import Job, Runner, Worker
from .summary import summarise
from .tasks import find_tasks
from .versions import code_version

BUDGETS = (2, 4, 8, 16, 32, 64)
TASK_BUDGETS = (2, 4, 8, 16)
EARLIER = "lcshap, for times, memory and masking areas"  # in the list of versions
PATHS = ("DeletionPath", "InsertionPath")  # ours beside the estimate, on tasks: for the masking areas


def default_folder() -> Path:
    """Where results are kept: LCSHAP_BENCH, or the user's cache folder."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("LCSHAP_BENCH") or cache / "lcshap" / "benchmarks")


def parser() -> argparse.ArgumentParser:
    """All sub-commands."""
    top = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    top.add_argument("--folder", type=Path, default=default_folder(), help="results, truths, logs, trained models")
    commands = top.add_subparsers(dest="command", required=True)
    run = commands.add_parser("tables", help="games whose values are all known (shapiq's precomputed ones)")
    run.add_argument("--data", help="folder of the .npz files; else LCSHAP_DATA/games")
    add_run_options(run, BUDGETS)
    add_run_options(
        commands.add_parser("tasks", help="models on texts, images, series, bytes, molecules and tables"), TASK_BUDGETS
    )
    make = commands.add_parser("setup", help="make environments for the peers, with pinned versions")
    make.add_argument("--python", action="append", required=True, help="3.12 for most, 3.11 for ShaplEIG; or a path")
    commands.add_parser("versions", help="say who is installed where")
    page = commands.add_parser("report", help="CSV files of the results, and docs/benchmarks.md from them")
    page.add_argument("--docs", type=Path, default=Path("docs"))
    page.add_argument("--data", help="folder of the .npz files; else LCSHAP_DATA/games")
    page.add_argument("--families", default="all", help=argparse.SUPPRESS)
    page.add_argument("--code", help="the version of our code whose results are shown; else the code as it is now")
    page.add_argument("--page-only", action="store_true", help="from the CSV files that there are")
    return top


def add_run_options(run: argparse.ArgumentParser, budgets: Sequence[int]) -> None:
    """Which games, who, how often."""
    run.add_argument("--families", default="all", help='"all", "tune", "holdout", or beginnings of names, by comma')
    run.add_argument("--budgets", type=int, nargs="+", default=budgets, help="calls per unit")
    run.add_argument("--seeds", type=int, default=2)
    run.add_argument("--games", type=int, help="only so many games of each family")
    run.add_argument("--ours-only", action="store_true", help="run ours; peers come from stored results")
    run.add_argument("--peers-only", action="store_true", help="run the peers, and print nothing")
    run.add_argument("--only", help="contestants whose names contain one of these, by comma")
    run.add_argument("--slow", action="store_true", help="those too that take many seconds for a game")
    run.add_argument("--pairs", action="store_true", help="interactions of pairs, and those who estimate them")
    run.add_argument("--method", help='ours: a name, or e.g. "lc.GraphKernelSHAP({budget}, order=0, seed={seed})"')
    run.add_argument("--code", help="print what this version of our code has made, and run nothing of it")
    run.add_argument("--limit", type=float, default=120.0, help="seconds of processor time for one estimate")
    run.add_argument("--python", action="append", default=[], help="Python of an environment with peers")


def wanted(given: argparse.Namespace, ours: str) -> list[str]:
    """Names of the contestants to run."""
    mine = [] if given.code else [ours, *(PATHS if given.command == "tasks" and ours == "auto" else ())]
    if given.ours_only:
        return mine
    peers = [c for c in everybody().values() if c.package != "lcshap" and (given.slow or not c.slow)]
    names = [c.name for c in peers if c.pairs == given.pairs]
    if given.only:
        names = [name for name in names if any(part in name for part in given.only.split(","))]
    return names if given.peers_only else [*mine, *names]


def compare(given: argparse.Namespace, found: dict[str, list[Bench]]) -> None:
    """Run what is missing, and print the comparison."""
    chosen = split.select(found, given.families)
    games = [game for family in chosen for game in found[family][: given.games]]
    ours = given.method or ("pairs" if given.pairs else "auto")
    pythons = [] if given.ours_only else [*given.python, *default_pythons(given.folder), sys.executable]
    runner = Runner(given.folder, pythons, given.limit)
    known = everybody()
    jobs = (
        Job(name, game, multiple * game.d, seed)
        for seed in range(given.seeds)
        for multiple in given.budgets
        for name in wanted(given, ours)
        for game in games
        if multiple <= game.most and (name not in known or game.d <= known[name].most)
    )
    try:
        runner.run(jobs, progress=not given.ours_only)
    finally:
        runner.close()
    if not given.peers_only:
        print_comparison(given, runner.results, games, ours, list(found))


def print_comparison(
    given: argparse.Namespace, results: Results, games: list[Bench], ours: str, every: list[str]
) -> None:
    """The tables, of the records that belong to these games, budgets and states of the code."""
    found = summarise(select(results, games, ours, given.budgets, given.code), ours, split.holdout(every))
    for measure in ("pair_mse", "mse") if given.pairs else ("mse",):
        print_all(found, measure)


def select(
    results: Results, games: list[Bench], ours: str, budgets: Sequence[int], code: str | None = None
) -> list[dict[str, Any]]:
    """The records of these games: the peers', and those that our code made, as it is now or was at a version."""
    code = code or code_version()
    here = {(game.name, game.digest) for game in games}
    peers = {name for name, c in everybody().items() if c.package != "lcshap"}
    return [
        {**r, "multiple": r["budget"] // r["d"]}
        for r in results
        if (r["game"], r["digest"]) in here
        and (r["contestant"] in peers or (r["contestant"] in (ours, *PATHS) and r["version"] == code))
        and r["budget"] // r["d"] in budgets
    ]


def write_report(given: argparse.Namespace) -> None:
    """CSV files of all results that there are, and the page from them; from the CSV files alone where asked.

    Costs and masking areas compare contestants of one run. Where no peers were run, those of the earlier run stay.
    """
    if not given.page_only:
        folder = given.docs / "benchmarks"
        results = Results(given.folder / "results")
        known, tasks = tables.families(tables.find_data(given.data)), built(given)
        beside = any(is_quick_peer(r["contestant"]) for r in results)
        stored = write_versions(results, given.code, folder / "versions.json", beside)
        spent: list[Row] = []
        for name, games, ours in (
            ("tables", known, "auto"),
            ("pairs", known, "pairs"),
            ("tasks", tasks, "auto"),
            ("task_pairs", tasks, "pairs"),
        ):
            some = select(results, [game for group in games.values() for game in group], ours, BUDGETS, given.code)
            found = summarise(some, ours, split.holdout(games))
            if any(contestant == ours for _, _, contestant in found.cells):
                path = folder / f"{name}.csv"
                sheets.write(sheets.with_earlier(found, path) if stored else found, path)
                spent += costs([r for r in some if is_compared(r["contestant"], ours)], name)
            if name == "tasks" and beside:
                write_rows(masking(some, ours), folder / "masking.csv")
            if name == "tables":
                write_rows(head_to_head(some, ours, "shapiq ShaplEIG"), folder / "shapleig.csv")
        if beside:
            write_rows(spent, folder / "costs.csv")
    print(write_page(given.docs))


def is_quick_peer(name: str) -> bool:
    """Whether a contestant is somebody else's, and runs on every game."""
    known = everybody().get(name)
    return known is not None and known.package != "lcshap" and not known.slow


def is_compared(name: str, ours: str) -> bool:
    """Whether the costs of a contestant belong beside ours: those who give pairs beside those who give pairs."""
    known = everybody().get(name)
    return name == ours or (known is not None and known.pairs == (ours == "pairs"))


def write_versions(results: Results, code: str | None, path: Path, beside: bool) -> bool:
    """Write which version of which package the results are of; return whether those of earlier sheets are the same.

    Where no peers were run `beside` ours, costs and masking areas are those of an earlier version of our code.
    """
    known = everybody()
    found = {known[r["contestant"]].package: r["version"] for r in results if r["contestant"] in known}
    found.pop("lcshap", None)
    if "botorch" in found:
        found["botorch, for ShaplEIG"] = found.pop("botorch")
    earlier = json.loads(path.read_text()) if path.exists() else {}
    same = bool(earlier) and all(earlier.get(name, number) == number for name, number in found.items())
    path.parent.mkdir(parents=True, exist_ok=True)
    versions = {**(earlier if same else {}), **found, "lcshap": code or code_version()}
    if beside:
        versions.pop(EARLIER, None)
    elif same and "lcshap" in earlier:
        versions[EARLIER] = earlier.get(EARLIER, earlier["lcshap"])
    path.write_text(json.dumps(versions, indent=1, sort_keys=True) + "\n")
    return same


def default_pythons(folder: Path) -> list[str]:
    """The environments that ``setup`` made in the folder, the newest Python first: who is in several runs there."""
    return [str(path) for path in sorted(folder.glob("environments/*/bin/python"), reverse=True)]


def main(arguments: list[str] | None = None) -> None:
    """Run a sub-command."""
    given = parser().parse_args(arguments)
    if given.command == "tables":
        compare(given, tables.families(tables.find_data(given.data)))
    elif given.command == "tasks":
        compare(given, built(given))
    elif given.command == "setup":
        for python in given.python:
            make_environment(python, given.folder / "environments")
    elif given.command == "versions":
        print_versions(default_pythons(given.folder))
    elif given.command == "report":
        write_report(given)


def built(given: argparse.Namespace) -> dict[str, list[Bench]]:
    """The games of the tasks asked for; a task whose packages or data are missing is left out, and says so."""
    every = find_tasks()
    found: dict[str, list[Bench]] = {name: [] for name in every}
    for name in split.select(every, given.families):
        try:
            found[name] = every[name](given.folder)
        except (ImportError, OSError) as error:
            print(f"left out {name}: {error}", flush=True)
    return found


def print_versions(pythons: list[str]) -> None:
    """Everybody who can run, and who cannot."""
    seen: set[str] = set()
    for python in [*pythons, sys.executable]:
        worker = Worker(python, default_folder() / "log" / "versions.txt")
        print(f"Python {worker.python} ({Path(python).parts[-3]})")
        for name, version in worker.available.items():
            if name not in seen:
                print(f"  {name:<34}{everybody()[name].package} {version}")
        seen |= set(worker.available)
        worker.close()
    for name in everybody():
        if name not in seen:
            print(f"  {name:<34}not installed: {everybody()[name].package} is missing")
