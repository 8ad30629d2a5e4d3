"""Texts and a model, and what tests of figures of many inputs read off the figures."""

from matplotlib.backends.backend_agg import FigureCanvasAgg

TEXTS = ["A good film, good fun.", "Bad; a BAD film!", "good", "-- “Good” -- $x_"]


def model(texts):
    low = [t.lower() for t in texts]
    return [t.count("good") * 1.5 - t.count("bad") * (2.0 + t.count("film")) for t in low]


def by_hand(explanations, clean):
    scores_by_word = {}
    for e in explanations:
        for i, (name, score) in enumerate(zip(e.names, e.scores, strict=True)):
            scores_by_word.setdefault(clean(name), []).append((score, i / max(1, len(e.names) - 1)))
    return scores_by_word


def draw(ax):
    FigureCanvasAgg(ax.figure).draw()


def rows(ax):
    return [t.get_text() for t in ax.get_yticklabels()]
