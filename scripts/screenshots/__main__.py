"""Pictures of the app in Chromium, in build/screenshots/: `make screenshots`, on a quiet machine.

python -m scripts.screenshots [folder [story|watch|learn|lab|engines|records|crowd|race ...]]

story-{beat}-{width}-{theme}.png   the story of the first visit beat by beat, and the screen that follows
watch-{width}-{theme}.png      the first screen after a run, at four widths
inspector-{width}-{theme}.png  a rejected token
learn-{chapter}.png            the chapters; some of them also dark, on a phone, and as projected
lab-{panel}.png                the panels of the Lab after what they do by default; a room of phones also dark, on a phone
rules-{rule}-{width}-{theme}.png, positions-…   a token under block verification and drafted by argmax; acceptance by position
vllm-…, record-…               a race of vLLM's, and what it prints of one
log-…, difference-…, decision-…   a log of vLLM, the difference of two scrapes, the K that pays
queue-…, live-…, quota-…       a place among those who wait, a long run as it is decoded, a Space whose GPU time is spent
race.webp                      the animated picture at the head of the README

The few that a page of docs/ or the README shows are in docs/screenshots/ too, and are replaced there.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, sync_playwright

from ..server import served
from .crowd import crowd
from .engines import engines, records
from .lab import lab
from .learn import chapters
from .page import BUILD, DOCS, FOLDER, PORT, SIZES
from .watch import race, story, watch


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with served(port=PORT), sync_playwright() as play:
        browser = play.chromium.launch(executable_path=os.environ.get("CHROMIUM") or None, args=["--no-sandbox", "--disable-gpu"])

        @contextmanager
        def page(width: int, theme: str, height: int | None = None) -> Iterator[Page]:
            new = browser.new_page(viewport={"width": width, "height": height or SIZES[width]}, color_scheme=theme)
            new.add_init_script("localStorage.setItem('specviz.story', 'true')")  # the story was told
            new.emulate_media(reduced_motion="reduce", color_scheme=theme)
            yield new
            new.close()

        parts = {"story": story, "watch": watch, "learn": chapters, "lab": lab, "engines": engines, "records": records}
        parts |= {"crowd": crowd, "race": race}
        for part in sys.argv[2:] or parts:
            parts[part](page)
        browser.close()
    if FOLDER == BUILD:
        show()


def show() -> None:
    """Replace the pictures that a page shows by those just made."""
    for picture in DOCS.iterdir():
        if (new_picture := FOLDER / picture.name).exists():
            shutil.copy(new_picture, picture)


if __name__ == "__main__":
    main()
