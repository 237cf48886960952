"""Writes assets/learn/excerpts.json.gz, what the chapters' pictures are drawn from, of the recorded runs: a part of `make traces`.

python -m scripts.excerpts              # needs node: a chapter chooses from what the page's script shows of a run
"""

import gzip
from pathlib import Path

from specviz.page.keep import recorded
from specviz.page.learn.lesson import EXCERPTS, RECORDED, chapter_excerpts
from specviz.picture.replay import json_text

from .view import view


def all_excerpts() -> dict:
    """By chapter, what it shows of the runs."""
    return chapter_excerpts({name: view(recorded.load(name)) for name in RECORDED})


def main(path: Path = EXCERPTS) -> None:
    path.write_bytes(gzip.compress(json_text(all_excerpts()).encode(), mtime=0))


if __name__ == "__main__":
    main()
