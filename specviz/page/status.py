"""One line that says what the run is doing, how far it is, or what is wrong. Painted as text by assets/player/mount.js.

While a run goes on it says its tokens, its rounds as they are decoded and, once it is long, the time left:

pace = Pace()
line = pace.status_line(progress, 96)      # what the status line says now, or None: telling costs time, though none that is measured
"""

from collections import deque
from collections.abc import Callable
from time import monotonic

import gradio as gr

from ..picture.replay import json_text
from ..trace.events import Round
from ..words import page as words
from .component import component
from .engine import RunProgress


def status(first: str = "") -> gr.HTML:
    """`first`: what it says before anything happens."""
    mount = 'specviz.status({ element, props, watch, lost: (run) => trigger("lost", { run }) })'
    value = status_text("linked", message=first)
    return component("status", mount, '<div class="sv-status" role="status" aria-live="polite"></div>', value, words=words.STATUS)


def status_text(state: str, **values) -> str:
    """A state of words.STATUS and what fills it in, or `idle`, or what is wrong in a `message`: `error`, a run that cannot be;
    `refused`, a file; `decode`: Run is pressed. `run`: by which name the page may ask for the run again.
    `learn`: the words of a button that leads to Learn."""
    return json_text({"state": state, **values})


LINE_SECONDS = 0.25  # seconds between two lines of progress: telling costs time that the run could use
LEFT_SECONDS = 2.0  # seconds of a run, after which it is said how long it may still take
LINE_TOKENS = 400  # tokens of a lane at most in one line; what fell out is shown at the end


class Pace:
    """Of one run. `chat`: its prompt is answered, on a line of its own."""

    def __init__(self, clock: Callable[[], float] = monotonic, chat: bool = False):
        self._clock, self._chat = clock, chat
        self._start: float | None = None
        self.left: int | None = None  # seconds, once they are told
        self._last = 0.0
        self._lane, self._lane_start = "", 0.0
        self._new_rounds: list[tuple[str, Round]] = []
        self._lanes: dict[str, _LaneProgress] = {}

    def status_line(self, step: RunProgress, requested: int) -> str | None:
        """The status line after `step` of a run of at most `requested` tokens; None where it was told a moment ago."""
        now = self._clock()
        if self._start is None:
            self._start = self._last = now  # most runs are over before there is anything to tell
        if step.lane != self._lane:
            self._lane, self._lane_start = step.lane, now
        if isinstance(step.event, Round):
            self._new_rounds.append((step.lane, step.event))
        if now - self._last < LINE_SECONDS:
            return None
        self._last = now
        if step.again:
            return status_text("again", times=step.again)
        done = {"lane": step.lane, "tokens": step.tokens, "of": step.of}
        short = {"asked": requested} if step.of < requested else {}
        if now - self._start >= LEFT_SECONDS and step.tokens:
            short["left"] = self.left = self._seconds_left(step, now)
        for lane, round_ in self._new_rounds:
            self._lanes.setdefault(lane, _LaneProgress(self._chat)).spans += _role_texts(round_)
        self._new_rounds.clear()
        return status_text("running", **done, **short, live={lane: progress.next() for lane, progress in self._lanes.items()})

    def _seconds_left(self, step: RunProgress, now: float) -> int:
        """The second lane is taken to be as long as the first."""
        left = step.of - step.tokens + (step.of if step.lane == "vanilla" else 0)
        return max(1, round(left * (now - self._lane_start) / step.tokens))


class _LaneProgress:
    """What a lane has written so far. A line carries what is new since the last but one: a page that misses one shows no gap."""

    def __init__(self, chat: bool):
        self.spans: list[tuple[str, str]] = [("prompt", "\n")] if chat else []
        self._ends = deque([0, 0], maxlen=2)

    def next(self) -> dict:
        start = max(self._ends[0], len(self.spans) - LINE_TOKENS)
        self._ends.append(len(self.spans))
        return {"from": start, "spans": self.spans[start:]}


def _role_texts(round_: Round) -> list[tuple[str, str]]:
    """(role, text) in reading order: the block, struck or kept, then the token that follows it."""
    emitted = iter(round_.emitted)
    block = [(d.verdict, (next(emitted).piece if d.verdict == "accepted" else "") or d.token.text) for d in round_.drafted]
    return block + [(e.role, e.piece or e.token.text) for e in emitted]
