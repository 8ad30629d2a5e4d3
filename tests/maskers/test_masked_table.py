"""Rows of frames against loops over cells and brute force: types, equal rows, keys, groups."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from distinct_keys import coalition_keys
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import model, people, polars_people, score

import lcshap as lc
import oracles
from lcshap.adapters.remote import RemoteModel
from lcshap.maskers import Tabular

DATA = people(40)
BOTH = pytest.mark.parametrize("data", [DATA, polars_people(40)], ids=["pandas", "polars"])


def records(frame):
    if isinstance(frame, pl.DataFrame):
        return frame.rows(named=True)
    return [{k: None if v is pd.NaT else v for k, v in row.items()} for row in frame.to_dict("records")]


def brute_force(x, background, units):
    """Shapley values by definition: `units` are lists of names of columns."""
    game = {}
    for kept in oracles.subsets(range(len(units))):
        present = {name for unit in kept for name in units[unit]}
        answers = [score({k: x[k] if k in present else row[k] for k in row}) for row in background]
        game[kept] = [sum(answers) / len(answers)]
    return np.array(oracles.shapley(len(units), game))[:, 0]


def explain(data, x, **fields):
    return lc.Explainer(model, Tabular(data, **fields), lc.Shapley(), kind="output").one(x)


# -- values and types ----------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("row", [0, 1, 2, 3, 4, 30])
def test_scores_are_those_of_brute_force(data, row):
    e = explain(data[:9], data[row : row + 1])
    expected = brute_force(records(data)[row], records(data)[:9], [[name] for name in data.columns])
    np.testing.assert_allclose(e.scores, expected, rtol=0, atol=1e-10)
    assert e.names == tuple(data.columns)


@BOTH
def test_the_model_gets_the_same_columns_and_types(data):
    seen = []

    def fn(frame):
        seen.append(frame)
        return np.zeros(len(frame))

    lc.Explainer(fn, Tabular(data[:5]), lc.Shapley(), kind="output", batch_size=512)(data[20:24])
    for frame in seen:
        assert type(frame) is type(data)
        assert list(frame.columns) == list(data.columns)
        assert list(frame.dtypes) == list(data.dtypes)
    assert max(map(len, seen)) > 64 * 5  # rows of several inputs share batches


@BOTH
def test_every_form_of_a_row(data):
    e = explain(data[:5], data[7:8])
    equivalent_rows = [records(data)[7], list(records(data)[7].values()), dict(reversed(records(data)[7].items()))]
    if isinstance(data, pd.DataFrame):
        equivalent_rows += [data.iloc[7], data.iloc[7].to_numpy(), pl.from_pandas(data.astype({"job": object}))[7]]
    else:
        equivalent_rows += [data.row(7), data.row(7, named=True), data.to_pandas().iloc[[7]]]
    for x in equivalent_rows:
        assert explain(data[:5], x).scores.tolist() == e.scores.tolist()
    explainer = lc.Explainer(model, Tabular(data[:5]), lc.Shapley(), kind="output")
    assert explainer(data[7:9])[0].scores.tolist() == e.scores.tolist()
    assert len(explainer.many(data[7:8])) == 1
    assert explainer(data[7:8]).scores.tolist() == e.scores.tolist()


def test_numbers_that_a_column_of_whole_numbers_does_not_hold():
    seen = []

    def fn(frame):
        seen.append(str(frame.dtypes.iloc[0]))
        return frame.iloc[:, 0].fillna(-1).to_numpy()

    integers = pd.DataFrame({"age": [1, 2]})
    explainer = lc.Explainer(fn, Tabular(integers), lc.Shapley(), kind="output")
    assert [e.scores.tolist() for e in explainer([[4], [4.0], [4.5], [None]])] == [[2.5], [2.5], [3.0], [-2.5]]
    assert set(seen) == {"int64", "float64"}
    polars = lc.Explainer(
        lambda f: f[:, 0].fill_null(-1).to_numpy(), Tabular(pl.DataFrame({"age": [1, 2]})), lc.Shapley(), kind="output"
    )
    assert [e.scores.tolist() for e in polars([[4], [4.0], [4.5], [None]])] == [[2.5], [2.5], [3.0], [-2.5]]


def test_later_changes_to_a_frame_do_not_matter():
    data = people(20)
    masker = Tabular(data[:5].copy())
    e = lc.Explainer(model, masker, lc.Shapley(), kind="output")(data[8:9])
    masker.background.loc[:, "age"] = 0
    assert lc.Explainer(model, masker, lc.Shapley(), kind="output")(data[8:9]).scores.tolist() == e.scores.tolist()


def test_columns_that_are_not_named_by_strings():
    data = pd.DataFrame({3: [1.0, 2.0], 5: [0.0, 4.0]})
    e = lc.Explainer(lambda f: (f[3] * f[5]).to_numpy(), Tabular(data), lc.Shapley(), kind="output")([5.0, 6.0])
    assert e.names == ("3", "5")
    assert e.scores.sum() == pytest.approx(30 - 4)


def test_gradients_with_respect_to_a_frame_of_numbers():
    torch.manual_seed(0)
    net = torch.nn.Linear(3, 1)
    frame = pd.DataFrame(np.eye(3), columns=["a", "b", "c"])
    e = lc.Explainer(net, Tabular(frame.iloc[0]), "saliency", kind="output")([1.0, 2.0, 3.0])
    f = lc.Explainer(net, Tabular(frame[:1]), "saliency", kind="output")([1.0, 2.0, 3.0])
    np.testing.assert_allclose(e.scores, f.scores, atol=1e-6)
    assert Tabular(DATA[:3]).mask(DATA[5:6]).owners is None


# -- equal rows ----------------------------------------------------------------------------------------------------


@BOTH
def test_columns_that_agree_with_all_background_rows_cost_nothing(data):
    for rows in ([4], [5, 5, 5]):  # the first has a gap
        same = data[rows] if isinstance(data, pl.DataFrame) else data.iloc[rows]
        x = records(same)[0] | {"age": 99, "member": not records(same)[0]["member"]}
        masked = Tabular(same).mask(x)
        assert masked._idle_units.tolist() == [False, True, True, True, False, True]
        e = explain(same, x)
        assert e.rows == 4  # equal background rows are one
        np.testing.assert_allclose(e.scores, brute_force(x, records(same), [[c] for c in data.columns]), atol=1e-10)


def test_missing_equals_missing_and_zero_is_not_false():
    cells = {"a": [None, np.nan], "b": [0, False], "c": [np.nan, np.nan]}
    data = pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in cells.items()})
    masked = Tabular(data.iloc[[0]]).mask(data.iloc[[1]])
    assert masked._idle_units.tolist() == [False, False, True]


def test_keys_distinguish_inputs():
    def key(background, x, **fields):
        return Tabular(background, **fields).mask(x).key

    base = key(DATA[:5], DATA[7:8])
    assert base == key(people(40)[:5], people(40).iloc[7]) == key(DATA[:5], DATA[7:8], graph="chain")
    wider = DATA.assign(job=DATA["job"].cat.add_categories(["judge"]))
    different = [
        key(DATA[:4], DATA[7:8]),
        key(DATA[:5], DATA[8:9]),
        key(DATA[:5], DATA[7:8], pin="age"),
        key(DATA[:5], DATA[7:8], groups={"both": ["age", "city"]}),
        key(wider[:5], wider[7:8]),
        key(polars_people(40)[:5], polars_people(40)[7:8]),
        key(DATA.astype({"age": "int32"})[:5], DATA[7:8]),
    ]
    assert len({base, *different}) == 1 + len(different)


CELLS = st.one_of(st.none(), st.integers(0, 2), st.booleans(), st.sampled_from(["a", "b", ""]), st.just(float("nan")))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS), min_size=3, max_size=3))
def test_keys_are_equal_exactly_where_rows_are(cells):
    """Against a comparison of all rows, cell by cell, in columns of anything."""
    table = pd.DataFrame({name: pd.Series(list(pair), dtype=object) for name, pair in zip("abc", cells, strict=True)})
    masked = Tabular(table[1:]).mask(table[:1])
    sets = lc.Coalitions.from_dense(np.array([[bool(r >> u & 1) for u in range(3)] for r in range(8)]))
    keys = coalition_keys(masked, sets)
    rows = [[(type(v).__name__, repr(v)) for v in row] for row in masked.rows(sets).itertuples(index=False)]
    for i in range(8):
        for j in range(8):
            assert (keys[i] == keys[j]) == (rows[i] == rows[j])


# -- groups --------------------------------------------------------------------------------------------------------


@BOTH
def test_groups_are_one_unit(data):
    masker = Tabular(data[:6], groups={"work": ["job", "income"], "rest": ["member", "age"]})
    e = lc.Explainer(model, masker, lc.Shapley(), kind="output")(data[9:10])
    assert e.names == ("rest", "work", "city", "since")
    units = [["member", "age"], ["job", "income"], ["city"], ["since"]]
    np.testing.assert_allclose(e.scores, brute_force(records(data)[9], records(data)[:6], units), atol=1e-10)


def test_groups_of_arrays_and_their_graph():
    rows = np.arange(12.0).reshape(2, 6)
    graph = lc.Graph.chain(6)
    masked = Tabular(rows, graph, groups={"ends": [0, 5]}, pin=[2]).mask(np.full(6, 99.0))
    assert masked.graph.names == ("ends", "1", "3", "4")
    assert masked.graph.edges.tolist() == [[0, 1], [0, 3], [2, 3]]
    masked_rows = masked.rows(lc.Coalitions.from_sets(4, [[0], [3]]))
    assert masked_rows.tolist() == [
        [99, 1, 99, 3, 4, 99], [99, 7, 99, 9, 10, 99], [0, 1, 99, 3, 99, 5], [6, 7, 99, 9, 99, 11]
    ]  # fmt: skip
    assert masked.owners.tolist() == [0, 1, -1, 2, 3, 0]


def test_one_hot_blocks_are_groups_that_read_as_categories():
    wide = pd.get_dummies(people(30)[["age", "city", "job"]])
    names = list(wide.columns)
    masker = Tabular(wide[:20], groups="one-hot")
    e = lc.Explainer(lambda f: f["age"] * f["city_Rome"] * 1.0, masker, lc.Shapley(), kind="output")(wide[22:23])
    assert e.names == ("age", "city", "job")
    city = people(30)["city"][22]
    assert e.view.unit_texts == {1: city, 2: people(30)["job"][22]}
    assert names[1:4] == ["city_Oslo", "city_Paris", "city_Rome"]
    masked = Tabular(wide[:20]).mask(wide[22:23])
    advice = 'one-hot blocks: city, job; Tabular(..., groups="one-hot") makes each of them one unit'
    assert masked.advice == advice
    assert masker.mask(wide[22:23]).advice == ""
    explainer = lc.Explainer(model, Tabular(wide[:20]), lc.Shapley(), kind="output")
    assert advice in explainer.preview(wide[22:23])
    assert explainer.masker.preview(wide[22:23]).splitlines()[1:] == [
        "20 background rows: a call takes up to as many model rows", advice
    ]  # fmt: skip
    assert masked.graph.d == 7


# -- what is shown -------------------------------------------------------------------------------------------------


@BOTH
def test_people_read_values(data):
    x = records(data)[7] | {"income": None, "city": "Paris"}
    e = explain(data[:5], x)
    assert e.view.unit_texts == {1: "missing", 2: "Paris", 3: x["job"], 4: str(x["member"]), 5: str(x["since"])[:10]}
    assert e.view.unit_values[0] == x["age"]
    assert np.isnan(e.view.unit_values[2])


def test_arrays_with_missing_values_are_reported():
    masked = Tabular(np.zeros((2, 3))).mask([1.0, np.nan, 2.0])
    assert masked.view.unit_texts == {1: "missing"}
    assert Tabular(np.zeros((2, 3))).mask([1.0, 5.0, 2.0]).view.texts == ()


def test_the_error_of_a_model_describes_the_rows():
    def fails(rows):
        raise ValueError("no")

    with pytest.raises(
        lc.errors.ModelError, match=r"ValueError.'no'. \(It was given pandas DataFrames .* give Tabular\("
    ):
        lc.Explainer(fails, Tabular(DATA[:5]), lc.Shapley(), kind="output")(DATA[7:8])
    with pytest.raises(lc.errors.ModelError, match=r"'no'. \(It was given missing values: fill them in before"):
        lc.Explainer(fails, Tabular(np.zeros((2, 3))), lc.Shapley(), kind="output")([1.0, np.nan, 2.0])


def test_a_remote_model_gets_frames_and_its_errors_show_a_row():
    async def answers(frame):
        return model(frame)

    async def fails(frame):
        raise PermissionError("no")

    local = explain(DATA[:5], DATA[7:8])
    far = lc.Explainer(answers, Tabular(DATA[:5]), lc.Shapley(), kind="output")(DATA[7:8])
    assert far.scores.tolist() == local.scores.tolist()
    broken = RemoteModel(fails, kind="output", retries=0)
    with pytest.raises(lc.errors.ModelError, match=r"had no answer in 1 try.*PermissionError") as caught:
        lc.Explainer(broken, Tabular(DATA[:5]), lc.Shapley())(DATA[7:8])
    assert "'age': " in str(caught.value)
