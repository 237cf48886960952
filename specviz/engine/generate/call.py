"""One call of generate(): its steps as they were observed, and its events in a trace.

Tensors are turned into plain values as soon as a step is decided, outside its timed part; texts of tokens are looked up at the end.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import torch
import transformers

from ...config import ConfigError, DecodeConfig
from ...trace.events import Event, Finished, Header, Prefill, Reason, Round, Times, totals
from .. import machine
from ..text import TokenizerText
from . import call_header
from .block import DecidedBlock, describe_block, round_event
from .call_header import MAX_TOKENS, WatchError


@dataclass
class Step:
    """A round. Moments in seconds, in the order in which they come; `result`: what it decided."""

    draft_start: float | None = None
    draft_end: float | None = None
    verify_start: float | None = None
    verify_end: float | None = None
    decide_end: float | None = None
    observe_end: float | None = None
    text_ids: Any = None  # tensors, until it is looked at
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
    new_ids: tuple[int, ...] = ()
    problem: str = ""
    other_processors: tuple[str, ...] = ()  # what p passes besides the settings of a trace
    likeliest: bool = True  # whether every drafted token was the most likely one by the draft's own logits
    log_chance: float = 0.0  # of that, had the tokens been sampled
    error: str = ""
    end: float = 0.0

    @property
    def step(self) -> Step:
        if not self.steps:
            self.steps.append(Step())
        return self.steps[-1]

    def next_step(self) -> Step:
        if not self.steps or self.steps[-1].decide_end is not None:
            self.steps.append(Step())
        return self.steps[-1]

    # ---- while it runs ----

    def configure(self, config: Any, processors: Any = ()) -> None:
        """`config`: transformers' GenerationConfig, as it is after every default; `processors`: what it made of that."""
        self.config, self.other_processors = config, call_header.extra_processors(processors, config)
        self.problem = self.problem or call_header.refusal_reason(self.model, config)

    def set_generator(self, generator: Any) -> None:
        self.drafts, self.generator = True, generator
        settings = getattr(generator, "assistant_generation_config", None)
        self.confidence = float(getattr(settings, "assistant_confidence_threshold", None) or 0.0)  # as it begins: it may adapt

    def add_token(self, input_ids, scores) -> None:
        """The target alone draws the next token of input_ids [1, n] from softmax(scores [1, V]); the last one was what it drew before."""
        if not self._is_one_text(input_ids):
            return
        if not self.prompt:
            self.prompt = tuple(input_ids[0].tolist())
        elif len(self.steps) > 1:
            self._describe_token(self.steps[-2], int(input_ids[0, -1]))
        self.step.p, self.step.passes = scores, self.passes

    def _describe_token(self, step: Step, id: int) -> None:
        self.new_ids += (id,)
        step.result, step.p = describe_block(step.p, None, [], [id], self._greedy), None

    def add_block(self, input_ids, scores) -> None:
        """A block was decided: input_ids [1, n] is the text after it, scores [1, K + 1, V] what it was decided by."""
        step = self.step
        if not self._is_one_text(input_ids):
            return
        before = step.text_ids.shape[1]
        if not self.prompt:
            self.prompt = tuple(step.text_ids[0].tolist())
        drafted, new = step.candidates[0, before:].tolist(), input_ids[0, before:].tolist()
        if self._greedy and self.config.assistant_ensemble_weight is not None and step.q is not None:
            self.problem = self.problem or "assistant_ensemble_weight at temperature 0 is a rule that a trace cannot name"
        if not self._greedy and step.q is not None and drafted:
            best, ids = step.q[0, : len(drafted)].float().log_softmax(-1).max(-1)
            self.likeliest = self.likeliest and ids.tolist() == drafted
            self.log_chance += float(best.sum())
        self.new_ids += tuple(new)
        step.result, step.passes = describe_block(scores[0], step.q, drafted, new, self._greedy), self.passes
        step.text_ids = step.candidates = step.q = None  # the memory of a block is large

    def finish(self, result: Any) -> None:
        self.end = self.now()
        ids = getattr(result, "sequences", result)
        waits = [step for step in self.steps if step.p is not None]
        if self.prompt and torch.is_tensor(ids):  # a pass that came too late to stop wrote nothing
            for step, id in zip(waits, ids[0, len(self.prompt) + len(self.new_ids) :].tolist(), strict=False):
                self._describe_token(step, id)

    def fail(self, error: BaseException) -> None:
        self.end, self.error = self.now(), type(error).__name__

    def _is_one_text(self, input_ids) -> bool:
        if input_ids.shape[0] != 1:
            self.problem = self.problem or f"{input_ids.shape[0]} texts were generated at once: one at a time is drawn"
        return not self.problem

    @property
    def _greedy(self) -> bool:
        return not self.config.do_sample

    # ---- as a trace ----

    @property
    def eos(self) -> frozenset[int]:
        return call_header.eos_ids(self.config)

    def asks_alike(self, other: "Call") -> bool:
        alike = self.prompt == other.prompt and self.other_processors == other.other_processors
        return not self.problem and alike and call_header.samples_alike(self.config, other.config)

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
        if sampled and (
            type(self.generator).__name__ in call_header.ARGMAX_GENERATORS
            or (self.likeliest and self.log_chance < call_header.UNLIKELY_LOG_CHANCE)
        ):
            reasons.append("not exact: the drafter takes its most likely token, and its softmax is tested as q")
        before = text.backend.decode(list(self.new_ids[:-1]), skip_special_tokens=False)
        stops = self.config.stop_strings or ()
        for stop in [stops] if isinstance(stops, str) else stops:
            if stop in before:
                reasons.append(
                    f"not exact: the stop string {stop!r:.60} ended inside a block, where transformers does not look for it"
                )
        return tuple(reasons)

    def header(self, text: TokenizerText) -> Header:
        self._check_drawable()
        blocks = [step.result for step in self.steps if step.result]
        config, sampled = self.config, self.config.do_sample
        inexact = self.inexact(text)
        try:
            settings = DecodeConfig(
                K=max(len(block.drafted) for block in blocks),
                temperature=float(1.0 if config.temperature is None else config.temperature) if sampled else 0.0,
                top_k=int(config.top_k or 0) if sampled else 0,
                top_p=float(1.0 if config.top_p is None else config.top_p) if sampled else 1.0,
                max_new_tokens=min(call_header.max_new_tokens(config, len(self.prompt)), MAX_TOKENS),
                ignore_eos=not self.eos,
                # without q the target drew too, and had to draw the same
                verifier="match" if not self._greedy and any(block.q is None for block in blocks) else "rejection",
                confidence=self.confidence,
            )
        except ConfigError as error:
            raise WatchError(f"this cannot be drawn: {error}") from None
        draft, drafter = (
            call_header.drafter_info(self.model, self.assistant, self.generator, config) if self.drafts else (None, None)
        )
        return Header(
            prompt=text.backend.decode(list(self.prompt), skip_special_tokens=True),
            config=settings,
            target=call_header.model_info(self.model),
            draft=draft,
            machine=machine.describe_machine(self.model.device),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            drafter=drafter,
            eos=tuple(sorted(self.eos)),
            engine="transformers",
            engine_version=transformers.__version__,
            exact=settings.exact and not inexact,
            departures=(*self.other_processors, *inexact),
        )

    def events(self, text: TokenizerText) -> tuple[Event, ...]:
        """A prefill of which nothing is told but the prompt: the first round reads that too."""
        self._check_drawable()
        prefill = Prefill(tuple(map(text.token, self.prompt)), None, None, None, None)
        stream, rounds = text.stream(list(self.prompt)), list[Round]()
        for i, step in enumerate(self.steps):
            if step.result is None:
                continue  # a pass that wrote nothing
            times = self._times(step, self.steps[i + 1] if i + 1 < len(self.steps) else None)
            pieces = [stream.push(id) for id in step.result.new]
            rounds.append(round_event(len(rounds), step.result, pieces, step.passes, None if self.drafts else 0, times, text))
        return (prefill, *rounds, self._finished(rounds, text))

    def _check_drawable(self) -> None:
        if self.problem:
            raise WatchError(self.problem)
        if not any(step.result for step in self.steps):
            raise WatchError(f"nothing was generated{': it failed by ' + self.error if self.error else ''}")
        if len(self.new_ids) > MAX_TOKENS:
            raise WatchError(f"{len(self.new_ids)} tokens were generated; at most {MAX_TOKENS} are drawn")

    def _times(self, step: Step, after: Step | None) -> Times:
        """What a mark is missing for is in `rest`."""

        def between(a: float | None, b: float | None) -> float | None:
            return None if a is None or b is None else max(0.0, (b - a) * 1e3)

        assert step.decide_end is not None and step.observe_end is not None
        start = step.draft_start if self.drafts else step.verify_start
        ended = self.end if after is None else (after.draft_start if self.drafts else after.verify_start)
        draft = between(step.draft_start, step.draft_end) if self.drafts else 0.0
        verify, decide = between(step.verify_start, step.verify_end), between(step.verify_end, step.decide_end)
        observe = between(step.decide_end, step.observe_end) or 0.0
        whole = between(step.decide_end if start is None else start, step.observe_end if ended is None else ended) or 0.0
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
        most = call_header.max_new_tokens(self.config, len(self.prompt))
        if len(self.new_ids) >= most:
            return "length", f"max_new_tokens of {most}"
        return "stop", "a stopping criterion"
