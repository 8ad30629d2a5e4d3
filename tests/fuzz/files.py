"""Mutated files: each is refused by one `FileFormatError`, or is shown, saved, drawn and reported like any other.

``python -m tests.fuzz files --count 50000``. Files of every kind of explanation are damaged as a bad disk would do it
(bytes, truncations) and as an attacker would (values of JSON replaced, keys renamed, lists made long). Each mutant is
loaded under a limit of time and memory.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import resource
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import lcshap as lc
from lcshap.core.explanation import Explanation
from lcshap.core.io import from_dict
from lcshap.core.serialize import to_dict
from lcshap.core.views import BytesView, ImageView, MoleculeView, SeriesView, TableView, TextView

SECONDS = 2.0  # to load a mutant, and to show it
BYTES = 2_000_000_000  # more than the process has already
_STOP = 30.0  # seconds after which a mutant is given up
_DRAWN = 4  # one loaded mutant in so many is drawn by matplotlib

HOSTILE: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 255, 2**31, 2**53 + 1, 2**63, 10**19, -(10**19), 300_000_000, 0.5, -0.0, 1e-320,
    1e308, -1e308, 1e299, "", "x", "inf", "-inf", "nan", "NaN", "1", "U500000000", "float64", "float128", "object",
    "datetime64", "complex128", "uint8", "int64", "bool", "\ud800", "\x1b[2J", "<script>alert(1)</script>", "x" * 5000,
    [], [0], [[]], [[0, 1]],
    [[0, 0]], [1, 2, 3], ["a", "b"], [None], {}, {"array": [], "shape": [0], "type": "float64"},
    {"array": [1.0], "shape": [1], "type": "float64"}, {"array": [0], "shape": [1], "type": "int64"},
    {"array": ["inf", "nan", "-inf"], "shape": [3], "type": "float64"}, {"kind": "text"}, {"a": {"b": {"c": [1]}}},
    {"array": [0] * 4, "shape": [2, 2], "type": "int64"}, "text", "image", "grid", "ring", "PathExplanation",
]  # fmt: skip
RAW = [
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"1e999",
    b"9" * 5000,
    b"[" * 100_000,
    b'{"a":' * 5000,
    b"\x00",
    b"\xff",
    b",",
]
RAW += [b'"\\ud800"', b"1" + b"0" * 400, b"-0", b"1e-400", b"// x\n", b"\xef\xbb\xbf"]


def samples() -> dict[str, Explanation]:
    """One explanation of every kind."""
    game = lc.Game(lambda kept: kept @ np.array([1.0, -2.0, 0.5]) + 3.0 * (kept[:, 0] & kept[:, 1]), 3)
    many = lc.Game(lambda kept: np.stack([kept.sum(axis=1), -2.0 * kept[:, 0]], axis=1), 3)
    chain = lc.Graph.chain(3, names=["so", "good", "文"])
    rng = np.random.default_rng(0)
    labels = np.array([[0, 1], [2, -1]])
    image = rng.integers(0, 256, (2, 2, 3), dtype=np.uint8)
    views = {
        "text": TextView(text="so good 文.", spans=[[0, 2], [3, 7], [8, 9]], labels=[0, 1, 2], sentences=[[0, 10]]),
        "bytes": BytesView(bytes=np.arange(40) % 256, spans=[[0, 2], [2, 30], [30, 40]], labels=[0, 1, 2]),
        "image": ImageView(image=image, reference=np.full_like(image, 9), labels=labels),
        "floats": ImageView(
            image=np.float32(image[..., :1] / 255), reference=np.zeros((2, 2, 1), np.float32), labels=labels
        ),
        "series": SeriesView(
            series=rng.normal(size=(4, 2)), channels=("x", "y"), labels=np.array([[0, 1], [2, 2]] * 2)
        ),
        "table": TableView(columns=("a", "b", "c", "d"), values=np.array([1.0, 2, 3, 4]), labels=[0, 1, 2, 2]),
        "molecule": MoleculeView(block=_ETHANOL, labels=[0, 1, 2]),
    }
    record = {"masker": {"name": "Text", "parameters": {"units": "word"}}, "value": "log_prob", "targets": ["a"]}
    record |= {"model": "SklearnModel", "classes": ["a", "b"], "chosen": {"reason": "it is small"}}
    found = {
        name: _with(lc.LShapley(1, interactions=True).explain(game, chain), view=view, **record)
        for name, view in views.items()
    }
    found["grid"] = lc.Shapley().explain(game, lc.Graph.grid((1, 3)))
    found["tree"] = lc.Shapley().explain(game, lc.Graph.tree([None, 0, 0]))
    found["ring"] = lc.SampleShapley(6).explain(game, lc.Graph.ring(3))
    found["sampled"] = lc.SampleShapley(40).explain(many, lc.Graph.complete(3))
    found["outputs"] = _with(
        lc.LShapley(1, interactions=True).explain(many, chain), view=views["text"], targets=["a", ["a", "b"]]
    )
    found["path"] = _with(lc.DeletionPath(12, flip_below=0.5).explain(game, chain), view=views["text"], **record)
    found["paths"] = lc.InsertionPath(12).explain(many, chain)
    curve = {"percents": np.array([0.0, 50.0]), "counts": np.array([0, 2]), "values": np.array([1.0, 0.5]), "what": "w"}
    e = found["text"]
    found["curve"] = Explanation(
        e.scores, e.base_value, e.full_value, e.graph, e.calls, e.provenance, view=e.view, curve=curve, rows=3
    )
    return found


_ETHANOL = """
     RDKit          2D

  3  2  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0
    1.2990    0.7500    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0
    2.5981   -0.0000    0.0000 O   0  0  0  0  0  0  0  0  0  0  0  0
  1  2  1  0
  2  3  1  0
