"""Why a server is slow with drafts: causes in the order of their likelihood, each with what to measure next (chapter 11).

A cause is judged by one number that follows from acceptance, K, load and model (assets/learn/busy/slow.js). Where it begins to be
possible and likely is a rule of thumb, except for the load: that is arithmetic, and holds for an H100.
"""

from dataclasses import asdict, dataclass

OPERATIONS_PER_BYTE = 295  # an H100 does them while it reads a byte: 989 trillion a second, 3.35 TB/s (NVIDIA's data sheet)
EXPERTS, ACTIVE_EXPERTS = 128, 8  # of a mixture, as of Qwen3-30B-A3B (its configuration)
MODELS = {
    "dense": "dense, over 3 billion",
    "small": "dense, smaller",
    "experts": "mixture of experts",
}


@dataclass(frozen=True, slots=True)
class Cause:
    """`by`: the number that judges it; from `possible` and from `likely` on it is that. `measure`: what to measure next."""

    key: str
    by: str
    possible: float
    likely: float
    cause: str
    measure: str


CAUSES = (
    Cause(
        "load",
        "busy",
        0.3,
        1.0,
        "The server is busy. Verifying a block for each request takes arithmetic that other requests need.",
        "Measure tokens per second at the same load with K = 0. Then repeat both with a quarter of the requests.",
    ),
    Cause(
        "acceptance",
        "rejected",
        0.4,
        0.6,
        "The draft guesses badly. A draft for another version of the model, a long text or a high temperature lowers acceptance.",
        "Measure acceptance by position at temperature 0 on short prompts of your own. Is it below 0.6 there too? Then choose or train another draft.",
    ),
    Cause(
        "block",
        "thrown",
        1.5,
        3.0,
        "K is too large. Few rounds reach the later guesses, but each of them costs a draft step and makes verifying longer.",
        "Measure tokens per second with K = 1, 2 and 3 at the same load, and keep the fastest.",
    ),
    Cause(
        "experts",
        "experts",
        1.2,
        1.5,
        "The target is a mixture of experts. The tokens of a block choose different experts, so verifying reads more weights.",
        "Measure the time of a pass over one token and over a block. Their ratio is v. If v is above the tokens per step, drafting cannot pay.",
    ),
    Cause(
        "draft",
        "small",
        1.0,
        1.0,
        "The draft costs too much beside a small target. A draft step waits for its layers, one after the other, and not for its weights.",
        "Measure the time of one draft step and of one target pass. Their ratio is c. Try prompt lookup or a head, whose c is smaller.",
    ),
    Cause(
        "overhead",
        "always",
        1.0,
        2.0,
        "The engine loses time between passes: sampling, grammars, no CUDA graph, a draft on another card.",
        "Measure the time of a whole step. What exceeds K·c + v passes is overhead. A profile shows where it is.",
    ),
    Cause(
        "comparison",
        "always",
        1.0,
        2.0,
        "The comparison is not fair. The two runs differ in load, prompts, length or temperature.",
        "Measure K = 0 and your K alternately, with the same requests at the same rate, more than once.",
    ),
)

WORDS = {
    "accepted": "Accepted ÷ drafted",
    "K": "K",
    "texts": "Requests at once",
    "model": "Target",
    "likely": "likely",
    "possible": "possible",
    "more": "Less likely causes, and how they are judged",
    "is": "The order follows from these four. Unlikely causes are left out. The bounds are rules of thumb, and the load is judged by an H100's data sheet. Only a measurement decides.",
}


def table() -> dict:
    """In JSON's own types, for the page."""
    constants = {"operations": OPERATIONS_PER_BYTE, "experts": EXPERTS, "chosen": ACTIVE_EXPERTS}
    return {"words": WORDS, "models": MODELS, "causes": [asdict(cause) for cause in CAUSES], **constants}
