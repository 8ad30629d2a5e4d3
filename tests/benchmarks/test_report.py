"""From records to the page: means, ratios, wins; losses are shown."""

import json

import numpy as np
import pytest
from benchmarks.harness import families, sheets
from benchmarks.harness.command import EARLIER, write_versions
from benchmarks.harness.interval_tables import by_family, interval_part
from benchmarks.harness.report import write_page
from benchmarks.harness.summary import summarise
from benchmarks.harness.tasks import find_tasks


def records(contestant, errors, seeds=(0,), **more):
    return [
        {"family": family, "game": f"{family}-0", "multiple": 4, "contestant": contestant, "seed": seed, "mse": error}
        | {"scores": [0.0, 1.0 + seed, 2.0], "own_seconds": 0.1, "calls": 40, **more}
        for family, error in errors.items()
        for seed in seeds
    ]


@pytest.fixture
def found():
    return summarise(
        records("auto", {"a": 1.0, "b": 4.0, "c": 1.0}, covered=0.95)
        + records("shapiq OddSHAP", {"a": 2.0, "b": 2.0, "c": 4.0})
        + records("shapiq SVARM", {"a": 8.0, "b": 8.0})
        + records("lime", {"a": 0.01, "b": 0.01, "c": 0.01}),
        "auto",
        ["b"],
    )


def test_ratios_are_geometric_means_over_families(found):
    assert found.ratio(4, "shapiq OddSHAP", ["a", "b", "c"]) == pytest.approx((2 * 0.5 * 4) ** (1 / 3))
    assert found.ratio(4, "shapiq SVARM", ["a", "b", "c"]) != found.ratio(4, "shapiq SVARM", ["a", "b", "c"])  # NaN


def test_who_answers_another_question_is_nobodys_best_peer(found):
    assert found.best("a", 4) == (2.0, "shapiq OddSHAP")
    assert found.value("a", 4, "lime") == 0.01


def test_the_noise_of_a_long_run_is_taken_off():
    cell = summarise(records("auto", {"a": 1.0}, noise=0.4), "auto")
    assert cell.value("a", 4, "auto") == pytest.approx(0.6)
    cell = summarise(records("auto", {"a": 0.1}, noise=0.4), "auto")
    assert cell.value("a", 4, "auto") == pytest.approx(0.04)


def test_a_peer_that_misses_a_game_has_no_mean():
    half = records("shapiq SVARM", {"a": 1.0})
    two = records("auto", {"a": 1.0}) + [{**r, "game": "a-1"} for r in records("auto", {"a": 1.0})]
    assert not summarise(half + two, "auto").peers()


def test_a_peer_without_the_pairs_of_a_game_has_no_error_of_pairs():
    ours = records("auto", {"a": 1.0}, pair_mse=1.0) + [{**r, "game": "a-1"} for r in records("auto", {"a": 1.0})]
    theirs = [{**r, "contestant": "shapiq SVARMIQ"} for r in ours]
    assert summarise(ours + theirs, "auto").value("a", 4, "shapiq SVARMIQ", "pair_mse") == 1.0
    less = [{name: x for name, x in r.items() if name != "pair_mse"} for r in theirs]
    cells = summarise(ours + less, "auto")
    assert np.isnan(cells.value("a", 4, "shapiq SVARMIQ", "pair_mse"))
    assert cells.value("a", 4, "shapiq SVARMIQ", "mse") == 1.0


def test_intervals_are_counted_by_calls_and_by_family():
    shares = {4: {"a": 0.8, "b": 1.0, "c": 0.95}, 8: {"a": 0.9, "b": 0.97, "c": 1.0}}
    every = [
        {**record, "multiple": multiple, "covered": share}
        for multiple, here in shares.items()
        for family, share in here.items()
        for record in records("auto", {family: 0.0 if (family, multiple) == ("c", 8) else 1.0})
    ]
    found = summarise(every, "auto")
    assert by_family(found) == pytest.approx({"a": 0.85, "b": 0.985, "c": 0.95})  # c is exact at 8d
    text = interval_part(found)
    assert "| 4d | 3 | 1 | 1 | 1 | 91.7 % | 80 % (a) |" in text
    assert "| 8d | 2 | 0 | 2 | 0 | 93.5 % | 90 % (a) |" in text
    assert "| all | 5 | 1 | 3 | 1 | 92.4 % |  |" in text
    assert "for 2 of 3 families, below for 1 and above for 0: 85.0 % on a." in text


