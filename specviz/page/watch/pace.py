"""How far a run is and what of it is told while it goes on: tokens, the time left and, once it is long, its rounds as they are decoded.

pace = Pace(longest=60)
line = pace.status_line(progress, 96)      # what the status line says now, or None: telling costs time, though none that is measured
"""

from collections import deque
from collections.abc import Callable
from time import monotonic

from ...trace.events import Round
from ..engine import RunProgress
from ..status import status_text

EVERY = 0.25  # seconds between two lines of progress: telling costs time that the run could use
LIVE = 2.0  # seconds of a run, after which its rounds are drawn as they come: shorter ones are replayed before anybody could read them
SENT = 400  # tokens of a lane at most in one line; what fell out is shown at the end


class Pace:
    """Of one run. `longest`: for how many seconds it may decode, None for no bound; it then is `late`."""

    def __init__(self, longest: float | None = None, clock: Callable[[], float] = monotonic):
        self._longest, self._clock = longest, clock
        self._began: float | None = None
        self._last = 0.0
        self._lane, self._lane_began = "", 0.0
        self._untold: list[tuple[str, Round]] = []
        self._lanes: dict[str, _Told] = {}
        self.cut = False

    def begin(self) -> None:
        """The clock starts now, where nothing is told that would start it."""
        self._began = self._clock()

    @property
    def late(self) -> bool:
        """Whether it has decoded for as long as it may: said once, it stays so."""
        if self._longest is not None and self._began is not None and self._clock() - self._began >= self._longest:
            self.cut = True
        return self.cut

    def status_line(self, step: RunProgress, asked: int) -> str | None:
        """The status line after `step` of a run that `asked` for so many tokens; None where it was told a moment ago."""
        now = self._clock()
        if self._began is None:
            self._began = self._last = now  # most runs are over before there is anything to tell
        if step.lane != self._lane:
            self._lane, self._lane_began = step.lane, now
        if isinstance(step.event, Round):
            self._untold.append((step.lane, step.event))
        if now - self._last < EVERY:
            return None
        self._last = now
        if step.again:
            return status_text("again", times=step.again)
        done = {"lane": step.lane, "tokens": step.tokens, "of": step.of}
        short = {"asked": asked} if step.of < asked else {}
        return status_text("running", **done, **short, **(self._more(step, now) if now - self._began >= LIVE else {}))

    def _more(self, step: RunProgress, now: float) -> dict:
        """Of a run that takes long: seconds left, the second lane taken to be as long as the first, and what was decoded."""
        for lane, round_ in self._untold:
            self._lanes.setdefault(lane, _Told()).spans += _spans(round_)
        self._untold.clear()
        live = {"live": {lane: told.next() for lane, told in self._lanes.items()}}
        if not step.tokens:
            return live
        left = step.of - step.tokens + (step.of if step.lane == "vanilla" else 0)
        return {"left": max(1, round(left * (now - self._lane_began) / step.tokens)), **live}


class _Told:
    """What a lane has written so far. A line carries what is new since the last but one: a page that misses one shows no gap."""

    def __init__(self):
        self.spans: list[tuple[str, str]] = []
        self._ends = deque([0, 0], maxlen=2)

    def next(self) -> dict:
        start = max(self._ends[0], len(self.spans) - SENT)
        self._ends.append(len(self.spans))
        return {"from": start, "spans": self.spans[start:]}


def _spans(round_: Round) -> list[tuple[str, str]]:
    """(role, text) in reading order: the block, struck or kept, then the token that follows it."""
    kept = iter(round_.emitted)
    block = [(d.verdict, (next(kept).piece if d.verdict == "accepted" else "") or d.token.text) for d in round_.drafted]
    return block + [(e.role, e.piece or e.token.text) for e in kept]
