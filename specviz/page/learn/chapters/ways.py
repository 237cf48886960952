"""What drafters read, and what a step costs."""

import json

from ....config import ASSETS
from ....drafters import DRAFTERS
from ..chapter import COPY, Chapter, Exercise, Question, Runs, costs, measured_passes, short_device

SHAPES = ASSETS / "shapes" / "fable-small.json"
POSITIONS = ASSETS / "shapes" / "positions.json"

# Which drafter, which layers are at work, what a draft step reads, what it costs, what was published, and where. Lookup's cost and the
# bigram's are filled in.
WAYS = (
    ("small", "beside", "the text, with its own weights", "a small pass per token", "1.4–3.4×", "Leviathan 2022, T5-XXL"),
    ("early-exit", "first", "the text, with the target's layers", "those layers, per token", "up to 2.16×", "LayerSkip"),
    (
        *("mtp", "heads", "the target's last hidden state; the token just drafted", "one module per token"),
        *("1.8×; Medusa's heads, not exact: 2.2–3.6×", "DeepSeek-V3 (MTP), Medusa"),
    ),
    (
        *("eagle", "feature", "features of three layers; the token just drafted", "one layer per token"),
        *("trees 2.7–3.5×; EAGLE-3: up to 6.5×", "EAGLE, EAGLE-3"),
    ),
    (
        *("lookup", "text", "what followed the same words before", "no pass at all: c {lookup}"),
        *("best where text repeats", "Saxena 2023"),
    ),
    ("bigram", "table", "the last token alone", "one look-up: here c {bigram}", "1.25× by formula, if c = 0", "Leviathan 2022"),
    (
        *("block", "feature", "features of three layers; through a small link, the guess before", "one pass per block"),
        *("1.1–1.36× EAGLE-3", "P-EAGLE 2026"),
    ),
)
WAY_FIELDS = ("stack", "reads", "cost", "published", "source")


def excerpt(runs: Runs) -> dict:
    return {"c": {name: costs(runs[name])["c"] for name in ("poor-draft", "lookup")}}


def tables() -> dict:
    return {"ways": [_texts(*way) for way in WAYS], "shapes": shapes()}


def _texts(key: str, *way: str) -> dict[str, str]:
    drafter = DRAFTERS[key]
    says = f"{drafter.label}: {drafter.sentence}"
    return {"name": drafter.label, "says": says, **dict(zip(WAY_FIELDS, way, strict=True))}


def shapes() -> dict | None:
    """What each place of a tree was worth and what was guessed at two positions (scripts/picture_data.py), and what passes cost
    on the machines that were measured."""
    if not (SHAPES.is_file() and POSITIONS.is_file()):
        return None
    gains = json.loads(SHAPES.read_text("utf-8"))
    machines = []
    for machine in measured_passes():
        alone, name = machine["target_ms"][0], f"{machine['target']} on {short_device(machine['device'])}"
        machines.append({"device": name, "c": machine["draft_ms"][0] / alone[0], "v": [ms / alone[0] for ms in alone]})
    at = json.loads(POSITIONS.read_text("utf-8"))
    return {"share": gains["share"], "draft": gains["draft"], "machines": machines, "of": at["of"], "positions": at["positions"]}


