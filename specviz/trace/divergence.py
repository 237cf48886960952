"""Why two greedy lanes of one run wrote different texts, in a sentence for a terminal: in exact arithmetic they write the same.

divergence_note(trace)      # "The greedy texts differ from token 7 on: “ a” against “ the”. …", or "" where they do not, or were sampled
"""

from .events import rounds_of
from .header import LANES, OURS, Trace


def divergence_note(trace: Trace) -> str:
    alone, ours = ([e.token for r in rounds_of(getattr(trace, lane)) for e in r.emitted] for lane in LANES)
    if not trace.header.config.greedy or not alone or not ours or alone == ours:
        return ""
    at = next((i for i, (x, y) in enumerate(zip(alone, ours, strict=False)) if x.id != y.id), None)
    if at is not None:
        sentence = f"The greedy texts differ from token {at + 1} on: “{alone[at].text}” against “{ours[at].text}”."
        dtype = trace.header.target.dtype
        why = (
            f"In {dtype} two logits are often almost equal, and a pass over a block rounds differently than a pass over one token."
            if dtype != "float32"
            else "A pass over a block sums in another order than a pass over one token, so two logits that are almost equal may change places."
        )
        return f"{sentence} {why}"
    if len(alone) == len(ours):
        return ""
    longer, shorter = (LANES[1], LANES[0]) if len(ours) > len(alone) else LANES
    reason = getattr(getattr(trace, shorter)[-1], "reason", "")
    more = abs(len(ours) - len(alone))
    sentence = f"The {longer} text goes on for {more} token{'s' if more > 1 else ''} after the {shorter} one, which was ended by {reason}."
    if reason == "stop" and trace.header.engine != OURS:
        sentence += f" {trace.header.engine} looks for a stop string where a block ends, so it misses one that ends inside."
    return sentence
