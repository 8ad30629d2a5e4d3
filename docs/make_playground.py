"""Make the pictures of docs/playground.md: `python docs/make_playground.py`. Needs Chromium and playwright."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np

import lcshap as lc
from lcshap.paper.networks.demo import SENTENCE, demo_digits, demo_text

FOLDER = Path(__file__).parent / "figures"


def wave():
    """A pulse in a slow wave, 64 steps."""
    steps = np.arange(64)
    return (0.3 * np.sin(steps / 9) + np.exp(-((steps - 22) ** 2) / 12)).round(3)


def highest(series):
    """A model: the highest value of each series, smoothed."""
    return np.log(np.exp(8 * series).sum(axis=1)) / 8


def explained(browser, url, width, height, dark):
    """A page on which the example is explained."""
    page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )
    page.goto(url)
    page.locator("#prediction .prediction").wait_for()
    page.click("#run")
    page.locator("#saves a").first.wait_for()
    return page


def save(page, name):
    """The page as it is, without a tip."""
    page.mouse.move(2, 2)
    page.locator("#answer .prediction").wait_for()
    page.screenshot(path=FOLDER / f"playground-{name}.png")


def main() -> None:
    """Write all pictures."""
    from playwright.sync_api import sync_playwright

    text, words, _ = demo_text()
    digits, _, digit = demo_digits()
    with (
        lc.serve(lc.Explainer(text, words), [SENTENCE], block=False, title="lcshap: demo-text") as reviews,
        lc.serve(
            lc.Explainer(digits, lc.maskers.Image(patch=4), value="log_odds"),
            [digit],
            block=False,
            title="lcshap: demo-digits",
        ) as numbers,
        lc.serve(
            lc.Explainer(highest, lc.maskers.Series(window=4), kind="output"),
            [wave()],
            block=False,
            title="lcshap: the highest value of a series",
        ) as waves,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, size in {"text": (1180, 760, False), "phone": (390, 1150, True)}.items():
            page = explained(browser, reviews.url, *size)
            page.locator('#picture [data-unit="8"]').click()
            if name == "phone":
                page.locator("#prediction").scroll_into_view_if_needed()
            save(page, name)
        page = explained(browser, numbers.url, 1180, 900, False)
        page.click("#flipset")
        save(page, "digit")
        page = explained(browser, waves.url, 1180, 900, False)
        for window in (5, 6):
            page.locator(f'#picture [data-unit="{window}"]').first.click(force=True)
        page.fill("#replacement", "0.5")
        page.click("#replace button")
        page.get_by_text(re.compile("^Actual change of .*[0-9]")).wait_for()
        save(page, "series")
        browser.close()


if __name__ == "__main__":
    main()