M  END
"""


def _with(e: Explanation, view: Any = None, **record: Any) -> Explanation:
    content = to_dict(e)
    content["provenance"] |= record
    made = from_dict(content)
    object.__setattr__(made, "view", view)
    return made


# -- mutants --------------------------------------------------------------------------------------------------------


def mutate(content: dict[str, Any], rng: np.random.Generator) -> bytes:
    """A damaged file."""
    content = json.loads(json.dumps(content))
    if rng.random() < 0.75:
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            _change(content, rng)
        data = json.dumps(content, ensure_ascii=bool(rng.integers(2))).encode("utf-8", "backslashreplace")
        return data if rng.random() < 0.9 else _damage(data, rng)
    return _damage(json.dumps(content).encode(), rng)


def _change(content: Any, rng: np.random.Generator) -> None:
    """Change one value somewhere in JSON."""
    places = list(_places(content))
    holder, key = places[rng.integers(len(places))] if rng.random() < 0.3 else _descend(content, rng)
    value, way = holder[key], rng.integers(9)
    if way == 0 and isinstance(holder, dict):
        del holder[key]
    elif way == 1 and isinstance(holder, dict):
        holder[str(HOSTILE[rng.integers(len(HOSTILE))])[:40]] = holder.pop(key)
    elif way == 2 and isinstance(holder, list):
        holder.insert(int(key), value)
    elif way == 3 and isinstance(value, list):
        rng.shuffle(value)
    elif way == 4 and isinstance(value, list):
        value.extend(value[: rng.integers(1, 50)] * int(rng.integers(1, 200)))
    elif way == 5 and isinstance(value, int | float) and not isinstance(value, bool):
        holder[key] = value + int(rng.integers(-2, 3)) if rng.random() < 0.7 else value * 1e200
    elif way == 6:
        other, name = places[rng.integers(len(places))]
        holder[key] = json.loads(json.dumps(other[name])) if name in other or isinstance(other, list) else None
    else:
        holder[key] = copy.deepcopy(HOSTILE[rng.integers(len(HOSTILE))])


def _descend(content: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    """A place found by going down at random, so that short parts are met as often as long ones."""
    while True:
        keys = list(content) if isinstance(content, dict) else range(len(content))
        key = keys[rng.integers(len(keys))]
        if rng.random() < 0.3 or not isinstance(content[key], dict | list) or not content[key]:
            return content, key
        content = content[key]


def _places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Everywhere that a value stands."""
    keys = list(content) if isinstance(content, dict) else range(len(content))
    for key in keys:
        yield content, key
        if isinstance(content[key], dict | list):
            yield from _places(content[key])


