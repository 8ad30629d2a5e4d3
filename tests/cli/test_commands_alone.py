"""What the commands do that stand for themselves. Demo and serve have tests of their own."""

from pathlib import Path

from command import fails, run

from lcshap.cli import doctor
from lcshap.paper.experiments import reproduce


def test_reproduce_runs_an_experiment(workdir):
    out, err = run("reproduce", "theorems", "--out", "found")
    assert err == ""
    table = (workdir / "found" / "table.md").read_text(encoding="utf-8")
    assert out.startswith("theorems: found\n")
    assert table.strip() in out


def test_reproduce_passes_its_options(monkeypatch):
    seen = []

    def note(**options):
        print("training")
        seen.append(options)
        return "a table"

    monkeypatch.setattr(reproduce, "reproduce", note)
    assert run("reproduce", "mnist") == ("a table\n", "training\n")
    folders = ("--data", "d", "--models", "m", "--out", "o")
    run("reproduce", "imdb", "--samples", 7, "--budget", 300, "--methods", "lime, l-shapley", "--seed", 2, *folders)
    defaults = {"samples": 100, "budget": "4d", "methods": None, "data": None, "models": None, "out": None, "seed": 0}
    assert seen[0] == {"name": "mnist", **defaults}
    assert seen[1] == {
        "name": "imdb",
        "samples": 7,
        "budget": 300,
        "methods": ["lime", "l-shapley"],
        "data": Path("d"),
        "models": Path("m"),
        "out": Path("o"),
        "seed": 2,
    }


def test_an_interrupted_reproduction_prints_how_to_resume(monkeypatch):
    def stop(**options):
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduce, "reproduce", stop)
    fails("reproduce", "imdb", code=130, match="Interrupted. Rerun the same command to resume")


def test_reproduce_names_every_experiment():
    out = " ".join(run("reproduce", "--help")[0].replace("│", " ").split())
    assert all(name in out for name in reproduce.NAMES)


def test_doctor_prints_what_is_installed():
    assert run("doctor") == (doctor.render_installation().rstrip("\n") + "\n", "")
