"""The pictures of docs/screenshots/, from the app itself in Chromium: `make screenshots`, on a quiet machine.

python -m scripts.screenshots [folder]

watch-{width}-{theme}.png      the first screen after a run, at four widths
inspector-{width}-{theme}.png  a rejected token
learn-{chapter}.png            the chapters; one of them also dark, on a phone, and as projected
race.webp                      the animated picture at the head of the README
"""

import io
import os
import subprocess
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

ROOT = Path(__file__).parent.parent
FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/screenshots"
ADDRESS = "http://127.0.0.1:7899"
PROMPT = "Once upon a time, there was a little dog named"
SIZES = {390: 844, 768: 1024, 1440: 900, 1920: 1080}
THEMES = ("light", "dark")
CHAPTERS = range(1, 13)
FRAMES, FRAME_MS, PAUSE_MS, ANIMATED = 64, 120, 2500, (1000, 640)  # frames, ms a frame, ms of the last one, pixels


def main() -> None:
    app = subprocess.Popen(
        [sys.executable, "app.py", "--port", ADDRESS.rpartition(":")[2]],
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        next(line for line in app.stdout if "Running on" in line)
        with sync_playwright() as play:
            browser = play.chromium.launch(
                executable_path=os.environ.get("CHROMIUM") or None, args=["--no-sandbox", "--disable-gpu"]
            )

            def page(width: int, theme: str, height: int | None = None) -> Page:
                new = browser.new_page(viewport={"width": width, "height": height or SIZES[width]}, color_scheme=theme)
                new.emulate_media(reduced_motion="reduce", color_scheme=theme)
                return new

            for width in SIZES:
                for theme in THEMES:
                    photograph(one := page(width, theme), width, theme)
                    one.close()
            for chapter in CHAPTERS:
                learn(one := page(1440, "light"), chapter, f"learn-{chapter}")
                one.close()
            learn(one := page(1440, "dark"), 6, "learn-6-dark")
            learn(one, 6, "learn-6-projected", projected=True)
            one.close()
            learn(one := page(390, "light"), 5, "learn-5-390")
            one.close()
            animate(one := page(ANIMATED[0], "light", ANIMATED[1]))
            one.close()
            browser.close()
    finally:
        app.terminate()
        app.wait()


def photograph(page: Page, width: int, theme: str) -> None:
    """Run a prompt, show the race, then a rejected token's inspector."""
    page.goto(ADDRESS)
    page.locator("#prompt textarea").fill(PROMPT)
    page.locator("#run").click()
    expect(page.locator("#run")).to_be_enabled(timeout=60_000)
    expect(page.locator("#save")).to_be_enabled()
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=60_000)
    page.locator(".sv-lane[data-lane=speculative] .sv-token[data-role=rejected]").first.click()
    page.evaluate("scrollTo(0, 0)")
    save(page, f"watch-{width}-{theme}")
    if width in (390, 1440):
        page.locator(".sv-inspector .sv-sentence").evaluate("e => e.scrollIntoView({ block: 'center' })")
        page.locator(".sv-bars").first.scroll_into_view_if_needed()
        save(page, f"inspector-{width}-{theme}")


def learn(page: Page, chapter: int, name: str, projected: bool = False) -> None:
    page.goto(f"{ADDRESS}/?chapter={chapter}")
    expect(page.locator(".lrn-chapter")).to_be_visible(timeout=60_000)
    if projected:
        page.keyboard.press("p")
    page.wait_for_timeout(1500)  # a picture that moves stands still when motion is not wanted; its size may settle
    save(page, name)


def save(page: Page, name: str) -> None:
    """As a PNG of 256 colours: a fifth of the size, and a screen has few more."""
    Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(
        FOLDER / f"{name}.png", optimize=True
    )


def animate(page: Page) -> None:
    """The recorded run that opens the page, from its beginning to its end."""
    page.goto(ADDRESS)
    expect(page.locator(".sv-verdict")).to_be_visible(timeout=60_000)
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=60_000)
    race = page.locator(".sv-race")
    race.evaluate("e => e.scrollIntoView()")
    shots = []
    for i in range(FRAMES + 1):
        page.locator(".sv-scrub").evaluate(
            "(e, share) => { e.value = e.max * share; e.dispatchEvent(new Event('input', { bubbles: true })); }", i / FRAMES
        )
        shots.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    waits = [FRAME_MS] * FRAMES + [PAUSE_MS]
    shots[0].save(FOLDER / "race.webp", save_all=True, append_images=shots[1:], duration=waits, loop=0, quality=70, method=6)


if __name__ == "__main__":
    main()
