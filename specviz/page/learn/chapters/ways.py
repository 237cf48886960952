"""What drafters read, and what a step costs."""

from ...exercise import Exercise
from ..chapter import COPY, Chapter, Question
from ..excerpts import Runs, costs

# Name, what a draft step reads, what it costs, what was published. `stack`: which layers are at work.
WAYS = (
    {
        "name": "Small model",
        "stack": "beside",
        "reads": "the text, with weights of its own",
        "cost": "a small pass a token",
        "published": "1.4–3.4×",
        "source": "Leviathan 2022, T5-XXL",
    },
    {
        "name": "Early exit",
        "stack": "first",
        "reads": "the text, with the target's first layers",
        "cost": "those layers a token",
        "published": "up to 2.16×",
        "source": "LayerSkip",
    },
    {
        "name": "Multi-token heads",
        "stack": "heads",
        "reads": "the target's last hidden state, then each the one before; and the token just drafted",
        "cost": "one small module a token",
        "published": "1.8×; Medusa, not exact: 2.2–3.6×",
        "source": "DeepSeek-V3, Medusa",
    },
    {
        "name": "EAGLE head",
        "stack": "feature",
        "reads": "features of three layers, then its own; and the token just drafted",
        "cost": "one layer a token, run again",
        "published": "by trees 2.7–3.5×; EAGLE-3: to 6.5×",
        "source": "EAGLE, EAGLE-3",
    },
    {
        "name": "Prompt lookup",
        "stack": "text",
        "reads": "what followed the same words before",
        "cost": "no pass at all: c {lookup}",
        "published": "best where text repeats",
        "source": "Saxena 2023",
    },
    {
        "name": "Bigram table",
        "stack": "table",
        "reads": "the last token alone",
        "cost": "one look-up: c {bigram}",
        "published": "α ≈ .2, so 1.25× by the formula",
        "source": "Leviathan 2022",
    },
)


def excerpt(runs: Runs) -> dict:
    return {"c": {name: costs(runs[name])["c"] for name in ("poor-draft", "lookup")}, "ways": WAYS}


CHAPTER = Chapter(
    key="ways",
    place=100,
    short="Ways",
    title="Ways to draft",
    text=(
        "A draft need not be a second model. All that the check asks for is tokens, and the q they were drawn from. What differs is "
        "what a drafter reads, and what a step costs.",
        "A good one agrees with the target (α) and is cheap (c): a small model of the same family, or a part that reads what the "
        "target has just computed.",
    ),
    question=Question(
        "Code is edited: most of the answer stands in the prompt. Which drafter is hard to beat?",
        ("A larger draft model", "Prompt lookup", "A bigram table"),
        1,
        "It copies what followed the same words before, without any pass, so c is next to nothing, and long blocks stay. Where "
        "nothing repeats it drafts nothing.",
    ),
    go="Watch prompt lookup on a text that repeats itself.",
    settings={"prompt": COPY, "drafter": "lookup", "K": "6", "temperature": "0", "length": "64"},
    notes=(
        "Figures of different papers come from different models and machines: compare orders, not decimals.",
        "Multi-token heads are several modules, one a step ahead; an EAGLE head is one layer that runs again on its own feature.",
        "Medusa's heads all read the target's last hidden state alone, and the rule that it runs does not keep the law.",
    ),
    sources=("leviathan", "layerskip", "deepseek", "medusa", "li", "lookup"),
    exercise=Exercise(
        (
            "Order by the cost of a step: small model, EAGLE head, prompt lookup.",
            "Which drafters read what the target has computed? What do they need of it that a small model does not?",
        ),
        (
            "Prompt lookup, EAGLE head, small model, as a rule: no pass, one layer, a model.",
            "Early exit, multi-token heads, the EAGLE head: its layers or hidden states, so they fit one target only.",
        ),
        ("choose a drafter for a kind of text", "tell multi-token heads from an EAGLE head"),
    ),
    plan=(6, "Which drafter for which text; a full server."),
    excerpt=excerpt,
    words={
        "way": "drafter",
        "way_reads": "a draft step reads",
        "way_cost": "and costs",
        "way_published": "published",
        "way_says": "{name}: reads {reads}; costs {cost}.",
        "way_end": "Here all of them are checked alike, and the text keeps the target's law.",
        "stack_target": "the target's layers",
        "stack_read": "read",
        "stack_draft": "what a draft step runs",
    },
)
