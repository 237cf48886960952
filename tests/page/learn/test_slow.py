"""The table by which chapter 11 judges a slow server: the page's own test reads it from slow.json.

After a change of the table: python -m tests.page.learn.test_slow writes it again.
"""

import json
from pathlib import Path

from specviz.page.learn.slow import WORDS, table

CASES = Path(__file__).parents[2] / "assets" / "learn" / "slow.json"


def test_the_page_judges_by_the_same_table():
    assert json.loads(CASES.read_text("utf-8")) == json.loads(json.dumps(table()))
    assert {"likely", "possible"} <= set(WORDS)


if __name__ == "__main__":
    CASES.write_text(json.dumps(table(), ensure_ascii=False) + "\n", "utf-8")
