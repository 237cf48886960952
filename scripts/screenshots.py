"""The pictures of docs/screenshots/, from the app itself in Chromium: `make screenshots`, on a quiet machine.

python scripts/screenshots.py [folder]
"""

import os
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

ROOT = Path(__file__).parent.parent
FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/screenshots"
PORT = "7899"
PROMPT = "Once upon a time, there was a little dog named"


def main() -> None:
    app = subprocess.Popen(
        [sys.executable, "app.py", "--port", PORT],
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        next(line for line in app.stdout if "Running on" in line)
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=os.environ.get("CHROMIUM"), args=["--no-sandbox", "--disable-gpu"])
            for width, height in (1440, 900), (390, 844):
                for scheme in "light", "dark":
                    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                    page.emulate_media(reduced_motion="reduce", color_scheme=scheme)
                    photograph(page, f"{width}-{scheme}")
                    page.close()
            browser.close()
    finally:
        app.terminate()
        app.wait()


def photograph(page: Page, name: str) -> None:
    """Run a prompt, show the race, then a rejected token's inspector."""
    page.goto(f"http://127.0.0.1:{PORT}")
    page.locator("#prompt textarea").fill(PROMPT)
    page.locator("#run").click()
    expect(page.locator(".sv-verdict")).to_be_visible(timeout=60_000)
    expect(page.locator("#run")).to_be_enabled()
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=60_000)
    page.locator(".sv-lane[data-lane=speculative] .sv-token[data-role=rejected]").first.click()
    page.locator(".sv-headline").evaluate("e => e.scrollIntoView()")
    page.screenshot(path=FOLDER / f"race-{name}.png")
    page.locator(".sv-sentence").evaluate("e => e.scrollIntoView({ block: 'center' })")
    page.locator(".sv-bars").first.scroll_into_view_if_needed()
    page.screenshot(path=FOLDER / f"inspector-{name}.png")


if __name__ == "__main__":
    main()
