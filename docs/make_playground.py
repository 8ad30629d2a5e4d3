"""Make the pictures of docs/playground.md: `python docs/make_playground.py`. Needs Chromium and playwright."""

from __future__ import annotations

import shutil
from pathlib import Path

import lcshap as lc
from lcshap.paper.networks.demo import SENTENCE, demo_digits, demo_text

FOLDER = Path(__file__).parent / "figures"


def explained(browser, url, width, height, dark):
    """A page on which the example is explained."""
    page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )
    page.goto(url)
    page.locator("#said meter").first.wait_for()
    page.click("#run")
    page.locator("#saves a").first.wait_for()
    return page


def save(page, name):
    """The page as it is, without a tip."""
    page.mouse.move(2, 2)
    page.locator("#answer .says").wait_for()
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
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, size in {"text": (1180, 760, False), "phone": (390, 1150, True)}.items():
            page = explained(browser, reviews.url, *size)
            page.locator('#picture [data-unit="8"]').click()
            if name == "phone":
                page.locator("#said").scroll_into_view_if_needed()
            save(page, name)
        page = explained(browser, numbers.url, 1180, 900, False)
        page.click("#flipset")
        save(page, "digit")
        browser.close()


if __name__ == "__main__":
    main()
