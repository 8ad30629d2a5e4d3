"""Frames of mixed columns for tests: strings, categories, truth values, dates and gaps."""

import numpy as np
import pandas as pd
import polars as pl

CITIES = ["Oslo", "Paris", "Rome"]


def people(n, seed=0):
    """A pandas frame with gaps in every column that can have them."""
    rng = np.random.default_rng(seed)
    data = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": rng.normal(size=n).round(2),
            "city": rng.choice(CITIES, n),
            "job": pd.Categorical(rng.choice(["cook", "nurse"], n), categories=["cook", "nurse", "pilot"]),
            "member": rng.random(n) < 0.5,
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 999, n), "D"),
        }
    )
    data.loc[1::5, "income"] = np.nan
    data.loc[2::6, "city"] = None
    data.loc[3::7, "job"] = np.nan
    data.loc[4::8, "since"] = pd.NaT
    return data


def polars_people(n, seed=0):
    """The same in polars."""
    data = pl.from_pandas(people(n, seed))
    return data.with_columns(pl.col("job").cast(pl.String).cast(pl.Enum(["cook", "nurse", "pilot"])))


def score(row):
    """A model of one row, in plain Python: everything interacts with something, and gaps count."""
    gap = {name: value is None or value != value for name, value in row.items()}
    total = row["age"] / 50 + (0.7 if gap["income"] else row["income"] * (1 + (row["city"] == "Paris")))
    total += 2.0 * bool(row["member"]) * (row["job"] == "nurse") - 0.4 * gap["job"] + 0.3 * gap["city"]
    return total + (-1.0 if gap["since"] else row["since"].year % 5 * (1 + bool(row["member"])))


def model(frame):
    """The model of frames of both kinds."""
    rows = frame.rows(named=True) if isinstance(frame, pl.DataFrame) else frame.to_dict("records")
    return np.array([score({k: None if v is pd.NaT else v for k, v in row.items()}) for row in rows])