def test_every_task_is_named_on_one_side_of_the_split():
    assert set(find_tasks()) == {*families.TASKS_TO_TUNE_ON, *families.TASKS_HELD_OUT}
    assert families.holdout(find_tasks()) == sorted(families.TASKS_HELD_OUT)


def test_stability_is_the_rank_correlation_over_seeds():
    cell = summarise(records("auto", {"a": 1.0}, seeds=(0, 5)), "auto")
    assert cell.value("a", 4, "auto", "stability") == pytest.approx(0.5)


def test_the_split_is_by_a_rule_and_holds_out_a_third():
    names = [f"f{k:02}" for k in range(22)]
    assert families.holdout(reversed(names)) == names[2::3]
    assert set(families.tune(names)) | set(families.holdout(names)) == set(names)
    assert families.select(names, "f01,f2") == ["f01", "f20", "f21"]
    with pytest.raises(SystemExit, match="Expected families among"):
        families.select(names, "x")


def test_the_page_is_made_from_the_sheets_and_shows_losses(found, tmp_path):
    folder = tmp_path / "benchmarks"
    sheets.write(found, folder / "tables.csv")
    (folder / "versions.json").write_text(json.dumps({"shapiq": "1.8.0"}))
    assert sheets.read(folder / "tables.csv", "auto").cells.keys() == found.cells.keys()
    page = write_page(tmp_path).read_text(encoding="utf-8")
    assert "A peer has a smaller error than ours in 1 of 3" in page
    assert "| 4d | b * | shapiq OddSHAP | 2 | 4 | 2.00 |" in page
    assert "2 of 3" in page
    assert "shapiq 1.8.0" in page
    assert (folder / "tables.png").exists()


def test_errors_of_peers_that_were_not_run_again_are_kept_without_their_times(tmp_path):
    path = tmp_path / "tasks.csv"
    theirs = records("shapiq OddSHAP", {"a": 2.0, "b": 2.0, "c": 4.0}, removing_20=0.25)
    ours = records("auto", {"a": 1.0, "b": 4.0, "c": 1.0})
    sheets.write(summarise(ours + theirs, "auto", ["b"]), path)
    again = summarise(records("auto", {"a": 0.5, "b": 1.0, "c": 0.5}), "auto", ["b"])
    both = sheets.with_earlier(again, path)
    assert both.value("b", 4, "auto") == 1.0
    assert both.value("b", 4, "shapiq OddSHAP") == 2.0
    assert both.value("b", 4, "shapiq OddSHAP", "removing_20") == 0.25
    assert np.isnan(both.value("b", 4, "shapiq OddSHAP", "own_seconds"))


def test_versions_identify_the_code_of_times_and_masking_areas(tmp_path):
    path = tmp_path / "versions.json"
    peers = [{"contestant": "shapiq OddSHAP", "version": "1.8.0"}]
    assert not write_versions(peers, "0.2+one", path, beside=True)
    assert json.loads(path.read_text()) == {"lcshap": "0.2+one", "shapiq": "1.8.0"}
    for code in ("0.2+two", "0.2+three"):  # ours alone, twice
        assert write_versions([], code, path, beside=False)
        assert json.loads(path.read_text()) == {"lcshap": code, EARLIER: "0.2+one", "shapiq": "1.8.0"}
    assert not write_versions([{**peers[0], "version": "1.9.0"}], "0.2+four", path, beside=True)
    assert json.loads(path.read_text()) == {"lcshap": "0.2+four", "shapiq": "1.9.0"}
