"""What vLLM's process tells of its steps, as the events of one lane.

    lane = EngineLane(ids, config, text, context)
    for step in server.run(…): lane.add(step)
    lane.events

A step of vLLM verifies a block and then drafts the next one, so what a step spent on drafting belongs to the round after it. The pass over
the prompt writes a token: a round without pass or time of its own. What vLLM does not tell is None.
"""

from dataclasses import replace

from ..config import DecodeConfig
from ..engine.decode import Output
from ..engine.text import Text
from ..trace.events import (
    Drafted,
    Emitted,
    Entry,
    Event,
    Finished,
    Position,
    Prefill,
    Residual,
    ResidualEntry,
    Round,
    Times,
    Verdict,
    totals,
)


class EngineLane:
    """`config` with K = 0: the vanilla lane. `looks_up`: it drafts by lookup, so a block may be shorter than K."""

    def __init__(self, ids: list[int], config: DecodeConfig, text: Text, context: int, looks_up: bool = False):
        self.config, self.text, self.looks_up = config, text, looks_up
        self.output = Output(ids, config, text, context)
        self.prompt = tuple(text.token(id) for id in ids)
        self.rounds: list[Round] = []
        self.prefill: Prefill | None = None
        self.finished: Finished | None = None
        self._prefill_ms = self._draft_ms = 0.0  # the latter of the block that the next step verifies
        self._processor_ms: float | None = 0.0
        self._passes = 0

    @property
    def tokens(self) -> int:
        return len(self.output.ids) - self.output.prompt_length

    @property
    def is_over(self) -> bool:
        return self.output.reason is not None

    @property
    def events(self) -> tuple[Event, ...]:
        return (self.prefill, *self.rounds, self.finished) if self.prefill and self.finished else ()

    def add(self, step: dict) -> Round | None:
        """One step, and the round that it made: none after the text has ended, or where it wrote nothing (a part of a long prompt)."""
        ms = step["ms"] or {}
        if not step["out"] or self.is_over:
            self._prefill_ms += step["all_ms"] if not self.rounds else 0.0
            return None
        pieces = self.output.add(step["out"])
        first, drafted, observe = self.prefill is None, ms["draft"], ms["observe"] + step["described_ms"]
        if first:
            draft_prefill_ms = ms["first"] if step["passes"] else 0.0  # the draft reads the prompt in the first of its passes
            whole = self._prefill_ms + step["all_ms"] - ms["draft"] - ms["observe"]
            self.prefill = Prefill(self.prompt, None, None, max(0.0, whole), draft_prefill_ms)
            drafted, times = ms["draft"] - draft_prefill_ms, Times(0.0, 0.0, 0.0, 0.0, observe)
        else:
            rest = step["all_ms"] - sum(ms[part] for part in ("draft", "verify", "decide", "observe"))
            times = Times(self._draft_ms, ms["verify"], ms["decide"], max(0.0, rest), observe)
        if step["processor_ms"] is None:
            self._processor_ms = None
        elif self._processor_ms is not None:  # of a prefill what it drafted counts, as in the times
            self._processor_ms += ms["had"] if first else step["processor_ms"]
        self.rounds.append(self._round(step, pieces, times, first))
        self._draft_ms = max(0.0, drafted)
        self._passes += step["passes"] - (1 if first and step["passes"] else 0)
        return self.rounds[-1]

    def end(self) -> None:
        """No step comes any more. What was drafted for a round that never came is paid for by the last one."""
        if not self.rounds or self.prefill is None:
            return
        last = self.rounds[-1]
        if len(self.rounds) > 1:
            times = replace(last.times, rest=last.times.rest + self._draft_ms)
            self.rounds[-1] = last = replace(last, times=times, draft_forwards=self._passes)
        output = self.output
        reason, detail = output.reason or "context", output.detail
        self.finished = Finished(
            reason=reason,
            detail=detail or f"context of {len(output.ids)}",
            target_forwards=last.target_forwards,
            draft_forwards=last.draft_forwards,
            prefill_ms=(self.prefill.target_ms or 0.0) + (self.prefill.draft_ms or 0.0),
            processor_ms=self._processor_ms,
            **totals(self.rounds),
        )

    def _round(self, step: dict, pieces: list[str], times: Times, first: bool) -> Round:
        sampled, k = step["sampled"], len(step["drafted"])
        n_accepted = len(sampled) - 1
        cut = len(pieces) <= n_accepted  # the text ended on an accepted token: what stands after it was never examined
        accepted, rejected = (len(pieces), False) if cut else (n_accepted, n_accepted < k)
        verdicts: list[Verdict] = ["accepted"] * accepted + (["rejected"] if rejected else [])
        verdicts += ["unexamined"] * (k - len(verdicts))
        drafted = tuple(self._drafted(step, i, verdict) for i, verdict in enumerate(verdicts))
        texts = zip(sampled[:accepted], pieces[:accepted], strict=True)
        emitted = [Emitted(self.text.token(id), "accepted", piece) for id, piece in texts]
        if not cut:
            role = "corrected" if rejected else "bonus" if k else "plain"
            position = None if rejected else self._position(step["last"])
            emitted.append(Emitted(self.text.token(sampled[-1]), role, pieces[-1], position=position))
        left = step["residual"] if rejected else None
        K = self.config.K
        looked = self.looks_up and K > 0 and not first
        return Round(
            index=len(self.rounds),
            drafted=drafted,
            emitted=tuple(emitted),
            residual=self._residual(left) if left else None,
            target_cache=None,
            draft_cache=None,
            target_forwards=len(self.rounds),
            draft_forwards=0 if first else self._passes,
            times=times,
            asked=K if k == K and not first else K if looked else None,
            fewer="prefill" if first else "lookup" if looked and k < K else None,
        )

    def _drafted(self, step: dict, i: int, verdict: Verdict) -> Drafted:
        p, q = step["p"][i], step["q"][i]
        position = None if verdict == "unexamined" else self._position(step["rows"][i])
        u = None if verdict == "unexamined" else step["u"][i]
        return Drafted(self.text.token(step["drafted"][i]), q, p, p / q if q else None, u, verdict, position)

    def _position(self, row: dict) -> Position:
        entries = tuple(Entry(self.text.token(id), p, q) for id, p, q in row["entries"])
        p_rest = max(0.0, 1.0 - sum(e.p for e in entries))
        if "beta" not in row:
            return Position(entries, p_rest, None, None, row["p_entropy"], None)
        q_rest = max(0.0, 1.0 - sum(e.q or 0.0 for e in entries))
        # a drafted argmax leaves the draft's own softmax untold, and with it what other rules would have kept
        untold = self.config.drafting == "argmax" and not self.config.greedy
        others = (None, None) if untold else (min(1.0, row["product"]), row["best"])
        return Position(entries, p_rest, q_rest, min(1.0, row["beta"]), row["p_entropy"], row["q_entropy"], *others)

    def _residual(self, left: dict) -> Residual:
        entries = tuple(ResidualEntry(self.text.token(id), value) for id, value in left["entries"])
        return Residual(entries, max(0.0, 1.0 - sum(e.probability for e in entries)), left["mass"])
