"""specviz: speculative decoding, shown as it happens.

    engine/ ─► trace/ ─► picture/ ─► page/      the page, in a browser
       │                    └──────► show()     a notebook, or one HTML file
       └─► lab/                                 experiments over many runs

    a round:   draft    K tokens x ~ q, one by one, by the drafter                       engine/draft/
               verify   one target pass over the block gives p at every position         engine/models/
               decide   u < p(x)/q(x) accepts; else the residual; all kept: a bonus      engine/verify, acceptance
               emit     1 to K + 1 tokens; both caches roll back to the text             engine/decode

Left of `trace/` are arrays and no gradio; right of it nobody touches an array. Arrays are numpy's: a device, a model of transformers or a
training asks for PyTorch, and nothing else imports it. Vanilla decoding is K = 0.

    >>> from specviz import race, set_up, show
    >>> *_, trace = race(set_up("fable", "mtp"), "Once upon a time", K=4, max_new_tokens=24, ignore_eos=True)
    >>> trace.speculative[-1].tokens
    24
    >>> show(trace)                             # in a notebook: the whole replay
    <specviz: fable, drafted by fable-mtp, K = 4, “Once upon a time”>
    >>> print(show(trace).save("run.html"))
    run.html

`race` takes settings by name or a DecodeConfig, and yields how far it is, at last the Trace; `show` takes either, so
`show(race(set_up("my-model", "my-draft"), "Once upon a time", K=4))` is enough. `decode` is one lane, event by event.
`with watching(model) as runs: model.generate(…, assistant_model=small)` leaves transformers' own run in `runs.trace`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .config import DecodeConfig
    from .engine.decode import decode
    from .engine.generate.watching import watching
    from .engine.race import race
    from .local import set_up
    from .page.learn.tab import Lesson
    from .page.watch.race import Race
    from .picture.frame import show
    from .trace.events import Trace
    from .trace.file import read

__version__ = "0.2.0"
__all__ = ["DecodeConfig", "Lesson", "Race", "Trace", "decode", "race", "read", "set_up", "show", "watching"]

_HOMES = {
    "DecodeConfig": "config",
    "Lesson": "page.learn.tab",
    "Race": "page.watch.race",
    "Trace": "trace.events",
    "decode": "engine.decode",
    "race": "engine.race",
    "read": "trace.file",
    "set_up": "local",
    "show": "picture.frame",
    "watching": "engine.generate.watching",
}


def __getattr__(name: str):
    """A public name from its home once it is asked for: whoever reads a trace needs no model."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
