"""What report writes, and how bulk fails. What bulk explains is tested with `lcshap.cli.bulk`."""

import pytest
from command import fails, module, run


def test_report_is_written_from_saved_explanations(workdir):
    for name, method in (("a", "shapley"), ("b", "l-shapley")):
        run("explain", "--model", "demo-text", "--method", method, "--save", f"{name}.json")
    out, err = run("report", "a.json", "b.json", "--out", "both.html", "--title", "Two <methods>")
    assert (out, err) == ("", "wrote both.html\n")
    page = (workdir / "both.html").read_text(encoding="utf-8")
    assert "Two &lt;methods&gt;" in page or "Two \\u003cmethods\\u003e" in page
    assert "Two <methods>" not in page
    fails("report", "c.json", code=2, match="got 'c.json', which is not a file")
    (workdir / "d.json").write_text("{}")
    fails("report", "d.json", code=1, match="Expected an explanation saved by lcshap")
    fails("report", code=2, match="(?i)files")


@pytest.mark.parametrize(
    ("model", "code", "match"),
    [
        ("names:nothing", 2, "Expected a name that names has for --model, got 'nothing'"),
        ("names", 2, "Expected package.module:object for --model, got 'names'"),
        ("raises:model", 1, r"for --model, got raises, which cannot: OSError\('no weights'\)"),
    ],
)
def test_a_model_that_a_worker_cannot_load_has_the_exit_code_of_explain(workdir, model, code, match):
    module(workdir, "names", "")
    module(workdir, "raises", "raise OSError('no weights')")
    (workdir / "texts.csv").write_text("text\na b\nc d\n")
    model_options = ("--model", model, "--kind", "output")
    fails("explain", *model_options, "--text", "a b", code=code, match=match)
    bulk = ("bulk", "texts.csv", "--column", "text", "--model-name", "m", "--workers", 1, "--out", "run")
    fails(*bulk, *model_options, code=code, match=match)
