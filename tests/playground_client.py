"""A client that sends the requests of the page, a model that a test controls, and texts that attack a page."""

import json
import threading
import time
from urllib.parse import urlsplit

import httpx
from playwright.sync_api import expect


class Client:
    """What the page does: opens the address, keeps the cookie, sends JSON from its own origin."""

    def __init__(self, playground, **options):
        self.playground = playground
        parts = urlsplit(playground.url)
        self.origin, self.token = f"http://{parts.netloc}", parts.query.partition("=")[2]
        self.http = httpx.Client(base_url=self.origin, timeout=30, **options)
        self.opened = self.http.get(f"/?token={self.token}", follow_redirects=True)

    def post(self, path, sent=None, **options):
        headers = {"Origin": self.origin, **options.pop("headers", {})}
        if sent is not None:
            options["json"] = sent
        return self.http.post(path, headers=headers, **options)

    def explain(self, content):
        """All events of a run."""
        return list(self.events(content))

    def events(self, content):
        with self.http.stream("POST", "/api/explain", json=content, headers={"Origin": self.origin}) as answer:
            if answer.status_code != 200:
                yield "refused", json.loads(answer.read())
                return
            name = ""
            for line in answer.iter_lines():
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    yield name, json.loads(line.removeprefix("data: "))


class Model:
    """Counts what it is asked; can wait, fail or hang on command. Good words for, bad words against."""

    def __init__(self):
        self.rows, self.batches, self.pause, self.error = 0, 0, 0.0, None
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self, texts):
        if self.error is not None:
            raise self.error
        self.gate.wait()
        self.rows += len(texts)
        self.batches += 1
        time.sleep(self.pause * len(texts))
        return [[-(score := self.score(text)), score] for text in texts]

    @staticmethod
    def score(text):
        words = text.lower().split()
        return 1.5 * words.count("good") - 2.0 * words.count("bad") - 1.0 * ("not good" in text.lower()) - 0.25


def explain(page, seconds=20):
    """Run an explanation and wait for its end: the button is hidden meanwhile, and links of an earlier run stay."""
    page.click("#run")
    page.locator("#run").wait_for(timeout=1000 * seconds)
    page.locator("#saves a").first.wait_for(timeout=1000 * seconds)


def wait_for_text(page, selector, text):
    """Wait until an element of the page contains a text."""
    expect(page.locator(selector)).to_contain_text(text, timeout=15_000)


def unit(page, number):
    return page.locator(f'#picture [data-unit="{number}"]').first


def wait_until(fact, seconds=10.0):
    end = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)


XSS = [
    "<script>window.hit = 1</script>",
    "</script><script>window.hit = 1</script>",
    "<img src=x onerror='window.hit = 1'>",
    "<svg onload=window.hit=1>",
    "<body onload=window.hit=1>",
    "<iframe src='javascript:window.hit=1'>",
    "<a href='javascript:window.hit=1'>x</a>",
    "<input autofocus onfocus=window.hit=1>",
    "<details open ontoggle=window.hit=1>",
    "<math><mi xlink:href='javascript:window.hit=1'>x</mi></math>",
    "<style>@import 'http://example.com/x.css'</style>",
    "<link rel=stylesheet href=http://example.com/x.css>",
    "<meta http-equiv=refresh content='0;url=http://example.com'>",
    "<base href=http://example.com/>",
    "<form action=http://example.com><input type=submit>",
    "<object data='data:text/html,<script>window.hit=1</script>'>",
    "<embed src='data:text/html,<script>window.hit=1</script>'>",
    "<video><source onerror=window.hit=1>",
    "<marquee onstart=window.hit=1>",
    "<!--<img src='--><img src=x onerror=window.hit=1>'>",
    "<![CDATA[<script>window.hit=1</script>]]>",
    '"><script>window.hit=1</script>',
    "'><script>window.hit=1</script>",
    "`-window.hit=1-`",
    "${window.hit=1}",
    "{{constructor.constructor('window.hit=1')()}}",
    "javascript:window.hit=1",
    "data:text/html,<script>window.hit=1</script>",
    "\u2028window.hit=1\u2029",
    "\\u003cscript\\u003ewindow.hit=1\\u003c/script\\u003e",
    "&lt;script&gt;window.hit=1&lt;/script&gt;",
    "<scr\0ipt>window.hit=1</scr\0ipt>",
    "<ScRiPt>window.hit=1</sCrIpT>",
    "<script/src=data:,window.hit=1>",
    "<x onclick=window.hit=1>click</x>",
    "<template><script>window.hit=1</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=window.hit=1>'>",
    "event: estimate\ndata: {}\n\n",
    "\r\nSet-Cookie: stolen=1\r\n\r\n",
    "__proto__ constructor toString hasOwnProperty",
]