CHAPTER = Chapter(
    key="ways",
    short="Ways",
    title="Ways to draft",
    text=(
        "A draft need not be a second model, with weights and a cache of its own. Early exit (self-speculation) runs the target's own first layers.",
        "Heads are small parts added to the target. Medusa's heads guess all places at once. Multi-token heads (MTP) and an EAGLE head guess "
        "one by one, and read the guess before. A good drafter agrees with the target (high α) and is cheap (low c).",
    ),
    question=Question(
        "Code is edited. Most of the answer is already in the prompt. Which drafter is best?",
        ("A larger draft model", "Prompt lookup", "A bigram table"),
        1,
        "Prompt lookup copies what followed the same words before. It needs no pass, so c is almost 0, and long blocks are accepted. Where nothing "
        "repeats it drafts nothing.",
    ),
    go="Watch prompt lookup on a text that repeats itself.",
    settings={"prompt": COPY, "drafter": "lookup", "K": "6", "temperature": "0", "length": "64"},
    notes=(
        "Figures of different papers come from different models and machines. Compare their size, not their decimals.",
        "After its first guess an EAGLE head reads its own feature in place of the target's.",
        "Medusa's rule above temperature 0 is not exact.",
        "A block head writes all K tokens in one pass, so its cost hardly grows with K. A place knows at most the guess before it, so later guesses "
        "are rejected more often. Choose it in Watch and compare its acceptance by position with that of the EAGLE head.",
        "A chain needs one draft pass per guess. A tree needs one per depth, and the target's pass reads every guess in it.",
        "vLLM removed tree attention in May 2026 (its pull request 42121). It was never fully supported, and it made other attention code hard to "
        "change. With one text a closed pull request (22752) had measured 2.05 tokens per pass with a chain and 2.37 with a tree. "
        "SGLang 0.5.23 (November 2026) keeps trees: with EAGLE its default for Llama is a tree of 8 tokens, the last token of the text and 7 guesses.",
    ),
    sources=("leviathan", "layerskip", "medusa", "deepseek", "li", "lookup", "peagle"),
    exercise=Exercise(
        (
            "Order these by the cost of a step: small model, EAGLE head, prompt lookup.",
            "Which drafters read what the target has computed? What do they need from it?",
            "Chain or tree: the first choice is accepted in 6 of 10 places, the second in 2 of 10, at every depth. You may draft 2 guesses. "
            "Calculate the tokens per pass of a chain and of two siblings.",
        ),
        (
            "Usually: prompt lookup, EAGLE head, small model. That is no pass, one layer, a whole model.",
            "Early exit, multi-token heads, the EAGLE head, the block head. They need its layers or hidden states, so they fit one target only.",
            "Chain: 1 + 0.6 + 0.6·0.6 = 1.96. Siblings: 1 + 0.6 + 0.2 = 1.8. The chain gives more, but it needs two draft passes and the siblings one.",
        ),
        (
            "choose a drafter for a kind of text",
            "tell multi-token heads from an EAGLE head",
            "say what a tree costs and what it gains",
        ),
    ),
    excerpt=excerpt,
    tables=tables,
    words={
        "way": "drafter",
        "way_reads": "a draft step reads",
        "way_cost": "and costs",
        "way_published": "published",
        "way_end": "Here all of them are checked in the same way. With an exact rule the text keeps the target's distribution.",
        "ways_view": "Ways",
        "shapes_view": "Chain or tree",
        "position_view": "At one position",
        "position_unsure": "where a tree gains most",
        "position_sure": "where a chain gains most",
        "position_a_chain": "chain",
        "position_a_tree": "tree",
        "position_gives": "{tokens} tokens, {passes} draft passes",
        "position_speed": "{device}: chain {chain}, tree {tree}.",
        "position_chosen": "A box is a guess, with its chance by the target (p) and by the draft (q). Of {of} positions these two differ most.",
        "position_tree": "The draft is not sure what follows “{last}”. With {n} guesses a chain gives {chain} tokens per pass on average, a tree {tree}.",
        "position_chain": "Here it is sure of many tokens in a row. A chain of {n} gives {chain} tokens per pass, a tree of {n} gives {tree}.",
        "position_exact": "Is a tree still exact? Yes, with an exact rule: siblings are tested one after the other, each against what is left of p.",
        "shape_budget": "Guesses per round, N",
        "shape_chain": "chain",
        "shape_tree": "best tree",
        "shape_pass": "With all N guesses, in one pass of the target:",
        "shape_tokens": "{n} tokens",
        "shape_v": "Calculated: the fastest with at most N guesses. {device}: c = {c}, v({n}) = {v}.",
        "shape_speed": "{speed}, with {n} guesses, {depth} deep",
        "shape_accepted": "accepted",
        "shape_rank": "choice {n}",
        "shape_depth": "depth {n}",
        "shape_is": "A tree drafts several guesses for one position. The target checks all of them in one pass, and at most one of them is accepted.",
        "shape_thin": "At the first position the first choice of {draft} is accepted in {first} of all rounds. Its second choice is accepted in {second}.",
        "shape_few": "With {n} guesses a chain gives {chain} tokens per pass, and the best tree {tree}.",
        "shape_many": "With {n} guesses a chain gives {chain}, and the best tree {tree}. A second choice near the text is reached more often than a deep first choice.",
        "shape_engines": "vLLM removed trees in May 2026: they were never finished, and made its attention hard to change. SGLang 0.5.23 (November 2026) keeps them. With "
        "one text, a large GPU checks more guesses almost for free. In a full batch each guess costs time.",
        "stack_target": "the target's layers",
        "stack_read": "read",
        "stack_draft": "what a draft step runs",
    },
)
