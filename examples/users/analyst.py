"""For a data analyst: why does the model predict this for one row of a table, and what matters over many rows?"""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import lcshap as lc

data = load_breast_cancer(as_frame=True)
model = RandomForestClassifier(50, random_state=0).fit(data.data[:400], data.target_names[data.target[:400]])

masker = lc.maskers.Tabular(data.data[:400], summary=20)
explainer = lc.Explainer(model, masker, value="prob", target="benign")
e = explainer(data.data.iloc[450])
print(f"P(benign): {e.base_value:.2f} on average, {e.full_value:.2f} for this row")
for name, score in e.top(3):
    print(f"  {name:22} {score:+.3f}")

xs = explainer(data.data[450:480])
importance = xs.importance()
print(f"mean |score| over {len(xs)} rows:")
for name, size, stderr in list(zip(importance.names, importance.mean_abs, importance.mean_abs_stderr, strict=True))[:3]:
    print(f"  {name:22} {size:.3f} ± {stderr:.3f}")
