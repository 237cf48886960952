"""transformers' own generation, watched: `model.generate` runs as it is, and what it did is a trace.

    with watching(model, tokenizer) as seen:
        model.generate(**inputs, max_new_tokens=64)                                  # the target alone, if it is to be compared
        model.generate(**inputs, max_new_tokens=64, assistant_model=small)
    show(seen.trace)

No code of transformers is copied or replaced. The candidate generator that it makes is handed on inside one that notes what went in and
came out; a logits processor behind all others sees what is drawn from; hooks on the model's forward pass tell its time. So any
drafter that transformers has, now or later, leaves a trace. What it does not tell is None: the u that decided, sizes of caches.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from transformers import LogitsProcessor, LogitsProcessorList

from ...trace.header import Trace
from ..text import TokenizerText
from .about import WatchError, tokenizer_of
from .call import Call

HOOKS = ("generate", "_get_candidate_generator", "_get_logits_processor")


class Seen:
    """What was generated inside a `watching`: a trace a call, the last one first asked for."""

    def __init__(self, model: Any, tokenizer: Any):
        self._model, self._tokenizer, self._calls = model, tokenizer, list[Call]()

    @property
    def trace(self) -> Trace:
        """Of the last call with drafts, beside the last without that had the same prompt and settings; of the last call where none had
        drafts. WatchError says in a sentence why there is none."""
        calls = self._calls
        if not calls:
            raise WatchError("nothing was generated while this was watching")
        return self._trace(next((call for call in reversed(calls) if call.drafts), calls[-1]))

    @property
    def traces(self) -> tuple[Trace, ...]:
        """Of each call in its order. WatchError if one of them cannot be drawn."""
        return tuple(self._trace(call) for call in self._calls)

    def _trace(self, call: Call) -> Trace:
        text = TokenizerText(self._tokenizer, call.eos)
        if not call.drafts:
            return Trace(call.header(text), call.events(text), ())
        alone = next((other for other in reversed(self._calls) if not other.drafts and other.like(call)), None)
        return Trace(call.header(text), alone.events(text) if alone else (), call.events(text))


@contextmanager
def watching(model: Any, tokenizer: Any = None) -> Iterator[Seen]:
    """Watch what `model.generate` does: greedy or sampled, one text at a time, with or without drafts of any kind.

    `tokenizer`: the model's, by default read from where the model was. WatchError if this transformers has none of the places that
    are watched, or no tokenizer can be read; what is generated is never disturbed: what cannot be drawn is said by `Seen.trace`."""
    if lacking := [name for name in HOOKS if not callable(getattr(model, name, None))]:
        raise WatchError(f"{type(model).__name__} has no {lacking[0]}: a model of transformers 5.23 is watched")
    seen = Seen(model, tokenizer or tokenizer_of(model))
    hands = _Hands(model, seen._calls)
    before = {name: model.__dict__.get(name) for name in HOOKS}
    hooks = model.register_forward_pre_hook(hands.enters, prepend=True), model.register_forward_hook(hands.leaves)
    for name, hand in zip(HOOKS, (hands.generate, hands.candidates, hands.processors), strict=True):
        setattr(model, name, hand(getattr(model, name)))
    try:
        yield seen
    finally:
        for hook in hooks:
            hook.remove()
        for name, own in before.items():
            delattr(model, name)
            if own is not None:  # it was somebody's before
                setattr(model, name, own)


class _Hands:
    """What stands in the places that are watched. `call`: the call of generate() that is under way, None outside of one and while a
    draft is made, which may be the same model's."""

    def __init__(self, model: Any, calls: list[Call]):
        self.model, self.calls = model, calls
        self.call: Call | None = None

    def generate(self, generate):
        def watched(*args, **kwargs):
            if self.call or any(call.drafting for call in self.calls[-1:]):
                return generate(*args, **kwargs)  # one inside another: a draft
            self.call = call = Call(self.model, kwargs.get("assistant_model"), self.now)
            self.calls.append(call)
            try:
                result = generate(*args, **kwargs)
                call.ended(result)
                return result
            except BaseException as error:
                call.failed(error)
                raise
            finally:
                self.call = None

        return watched

    def candidates(self, make):
        def watched(*args, **kwargs):
            made = make(*args, **kwargs)
            return _Candidates(made, self, self.call) if self.call else made

        return watched

    def processors(self, make):
        def watched(generation_config, *args, **kwargs):
            made = make(generation_config, *args, **kwargs)
            if self.call is None:
                return made
            self.call.configure(generation_config, made)
            return LogitsProcessorList([*made, _Drawn(self)])

        return watched

    def enters(self, *_):
        if self.call:
            step = self.call.next()  # without drafts a pass begins one
            step.verify = self.now() if step.verify is None else step.verify

    def leaves(self, *_):
        if self.call:
            self.call.step.verified = self.now()
            self.call.passes += 1

    def now(self) -> float:
        """Seconds. A device has done what it was given."""
        if self.model.device.type == "cuda":
            torch.cuda.synchronize(self.model.device)
        return time.perf_counter()


class _Drawn(LogitsProcessor):
    """Behind all others: what a token is drawn from. With drafts these come together (`_Candidates`), and this hears nothing."""

    def __init__(self, hands: _Hands):
        self.hands = hands

    def __call__(self, input_ids, scores):
        call = self.hands.call
        if call and not call.drafts:
            step = call.step
            step.decided = self.hands.now()
            call.alone(input_ids, scores)
            step.observed = self.hands.now()
        return scores


@dataclass
class _Candidates:
    """A candidate generator of transformers, and what goes in and out of it. All else that is asked of it, it is asked."""

    own: Any
    hands: _Hands
    call: Call

    def __post_init__(self):
        self.call.drafted_by(self.own)

    def __getattr__(self, name: str):
        if name == "own":
            raise AttributeError(name)  # it is only being made
        return getattr(self.own, name)

    def get_candidates(self, input_ids, *args, **kwargs):
        step, hands = self.call.next(), self.hands
        step.draft = hands.now()
        hands.call, self.call.drafting = None, True  # passes meanwhile are the draft's, even of the same model
        try:
            ids, logits = self.own.get_candidates(input_ids, *args, **kwargs)
        finally:
            hands.call, self.call.drafting = self.call, False
        step.drafted = hands.now()
        step.before, step.candidates, step.q = input_ids, ids, logits
        return ids, logits

    def update_candidate_strategy(self, input_ids, scores, num_matches):
        step, hands = self.call.step, self.hands
        step.decided = hands.now()
        self.call.judged(input_ids, scores)
        step.observed = hands.now()
        return self.own.update_candidate_strategy(input_ids, scores, num_matches)
