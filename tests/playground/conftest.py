"""Playgrounds on loopback that are ended."""

import pytest
from playing import Client, Model

import lcshap as lc
from lcshap.playground import Limits, Playground


@pytest.fixture
def model():
    made = Model()
    yield made
    made.gate.set()


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


@pytest.fixture
def explainer(model):
    return lc.Explainer(model, lc.maskers.Text(), kind="logits", classes=["no", "yes"], batch_size=8)


@pytest.fixture
def client(connect, explainer):
    return connect(explainer)
