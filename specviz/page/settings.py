"""What decides a run, by the names that the controls, a link and a recorded run share, and how it becomes a `DecodeConfig`."""

from ..config import DecodeConfig
from ..picture.view import picture
from ..trace.header import Trace
from . import words
from .engine import Engine

DEFAULT = DecodeConfig(temperature=0.8, max_new_tokens=96)
NAMES = ("prompt", "models", "drafter", "K", "temperature", "top_p", "length", "seed", "top_k", "stop", "verifier",
         "ignore_eos", "confidence", "adaptive", "drafting", "epsilon", "delta", "theta", "survival")  # fmt: skip
"""What a link or a recorded run calls the controls, in the order of `Controls.inputs`."""
SAME = tuple(name for name in NAMES if name not in ("prompt", "models", "drafter", "length", "stop"))
"""Those that are called as in config.py."""
OF_RULE = {"epsilon": "typical", "delta": "typical", "theta": "threshold"}
"""The verifier that a setting is of: under any other it decides nothing."""


def first(engine: Engine) -> dict:
    """What stands in the controls when nothing else is said."""
    first = {
        "prompt": words.EXAMPLES[0],
        "models": engine.models()[0],
        "drafter": engine.drafters()[0],
        "length": DEFAULT.max_new_tokens,
        "stop": "",
    }
    return first | {name: getattr(DEFAULT, name) for name in SAME}


def read(k, temperature, top_p, length, seed, top_k, stops, *others) -> DecodeConfig:
    """What the visitor chose, `others` by NAMES from the verifier on, as far as they are given; raises ConfigError for what is out of
    bounds. What is of another rule than the one that is picked, and so out of sight, is left out. Fields hand over 4 as 4.0; 4.5 is
    left for the check."""
    by_name = dict(zip(NAMES[NAMES.index("verifier") :], others, strict=False))
    by_name = {name: value for name, value in by_name.items() if OF_RULE.get(name, by_name["verifier"]) == by_name["verifier"]}
    whole = [int(v) if isinstance(v, float) and v.is_integer() else v for v in (k, length, seed, top_k)]
    return DecodeConfig(
        K=whole[0],
        temperature=temperature,
        top_p=top_p,
        max_new_tokens=whole[1],
        seed=whole[2],
        top_k=whole[3],
        stop=tuple(line for line in (stops or "").splitlines() if line),
        **by_name,
    )


def settings_of(trace: Trace, engine: Engine) -> dict:
    """The settings that made a run, as a link would carry them. The bundled models, since a trace names models, not choices."""
    config, models = trace.header.config, engine.models()[0]
    settings = {
        "prompt": trace.header.prompt,
        "models": models,
        "length": config.max_new_tokens,
        "stop": "\n".join(config.stop),
        **{name: getattr(config, name) for name in SAME},
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


def named(keys: list[str]) -> list[tuple[str, str]]:
    """Ways to draft as a list shows them: words, key."""
    return [(words.DRAFTERS.get(key, (key, ""))[0], key) for key in keys]
