"""The runs that come with the app, recorded from the real engine by `make traces`: shown at once, without a model.

load("opening")        # a Trace
for name in names(): title, sentence = words.RECORDED[name]
"""

import gzip
from functools import cache

from ...config import ASSETS
from ...picture.view import picture
from ...trace.file import Trace, loads
from .. import words
from ..engine import Engine

FOLDER = ASSETS / "traces"


@cache
def names() -> tuple[str, ...]:
    """The names that there is a recording of, in the order of `words.RECORDED`."""
    return tuple(name for name in words.RECORDED if _file(name).is_file())


@cache
def load(name: str) -> Trace:
    """The run of that name. Only names of the list reach the disk: KeyError for any other."""
    if name not in names():
        raise KeyError(name)
    return loads(gzip.decompress(_file(name).read_bytes()))


def title(name: str) -> str:
    return words.RECORDED[name][0]


def _file(name: str):
    return FOLDER / f"{name}.jsonl.gz"


def settings_of(trace: Trace, engine: Engine) -> dict:
    """The settings that made a run, as a link would carry them. The bundled models, since a trace names models, not choices."""
    config, models = trace.header.config, engine.models()[0]
    settings = {
        "prompt": trace.header.prompt,
        "models": models,
        "length": config.max_new_tokens,
        "stop": "\n".join(config.stop),
        **{name: getattr(config, name) for name in ("K", "temperature", "top_p", "seed", "top_k", "verifier")},
        **{name: getattr(config, name) for name in ("ignore_eos", "confidence", "adaptive")},
    }
    drafter = _drafter(trace)
    return {**settings, "drafter": drafter} if drafter in engine.drafters(models) else settings


def _drafter(trace: Trace) -> str | None:
    """The key of words.DRAFTERS for what drafted in a trace."""
    draft = picture(Trace(trace.header, (), ()))["header"]["draft"]
    if draft is None:
        return None
    kinds = {"heads": "mtp", "target": "oracle", "layers": "early-exit", "model": "small"}
    kind = kinds.get(draft["kind"], draft["kind"])
    return "large" if kind == "small" and draft["name"].endswith("-large") else kind
