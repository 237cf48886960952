"""SGLang's metrics page (`--enable-metrics`, 0.5): gauges of the last interval, no counts of tokens.

    sglang:spec_accept_length   mean tokens a step, the extra token included
    sglang:spec_accept_rate     accepted ÷ drafted; of 2025 something else (sglang_rate.py)
    sglang:spec_num_steps       K

A gauge stands there once for each rank, with the same value or that of its part of the requests: their mean is taken.
"""

from collections.abc import Sequence
from math import isfinite
from statistics import fmean

from .exposition import Sample
from .prometheus import unread
from .record import Idle, Moment, Record, RecordError
from .sglang_rate import shares

FAMILY = "sglang:spec_"
LENGTH, RATE, STEPS = (f"{FAMILY}{name}" for name in ("accept_length", "accept_rate", "num_steps"))
KNOWN = (LENGTH, RATE, STEPS, f"{FAMILY}num_draft_tokens", f"{FAMILY}verify_calls_total")


def read(samples: Sequence[Sample]) -> Record | None:
    """None where the page has none of these. RecordError where they are of several models, or say 0: then nothing was decoded."""
    ours = [each for each in samples if each.name.startswith("sglang:") and each.labels.get("engine_type") != "draft"]
    told = [each for each in ours if each.name in (LENGTH, RATE)]
    if not told:
        return None
    models = {each.labels.get("model_name", "") for each in told}
    if len(models) > 1:
        raise RecordError(f"it has the numbers of {len(models)} models; it must have those of one")
    length = _mean(ours, LENGTH)
    if not length:
        raise Idle(
            "sglang:spec_accept_length is 0: nothing was decoded in the last interval. Save the page while requests are running"
        )
    K, running = int(_mean(ours, STEPS) or 0) or None, _mean(ours, "sglang:num_running_reqs")
    pace, waiting = _mean(ours, "sglang:gen_throughput"), _mean(ours, "sglang:num_queue_reqs")
    [share] = shares([length], [_mean(ours, RATE)], K, digit=1e-6)
    moment = Moment(0.0, length, share, running=running, waiting=waiting, tokens_per_second=pace)
    return Record("SGLang", "gauges", moments=(moment,), at_once=running or None, num_spec_tokens=K,
                  unread=unread(ours, FAMILY, "", KNOWN))  # fmt: skip


def _mean(samples: Sequence[Sample], name: str) -> float | None:
    values = [value for found, _, value in samples if found == name and isfinite(value) and 0 <= value < 1e12]
    return fmean(values) if values else None
