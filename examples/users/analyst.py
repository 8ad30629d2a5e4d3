"""For a data analyst: why does the model predict this for one row of a table?"""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import lcshap as lc

data = load_breast_cancer(as_frame=True)
model = RandomForestClassifier(50, random_state=0).fit(data.data[:400], data.target_names[data.target[:400]])

explainer = lc.Explainer(model, lc.maskers.Tabular(data.data[:400], summary=20), value="prob")
e = explainer(data.data.iloc[450])
print(f"P({e.provenance['targets'][0]}): {e.base_value:.2f} on average, {e.full_value:.2f} for this row")
for name, score in e.top(3):
    print(f"  {name:22} {score:+.3f}")
