"""The documentation site: it builds without a warning, loads nothing from elsewhere, and has everything it should."""

import re
import subprocess
import sys
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import typer

import lcshap as lc
from lcshap.cli.typer_app import app

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-W", "ignore", "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_public_name_and_every_method_has_its_reference(site):
    reference = "".join(path.read_text(encoding="utf-8") for path in (site / "api").glob("*.html"))
    things = [getattr(lc, name) for name in lc.__all__]
    named = [thing for thing in things if hasattr(thing, "__qualname__")]
    assert len(named) > 40
    for thing in named:
        assert f'id="{thing.__module__}.{thing.__qualname__}"' in reference, thing


def test_the_command_reference_has_every_command_and_option(site):
    page = (site / "command.html").read_text(encoding="utf-8")
    commands = typer.main.get_command(app).commands
    assert len(commands) >= 8
    for name, command in commands.items():
        assert f'<h2 id="lcshap-{name}">' in page
        for parameter in command.params:
            if parameter.param_type_name == "option" and not parameter.hidden:
                assert f"<code>{parameter.opts[0]}</code>" in page, parameter.opts


def test_mathematics_is_drawn_without_a_script(site):
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    assert "<math" in pages[site / "api" / "methods.html"]
    for path, page in pages.items():
        assert 'class="arithmatex"' not in page, path
        assert ".. math" not in re.sub(r"<pre.*?</pre>", "", page, flags=re.DOTALL), path


def test_links_inside_the_site_lead_somewhere(site):
    seen = 0
    ids = {path: set(re.findall(r'id="([^"]+)"', path.read_text(encoding="utf-8"))) for path in site.rglob("*.html")}
    for path in ids:
        page = re.sub(r"<(code|pre).*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r'(?:href|src)="([^"]+)"', page):
            if re.match(r"[a-z]+:|//", target) or path.name == "404.html":
                continue
            file, _, anchor = target.partition("#")
            goal = (path.parent / file).resolve() if file else path
            assert goal.exists(), f"{path.name}: {target}"
            assert not anchor or anchor.startswith("__") or anchor in ids.get(goal, {anchor}), f"{path.name}: {target}"
            seen += 1
    assert seen > 500


@contextmanager
def served(folder):
    """A web server for the folder, on this machine alone; its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        server.folder = str(folder)
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder without a word."""

    def __init__(self, request, address, server):
        super().__init__(request, address, server, directory=server.folder)

    def log_message(self, *_):
        pass


@pytest.mark.parametrize(("width", "theme"), [(390, "dark"), (1280, "light")], ids=["phone", "desktop"])
def test_the_site_in_a_browser(site, chromium, width, theme):
    """Nothing is loaded from other hosts, no page is wider than the screen, and search finds what people look for."""
    context = chromium.new_context(viewport={"width": width, "height": 844}, color_scheme=theme)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    with served(site) as home:
        for name in sorted(path.relative_to(site) for path in site.rglob("*.html") if path.name != "404.html"):
            page.goto(f"{home}/{name}")
            wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wider <= 0, name
        for word in ("residual", "C-Shapley", "kind"):
            page.goto(f"{home}/index.html")
            page.keyboard.press("/")
            page.keyboard.type(word)
            page.wait_for_selector(".md-search-result__item", timeout=60_000)
            assert word.lower() in page.locator(".md-search-result__list").inner_text().lower()
    assert asked
    assert [url for url in asked if not url.startswith((home, "data:", "blob:"))] == []
    context.close()
