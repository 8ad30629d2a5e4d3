"""Which samples are drawn, and what happens without the packages that draw."""

import pytest
import torch
from toy_study import text_study

from lcshap.paper.experiments.pictures import run_optional_steps
from lcshap.paper.experiments.reproduce import reproduce


def test_wrong_images_are_in_the_figure(image_study, tmp_path):
    reproduce(image_study, samples=1, out=tmp_path, methods=["feature-ablation", "saliency"])
    with torch.no_grad():
        predicted = image_study.model.module(torch.tensor(image_study.inputs)).argmax(1).tolist()
    wrong = {int(p.name.split(".")[0]) for p in (tmp_path / "explanations/wrong").iterdir()}
    labels = image_study.labels
    assert len(wrong) == 2
    assert all(predicted[n] != labels[n] for n in wrong)
    assert len({labels[n] for n in wrong}) == 2


def test_without_matplotlib_there_are_tables_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    result = reproduce(text_study(), samples=1, out=tmp_path, methods=["feature-ablation"])
    assert (tmp_path / "table.md").is_file()
    assert not (tmp_path / "curves.png").exists()
    assert "curves.png was left out" in result.notes[0]
    assert 'pip install "lcshap[plot]"' in str(result)


def test_steps_that_lack_a_package_are_noted():
    done = []

    def lacks():
        raise ImportError("no module named x")

    notes = run_optional_steps({"a.png": lambda: done.append("a"), "b.png": lacks, "c.png": lambda: done.append("c")})
    assert notes == ["b.png was left out: no module named x"]
    assert done == ["a", "c"]
    with pytest.raises(ZeroDivisionError):
        run_optional_steps({"d.png": lambda: 1 / 0})
