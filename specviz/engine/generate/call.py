"""One call of generate(): its steps as they were observed, its events in a trace, and its header: what was asked for, of which
models, and what of it no trace can say.

Tensors are turned into plain values as soon as a step is decided, outside its timed part; texts of tokens are looked up at the
end. What was decided follows from transformers' rules (generation/utils.py): sampled with the draft's logits, reject and
resample; else the target's own draw, or pick, has to be the drafted token.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import isfinite
from typing import Any

import torch
import transformers

from ...acceptance import residual
from ...config import ConfigError, DecodeConfig
from ...trace.events import (
    Drafted,
    Emitted,
    Event,
    Finished,
    Header,
    Kind,
    ModelInfo,
    Position,
    Prefill,
    Reason,
    Residual,
    Role,
    Round,
    Times,
    totals,
)
from .. import machine, tensors
from ..events import TopEntries, one_hot_positions, one_hot_residual, positions_from, residual_from, unpack
from ..models.load import display_name
from ..text import TokenizerText


@dataclass(frozen=True)
class DecidedBlock:
    """A decided block: ids, how many were accepted, whether the next was rejected; p and q of each drafted token. `looks`: what
    was found of its rows, together or one by one; `best`: the target's picks where it is greedy."""

    drafted: tuple[int, ...]
    new: tuple[int, ...]
    accepted: int
    rejected: bool
    p: tuple[float, ...]
    q: tuple[float, ...] | None
    looks: tuple[TopEntries, ...]
    best: tuple[int, ...] | None

    @property
    def tested(self) -> int:
        return self.accepted + self.rejected


@torch.inference_mode()
def describe_block(scores, logits, drafted: list[int], new: list[int], greedy: bool) -> DecidedBlock:
    """scores [K + 1, V]: of the target after all processors; logits [1, K, V]: likewise the draft's, None where it gave none.
    `new`: what joined the text."""
    k = len(drafted)
    accepted = next((i for i, (x, y) in enumerate(zip(drafted, new, strict=False)) if x != y), min(k, len(new)))
    cut = accepted == len(new)  # the text ended on an accepted token
    rejected = accepted < k and not cut
    rows = accepted + rejected if rejected or cut else k + 1
    if greedy:
        best = tuple(scores[:rows].argmax(-1).tolist())
        picks = scores[:k].argmax(-1).tolist()
        same = tuple(float(x == y) for x, y in zip(drafted, picks, strict=True))
        return DecidedBlock(tuple(drafted), tuple(new), accepted, rejected, same, (1.0,) * k, (), best)
    all_p = scores.float().softmax(-1)
    x = torch.tensor(drafted, dtype=torch.long, device=all_p.device)
    p = tuple(all_p[:k].gather(1, x[:, None])[:, 0].tolist()) if k else ()
    whole = None if logits is None or not k else logits[0, :k].float().softmax(-1).to(all_p.device)
    q = None if whole is None and k else tuple(whole.gather(1, x[:, None])[:, 0].tolist()) if whole is not None else ()
    ids = [*drafted[:rows], *new[accepted:]][:rows]
    inspected = torch.tensor(ids, device=all_p.device)
    if whole is None:  # each row is p's alone
        looks = [_look(all_p[i : i + 1], None, inspected[i : i + 1]) for i in range(rows)]
    else:
        m = accepted + rejected
        last = torch.tensor(new[accepted : accepted + 1], device=all_p.device)
        residual_inputs = (residual(all_p[m - 1 : m], whole[m - 1 : m]), last) if rejected else ()
        looks = [_look(all_p[:rows], whole[:m] if m else None, inspected, *residual_inputs)]
    return DecidedBlock(tuple(drafted), tuple(new), accepted, rejected, p, q, tuple(looks), None)


def _look(p, q, inspected, *residual_inputs) -> TopEntries:
    numbers = tensors.flatten(tensors.top_entries(p, q, inspected, *residual_inputs)).numpy(force=True)
    return unpack(numbers, len(p), 0 if q is None else len(q), p.shape[-1])


