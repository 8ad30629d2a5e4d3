"""Playgrounds on loopback that are ended."""

import pytest
from playground_client import Client, Model

import lcshap as lc
from lcshap.playground import Limits, Playground

LISTEN = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""
TEXT = "a good film with a good plot, not bad at all"


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """On a busy machine any first answer looks slow, and one row more would be asked; tests count rows."""
    monkeypatch.setattr("lcshap.playground.session._WARM_UP_MIN_SECONDS", 10.0)


@pytest.fixture
def model():
    model = Model()
    yield model
    model.gate.set()


@pytest.fixture
def start():
    """Starts playgrounds, and ends them."""
    running = []

    def start(explainer, examples=("a good film, not bad",), **options):
        limits = Limits(**options.pop("limits", {}))
        running.append(lc.serve(explainer, examples, block=False, limits=limits, **options))
        return running[-1]

    yield start
    for playground in running:
        playground.close()


@pytest.fixture
def connect(start):
    """Starts a playground, or takes one that runs, and gives a client that is closed in the end."""
    clients = []

    def connect(explainer, *arguments, **options):
        playground = explainer if isinstance(explainer, Playground) else start(explainer, *arguments, **options)
        clients.append(Client(playground))
        return clients[-1]

    yield connect
    for client in clients:
        client.http.close()


@pytest.fixture(scope="module")
def visitor():
    """A client of one playground for all tests that only ask: starting a server for each takes longer than asking."""
    model = Model()
    with lc.serve(explainer_of(model), ["a good film, not bad"], block=False) as playground:
        client = Client(playground)
        client.model = model
        yield client
        client.http.close()


def explainer_of(model):
    return lc.Explainer(model, lc.maskers.Text(), kind="logits", classes=["no", "yes"], batch_size=8)


@pytest.fixture
def explainer(model):
    return explainer_of(model)


@pytest.fixture
def client(connect, explainer):
    return connect(explainer)


@pytest.fixture
def visit(chromium, start):
    """Opens pages of a playground, each in a browser of its own; no error, dialog or foreign request may happen."""
    contexts, complaints = [], []

    def visit(explainer, examples=(TEXT,), width=1280, height=900, dark=False, touch=False, **options):
        playground = explainer if hasattr(explainer, "url") else start(explainer, examples, **options)
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            accept_downloads=True,
            has_touch=touch,
        )
        contexts.append(context)
        page = context.new_page()
        origin = playground.url.partition("?")[0]
        page.on("console", lambda message: expected(message.text) or complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda r: r.url.startswith((origin, "data:", "blob:")) or complaints.append(r.url))
        page.add_init_script(LISTEN)
        page.goto(playground.url)
        page.playground = playground
        return page

    yield visit
    for context in contexts:
        for page in context.pages:
            complaints += page.evaluate("window.violations") + page.evaluate("window.hit ? ['hit'] : []")
        context.close()
    assert complaints == []


def expected(message):
    """What Chromium writes by itself: about an answer such as 400, and about tests that read pixels."""
    return "Failed to load resource" in message or "willReadFrequently" in message
