"""For tests of what is shown: small models, and readers of terminals' codes, of HTML and of reports."""

import base64
import json
import re
from html.parser import HTMLParser

import numpy as np

import lcshap as lc
from lcshap.core.explanation import Explanation

# -- the terminal ---------------------------------------------------------------------------------------------------

CODE = re.compile(r"\033\[([0-9;]*)m")
MOODS = {"good": 2.0, "fine": 1.0, "bad": -4.0}


def mood(texts):
    return [sum(MOODS.get(word.strip(".,"), 0.0) for word in text.split()) for text in texts]


def explain(model, masker, x, method=None, **options):
    return lc.Explainer(model, masker, method or lc.FeatureAblation(), kind="output", **options)(x)


def runs(line):
    """The pieces of a line: text, ink, background (None where there is none)."""
    found, ink, back = [], None, None
    for k, part in enumerate(CODE.split(line)):
        if k % 2 == 0:
            found += [(part, ink, back)] if part else []
            continue
        numbers = [int(n) for n in part.split(";")]
        ink, back = (None, None) if numbers == [0] else (numbers[2:5], numbers[7:10] or None)
    return [(text, ink and tuple(ink), back and tuple(back)) for text, ink, back in found]


def strip(text):
    return CODE.sub("", text)


# -- notebooks ------------------------------------------------------------------------------------------------------

TAGS = {"div", "style", "p", "strong", "span", "pre", "img", "table", "tbody", "tr", "th", "td"}
TAGS |= {"svg", "rect", "polyline", "em", "figure", "figcaption", "g", "circle", "line", "text"}
ATTRIBUTES = {"class", "style", "title", "alt", "src", "scope", "role", "aria-label", "x", "y", "width", "height"}
ATTRIBUTES |= {"viewbox", "preserveaspectratio", "points", "dir", "tabindex"}
ATTRIBUTES |= {"cx", "cy", "r", "x1", "y1", "x2", "y2"}


class Fragment(HTMLParser):
    """What a browser would see: elements with their attributes, and the text outside of the style element."""

    def __init__(self, source):
        super().__init__()
        self.elements, self.text, self.open = [], "", []
        self.feed(source)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag != "img":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.text += data

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def read_html(source):
    """A page, checked: known elements and attributes only, all pictures inline, one root."""
    page = Fragment(source)
    assert {tag for tag, _ in page.elements} <= TAGS
    for _, attributes in page.elements:
        assert set(attributes) <= ATTRIBUTES
        assert attributes.get("src", "data:image/png;base64,").startswith("data:image/png;base64,")
    assert page.elements[0] == ("div", {"class": "lcshap"})
    source.encode("utf-8")
    return page


def strengths(page, tag):
    """The opacity of the colour of each element."""
    return [float(re.search(r"([\d.]+)\)$", element["style"])[1]) for element in page.all(tag) if "style" in element]


# -- reports --------------------------------------------------------------------------------------------------------

TYPES = {"u1": np.uint8, "u2": np.uint16, "i2": np.int16, "u4": np.uint32, "i4": np.int32, "f4": np.float32}
NASTY = [
    "<script>alert(1)</script>",
    '"onmouseover=alert(1) x="',
    "</style><style>*{color:red}</style>",
    "</script><img src=x onerror=alert(1)>",
    "<!--<script>",
    "&lt;b&gt; \u2028 \u2029 \x00 \ud800 %%data%%",
]


class Page(HTMLParser):
    """The elements of a page, and its blocks of JSON by id."""

    def __init__(self, path):
        super().__init__()
        self.path, self.source = path, path.read_text(encoding="utf-8")
        self.tags, self.texts, self.open = [], [], None
        self.feed(self.source)
        self.blocks = {a["id"]: json.loads(t) for tag, a, t in self.texts if a.get("type") == "application/json"}

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style", "title"):
            self.texts.append([tag, dict(attrs), ""])
            self.open = tag

    def handle_endtag(self, tag):
        self.open = None if tag == self.open else self.open

    def handle_data(self, data):
        if self.open:
            self.texts[-1][2] += data

    @property
    def samples(self):
        return self.blocks["index"]["samples"]

    def sample(self, i=0):
        return self.blocks[f"sample-{i}"]

    def pool(self, i):
        return self.blocks[f"pool-{i}"]


def unpack(text):
    data = base64.b64decode(text[2:])
    if text[:2] == "b2":  # the first half of each float
        return np.stack([np.zeros(len(data) // 2, "<u2"), np.frombuffer(data, "<u2")], axis=1).view("<f4").ravel()
    return np.frombuffer(data, TYPES[text[:2]])


def unpack_spans(packed):
    if isinstance(packed, str):
        return unpack(packed).reshape(-1, 2).tolist()
    low, width, numbers = packed
    found, at = [], 0
    for number in unpack(numbers).tolist():
        length, gap = divmod(number, width)
        found.append([at + low + gap, at + low + gap + length])
        at = found[-1][1]
    return found


def unpack_order(packed, expected):
    if packed is None or isinstance(packed, str):
        return list(expected) if packed is None else unpack(packed).tolist()
    order = np.array(expected)
    order[unpack(packed[0])] = unpack(packed[1])
    return order.tolist()


def made(scores, names=None, view=None, provenance=None, **more):
    """An explanation without a model."""
    scores = np.asarray(scores, float)
    graph = lc.Graph.chain(len(scores), names=names or [f"unit {i}" for i in range(len(scores))])
    base, full = (0.0, float(scores.sum())) if scores.ndim == 1 else (np.zeros(scores.shape[1]), scores.sum(axis=0))
    record = {"method": "Shapley()", **(provenance or {})}
    return Explanation(scores, base, full, graph, 7, provenance=record, view=view, **more)


def text_view(text, units="word"):
    return lc.maskers.Text(units=units).mask(text).view


def answer(
    prompt="The leopard lives in Primorye. It feeds on deer.",
    tokens=("It", "lives", "in", "Primorye", "in", "a", "wood"),
):
    """An explanation with an output for each token of an answer: copies of words speak for themselves."""
    view = text_view(prompt)
    draw = np.random.default_rng(0).normal(size=(len(view.parts), len(tokens)))
    copies = np.array([[part.strip(".") == token for token in tokens] for part in view.parts])
    record = {"method": "Shapley()", "value": "log_prob", "targets": list(tokens)}
    return made(0.1 * draw + 2.0 * copies, list(view.parts), view, record)


ANSWER = "Hansen built it 😀. <b>Norway</b> is cold. Boats leave."
PARTS = ["Hansen built it 😀.", "<b>Norway</b> is cold.", "Boats leave."]
SPANS = [(0, len(ANSWER)), *((ANSWER.index(part), ANSWER.index(part) + len(part)) for part in PARTS)]
SOURCES = ["Ole Hansen built the lighthouse.", "There are <i>boats</i> in the harbour.", "Bread is baked."]


class KnownAnswer(lc.adapters.Model):
    """A language model whose log-probabilities are known: the second sentence rests on nothing."""

    kind, target, classes = "output", "all", ["whole", "first", "second", "third"]
    answer_and_spans = ANSWER, np.array(SPANS)

    def predict(self, rows):
        parts = [[5.0 * ("Hansen" in row) - 6, 0.1 * ("Bread" in row) - 2, 2.0 * ("boats" in row)] for row in rows]
        return np.c_[np.sum(parts, axis=1), parts]


def prompt():
    """Three sources and an answer of three sentences, each an output."""
    masker = lc.maskers.Prompt("{sources}\n\nWho built it?")
    return lc.Explainer(KnownAnswer(), masker, lc.Shapley())({"sources": SOURCES})