def round_event(
    index: int, step: DecidedBlock, pieces: list[str], passes: int, draft_passes: int | None, times: Times, text: TokenizerText
) -> Round:
    """`pieces`: the text of what was written; `passes` of the target were made until then, and `draft_passes`, where they are known."""
    k, accepted, tested, new = len(step.drafted), step.accepted, step.tested, step.new
    positions, left = _positions(step, text)
    drafted = tuple(
        Drafted(
            token=text.token(id),
            q=None if step.q is None else step.q[i],
            p=step.p[i],
            ratio=_ratio(step, i),
            u=None,
            verdict="accepted" if i < accepted else "rejected" if i < tested else "unexamined",
            position=positions[i] if i < tested else None,
        )
        for i, id in enumerate(step.drafted)
    )
    emitted = [Emitted(text.token(id), "accepted", piece) for id, piece in zip(new[:accepted], pieces, strict=False)]
    if len(new) > accepted:
        role: Role = "plain" if not k else "corrected" if step.rejected else "bonus"
        last = None if step.rejected else positions[-1]
        emitted.append(Emitted(text.token(new[accepted]), role, pieces[accepted], None, last))
    return Round(index, drafted, tuple(emitted), left, None, None, passes, draft_passes, times)


def _ratio(step: DecidedBlock, i: int) -> float | None:
    if step.q is None or not step.q[i]:
        return None
    ratio = step.p[i] / step.q[i]
    return ratio if isfinite(ratio) else None


def _positions(step: DecidedBlock, text: TokenizerText) -> tuple[list[Position], Residual | None]:
    tested = step.tested
    if step.best is not None:
        rest = one_hot_residual(step.best[-1], text) if step.rejected else None
        return one_hot_positions(list(step.best), list(step.drafted[:tested]), text), rest
    if step.q is None or not step.drafted:
        return [position for look in step.looks for position in positions_from(look, 1, 0, text)], None
    [look] = step.looks
    rows = tested if step.rejected or len(step.new) == step.accepted else len(step.drafted) + 1
    positions = positions_from(look, rows, tested, text)
    if not step.rejected:
        return positions, None
    beta = positions[-1].beta
    assert beta is not None  # it was drafted
    rest = residual_from(look, step.new[step.accepted], 1.0 - beta, text)
    return positions, replace(rest, mass=max(0.0, rest.mass))


MAX_TOKENS = 4096  # tokens that a trace holds

KINDS: dict[
    str, tuple[Kind | None, str, str]
] = {  # a candidate generator → how it drafts, what it is called, its family (drafters.py)
    "PromptLookupCandidateGenerator": ("lookup", "prompt lookup", "n-gram"),
    "MTPCandidateGenerator": ("mtp", "own heads", "multi-token heads"),
}
SAMPLING_SETTINGS = ("temperature", "top_k", "top_p")
WARPERS = {"TemperatureLogitsWarper", "TopKLogitsWarper", "TopPLogitsWarper"}  # what these make
PROCESSOR_SETTINGS = {  # a processor of transformers → the setting that makes it
    "MinPLogitsWarper": "min_p",
    "TypicalLogitsWarper": "typical_p",
    "EpsilonLogitsWarper": "epsilon_cutoff",
    "EtaLogitsWarper": "eta_cutoff",
    "TopHLogitsWarper": "top_h",
    "RepetitionPenaltyLogitsProcessor": "repetition_penalty",
    "NoRepeatNGramLogitsProcessor": "no_repeat_ngram_size",
    "MinLengthLogitsProcessor": "min_length",
    "MinNewTokensLengthLogitsProcessor": "min_new_tokens",
}
ARGMAX_GENERATORS = {"SinglePositionMultiTokenCandidateGenerator"}  # drafts its most likely token, and gives its softmax as q
# the log of the chance that sampled drafts are all the most likely ones, below which they were not sampled
UNLIKELY_LOG_CHANCE = -20.0


class WatchError(ValueError):
    """What was generated cannot be drawn; one sentence says why."""


def tokenizer_of(model: Any) -> Any:
    """The tokenizer that lies where the model was read from. WatchError if there is none."""
    name = model.config._name_or_path
    try:
        return transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
    except Exception:  # many types: nothing there, no network, no name
        raise WatchError("no tokenizer was found beside the model: give it, watching(model, tokenizer)") from None


def refusal_reason(model: Any, config: Any) -> str:
    """Why what `config` asks for cannot be drawn, or ''."""
    if model.config.is_encoder_decoder:
        return "an encoder-decoder does not continue a text: it is not drawn"
    for name in ("num_beams", "num_return_sequences"):
        if (getattr(config, name, None) or 1) > 1:
            return f"{name} is {getattr(config, name)}: one text at a time is drawn, without beams"
    if config.guidance_scale not in (None, 1):
        return f"guidance_scale is {config.guidance_scale}: the target runs twice per token, which a trace cannot hold"
    return ""


