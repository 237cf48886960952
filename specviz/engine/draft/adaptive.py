"""How many tokens to draft next, by what the run has shown so far: α from verdicts, c and v from times.

Exact for any rule that looks at the past only: a round is exact whatever its K (tests/engine/test_exactness.py).
"""

from statistics import median

from ...acceptance import draft_steps, expected_speedup, expected_tokens
from ...trace.events import Choice, Round, Why

RECENT = 32  # rounds that α is taken from, so that it follows the text
PRIOR = 3.0  # tested tokens' worth of belief in α = ½ before anything was seen
PROBE = 8  # rounds without drafts after which one token is tried: a draft that caught up with the text is known only by drafting


class AdaptiveK:
    """Tries the two ends, K, 1 and K again, and then what promises most; not to draft promises 1. `limit`: K of the settings.

    Of the passes at either end the fastest counts: what disturbs a pass only makes it slower, the first one above all.
    `one_pass`: a block is one step of the draft, however long it is."""

    def __init__(self, limit: int, one_pass: bool = False):
        self.limit, self.one_pass = limit, one_pass
        self.tested_counts: list[tuple[int, int]] = []  # tested, accepted
        self.steps: list[float] = []  # ms of one draft step
        self.passes: dict[int, list[float]] = {}  # tokens drafted → ms of the pass that verified them
        self.rounds = self.idle = 0  # of the latter nothing was drafted, since it would not have paid

    def learn_from(self, event: Round) -> None:
        tested = [d.verdict for d in event.drafted if d.verdict != "unexamined"]
        self.learn(len(event.drafted), len(tested), tested.count("accepted"), event.times.draft or 0.0, event.times.verify or 0.0)

    def learn(self, k: int, tested: int, accepted: int, draft: float, verify: float) -> None:
        """A round drafted k tokens in `draft` ms and verified them in `verify` ms."""
        self.rounds += 1
        if k:
            self.tested_counts.append((tested, accepted))
            self.steps.append(draft / draft_steps(k, self.one_pass))
        self.passes.setdefault(k, []).append(verify)

    def next(self) -> Choice:
        """K for the next round, 0 to the limit, and by what it is chosen."""
        if self.rounds < 3 or not self.tested_counts:
            return Choice(1 if self.rounds == 1 else self.limit, "trial")
        tested, accepted = (sum(column) for column in zip(*self.tested_counts[-RECENT:], strict=True))
        alpha = (accepted + PRIOR / 2) / (tested + PRIOR)
        low, high = min(self.passes), max(self.passes)
        least, more = min(map(min, self.passes.values())), min(self.passes[high])
        slope = max(0.0, more - least) / max(1, high - low)  # ms of a pass for each token more
        unit = max(least - slope * low, 1e-6)  # ms of a pass over one token
        c = median(self.steps[-RECENT:]) / unit

        def v(K: int) -> float:
            return 1 + slope * K / unit

        def promise(K: int) -> float:
            return expected_speedup(expected_tokens(alpha, K), draft_steps(K, self.one_pass), c, v(K))

        def choice_of(K: int, why: Why) -> Choice:
            return Choice(K, why, alpha, c, v(K), promise(K))

        best = max(range(self.limit + 1), key=promise)
        if best:
            self.idle = 0
            return choice_of(best, "most")
        self.idle = (self.idle + 1) % (PROBE + 1)
        return choice_of(0, "none") if self.idle else choice_of(1, "probe")
