"""Costs, masking areas with paired intervals, a slow peer beside ours, and the data for choosing, from records."""

import numpy as np
import pytest
from benchmarks.harness.choosing import write_choosing
from benchmarks.harness.comparisons import ALL_TASKS, costs, head_to_head, masking, read_rows, write_rows
from benchmarks.harness.masking import AREAS
from benchmarks.harness.other_tables import cost_table, leads, masking_table, one_peer_table, places, ranks
from benchmarks.harness.sheets import write
from benchmarks.harness.summary import summarise


def record(contestant, number, seed=0, family="digits-64", **more):
    return {
        **{"family": family, "game": f"{family}-{number}", "multiple": 4, "contestant": contestant, "seed": seed},
        **{"scores": [1.0, 2.0 + seed, 3.0], "mse": 1.0, "calls": 12, "rows": 20, "model_seconds": 0.5},
        **{"own_seconds": 0.1, "peak_mb": 3.0, **dict.fromkeys(AREAS, 0.5), **more},
    }


@pytest.fixture
def records():
    ours = [record("auto", k, removing_20=0.5 + k / 100) for k in range(6)]
    path = [record("DeletionPath", k, removing_20=0.7 + k / 100, keeping_20=0.1) for k in range(6)]
    peer = [record("shap Kernel", k, seed, removing_20=0.3 + k / 100) for k in range(6) for seed in (0, 5)]
    return ours + path + peer + [record("lime", 0, removing_20=0.9)]


def test_differences_are_paired_by_game(records):
    rows = masking(records[::-1], "auto")
    assert {row["group"] for row in rows} == {ALL_TASKS, "digits-64"}
    kernel = next(row for row in rows if row["contestant"] == "shap Kernel")
    assert kernel["games"] == 6
    assert kernel["removing_20"] == pytest.approx(0.325)
    # every game has the same difference: pairs leave no spread
    found = [kernel[f"removing_20_{which}"] for which in ("ours_more", "low", "high")]
    assert found == pytest.approx([0.2, 0.2, 0.2])
    assert next(row for row in rows if row["contestant"] == "lime")["games"] == 1


def test_places_count_those_that_answered_all_inputs(records):
    rows = masking(records, "auto")
    assert ranks(rows, "digits-64", 4, "DeletionPath")["removing_20"] == (1, 3)
    assert ranks(rows, "digits-64", 4, "DeletionPath")["keeping_20"] == (3, 3)
    assert '| "necessary" | DeletionPath | 1 of 3 |' in places(rows, "digits-64", 4)
    assert "DeletionPath has the largest area for removing, 0-20 %: 0.725. The next is auto" in leads(
        rows, "digits-64", 4
    )
    assert "the lead is 38 %" in leads(rows, "digits-64", 4)
    assert "**0.900**" in masking_table(rows, "digits-64", 4)


def test_costs_are_medians_over_games_and_stability_needs_two_seeds(records):
    rows = {row["contestant"]: row for row in costs(records, "tasks")}
    assert rows["auto"]["stability"] == ""
    assert rows["shap Kernel"]["stability"] == pytest.approx(0.5)
    assert (rows["shap Kernel"]["games"], rows["shap Kernel"]["rows"]) == (6, 20.0)
    text = cost_table(list(rows.values()), "tasks", 4, "auto")
    assert text.index("| auto |") < text.index("| DeletionPath |")
    assert "| shap Kernel | 12 | 20 | 100 | 500 | 3.0 | 0.50 | 6 |" in text


def test_a_slow_peer_is_compared_on_the_games_that_both_have(records):
    slow = [record("shapiq ShaplEIG", 2, own_seconds=25.0, mse=0.5)]
    rows = head_to_head(records + slow, "auto", "shapiq ShaplEIG")
    assert [row["game"] for row in rows] == ["digits-64-2"]
    assert "| 4d | 1 | 2.00 | 0 of 1 | 0.100 | 25.0 | 1/250 | 1/250 |" in one_peer_table(rows)
    again = [*rows, {**rows[0], "seed": 1, "our_mse": 0.2, "their_mse": 1.5, "their_seconds": 35.0}]
    assert "| 4d | 1 | 0.60 | 1 of 1 | 0.100 | 30.0 | 1/300 | 1/300 |" in one_peer_table(again)  # one game, two seeds


def test_rows_come_back_from_their_file(records, tmp_path):
    rows = costs(records, "tasks")
    write_rows(rows, tmp_path / "costs.csv")
    assert read_rows(tmp_path / "costs.csv") == rows
    assert read_rows(tmp_path / "none.csv") == []


def test_the_data_for_choosing_names_who_leads(records, tmp_path):
    write(summarise(records, "auto", []), tmp_path / "tasks.csv")
    write_choosing(tmp_path)
    (row,) = read_rows(tmp_path / "choosing.csv")
    assert (row["input"], row["calls"], row["best peer"]) == ("images", "4d", "shap Kernel")
    assert row["necessary"] == "DeletionPath"
    assert np.isclose(row["fair: auto over best peer"], 1.0)
    assert "| images | 4d |" in (tmp_path / "choosing.md").read_text(encoding="utf-8")