def _damage(data: bytes, rng: np.random.Generator) -> bytes:
    """Flip bytes, cut, or put something in."""
    way, place = rng.integers(4), int(rng.integers(len(data)))
    if way == 0:
        return data[:place]
    if way == 1:
        return data[:place] + RAW[rng.integers(len(RAW))] + data[place + int(rng.integers(0, 3)) :]
    if way == 2:
        end = place + int(rng.integers(1, 40))
        return data[:place] + data[end:]
    damaged = bytearray(data)
    for at in rng.integers(len(data), size=rng.integers(1, 8)):
        damaged[at] ^= 1 << int(rng.integers(8)) if rng.random() < 0.5 else int(rng.integers(256))
    return bytes(damaged)


# -- what is done with them -----------------------------------------------------------------------------------------


def use(e: Explanation, folder: Path, draw: bool) -> None:
    """Everything that an explanation is for."""
    with contextlib.redirect_stdout(io.StringIO()):
        e.show()
        print(e)
    repr(e)
    e._repr_html_()
    assert lc.load(e.save(folder / "again.json")) == e
    e.to_html(folder / "page.html")
    if draw:
        options = {} if e.scores.ndim == 1 else {"output": 0}
        e.plot(**options).figure.savefig(io.BytesIO(), format="svg")


@contextlib.contextmanager
def limits(seconds: float) -> Iterator[None]:
    """An error after some seconds, or if the process takes much more memory than it has."""

    def stop(number: int, frame: Any) -> None:
        raise TimeoutError(f"more than {seconds:g} s")

    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before, old = resource.getrlimit(resource.RLIMIT_AS), signal.signal(signal.SIGVTALRM, stop)
    resource.setrlimit(resource.RLIMIT_AS, (size + BYTES, before[1]))
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGVTALRM, old)


def run(
    count: int = 300, seed: int = 0, report: Callable[[int, dict[str, Any]], None] = lambda done, found: None
) -> dict[str, Any]:
    """Load so many mutants: how many were refused and how many loaded, and all that went wrong.

    "foreign": errors of `load` that are no `FileFormatError`. "broken": loaded, but not shown, saved, reported or
    drawn. "slow": took longer than `SECONDS`.
    """
    rng = np.random.default_rng(seed)
    kinds = {name: to_dict(e) for name, e in samples().items()}
    found: dict[str, Any] = {"files": count, "refused": 0, "loaded": 0, "foreign": 0, "broken": 0, "slow": 0}
    found |= {"slowest": 0.0, "failures": []}
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=r"constrained_layout not applied|.*missing from .*font|Glyph")
        warnings.filterwarnings("ignore", message="No installed font has")
        for e in samples().values():  # what is imported once is no matter of a mutant
            use(e, Path(name), draw=True)
        for number in range(count):
            data = mutate(kinds[list(kinds)[number % len(kinds)]], rng)
            _try(data, Path(name), number, found)
            report(number + 1, found)
    return found


def _try(data: bytes, folder: Path, number: int, found: dict[str, Any]) -> None:
    path = folder / "mutant.json"
    path.write_bytes(data)
    start, stage = time.process_time(), "foreign"
    try:
        with limits(_STOP):
            e = lc.load(path)
            spent = [time.process_time() - start]
            found["loaded"] += 1
            stage, start = "broken", time.process_time()
            use(e, folder, draw=found["loaded"] % _DRAWN == 0)
            spent.append(time.process_time() - start)
    except lc.errors.FileFormatError as error:
        spent = [time.process_time() - start]
        found["refused"] += 1
        if stage == "broken" or not 0 < len(str(error)) < 1500:
            found["broken"] += 1
            found["failures"].append((number, stage, str(error)[:300], data[:3000].decode("latin-1")))
    except (Exception, RecursionError) as error:
        spent = [time.process_time() - start]
        found[stage] += 1
        last = traceback.extract_tb(error.__traceback__)[-3:]
        where = " < ".join(f"{Path(line.filename).name}:{line.lineno}" for line in reversed(last))
        said = f"{type(error).__name__}: {error}"[:300] + f" [{where}]"
        found["failures"].append((number, stage, said, data[:3000].decode("latin-1")))
    found["slowest"] = max(found["slowest"], round(max(spent), 2))
    if max(spent) > SECONDS:
        found["slow"] += 1
        found["failures"].append((number, "slow", f"{max(spent):.1f} s", data[:3000].decode("latin-1")))
