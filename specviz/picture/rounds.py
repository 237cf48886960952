"""The rounds of a run as a table for a spreadsheet: one row a round, both lanes.

    csv_text(trace)      # begins with a byte order mark, without which spreadsheets misread UTF-8

Of a disturbed run (trace/disturbed.py) the cells of times are empty, as its times are nowhere shown.

Text came from a model or from a file that anybody sent: a cell that a spreadsheet would take for a formula gets an apostrophe
in front.
"""

import csv
import io
import re

from ..config import DecodeConfig
from ..trace.disturbed import signs
from ..trace.events import Round
from ..trace.header import LANES, Trace

COLUMNS = (
    "lane", "round", "start_ms", "draft_ms", "verify_ms", "decide_ms", "rest_ms", "drafted", "accepted", "emitted",
    "last_role", "drafted_text", "emitted_text", "target_cache_before", "target_cache_peak", "target_cache_after",
    "draft_cache_before", "draft_cache_peak", "draft_cache_after", "target_forwards", "draft_forwards",
    "drafting", "verifier", "exact", "disturbed",
)  # fmt: skip
# at the beginning of a cell; and after what other spreadsheets than ours take for the end of one (assets/shared/csv.js)
OPENS = re.compile(r"^(?=[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?= *[=+\-@＝＋－＠])")


def csv_text(trace: Trace) -> str:
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(COLUMNS)
    disturbed = bool(signs(trace))
    for lane in LANES:
        start = 0.0
        for event in getattr(trace, lane):
            if isinstance(event, Round):
                times = _row(lane, event, None if disturbed else start)
                rule = _rule(event, trace.header.config)
                table.writerow([safe(cell) for cell in [*times, *rule, "yes" if disturbed else "no"]])
                start += event.times.timed
    return "\ufeff" + out.getvalue()


def _row(lane: str, r: Round, start: float | None) -> list:
    """`start`: ms since the lane began; None where its times are withheld."""
    times = [None] * 5 if start is None else [start, r.times.draft, r.times.verify, r.times.decide, r.times.rest]
    caches = [(c.before, c.peak, c.after) if c else ("", "", "") for c in (r.target_cache, r.draft_cache)]
    return [
        lane,
        r.index + 1,
        *("" if ms is None else round(ms, 4) for ms in times),
        len(r.drafted),
        sum(d.verdict == "accepted" for d in r.drafted),
        len(r.emitted),
        r.emitted[-1].role if r.emitted else "",
        "".join(d.token.text for d in r.drafted),
        "".join(e.piece for e in r.emitted),
        *caches[0],
        *caches[1],
        r.target_forwards,
        "" if r.draft_forwards is None else r.draft_forwards,
    ]


def _rule(r: Round, config: DecodeConfig) -> list[str]:
    """How the round's tokens were drafted and decided, and whether the text keeps the target's distribution."""
    if not r.drafted:
        return ["", "", "yes"]
    return [config.drafting, "equality" if config.greedy else config.verifier, "yes" if config.exact else "no"]


def safe(cell):
    """Text that a spreadsheet shows as it is. Numbers stay numbers."""
    return OPENS.sub("'", cell) if isinstance(cell, str) else cell
