"""How long the playground takes to answer: in a real browser, on the demo model.

``python -m benchmarks.playground_latency`` prints the time from pressing Explain to the first coloured words of a text
of 200 words, for the first run of a new server and the median of further texts; and the time from a click on a word to
the model's answer on the page, beside the time that two calls of the model take. Times are wall times: a busy machine
makes them longer.
"""

from __future__ import annotations

import shutil
import time
from statistics import median

import numpy as np

import lcshap as lc
from lcshap.paper.networks.demo import demo_text

SENTENCE = "it is not heartwarming or entertaining but the film was good great plot actors bad boring end music"
WORDS = tuple(SENTENCE.split())
LENGTH, TEXTS, CLICKS = 200, 5, 15
WATCH = """([place, wanted]) => {
  window.seen = null;
  let from = Infinity;
  document.addEventListener("click", () => (from = performance.now()), { capture: true, once: true });
  const look = () => {
    const found = document.querySelector(place)?.querySelector(wanted);
    if (found) window.seen = performance.now() - from;
    else requestAnimationFrame(look);
  };
  document.querySelector(place).replaceChildren();
  look();
}"""


def waited(page, place: str, wanted: str, act) -> float:
    """Seconds from the click that an action makes until an element is there."""
    page.evaluate(WATCH, [place, wanted])
    act()
    while (seen := page.evaluate("window.seen")) is None:
        time.sleep(0.002)
    return seen / 1000


def measure(page, draw) -> dict[str, float]:
    """All times, in seconds."""
    first = []
    for _ in range(TEXTS):
        page.fill("#text", " ".join(draw.choice(WORDS, LENGTH)))
        page.wait_for_timeout(800)  # the prediction of the new text
        first.append(waited(page, "#picture", ".unit", lambda: page.click("#run")))
        page.click("#cancel")
        page.locator("#run").wait_for()
        page.wait_for_timeout(800)
    clicks = []
    for unit in range(CLICKS):
        word = page.locator(f'#picture [data-unit="{7 * unit}"]')
        clicks.append(waited(page, "#answer", ".prediction", word.click))
    return {"first run of a server": first[0], "further runs (median)": median(first[1:]), "a click": median(clicks)}


def main() -> None:
    """Print the times."""
    from playwright.sync_api import sync_playwright

    model, masker, text = demo_text()
    draw = np.random.default_rng(0)
    rows = [" ".join(draw.choice(WORDS, LENGTH)) for _ in range(20)]
    begin = time.perf_counter()
    for row in rows:
        model.predict(masker.mask(row).rows(lc.Coalitions.from_sets(LENGTH, [range(LENGTH)])))
    two = 2 * (time.perf_counter() - begin) / len(rows)
    with lc.serve(lc.Explainer(model, masker), [text], block=False) as playground, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(playground.url)
        page.locator("#prediction meter").first.wait_for()
        found = measure(page, draw)
        browser.close()
    for name, seconds in found.items():
        print(f"{name:28} {1000 * seconds:7.0f} ms")
    print(f"{'two calls of the model':28} {1000 * two:7.1f} ms")


if __name__ == "__main__":
    main()
