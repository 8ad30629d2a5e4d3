"""Who earns more than 50,000 dollars? Mixed columns with gaps, LightGBM, and shap's TreeExplainer beside lcshap.

    pip install "lcshap[pandas,shap]" lightgbm shapiq
    python examples/table.py

The data is the census of 1994, which is part of shapiq: numbers, categories and missing values. Nothing is downloaded.
The first model is fitted on the DataFrame with its categories, and explained on DataFrames too. TreeExplainer does not
support splits by category, so a second model is fitted on the numbers of the categories, for which all scores must
agree.
"""

from __future__ import annotations

import warnings
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier

import lcshap as lc

COLUMNS = (
    *("age", "workclass", "education-num", "marital-status", "occupation", "relationship", "sex"),
    *("capital-gain", "hours-per-week", "native-country"),
)
BACKGROUND = 20
RICH = ">50K"


def load(rows: int) -> tuple[pd.DataFrame, pd.Series]:
    """Some rows of the census, texts as categories, and whether the income is above 50,000."""
    table = pd.read_csv(str(files("shapiq") / "datasets" / "data" / "adult_census.csv")).sample(rows, random_state=0)
    people = table[list(COLUMNS)].reset_index(drop=True)
    texts = [name for name in COLUMNS if not pd.api.types.is_numeric_dtype(people[name])]
    return people.astype(dict.fromkeys(texts, "category")), table["class"].eq(RICH).reset_index(drop=True)


def encode(people: pd.DataFrame) -> pd.DataFrame:
    """Categories as their numbers, NaN where one is missing."""
    codes = {name: people[name].cat.codes.where(people[name].notna()) for name in people.select_dtypes("category")}
    return people.assign(**codes)


def fit(people: pd.DataFrame, rich: pd.Series, trees: int) -> tuple[LGBMClassifier, float]:
    """LightGBM on four fifths of the rows, and its accuracy on the others."""
    model, cut = LGBMClassifier(n_estimators=trees, verbose=-1, n_jobs=1, random_state=0), len(people) * 4 // 5
    model.fit(people[:cut], rich[:cut])
    return model, float((model.predict(people[cut:]) == rich[cut:]).mean())


def tree_explainer(model: LGBMClassifier, background: pd.DataFrame, x: pd.DataFrame) -> Any:
    """shap's exact interventional Shapley values of the margin."""
    with warnings.catch_warnings(action="ignore"):
        import shap

        explainer = shap.TreeExplainer(model, background, feature_perturbation="interventional", model_output="raw")
        return np.ravel(explainer.shap_values(x, check_additivity=False))


def side_by_side(columns: dict[str, Any], names: list[str]) -> None:
    """Print scores by unit, the largest first."""
    print(f"{'':38}" + "".join(f"{title:>15}" for title in columns))
    first = next(iter(columns.values()))
    for unit in np.argsort(-np.abs(first), kind="stable"):
        print(f"{names[unit]:38}" + "".join(f"{scores[unit]:+15.6f}" for scores in columns.values()))


def main(small: bool = False) -> dict[str, Any]:
    """Fit both models, explain one person, and compare."""
    people, rich = load(3000 if small else 8000)
    trees = 20 if small else 60
    gaps = people.isna().any(axis=1) & rich
    x = people[gaps.to_numpy()].iloc[[0]]  # somebody who earns much and left out some answers

    model, accuracy = fit(people, rich, trees)
    print(f"LightGBM on categories: {accuracy:.1%} of held-out people right, {1 - rich.mean():.1%} earn less\n")
    masker = lc.maskers.Tabular(people, summary=BACKGROUND)
    explainer = lc.Explainer(model, masker, "shapley", kind="logits", value="output")
    print(explainer.preview(x), "\n")
    e = explainer(x)
    e.show()

    print("\nMarriage and relationship say nearly the same; as one unit, and with a graph learnt from all rows:")
    groups = {"family": ["marital-status", "relationship"]}
    grouped = lc.maskers.Tabular(people, "mutual-information", summary=BACKGROUND, groups=groups)
    family = lc.Explainer(model, grouped, lc.LShapley(1), kind="logits", value="output")(x)
    family.show()

    numbers = encode(people)
    model, accuracy = fit(numbers, rich, trees)
    print(f"\nLightGBM on numbers of categories: {accuracy:.1%} right. Its margin for the same person, three times:")
    masker = lc.maskers.Tabular(numbers, summary=BACKGROUND)
    exact, walked = lc.Explainer(model, masker, kind="logits", value="output").compare(
        numbers.loc[x.index], ["shapley", "tree-shap"]
    )
    background = lc.maskers.representatives(numbers, BACKGROUND)
    peer = tree_explainer(model, background, numbers.loc[x.index])
    side_by_side({"Shapley": exact.scores, "TreeSHAP": walked.scores, "TreeExplainer": peer}, list(exact.names))
    apart = {"tree-shap": np.abs(walked.scores - exact.scores).max(), "shap": np.abs(peer - exact.scores).max()}
    print(f"\nlargest differences: TreeSHAP {apart['tree-shap']:.1e}, shap's TreeExplainer {apart['shap']:.1e}")
    return {"explanation": e, "family": family, "accuracy": accuracy, "apart": apart, "rich": float(rich.mean())}


if __name__ == "__main__":
    main()
