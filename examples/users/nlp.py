"""For somebody who builds text classifiers: which words does the decision depend on, and which are enough for it?"""

import lcshap as lc

model, masker, text = lc.paper.networks.demo.demo_text()  # a word-CNN for film reviews, and a sentence

for goal in ("fair", "necessary", "sufficient"):
    e = lc.Explainer(model, masker, goal=goal)(text)
    print(f"{goal:10}", ", ".join(f"{word} {score:+.2f}" for word, score in e.top(3)))
