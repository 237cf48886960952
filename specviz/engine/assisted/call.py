"""One call of generate(): what was seen of it, step by step, and the events that it is told in.

Tensors are turned into plain values as soon as a step is decided, outside its timed part; texts of tokens are looked up at the end.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from ...trace.events import Event, Finished, Prefill, Reason, Round, Times, totals
from ...trace.header import Header
from ..text import TokenizerText
from . import about
from .about import LONGEST, WatchError
from .look import DecidedBlock, describe_block, plain


@dataclass
class Step:
    """A round. Moments in seconds, in the order in which they come; `result`: what it decided."""

    draft: float | None = None
    drafted: float | None = None
    verify: float | None = None
    verified: float | None = None
    decided: float | None = None
    observed: float | None = None
    before: Any = None  # tensors, until it is looked at
    candidates: Any = None
    q: Any = None
    p: Any = None
    result: DecidedBlock | None = None
    passes: int = 0


@dataclass
class Call:
    """`drafts`: whether anything drafted; `drafting`: whether it does now; `problem`: why this cannot be drawn."""

    model: Any
    assistant: Any
    now: Callable[[], float]
    steps: list[Step] = field(default_factory=list)
    passes: int = 0
    drafts: bool = False
    drafting: bool = False
    generator: Any = None
    config: Any = None
    confidence: float = 0.0
    prompt: tuple[int, ...] = ()
    written: tuple[int, ...] = ()
    problem: str = ""
    shaped: tuple[str, ...] = ()  # what p passes besides the settings of a trace
    likeliest: bool = True  # whether every drafted token was the most likely one by the draft's own logits
    log_chance: float = 0.0  # of that, had the tokens been sampled
    error: str = ""
    end: float = 0.0

    @property
    def step(self) -> Step:
        if not self.steps:
            self.steps.append(Step())
        return self.steps[-1]

    def next(self) -> Step:
        """The step that begins now."""
        if not self.steps or self.steps[-1].decided is not None:
            self.steps.append(Step())
        return self.steps[-1]

    # ---- what is heard while it runs ----

    def configure(self, config: Any, processors: Any = ()) -> None:
        """`config`: transformers' GenerationConfig, as it is after every default; `processors`: what it made of that."""
        self.config, self.shaped = config, about.processors(processors, config)
        self.problem = self.problem or about.refused(self.model, config)

    def drafted_by(self, generator: Any) -> None:
        self.drafts, self.generator = True, generator
        settings = getattr(generator, "assistant_generation_config", None)
        self.confidence = float(getattr(settings, "assistant_confidence_threshold", None) or 0.0)  # as it begins: it may adapt

    def alone(self, input_ids, scores) -> None:
        """The target alone draws the next token of input_ids [1, n] from softmax(scores [1, V]); the last one was what it drew before."""
        if not self._one(input_ids):
            return
        if not self.prompt:
            self.prompt = tuple(input_ids[0].tolist())
        elif len(self.steps) > 1:
            self._drew(self.steps[-2], int(input_ids[0, -1]))
        self.step.p, self.step.passes = scores, self.passes

    def _drew(self, step: Step, id: int) -> None:
        self.written += (id,)
        step.result, step.p = describe_block(step.p, None, [], [id], self._greedy), None

    def judged(self, input_ids, scores) -> None:
        """A block was decided: input_ids [1, n] is the text after it, scores [1, K + 1, V] what it was decided by."""
        step = self.step
        if not self._one(input_ids):
            return
        before = step.before.shape[1]
        if not self.prompt:
            self.prompt = tuple(step.before[0].tolist())
        drafted, new = step.candidates[0, before:].tolist(), input_ids[0, before:].tolist()
        if self._greedy and self.config.assistant_ensemble_weight is not None and step.q is not None:
            self.problem = self.problem or "assistant_ensemble_weight at temperature 0 is a rule that a trace cannot name"
        if not self._greedy and step.q is not None and drafted:
            best, ids = step.q[0, : len(drafted)].float().log_softmax(-1).max(-1)
            self.likeliest = self.likeliest and ids.tolist() == drafted
            self.log_chance += float(best.sum())
        self.written += tuple(new)
        step.result, step.passes = describe_block(scores[0], step.q, drafted, new, self._greedy), self.passes
        step.before = step.candidates = step.q = None  # the memory of a block is large

    def ended(self, result: Any) -> None:
        self.end = self.now()
        ids = getattr(result, "sequences", result)
        waits = [step for step in self.steps if step.p is not None]
        if self.prompt and torch.is_tensor(ids):  # a pass that came too late to stop wrote nothing
            for step, id in zip(waits, ids[0, len(self.prompt) + len(self.written) :].tolist(), strict=False):
                self._drew(step, id)

    def failed(self, error: BaseException) -> None:
        self.end, self.error = self.now(), type(error).__name__

    def _one(self, input_ids) -> bool:
        if input_ids.shape[0] != 1:
            self.problem = self.problem or f"{input_ids.shape[0]} texts were generated at once: one at a time is drawn"
        return not self.problem

    @property
    def _greedy(self) -> bool:
        return not self.config.do_sample

    # ---- what it is told in ----

    @property
    def eos(self) -> frozenset[int]:
        return about.eos(self.config)

    def like(self, other: "Call") -> bool:
        """Whether it was asked for the same."""
        alike = self.prompt == other.prompt and self.shaped == other.shaped
        return not self.problem and alike and about.same(self.config, other.config)

    def inexact(self, text: TokenizerText) -> tuple[str, ...]:
        """Why what was written does not follow the target's distribution, each in a few words."""
        if not self.drafts:
            return ()
        reasons = []
        weight = self.config.assistant_ensemble_weight
        sampled = not self._greedy and any(step.result and step.result.q for step in self.steps)
        if sampled and weight is not None:
            reasons.append(
                f"not exact: assistant_ensemble_weight = {weight:g} tests a token against w·p + (1 − w)·q in place of p"
            )
        if sampled and (type(self.generator).__name__ in about.ARGMAX or (self.likeliest and self.log_chance < about.UNLIKELY)):
            reasons.append("not exact: the drafter takes its most likely token, and its softmax is tested as q")
        before = text.backend.decode(list(self.written[:-1]), skip_special_tokens=False)
        stops = self.config.stop_strings or ()
        for stop in [stops] if isinstance(stops, str) else stops:
            if stop in before:
                reasons.append(
                    f"not exact: the stop string {stop!r:.60} ended inside a block, where transformers does not look for it"
                )
        return tuple(reasons)

    def header(self, text: TokenizerText) -> Header:
        self._drawable()
        blocks = [step.result for step in self.steps if step.result]
        match = not self._greedy and any(block.q is None for block in blocks)
        draft = about.drafter(self.model, self.assistant, self.generator, self.config) if self.drafts else (None, None)
        return about.header(
            self.model, self.config, self.prompt, text, max(len(b.drafted) for b in blocks), match, self.confidence, draft,
            self.shaped, self.inexact(text),
        )  # fmt: skip

    def events(self, text: TokenizerText) -> tuple[Event, ...]:
        """A prefill of which nothing is told but the prompt: the first round reads that too."""
        self._drawable()
        prefill = Prefill(tuple(map(text.token, self.prompt)), None, None, None, None)
        stream, rounds = text.stream(list(self.prompt)), list[Round]()
        for i, step in enumerate(self.steps):
            if step.result is None:
                continue  # a pass that wrote nothing
            times = self._times(step, self.steps[i + 1] if i + 1 < len(self.steps) else None)
            pieces = [stream.push(id) for id in step.result.new]
            rounds.append(plain(len(rounds), step.result, pieces, step.passes, None if self.drafts else 0, times, text))
        return (prefill, *rounds, self._finished(rounds, text))

    def _drawable(self) -> None:
        if self.problem:
            raise WatchError(self.problem)
        if not any(step.result for step in self.steps):
            raise WatchError(f"nothing was generated{': it failed by ' + self.error if self.error else ''}")
        if len(self.written) > LONGEST:
            raise WatchError(f"{len(self.written)} tokens were generated; at most {LONGEST} are drawn")

    def _times(self, step: Step, after: Step | None) -> Times:
        """What a mark is missing for is in `rest`."""

        def between(a: float | None, b: float | None) -> float | None:
            return None if a is None or b is None else max(0.0, (b - a) * 1e3)

        assert step.decided is not None and step.observed is not None
        start = step.draft if self.drafts else step.verify
        ended = self.end if after is None else (after.draft if self.drafts else after.verify)
        draft = between(step.draft, step.drafted) if self.drafts else 0.0
        verify, decide = between(step.verify, step.verified), between(step.verified, step.decided)
        observe = between(step.decided, step.observed) or 0.0
        whole = between(step.decided if start is None else start, step.observed if ended is None else ended) or 0.0
        rest = max(0.0, whole - observe - sum(part or 0.0 for part in (draft, verify, decide)))
        return Times(draft, verify, decide, rest, observe)

    def _finished(self, rounds: list[Round], text: TokenizerText) -> Finished:
        reason, detail = self._reason(next(r.emitted[-1].token.id for r in reversed(rounds) if r.emitted), text)
        return Finished(
            reason=reason,
            detail=detail,
            target_forwards=self.passes,
            draft_forwards=None if self.drafts else 0,
            prefill_ms=None,
            **totals(rounds),
        )

    def _reason(self, last: int, text: TokenizerText) -> tuple[Reason, str]:
        if self.error:
            return ("cancelled" if self.error == "KeyboardInterrupt" else "error"), self.error
        if last in self.eos:
            return "eos", text.token(last).text
        most = about.length(self.config, len(self.prompt))
        if len(self.written) >= most:
            return "length", f"max_new_tokens of {most}"
        return "stop", "a stopping criterion"
