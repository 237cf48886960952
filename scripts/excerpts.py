"""Writes assets/learn/excerpts.json.gz, what the chapters' pictures are drawn from, of the recorded runs: a part of `make traces`.

python -m scripts.excerpts              # needs node: a chapter chooses from what the page's script shows of a run
"""

import gzip
from pathlib import Path

from specviz.page.keep import recorded
from specviz.page.learn.lesson import EXCERPTS, RECORDED, chosen
from specviz.picture.plain import json_text

from .view import view


def made() -> dict:
    """By chapter, what it shows of the runs."""
    return chosen({name: view(recorded.load(name)) for name in RECORDED})


def main(path: Path = EXCERPTS) -> None:
    path.write_bytes(gzip.compress(json_text(made()).encode(), mtime=0))


if __name__ == "__main__":
    main()
