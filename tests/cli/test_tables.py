"""Tables from files with commas."""

import numpy as np
from command import explained, fails, module, run

from lcshap.maskers import representatives


def test_tables(workdir):
    rows = np.random.default_rng(0).normal(size=(30, 3)).round(3)
    lines = [f"{a},{b},{k % 2},{c}" for k, (a, b, c) in enumerate(rows.tolist())]
    (workdir / "t.csv").write_text("\n".join(["age,dose,outcome,mass", *lines]))
    module(workdir, "linear", "def model(rows):\n    return rows @ [1.0, -2.0, 0.5]\n")
    model = ("--model", "linear:model", "--kind", "output", "--csv", "t.csv", "--drop", "outcome", "--row", 3)
    weights = np.array([1.0, -2.0, 0.5])
    others = np.delete(rows, 3, axis=0)
    e = explained(*model, "--background", 0)
    assert e.names == ("age", "dose", "mass")
    np.testing.assert_allclose(e.scores, weights * (rows[3] - others.mean(axis=0)), atol=1e-12)
    e = explained(*model, "--background", 29)
    np.testing.assert_allclose(e.scores, weights * (rows[3] - others.mean(axis=0)), atol=1e-12)
    summarized = explained(*model, "--background", 2)
    chosen = representatives(others, 2)
    np.testing.assert_allclose(summarized.scores, weights * (rows[3] - chosen.mean(axis=0)), atol=1e-12)
    assert f"age = {rows[3, 0]:.4g}" in run("explain", *model)[0]
    fails("explain", *model, "--drop", "outcom", code=2, match=r"got 'outcom'.*It has age, dose, mass")
    fails("explain", *model[:-1], 30, code=2, match="--row from 0 to 29")
    fails("explain", *model, "--background", -1, code=2, match="Expected a --background of at least 0 rows")
    fails("explain", *model, "--units", "word", code=2, match="Leave --units out")
    for name, content, match in (
        ("word.csv", "a,b\n1,x\n2,3\n", "model failed.*It was given pandas DataFrames"),
        ("twice.csv", "a,a\n1,x\n2,3\n", "one column of each name, got a, a"),
        ("short.csv", "a,b\n1,2\n3\n", "Expected 2 columns in short.csv, got 1 in row 1"),
        ("empty.csv", "", "is empty"),
        ("one.csv", "a,b\n1,2\n", "Expected several rows in one.csv, got one"),
    ):
        (workdir / name).write_text(content)
        fails("explain", "--model", "linear:model", "--kind", "output", "--csv", name, code=1, match=match)
    fails(
        "explain",
        "--model",
        "linear:model",
        "--kind",
        "output",
        "--series",
        "word.csv",
        code=1,
        match="only numbers in word.csv, got 'x' in row 0",
    )
    (workdir / "bare.csv").write_text("1,2,3\n4,5,6\n")
    assert explained("--model", "linear:model", "--kind", "output", "--csv", "bare.csv").names == ("0", "1", "2")


def test_tables_with_texts_and_gaps(workdir):
    (workdir / "t.csv").write_text(
        'age,city,income\n30,Paris,1.5\n40,Rome,\n50,,2.5\n60,Rome,3\n70,Rome,4\n20,"Oslo, south",5\n'
    )
    module(
        workdir,
        "prices",
        "def model(rows):\n"
        "    assert str(rows['age'].dtype) in ('int64', 'float64')\n"
        "    poor = 2.0 * rows['income'].isna() * (rows['age'] > 35)\n"
        "    return rows['age'] + 10.0 * (rows['city'] == 'Paris') + poor\n",
    )
    model = ("--model", "prices:model", "--kind", "output", "--csv", "t.csv")
    e = explained(*model, "--background", 0, "--row", 0)
    np.testing.assert_allclose(e.scores, [30 - 48, 10, 0], atol=1e-12)
    e = explained(*model, "--row", 1)  # all five others
    np.testing.assert_allclose(e.scores.sum(), 42 - (230 + 10) / 5, atol=1e-12)
    printed = run("explain", *model)[0]
    assert "city = Paris" in printed
    assert "income = missing" in run("explain", *model, "--row", 1)[0]
    assert "city = missing" in run("explain", *model, "--row", 2)[0]
