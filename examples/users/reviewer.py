"""For somebody who has to approve a model: one page with several predictions, to open in a browser."""

from pathlib import Path

import lcshap as lc

model, masker, _ = lc.paper.networks.demo.demo_text()  # a word-CNN for film reviews
texts = ["A clever and funny film.", "Dull from start to end.", "Not bad, but never really funny."]
explanations = lc.Explainer(model, masker, curve=True)(texts)
page = lc.report(explanations, "reviews.html", title="Three reviews")
print(f"{Path(page).name}: {len(explanations)} explanations on one page that needs no network")