def samples_alike(a: Any, b: Any) -> bool:
    names = ("do_sample", *(SAMPLING_SETTINGS if a.do_sample else ()), "repetition_penalty", "max_length")
    return all(getattr(a, name) == getattr(b, name) for name in names)


def extra_processors(processor_list: Any, config: Any) -> tuple[str, ...]:
    """What p passes besides temperature, top-k and top-p, in its order; `processor_list`: transformers' LogitsProcessorList."""
    reasons = []
    for processor in processor_list:
        name = type(processor).__name__
        if not type(processor).__module__.startswith("transformers."):
            reasons.append(f"p passes a processor of your own, {name}")
        elif name not in WARPERS:
            setting = PROCESSOR_SETTINGS.get(name)
            reasons.append(f"p passes {f'{setting} = {getattr(config, setting, None)}' if setting else name}")
    return tuple(reasons)


def eos_ids(config: Any) -> frozenset[int]:
    ids = None if config is None else config.eos_token_id
    return frozenset() if ids is None else frozenset(ids if isinstance(ids, list) else [ids])


def max_new_tokens(config: Any, prompt: int) -> int:
    return max(1, config.max_length - prompt)


def drafter_info(model: Any, assistant: Any, generator: Any, config: Any) -> tuple[ModelInfo, Kind | None]:
    """What drafted, by the candidate `generator` that transformers made."""
    target, name = model_info(model), type(generator).__name__
    if name in KINDS:
        kind, label, family = KINDS[name]
        none = ModelInfo(
            label, family, 0, target.width, target.vocabulary, 0, target.dtype, "none" if kind == "lookup" else "transformers"
        )
        return none, kind
    early = config.assistant_early_exit
    if early is not None:
        own = ModelInfo(
            f"first {early} layers", target.family, early, target.width, target.vocabulary, 0, target.dtype, "transformers"
        )
        return own, "early-exit"
    assistant = getattr(generator, "assistant_model", None) or assistant
    if assistant is None:  # a way to draft that is newer than this
        return ModelInfo(name, name, 0, target.width, target.vocabulary, 0, target.dtype, "none"), None
    return model_info(assistant), "oracle" if assistant is model else "model"


def model_info(model: Any) -> ModelInfo:
    config = model.config.get_text_config()
    head = getattr(model.get_output_embeddings(), "weight", None)  # of an assistant with another tokenizer it was replaced
    return ModelInfo(
        name=display_name(model.config._name_or_path or type(model).__name__),
        family=model.config.model_type,
        layers=config.num_hidden_layers,
        width=config.hidden_size,
        vocabulary=config.vocab_size if head is None else head.shape[0],
        parameters=sum(p.numel() for p in model.parameters()),
        dtype=str(model.dtype).removeprefix("torch."),
        forward="transformers",
        context=getattr(config, "max_position_embeddings", None),
    )


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
        self.config, self.other_processors = config, extra_processors(processors, config)
        self.problem = self.problem or refusal_reason(self.model, config)

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
        return eos_ids(self.config)

    def asks_alike(self, other: "Call") -> bool:
        alike = self.prompt == other.prompt and self.other_processors == other.other_processors
        return not self.problem and alike and samples_alike(self.config, other.config)

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
            type(self.generator).__name__ in ARGMAX_GENERATORS or (self.likeliest and self.log_chance < UNLIKELY_LOG_CHANCE)
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
                max_new_tokens=min(max_new_tokens(config, len(self.prompt)), MAX_TOKENS),
                ignore_eos=not self.eos,
                # without q the target drew too, and had to draw the same
                verifier="match" if not self._greedy and any(block.q is None for block in blocks) else "rejection",
                confidence=self.confidence,
            )
        except ConfigError as error:
            raise WatchError(f"this cannot be drawn: {error}") from None
        draft, drafter = drafter_info(self.model, self.assistant, self.generator, config) if self.drafts else (None, None)
        return Header(
            prompt=text.backend.decode(list(self.prompt), skip_special_tokens=True),
            config=settings,
            target=model_info(self.model),
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
        most = max_new_tokens(self.config, len(self.prompt))
        if len(self.new_ids) >= most:
            return "length", f"max_new_tokens of {most}"
        return "stop", "a stopping criterion"
