"""transformers' own generation, watched: `model.generate` runs as it is, and what it did is a trace.

    with watching(model, tokenizer) as runs:
        model.generate(**inputs, max_new_tokens=64)                                  # the target alone, if it is to be compared
        model.generate(**inputs, max_new_tokens=64, assistant_model=small)
    show(runs.trace)

No code of transformers is copied or replaced. The candidate generator that it makes is handed on inside one that notes what went in and
came out; a logits processor behind all others sees what is drawn from; hooks on the model's forward pass tell its time. So any
drafter that transformers has, now or later, leaves a trace. What it does not tell is None: the u that decided, sizes of caches.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from transformers import LogitsProcessor, LogitsProcessorList

from ...trace.events import Trace
from ..machine import device_seconds
from ..text import TokenizerText
from .call import Call, WatchError, tokenizer_of

HOOKS = ("generate", "_get_candidate_generator", "_get_logits_processor")


class WatchedRuns:
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
        alone = next((other for other in reversed(self._calls) if not other.drafts and other.asks_alike(call)), None)
        return Trace(call.header(text), alone.events(text) if alone else (), call.events(text))


@contextmanager
def watching(model: Any, tokenizer: Any = None) -> Iterator[WatchedRuns]:
    """Watch what `model.generate` does: greedy or sampled, one text at a time, with or without drafts of any kind.

    `tokenizer`: the model's, by default read from where the model was. WatchError if this transformers has none of the places that
    are watched, or no tokenizer can be read; what is generated is never disturbed: what cannot be drawn is said by `WatchedRuns.trace`."""
    if lacking := [name for name in HOOKS if not callable(getattr(model, name, None))]:
        raise WatchError(f"{type(model).__name__} has no {lacking[0]}: a model of transformers 5.23 is watched")
    runs = WatchedRuns(model, tokenizer or tokenizer_of(model))
    hooks = _Hooks(model, runs._calls)
    before = {name: model.__dict__.get(name) for name in HOOKS}
    handles = (
        model.register_forward_pre_hook(hooks.before_forward, prepend=True),
        model.register_forward_hook(hooks.after_forward),
    )
    for name, wrap in zip(HOOKS, (hooks.wrap_generate, hooks.wrap_candidates, hooks.wrap_processors), strict=True):
        setattr(model, name, wrap(getattr(model, name)))
    try:
        yield runs
    finally:
        for hook in handles:
            hook.remove()
        for name, own in before.items():
            delattr(model, name)
            if own is not None:  # it was somebody's before
                setattr(model, name, own)


class _Hooks:
    """What stands in the places that are watched. `call`: the call of generate() that is under way, None outside of one and while a
    draft is made, which may be the same model's."""

    def __init__(self, model: Any, calls: list[Call]):
        self.model, self.calls = model, calls
        self.call: Call | None = None

    def wrap_generate(self, generate):
        def call(*args, **kwargs):
            if self.call or any(call.drafting for call in self.calls[-1:]):
                return generate(*args, **kwargs)  # one inside another: a draft
            self.call = watched = Call(self.model, kwargs.get("assistant_model"), self.now)
            self.calls.append(watched)
            try:
                result = generate(*args, **kwargs)
                watched.finish(result)
                return result
            except BaseException as error:
                watched.fail(error)
                raise
            finally:
                self.call = None

        return call

    def wrap_candidates(self, make):
        def call(*args, **kwargs):
            generator = make(*args, **kwargs)
            return _WatchedGenerator(generator, self, self.call) if self.call else generator

        return call

    def wrap_processors(self, make):
        def call(generation_config, *args, **kwargs):
            processors = make(generation_config, *args, **kwargs)
            if self.call is None:
                return processors
            self.call.configure(generation_config, processors)
            return LogitsProcessorList([*processors, _TokenObserver(self)])

        return call

    def before_forward(self, *_):
        if self.call:
            step = self.call.next_step()  # without drafts a pass begins one
            step.verify_start = self.now() if step.verify_start is None else step.verify_start

    def after_forward(self, *_):
        if self.call:
            self.call.step.verify_end = self.now()
            self.call.passes += 1

    def now(self) -> float:
        return device_seconds(self.model.device)


class _TokenObserver(LogitsProcessor):
    """Behind all others: what a token is drawn from. With drafts these come together (`_WatchedGenerator`), and this hears nothing."""

    def __init__(self, hooks: _Hooks):
        self.hooks = hooks

    def __call__(self, input_ids, scores):
        call = self.hooks.call
        if call and not call.drafts:
            step = call.step
            step.decide_end = self.hooks.now()
            call.add_token(input_ids, scores)
            step.observe_end = self.hooks.now()
        return scores


@dataclass
class _WatchedGenerator:
    """A candidate generator of transformers, and what goes in and out of it. All else that is asked of it, it is asked."""

    own: Any
    hooks: _Hooks
    call: Call

    def __post_init__(self):
        self.call.set_generator(self.own)

    def __getattr__(self, name: str):
        if name == "own":
            raise AttributeError(name)  # it is only being made
        return getattr(self.own, name)

    def get_candidates(self, input_ids, *args, **kwargs):
        step, hooks = self.call.next_step(), self.hooks
        step.draft_start = hooks.now()
        hooks.call, self.call.drafting = None, True  # passes meanwhile are the draft's, even of the same model
        try:
            ids, logits = self.own.get_candidates(input_ids, *args, **kwargs)
        finally:
            hooks.call, self.call.drafting = self.call, False
        step.draft_end = hooks.now()
        step.text_ids, step.candidates, step.q = input_ids, ids, logits
        return ids, logits

    def update_candidate_strategy(self, input_ids, scores, num_matches):
        step, hooks = self.call.step, self.hooks
        step.decide_end = hooks.now()
        self.call.add_block(input_ids, scores)
        step.observe_end = hooks.now()
        return self.own.update_candidate_strategy(input_ids, scores, num_matches)
